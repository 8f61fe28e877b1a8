//! Tests the status of an Operator for an operator that OLM really installed.

use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Quay, V1, V2, components, condition, quay};

fn plumbus(namespace: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {{name: plumbus}}
spec:
  updates:
    type: CatalogSource
    catalogSource:
      package: plumbus
      channel: stable
      entrypoint: plumbus.v1.0.0
      approval: Automatic
      ref: {{name: community, namespace: {namespace}}}
---
# A component of a kind that comes with the operator, which an administrator lets the controller see.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: see-plumbus}}
rules: [{{apiGroups: [plumbus.example.test], resources: ['*'], verbs: [list, watch]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: see-plumbus}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: see-plumbus}}
subjects: [{{kind: ServiceAccount, name: portolan-controller, namespace: portolan}}]
"
    )
}

#[tokio::test]
async fn documented_status_example_matches_real_install() -> Result<(), Failure> {
    let Some(quay) = quay().await? else {
        return Ok(());
    };
    quay.applies(&plumbus(quay.namespace())).await?;
    let operator = quay.world.operator("plumbus");
    operator.subscribe(&quay.catalog, "stable", None).await?;
    associated(&quay).await?;
    operator.install("plumbus.v1.0.0").await?;
    let reported = quay
        .until_operator("plumbus", "all of it", |it| {
            let refs = it["status"]["components"]["refs"].as_array();
            let mut csvs = refs.into_iter().flatten();
            let is_reported = csvs.any(|it| {
                it["kind"] == "ClusterServiceVersion" && it["conditions"][0]["type"] == "Succeeded"
            });
            is_reported && condition(it, "ComponentsDiverge") == "False ComponentsAsInstalled"
        })
        .await?;
    compared(&quay, &reported).await?;
    seen_with_kubectl(&quay).await?;
    privileged(&quay).await?;
    comes_and_goes(&quay).await?;
    shared(&quay).await?;
    quay.assert_no_forbidden_requests()
}

/// Runs the command in the condition that recommends the label. The command sets the label.
async fn associated(quay: &Quay) -> Result<(), Failure> {
    let offered = quay
        .until_operator("plumbus", "an offer", |it| {
            condition(it, "SubscriptionUnassociated") == "True SubscriptionMatches"
        })
        .await?;
    let conditions = offered["status"]["conditions"]
        .as_array()
        .expect("conditions");
    let message = conditions
        .iter()
        .find(|it| it["type"] == "SubscriptionUnassociated");
    let message = message
        .and_then(|it| it["message"].as_str())
        .expect("a message");
    let (_, command) = message.split_once("kubectl ").expect("a command");
    let words: Vec<_> = command.split(' ').collect();
    quay.run(&words).await?;
    Ok(())
}

/// Compares the status with the real objects. The label must have been copied from the Subscription
/// to its plan, and from the plan to the other objects.
async fn compared(quay: &Quay, reported: &Value) -> Result<(), Failure> {
    let here = quay.namespace();
    let status = &reported["status"];
    assert_eq!(status["metadata"]["version"], "1.0.0");
    let csv = quay
        .json(&["-n", here, "get", "csv/plumbus.v1.0.0"])
        .await?;
    assert_eq!(
        status["metadata"]["displayName"],
        csv["spec"]["displayName"]
    );
    let provides = json!([{
        "group": "plumbus.example.test", "version": "v1", "kind": "Plumbus",
        "plural": status["metadata"]["apis"]["provides"][0]["plural"], "singular": "plumbus",
    }]);
    assert_eq!(
        status["metadata"]["apis"],
        json!({"provides": provides, "requires": []})
    );
    let update = json!([{
        "name": format!("{here}/community"), "package": "plumbus", "channel": "beta",
        "bundle": "plumbus.v2.0.0", "version": "2.0.0",
    }]);
    assert_eq!(status["updates"]["available"], update);
    assert_eq!(
        condition(reported, "UpdateAvailable"),
        "True UpdateFoundInAnotherChannel"
    );
    assert_eq!(condition(reported, "SubscriptionUnassociated"), "");
    let labels = &status["components"]["matchLabels"];
    assert_eq!(*labels, json!({"operators.coreos.com/plumbus": ""}));

    let kinds: Vec<_> = components(reported)
        .iter()
        .map(|it| it.split(' ').next().unwrap_or_default().to_owned())
        .collect();
    for kind in [
        "ClusterServiceVersion",
        "CustomResourceDefinition",
        "Deployment",
        "InstallPlan",
        "Subscription",
    ] {
        assert!(kinds.iter().any(|it| it == kind), "{kind} in {kinds:?}");
    }
    assert!(kinds.is_sorted(), "{kinds:?}");
    for reference in status["components"]["refs"].as_array().expect("refs") {
        let text = |field: &str| reference[field].as_str().unwrap_or_default();
        let version = text("apiVersion");
        let (group, version) = version.split_once('/').unwrap_or(("", version));
        let resource = format!("{}.{version}.{group}/{}", text("kind"), text("name"));
        let namespace = ["-n", text("namespace")];
        let words = [&namespace[..], &["get", resource.trim_end_matches('.')]].concat();
        let live = quay.json(&words).await?;
        assert_eq!(reference["uid"], live["metadata"]["uid"], "{resource}");
        if text("kind") == "ClusterServiceVersion" {
            assert_eq!(reference["conditions"][0]["type"], live["status"]["phase"]);
        }
    }
    let crd = status["components"]["refs"]
        .as_array()
        .expect("refs")
        .iter();
    let mut crd = crd.filter(|it| it["kind"] == "CustomResourceDefinition");
    let conditions = crd
        .next()
        .map(|it| it["conditions"].clone())
        .unwrap_or_default();
    let established = conditions.as_array().expect("conditions").iter();
    let mut established = established.filter(|it| it["type"] == "Established");
    assert_eq!(
        established.next().map(|it| &it["status"]),
        Some(&json!("True"))
    );
    Ok(())
}

