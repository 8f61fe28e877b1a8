//! Tests the manifests of `deploy`, as kustomize and Helm render them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portolan_kit::blocks::blocks;
use portolan_kit::{TempFolder, assert_same};
use portolan_rig::{
    Binaries, CHOICES, Failure, HELM, PROFILES, opening, overlay, profile, templates,
};
use serde_json::{Value, json};

use super::{documents, text};
use crate::begin;
use crate::kubectl::ROOT;
use crate::program::output;

/// The chart is generated from the manifests of the base, and must match them.
#[tokio::test]
async fn chart_matches_the_base() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let base = kustomized(&Path::new(ROOT).join("deploy/base")).await?;
    let chart = Path::new(ROOT).join("deploy/chart");
    let read = |path: PathBuf| fs::read_to_string(path).expect("a file that is made");
    let mut made = BTreeSet::new();
    let mut components = Vec::new();
    for choice in CHOICES {
        components.push(with(&choice.components()).await?);
    }
    let opened = kustomized(&Path::new(ROOT).join("deploy/overlays/templates")).await?;
    let templates = templates(&base, &components).into_iter();
    for (name, text) in templates.chain(opening(&opened)) {
        let kept = read(chart.join("templates").join(&name));
        // `just chart` generates this file.
        assert_same!(kept, text);
        made.insert(name);
    }
    let templates = fs::read_dir(chart.join("templates"));
    let names = templates.map_err(Failure::touch("list templates"))?;
    let names = names
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let more: Vec<_> = names
        .filter(|name| name.ends_with(".yaml") && !made.contains(name))
        .collect();
    assert_eq!(more, Vec::<String>::new(), "nothing makes these");
    let crd = "crds/operatorpolicies.policy.open-cluster-management.io.yaml";
    assert_same!(
        read(chart.join(crd)),
        read(Path::new(ROOT).join("deploy").join(crd))
    );
    assert_same!(
        read(chart.join("files/dashboard.json")),
        read(Path::new(ROOT).join("deploy/overlays/monitoring/dashboard.json"))
    );
    for name in PROFILES {
        let deploy = Path::new(ROOT).join("deploy");
        let rendered = kustomized(&deploy.join("overlays").join(name)).await?;
        let kept = read(deploy.join("profiles").join(name).with_extension("yaml"));
        assert_same!(kept, profile(name, &rendered));
    }
    Ok(())
}

#[tokio::test]
async fn helm_lints_the_chart_and_renders_the_base() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let built = tokio::task::spawn_blocking(|| HELM.program());
    let helm = built.await.map_err(Failure::read("the end of a build"))??;
    let linted = output_of(&helm, &["lint", "--strict", "deploy/chart"]).await?;
    assert!(linted.contains("0 chart(s) failed"), "{linted}");

    // Only release builds of Helm contain a version of Kubernetes.
    let version = "--kube-version=1.36.0";
    let words = [
        "template",
        "portolan",
        "deploy/chart",
        "-n=portolan",
        version,
        "--skip-tests",
        "--set=controller.enabled=true,console.enabled=false,diagnosis.enabled=false",
        "--set=tls.source=provided,uninstall.releaseFinalizers=false,monitoring.dashboard=false",
    ];
    let base = kustomized(&Path::new(ROOT).join("deploy/base")).await?;
    renders(&output_of(&helm, &words).await?, &base);
    for choice in CHOICES {
        let enabled = format!("--set={}.enabled=true", choice.name);
        let words: Vec<_> = words.into_iter().chain([enabled.as_str()]).collect();
        let expected = with(&with_needed(choice.name)).await?;
        renders(&output_of(&helm, &words).await?, &expected);
    }

    let opens = ["--set=templates.namespaces={harbor,pier}"];
    let opens = output_of(&helm, &[&words[..], &opens].concat()).await?;
    for namespace in ["harbor", "pier"] {
        let expected = by_name(&template_access(namespace).await?);
        let made = documents(&opens).into_iter();
        let made = made.filter(|object| object["metadata"]["namespace"] == namespace);
        let made: Vec<_> = made.collect();
        assert_eq!(made.len(), expected.len());
        for mut object in made {
            without_standard_labels(&mut object);
            let kind = text(&object["kind"]);
            assert_same!(json: &object, &expected[&format!("{kind} portolan-templates")]);
        }
    }

    let own = ["--set=image.repository=registry.example/own,resolver.minReplicas=3"];
    let own = output_of(&helm, &[&words[..], &own].concat()).await?;
    let own = by_name(&own);
    let image = "/spec/template/spec/containers/0/image";
    let image = own["Deployment portolan-health"].pointer(image);
    let expected = concat!("registry.example/own:", env!("CARGO_PKG_VERSION"));
    assert_eq!(image, Some(&expected.into()));
    let least = &own["HorizontalPodAutoscaler portolan-resolver"]["spec"]["minReplicas"];
    assert_eq!(least, 3);
    Ok(())
}

