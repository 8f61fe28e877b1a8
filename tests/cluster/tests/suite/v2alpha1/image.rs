//! Tests an Operator with a bundle image on a cluster with OLM: its Install, and the approval that
//! is necessary.

use std::process::Command;

use portolan_kit::oci::{Image, Registry};
use portolan_rig::Failure;
use serde_json::Value;

use super::stage::{Quay, V2, components, condition, quay};
use crate::firstuse::manifests::with;
use crate::installs::images::{ANNOTATIONS, CSV};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::process::{Running, on_free_ports};
use crate::program::{output, portolan};

const INSTALL: &str = "installs.operators.coreos.com/plum";
/// A binding with which an administrator grants all permissions to the ServiceAccounts of Installs.
pub(super) const GIVEN: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: given}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects:
- {apiGroup: rbac.authorization.k8s.io, kind: Group, name: 'system:serviceaccounts:portolan-installs'}
";

/// The CRD in the bundle.
const DEFINITION: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: plums.fruits.test}
spec:
  group: fruits.test
  names: {kind: Plum, listKind: PlumList, plural: plums, singular: plum}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object}}
";
const SEEN: &str = "
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: plums}
rules:
- {apiGroups: [fruits.test], resources: [plums], verbs: [list, watch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: plums}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: plums}
subjects:
- {kind: ServiceAccount, name: portolan-controller, namespace: portolan}
";

/// Returns a bundle image with the CRD, and with a Deployment of this version.
fn bundle(version: &str) -> Image {
    let owned = "
  customresourcedefinitions: {owned: [{name: plums.fruits.test, version: v1, kind: Plum}]}
  version: 1.0.0";
    let csv = CSV.replace("VERSION", version);
    let csv = csv.replace("\n  version: 1.0.0", owned);
    Image::of(&[&[
        ("manifests/csv.yaml", &csv),
        ("manifests/crd.yaml", DEFINITION),
        ("metadata/annotations.yaml", ANNOTATIONS),
    ]])
}

fn operator(image: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {{name: plum}}
spec: {{updates: {{type: ManifestImage, manifestImage: '{image}'}}}}
"
    )
}

#[tokio::test]
async fn operator_is_installed_from_its_image_and_completely_deleted() -> Result<(), Failure> {
    let Some(mut quay) = quay().await? else {
        return Ok(());
    };
    let registry = Registry::start().await;
    let _resolver = installs(&mut quay, &registry.host()).await?;
    for (version, tag) in [("one", "v1"), ("two", "v2")] {
        registry.serve("plum", tag, &bundle(version));
    }
    let image = |tag: &str| format!("{}/plum:{tag}", registry.host());
    quay.run(&["create", "namespace", "plum"]).await?;
    quay.applies(SEEN).await?;
    // The bundle contains bindings that grant permissions to other users. So the Install still
    // needs an approval.
    quay.applies(GIVEN).await?;
    quay.applies(&operator(&image("v1"))).await?;
    let reported = until_pending(&quay, "True PrivilegeEscalationRequired").await?;
    assert!(
        components(&reported).contains(&"Install plum".to_owned()),
        "{reported}"
    );

    approves(&quay).await?;
    until_pending(&quay, "False InstallsApproved").await?;
    until_image(&quay, "registry.test/plum:one").await?;
    is_described(&quay).await?;

    quay.applies(&operator(&image("v2"))).await?;
    until_image(&quay, "registry.test/plum:two").await?;

    // All objects with the label of the Operator are deleted first, so that OLM does not create the
    // Operator again.
    quay.run(&["delete", V2, "plum", "--timeout=180s"]).await?;
    for gone in [
        &["get", INSTALL][..],
        &["-n=plum", "get", "deployment/plum"],
    ] {
        let message = quay.try_run(gone).await?;
        assert!(
            message.as_ref().is_err_and(|it| it.contains("not found")),
            "{message:?}"
        );
    }
    // The CRD is kept, but its label is removed.
    let labels = "-o=jsonpath={.metadata.labels}";
    let kept = ["get", "customresourcedefinition/plums.fruits.test", labels];
    let kept = quay.run(&kept).await?;
    assert!(!kept.contains("operators.coreos.com/plum"), "{kept}");
    quay.assert_no_forbidden_requests()
}