async fn seen_with_kubectl(quay: &Quay) -> Result<(), Failure> {
    let row = quay.run(&["get", V2, "plumbus", "--no-headers"]).await?;
    let row: Vec<_> = row.split_whitespace().collect();
    assert_eq!(
        (row[0], row[2], row[3], row[4]),
        ("plumbus", "1.0.0", "True", "False"),
        "{row:?}"
    );
    let explained = quay.try_run(&[
        "explain",
        "operators.status.updates",
        "--api-version=operators.coreos.com/v2alpha1",
    ]);
    let explained = explained.await?.expect("an explanation");
    assert!(
        explained.contains("The channels that contain an update."),
        "{explained}"
    );
    // Our controller also writes the status of the Operator that OLM created, and keeps the status
    // of OLM.
    let own = format!("plumbus.{}", quay.namespace());
    let olm = quay
        .until_operator(&own, "its version", |it| {
            it["status"]["metadata"]["version"] == "1.0.0"
                && it["status"]["v1"]["components"].is_object()
        })
        .await?;
    assert_eq!(olm["metadata"]["finalizers"], Value::Null);
    Ok(())
}

/// A user without a permission for Operators cannot get or list them.
async fn privileged(quay: &Quay) -> Result<(), Failure> {
    let refused = async |words: &[&str]| {
        let output = quay.try_run(words).await?;
        let is_refused = output.as_ref().is_err_and(|it| it.contains("(Forbidden)"));
        assert!(is_refused, "{words:?}: {output:?}");
        Ok::<_, Failure>(())
    };
    let one = ["get", V2, "plumbus", "-o=name", "--as=jane"];
    let all = ["get", V2, "-o=name", "--as=jane"];
    refused(&one).await?;
    quay.run(&[
        "create",
        "clusterrole",
        "see-one",
        "--verb=get",
        "--resource=operators.operators.coreos.com",
        "--resource-name=plumbus",
    ])
    .await?;
    let bind = ["create", "clusterrolebinding", "jane-sees", "--user=jane"];
    quay.run(&[&bind[..], &["--clusterrole=see-one"]].concat())
        .await?;
    quay.until_output(&one, "operator.operators.coreos.com/plumbus")
        .await?;
    refused(&all).await?;
    let other = format!("plumbus.{}", quay.namespace());
    refused(&["get", V2, &other, "--as=jane"]).await?;
    // A user with the role `admin` can read namespaced objects, but no Operators.
    let bind = ["create", "clusterrolebinding", "jane-views", "--user=jane"];
    quay.run(&[&bind[..], &["--clusterrole=admin"]].concat())
        .await?;
    quay.until_output(&["get", "configmaps", "-o=name", "--as=jane"], "configmap/")
        .await?;
    refused(&all).await?;
    let bind = [
        "create",
        "clusterrolebinding",
        "jane-sees-all",
        "--user=jane",
    ];
    quay.run(&[&bind[..], &["--clusterrole=portolan-v2alpha1-view"]].concat())
        .await?;
    quay.until_output(&all, &other).await
}

/// A labeled object of the operator's own kind becomes a component. It is removed from the
/// components when it loses the label.
async fn comes_and_goes(quay: &Quay) -> Result<(), Failure> {
    let here = quay.namespace();
    let own = format!(
        "
apiVersion: plumbus.example.test/v1
kind: Plumbus
metadata:
  name: dinglebop
  namespace: {here}
  labels: {{operators.coreos.com/plumbus: ''}}
"
    );
    quay.applies(&own).await?;
    let has = |it: &Value| components(it).contains(&"Plumbus dinglebop".to_owned());
    quay.until_operator("plumbus", "one of its own kind", has)
        .await?;
    let off = [
        "-n",
        here,
        "label",
        "plumbus/dinglebop",
        "operators.coreos.com/plumbus-",
    ];
    quay.try_run(&off).await?.expect("a label that goes");
    quay.until_operator("plumbus", "none any more", |it| !has(it))
        .await?;
    Ok(())
}

async fn shared(quay: &Quay) -> Result<(), Failure> {
    let here = quay.namespace();
    let other = "
apiVersion: operators.coreos.com/v2alpha1
kind: Operator
metadata: {name: other}
";
    quay.applies(other).await?;
    let csv = [
        "-n",
        here,
        "label",
        "csv/plumbus.v1.0.0",
        "operators.coreos.com/other=",
    ];
    quay.run(&csv).await?;
    let csv = "ClusterServiceVersion plumbus.v1.0.0".to_owned();
    for operator in ["other", "plumbus"] {
        let has = |it: &Value| {
            let all = components(it);
            all.contains(&csv) && all.iter().any(|it| it.starts_with("Deployment "))
        };
        quay.until_operator(operator, "what both have", has).await?;
    }
    let names = quay.run(&["get", V1, "-o=name"]).await?;
    assert!(names.contains("operators.coreos.com/other"), "{names}");
    Ok(())
}