/// Checks that the rendered objects of Helm and kustomize are equal.
fn renders(made: &str, expected: &str) {
    let (mut made, mut expected) = (by_name(made), by_name(expected));
    // Helm creates the namespace with `--create-namespace`. The chart has its own certificates.
    expected.retain(|name, _| name != "Namespace portolan" && !name.starts_with("Certificate "));
    assert_eq!(
        made.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>()
    );
    for (name, object) in &mut made {
        without_standard_labels(object);
        if name.starts_with("CustomResourceDefinition ") {
            let metadata = object["metadata"].as_object_mut().expect("metadata");
            let kept = metadata.remove("annotations");
            assert_eq!(kept, Some(json!({"helm.sh/resource-policy": "keep"})));
        }
        let expected = expected.get_mut(name).expect("the object");
        // The chart sets the version label on all objects, but kustomize sets it only on CRDs.
        let labels = expected.pointer_mut("/metadata/labels");
        if let Some(labels) = labels.and_then(Value::as_object_mut) {
            labels.remove("app.kubernetes.io/version");
        }
        assert_same!(json: object, expected);
    }
}

/// Returns a component and the components that it needs, in the order of the choices.
fn with_needed(name: &'static str) -> Vec<&'static str> {
    match name {
        "approvals" => vec!["installs", "plans", "webhook", "approvals", "v2alpha1"],
        "installs" => vec!["installs", "plans", "webhook", "v2alpha1"],
        "operators" => vec!["certificates", "operators", "plans"],
        "updater" => vec!["certificates", "operators", "plans", "updater"],
        "v2alpha1" => vec!["webhook", "v2alpha1"],
        other => vec![other],
    }
}

/// Removes the labels that the chart sets on all objects.
fn without_standard_labels(object: &mut Value) {
    let metadata = &mut object["metadata"];
    let labels = metadata["labels"].as_object_mut().expect("labels");
    for name in ["instance", "managed-by", "part-of", "version"] {
        let label = format!("app.kubernetes.io/{name}");
        assert!(labels.remove(&label).is_some(), "{label}");
    }
    assert!(labels.remove("helm.sh/chart").is_some());
    if labels.is_empty() {
        metadata.as_object_mut().expect("metadata").remove("labels");
    }
}

/// The controller for plans can impersonate other users only if an administrator grants this
/// permission.
#[tokio::test]
async fn plans_bind_no_role_with_impersonate() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let rendered = by_name(&with(&["plans"]).await?);
    let bound: BTreeSet<_> = ["ClusterRoleBinding", "RoleBinding"]
        .iter()
        .flat_map(|kind| of_kind(&rendered, kind))
        .map(|binding| text(&binding["roleRef"]["name"]))
        .collect();
    let may: BTreeSet<_> = ["ClusterRole", "Role"]
        .iter()
        .flat_map(|kind| of_kind(&rendered, kind))
        .filter(|role| role["rules"].to_string().contains("\"impersonate\""))
        .map(|role| text(&role["metadata"]["name"]))
        .collect();
    assert_eq!(may, BTreeSet::from(["portolan-plans-namespace".to_owned()]));
    assert!(may.is_disjoint(&bound), "{bound:?}");
    assert!(bound.contains("portolan-controller-plans"), "{bound:?}");
    Ok(())
}