/// Approves the Install as an administrator, with the command `approve`.
async fn approves(quay: &Quay) -> Result<(), Failure> {
    let install = quay.json(&["get", INSTALL]).await?;
    let digest = install["status"]["pending"]["digest"].as_str();
    let digest = format!("--digest={}", digest.expect("a digest"));
    let admin = quay.cluster().admit("approver", Some("system:masters"))?;
    let mut command = Command::new(portolan().await?);
    command.args(["approve", "install/plum", &digest]);
    command.arg(kubeconfig_flag(&admin));
    let output = output(command).await?;
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    Ok(())
}

/// The status contains the metadata of the bundle image. The Deployment and the CRD of the image
/// are components.
async fn is_described(quay: &Quay) -> Result<(), Failure> {
    let made = [
        "Deployment plum".to_owned(),
        "CustomResourceDefinition plums.fruits.test".to_owned(),
    ];
    let is_so = |it: &Value| {
        let all = components(it);
        made.iter().all(|it| all.contains(it)) && it["status"]["metadata"]["version"] == "1.0.0"
    };
    let reported = quay.until_operator("plum", "its bundle", is_so).await?;
    let metadata = &reported["status"]["metadata"];
    assert_eq!(metadata["displayName"], "Plum");
    assert_eq!(metadata["apis"]["provides"][0]["kind"], "Plum");
    assert_eq!(condition(&reported, "UpdateAvailable"), "Unknown NoCatalog");
    let label = "-l=operators.coreos.com/plum";
    quay.until_output(&["-n=plum", "get", "deployments", label], "plum")
        .await
}

/// A running resolver.
pub(super) struct Resolving {
    /// The flag with the address of the resolver.
    pub(super) flag: String,
    _running: Running,
}

/// The flags of a controller for Installs.
pub(super) const INSTALLS: [&str; 3] = ["--enable-v2alpha1", "--plans", "--installs"];

/// Applies the manifests for Installs, starts a resolver, and restarts the controller with the
/// flags for Installs.
pub(super) async fn installs(quay: &mut Quay, registry: &str) -> Result<Resolving, Failure> {
    let manifests = with(&["plans", "webhook", "v2alpha1", "installs"]).await?;
    let manifests = manifests.split("\n---\n").filter(|it| {
        let names_webhook = it.contains("portolan-webhook");
        !it.contains("\nkind: Deployment\n") && !names_webhook
    });
    let manifests: Vec<_> = manifests.collect();
    quay.applies(&manifests.join("\n---\n")).await?;
    let admitted = quay.cluster().admit("resolver", Some("system:masters"))?;
    let flags = [
        kubeconfig_flag(&admitted),
        format!("--registries={registry}"),
        format!("--plain-http={registry}"),
    ];
    let listening = portolan_resolver::listen(on_free_ports("resolver", flags)).await;
    let listening = listening.expect("free ports must exist");
    let url = format!("--resolver=http://{}", listening.grpc_address());
    let running = Running::until_dropped(|stops| listening.run(stops));
    quay.starts_controller_of(&INSTALLS, &url).await;
    Ok(Resolving {
        flag: url,
        _running: running,
    })
}

async fn until_pending(quay: &Quay, wanted: &str) -> Result<Value, Failure> {
    quay.until_operator("plum", wanted, |it| {
        condition(it, "InstallPendingApproval") == wanted
    })
    .await
}

async fn until_image(quay: &Quay, wanted: &str) -> Result<(), Failure> {
    let image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
    quay.until_output(&["-n=plum", "get", "deployment/plum", image], wanted)
        .await
}