/// Secrets can be read only if an administrator grants this permission.
#[tokio::test]
async fn certificates_bind_no_role_that_reads_secrets() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let rendered = by_name(&with(&["certificates"]).await?);
    let bound: BTreeSet<_> = of_kind(&rendered, "ClusterRoleBinding")
        .into_iter()
        .map(|binding| text(&binding["roleRef"]["name"]))
        .collect();
    let may: BTreeSet<_> = of_kind(&rendered, "ClusterRole")
        .into_iter()
        .filter(|role| role["rules"].to_string().contains("\"secrets\""))
        .map(|role| text(&role["metadata"]["name"]))
        .filter(|name| name.contains("certificates"))
        .collect();
    let expected = BTreeSet::from(["portolan-certificates-namespace".to_owned()]);
    assert_eq!(may, expected);
    assert!(may.is_disjoint(&bound), "{bound:?}");
    assert!(
        bound.contains("portolan-controller-certificates"),
        "{bound:?}"
    );
    Ok(())
}

/// The diagnosis service combines the responses of the other services. So it may read all objects
/// that the other services read, and the objects of Portolan. It writes only access reviews for its
/// callers.
#[tokio::test]
async fn role_of_diagnosis_permits_only_reads_and_access_reviews() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let rendered = by_name(&with(&["diagnosis"]).await?);
    let permitted = rules(&rendered["ClusterRole portolan-diagnosis"]);
    let own = [
        // The core group has no name.
        " nodes",
        "admissionregistration.k8s.io validatingwebhookconfigurations",
        "apps daemonsets",
        "apps statefulsets",
        "batch jobs",
        "config.openshift.io clusterversions",
        "coordination.k8s.io leases",
        "operators.coreos.com installs",
        "operators.coreos.com operators",
        "plans.portolan.dev installplans",
    ];
    let mut expected: BTreeSet<_> = own
        .iter()
        .flat_map(|kind| ["list", "watch"].map(|verb| format!("{verb} {kind}")))
        .collect();
    let of_readiness = [
        "get apiserver.openshift.io apirequestcounts",
        "get config.openshift.io clusteroperators",
        "get operators.coreos.com clusterserviceversions",
    ];
    expected.extend(of_readiness.map(str::to_owned));
    for service in ["resolver", "health", "approval"] {
        expected.extend(rules(&rendered[&format!("ClusterRole portolan-{service}")]));
    }
    assert_eq!(permitted, expected);
    let reviews = &rendered["ClusterRoleBinding portolan-diagnosis-auth-delegator"];
    assert_eq!(reviews["roleRef"]["name"], "system:auth-delegator");
    let bound = of_kind(&rendered, "ClusterRoleBinding").into_iter();
    let bound = bound.filter(|it| {
        it["subjects"]
            .to_string()
            .contains("\"portolan-diagnosis\"")
    });
    assert_eq!(bound.count(), 2);
    Ok(())
}

/// Returns the verbs for each resource that a role permits, such as `list apps deployments`.
fn rules(role: &Value) -> BTreeSet<String> {
    let words = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten();
        all.map(text).collect()
    };
    let mut all = BTreeSet::new();
    for rule in role["rules"].as_array().into_iter().flatten() {
        for group in words(&rule["apiGroups"]) {
            for resource in words(&rule["resources"]) {
                for verb in words(&rule["verbs"]) {
                    all.insert(format!("{verb} {group} {resource}"));
                }
            }
        }
    }
    all
}

/// The console shows users only what they may read. The console itself has no permissions and no
/// token.
#[tokio::test]
async fn no_role_is_bound_to_the_console() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let rendered = by_name(&with(&["console", "console-cert-manager"]).await?);
    let pod = &rendered["Deployment portolan-console"]["spec"]["template"]["spec"];
    assert_eq!(pod["automountServiceAccountToken"], false);
    assert!(
        !pod["volumes"].to_string().contains("serviceAccountToken"),
        "{pod}"
    );
    let account = text(&pod["serviceAccountName"]);
    assert!(rendered.contains_key(&format!("ServiceAccount {account}")));
    for kind in ["ClusterRoleBinding", "RoleBinding"] {
        for binding in of_kind(&rendered, kind) {
            let mut subjects = binding["subjects"].as_array().into_iter().flatten();
            assert!(!subjects.any(|it| it["name"] == *account), "{binding}");
        }
    }
    let secret = &rendered["Certificate portolan-console"]["spec"]["secretName"];
    assert!(pod["volumes"].to_string().contains(&text(secret)), "{pod}");
    Ok(())
}

/// The versions in the documentation page are those that this test suite runs.
#[test]
fn versions_page_lists_the_pinned_versions() {
    let root = Path::new(ROOT);
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("a file of the project");
    let page = read("docs/versions.md");
    let pins = [
        ("tests/cluster/rig/go/kubernetes", "k8s.io/kubernetes"),
        (
            "tests/cluster/rig/go/kubernetes",
            "go.etcd.io/etcd/server/v3",
        ),
        ("tests/cluster/rig/go/kubernetes", "sigs.k8s.io/kwok"),
        (
            "tests/cluster/rig/go/olm",
            "github.com/operator-framework/operator-lifecycle-manager",
        ),
        (
            "tests/cluster/rig/go/olm",
            "github.com/operator-framework/operator-registry",
        ),
        (
            "tests/cluster/rig/go/tools",
            "github.com/fullstorydev/grpcurl",
        ),
        ("tests/cluster/programs/helm", "helm.sh/helm/v3"),
        (
            "tests/cluster/programs/distribution",
            "github.com/distribution/distribution/v3",
        ),
        (
            "tests/cluster/rig/go/containerd",
            "github.com/containerd/containerd/v2",
        ),
        (
            "tests/cluster/programs/coredns",
            "github.com/coredns/coredns",
        ),
        ("tests/cluster/clients/go", "google.golang.org/grpc"),
        (
            "tests/cluster/rig/go/catalogd",
            "github.com/operator-framework/operator-controller",
        ),
        (
            "tests/cluster/rig/go/operator-controller",
            "github.com/operator-framework/operator-controller",
        ),
    ];
    for (module, name) in pins {
        let pinned = read(&format!("{module}/go.mod"));
        let line = pinned.lines().find_map(|line| {
            let line = line.trim_start().trim_start_matches("require ");
            line.strip_prefix(name)?.strip_prefix(' ')
        });
        let line = line.expect("the module is pinned");
        let version = line.split(' ').next().unwrap_or(line);
        assert!(page.contains(version), "{name} is {version}");
    }
    let chart = read("deploy/chart/Chart.yaml");
    assert!(chart.contains(">=1.30.0-0"), "{chart}");
}

/// Renders the overlay in the documentation with each of the components.
#[tokio::test]
async fn overlays_refer_to_objects_of_the_base() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let page = fs::read_to_string(Path::new(ROOT).join("docs/operations.md"));
    let page = page.map_err(Failure::touch("read a page"))?;
    let blocks = blocks(&page);
    let own = blocks.iter().find(|block| block.language == "yaml");
    let own = own.expect("the page has an overlay").lines.join("\n");
    let own = own.replace(
        "../monitoring]",
        "../monitoring, ../webhook, ../v2alpha1, ../apiserver, ../apiserver-cert-manager, ../updater, ../certificates, ../plans, \
         ../operators, ../diagnosis, ../diagnosis-cert-manager, ../openshift]",
    );

    let folder = TempFolder::empty();
    let mut copied = Command::new("cp");
    copied
        .arg("-r")
        .arg(Path::new(ROOT).join("deploy"))
        .arg(&*folder);
    assert!(output(copied).await?.status.success());
    let mine = folder.join("deploy/overlays/mine");
    fs::create_dir(&mine).map_err(Failure::touch("make a folder"))?;
    fs::write(mine.join("kustomization.yaml"), own).map_err(Failure::touch("write an overlay"))?;
    let rendered = by_name(&kustomized(&mine).await?);

    let deployments = of_kind(&rendered, "Deployment");
    assert_eq!(deployments.len(), 8);
    for deployment in deployments {
        let pod = &deployment["spec"]["template"];
        let user = &pod["spec"]["securityContext"];
        let names = ["runAsUser", "runAsGroup", "fsGroup"];
        let named: Vec<_> = names
            .iter()
            .filter(|name| !user[**name].is_null())
            .collect();
        assert_eq!(named, Vec::<&&str>::new(), "OpenShift gives users");
        let image = text(&pod["spec"]["containers"][0]["image"]);
        assert!(image.starts_with("REGISTRY/portolan:"), "{image}");

        // Another component creates the Secrets that Pods mount.
        let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
        for secret in volumes.filter_map(|volume| volume["secret"]["secretName"].as_str()) {
            let certificates = of_kind(&rendered, "Certificate");
            let mut written = certificates
                .iter()
                .map(|it| text(&it["spec"]["secretName"]));
            assert!(written.any(|name| name == secret), "{secret}");
        }
        let monitor = &of_kind(&rendered, "PodMonitor")[0]["spec"];
        let labels = monitor["selector"]["matchLabels"].as_object();
        for (label, value) in labels.expect("labels") {
            assert_eq!(&pod["metadata"]["labels"][label], value);
        }
        let ports = pod["spec"]["containers"][0]["ports"].as_array();
        let mut ports = ports.into_iter().flatten();
        let scraped = &monitor["podMetricsEndpoints"][0]["port"];
        assert!(ports.any(|port| &port["name"] == scraped), "{scraped}");
    }
    // A certificate is valid for the name with which clients connect.
    let services = of_kind(&rendered, "Service");
    for certificate in of_kind(&rendered, "Certificate") {
        let Some(names) = certificate["spec"]["dnsNames"].as_array() else {
            assert_eq!(certificate["spec"]["isCA"], true);
            continue;
        };
        let name = |service: &&Value| {
            let of = &service["metadata"];
            format!("{}.{}.svc", text(&of["name"]), text(&of["namespace"]))
        };
        let known: BTreeSet<_> = services.iter().map(name).collect();
        assert!(known.contains(&text(&names[0])), "{names:?}");
    }
    Ok(())
}

/// Templates can only read one namespace. Only the ServiceAccounts that resolve templates have this
/// permission.
#[tokio::test]
async fn templates_may_read_only_the_given_namespace() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let rendered = by_name(&template_access("harbor").await?);
    for kind in ["Role", "RoleBinding"] {
        let [object] = &of_kind(&rendered, kind)[..] else {
            panic!("there must be one {kind}");
        };
        assert_eq!(object["metadata"]["namespace"], "harbor");
    }
    let subjects = of_kind(&rendered, "RoleBinding")[0]["subjects"].as_array();
    let accounts = by_name(&with(&[]).await?);
    let accounts = of_kind(&accounts, "ServiceAccount");
    for subject in subjects.into_iter().flatten() {
        let is_it = |account: &&Value| {
            let metadata = &account["metadata"];
            (&metadata["name"], &metadata["namespace"]) == (&subject["name"], &subject["namespace"])
        };
        assert!(accounts.iter().any(is_it), "{subject}");
    }
    Ok(())
}

/// Renders the permissions that templates need to read ConfigMaps of a namespace.
async fn template_access(namespace: &str) -> Result<String, Failure> {
    let folder = TempFolder::empty();
    let mut copied = Command::new("cp");
    let from = Path::new(ROOT).join("deploy/overlays/templates");
    copied.arg("-r").arg(from).arg(&*folder);
    assert!(output(copied).await?.status.success());
    let own = format!("resources: [templates]\nnamespace: {namespace}\n");
    fs::write(folder.join("kustomization.yaml"), own)
        .map_err(Failure::touch("write an overlay"))?;
    kustomized(&folder).await
}

/// Renders the base with these components.
pub(crate) async fn with(components: &[&str]) -> Result<String, Failure> {
    let path = |path: &Path| path.canonicalize().map_err(Failure::touch("find a folder"));
    let (deploy, temp) = (path(&Path::new(ROOT).join("deploy"))?, TempFolder::empty());
    let folder = path(&temp)?;
    let text = overlay(&deploy, &folder, components);
    fs::write(folder.join("kustomization.yaml"), text)
        .map_err(Failure::touch("write an overlay"))?;
    kustomized(&folder).await
}

async fn kustomized(folder: &Path) -> Result<String, Failure> {
    let kubectl = Binaries::ready()?.folder().join("kubectl");
    output_of(&kubectl, &["kustomize", &folder.display().to_string()]).await
}

/// Runs a program, and returns its output. Returns an error if the program fails.
pub(super) async fn output_of(program: &Path, words: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(program);
    command.args(words).current_dir(ROOT);
    let output = output(command).await?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{words:?}: {complaint}");
    String::from_utf8(output.stdout).map_err(Failure::read("what is rendered"))
}

/// Returns the rendered objects, by kind and name.
pub(super) fn by_name(rendered: &str) -> BTreeMap<String, Value> {
    let objects = documents(rendered).into_iter().map(|object| {
        let name = format!(
            "{} {}",
            text(&object["kind"]),
            text(&object["metadata"]["name"])
        );
        (name, object)
    });
    objects.collect()
}

pub(super) fn of_kind<'a>(objects: &'a BTreeMap<String, Value>, kind: &str) -> Vec<&'a Value> {
    objects
        .values()
        .filter(|object| object["kind"] == kind)
        .collect()
}
