//! Tests of `portolan installed`: the operators that watch a namespace.

use std::fs;

use insta::assert_snapshot;
use portolan_kit::{TempFolder, world};
use serde_json::{Value, json};

use crate::program::{portolan, run, transcript};

/// Returns a world with three operators. The first operator watches all namespaces and is being
/// upgraded. The second operator watches two namespaces, and runs in a third one. The third
/// operator has the same name as the first operator.
fn harbor() -> TempFolder {
    let world = world()
        .namespace("olm")
        .global_operator_group()
        .subscription("ferry", "stable")
        .pending("ferry.v1.0.0", "ferry.v1.1.0", "install-1")
        .edit(|it| it["spec"]["config"]["env"] = [[("name", "A"), ("value", "b")]].map(map).into())
        .csv("ferry.v1.0.0", "Succeeded")
        .stamped("6ba7b810-9dad-11d1-80b4-00c04fd430c8", "812")
        .edit(|it| it["spec"]["icon"] = Value::from("long"))
        .namespace("tugs")
        .operator_group_for("some", &["harbor", "pier"])
        .csv("tug.v2.0.0", "Failed")
        .because("ComponentUnhealthy", "no pier")
        .namespace("pier")
        .operator_group()
        .csv("ferry.v1.0.0", "Succeeded")
        .copied_csv("tug.v2.0.0", "tugs")
        .namespace("harbor")
        .copied_csv("ferry.v1.0.0", "olm");
    world.temp()
}

fn map<const N: usize>(fields: [(&str, &str); N]) -> Value {
    let fields = fields.map(|(name, value)| (name.to_owned(), Value::from(value)));
    Value::Object(fields.into_iter().collect())
}

fn output(line: &str) -> String {
    transcript(
        portolan(&format!("installed {line}"))
            .arg("--world")
            .arg(harbor().as_ref()),
    )
}

#[test]
fn lists_operators_in_each_watched_namespace() {
    assert_snapshot!(output(""), @r"
    [stdout]
    NAMESPACE   NAME               INSTALLATION_NAMESPACE   CHANNEL   CURRENT_VERSION   TARGET_VERSION   PHASE
    harbor      ferry.v1.0.0       olm                      stable    1.0.0             ferry.v1.1.0     Succeeded
    harbor      tug.v2.0.0         tugs                     <none>    2.0.0             <none>           Failed
    olm         ferry.v1.0.0       olm                      stable    1.0.0             ferry.v1.1.0     Succeeded
    pier        ferry.v1.0.0       pier                     <none>    1.0.0             <none>           Succeeded
    pier        ferry.v1.0.0:olm   olm                      stable    1.0.0             ferry.v1.1.0     Succeeded
    pier        tug.v2.0.0         tugs                     <none>    2.0.0             <none>           Failed
    tugs        ferry.v1.0.0       olm                      stable    1.0.0             ferry.v1.1.0     Succeeded
    [exit 0]
    ");
}

#[test]
fn lists_operators_of_one_namespace() {
    assert_snapshot!(output("-n harbor -o wide"), @r"
    [stdout]
    NAME           INSTALLATION_NAMESPACE   CHANNEL   CURRENT_VERSION   TARGET_VERSION   PHASE       PACKAGE   SUBSCRIPTION   MESSAGE
    ferry.v1.0.0   olm                      stable    1.0.0             ferry.v1.1.0     Succeeded   ferry     ferry          ferry.v1.0.0 is Succeeded
    tug.v2.0.0     tugs                     <none>    2.0.0             <none>           Failed      <none>    <none>         no pier
    [exit 0]
    ");
}

#[test]
fn selector_filters_by_labels() {
    assert_snapshot!(output("-l operators.coreos.com/sub=ferry,!x -o name"), @r"
    [stdout]
    installed.packages.operators.coreos.com/ferry.v1.0.0
    installed.packages.operators.coreos.com/ferry.v1.0.0
    installed.packages.operators.coreos.com/ferry.v1.0.0:olm
    installed.packages.operators.coreos.com/ferry.v1.0.0
    [exit 0]
    ");
    assert_snapshot!(output("-n harbor -l a==!b"), @r#"
    [stderr]
    error: invalid value 'a==!b' for '--selector <SELECTOR>': the selector "a==!b" cannot be read: a value should be where "!" is

    For more information, try '--help'.
    [exit 2]
    "#);
}

#[test]
fn reports_namespace_without_operators() {
    assert_snapshot!(output("-n elsewhere"), @r"
    [stderr]
    No operator watches elsewhere.
    [exit 0]
    ");
    assert_snapshot!(output("-n harbor -l a=b"), @r"
    [stderr]
    No such operator watches harbor.
    [exit 0]
    ");
}

#[test]
fn json_matches_list_of_api_server() {
    let folder = harbor();
    let mut asked = portolan("installed -n harbor -o json -l operators.coreos.com/sub --world");
    let output = run(asked.arg(folder.as_ref()));
    let list: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let ferry = &list["items"][0];
    assert_snapshot!(
        serde_json::to_string_pretty(&ferry["metadata"]).expect("JSON"),
        @r#"
        {
          "labels": {
            "operators.coreos.com/csv": "ferry.v1.0.0",
            "operators.coreos.com/ferry.olm": "",
            "operators.coreos.com/sub": "ferry"
          },
          "name": "ferry.v1.0.0",
          "namespace": "harbor",
          "resourceVersion": "clusterserviceversions:0,namespaces:0,operatorgroups:0,operators:0,resourcemanifests:0,subscriptions:0",
          "uid": "7b5dd5d7-da78-5bd2-b8af-d8f2b7e220ac"
        }
        "#
    );
    assert_eq!(list["kind"], "InstalledList");
    assert_eq!(
        ferry["status"]["clusterServiceVersion"]["metadata"]["namespace"],
        "olm"
    );
    assert_eq!(
        ferry["status"]["clusterServiceVersion"]["spec"].get("icon"),
        None
    );
    assert_eq!(
        ferry["status"]["subscription"]["spec"]["config"]["env"][0]["value"],
        "b"
    );
}

#[test]
fn rejects_files_without_csvs() {
    let folder = world().namespace("harbor").temp();
    assert_snapshot!(transcript(portolan("installed --world").arg(folder.as_ref())), @r"
    [stderr]
    error: the files contain no ClusterServiceVersion; check the path of --world, or create the files with `portolan dump`
    [exit 2]
    ");
}

#[test]
fn derives_watched_namespaces_from_operator_groups() {
    let folder = TempFolder::empty();
    let group = "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata: {name: g, namespace: olm}\n\
                 spec: {targetNamespaces: [a, b]}\n";
    let csv = "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n\
               metadata: {name: ferry.v1.0.0, namespace: olm}\nspec: {version: 1.0.0}\nstatus: {phase: Pending}\n";
    std::fs::write(folder.join("all.yaml"), format!("{group}---\n{csv}")).expect("a file");
    assert_snapshot!(transcript(portolan("installed --world").arg(folder.as_ref())), @r"
    [stdout]
    NAMESPACE   NAME           INSTALLATION_NAMESPACE   CHANNEL   CURRENT_VERSION   TARGET_VERSION   PHASE
    a           ferry.v1.0.0   olm                      <none>    1.0.0             <none>           Pending
    b           ferry.v1.0.0   olm                      <none>    1.0.0             <none>           Pending
    [stderr]
    warning: the files contain no Namespaces; operators that watch all namespaces are listed only for namespaces in which the files contain other objects
    [exit 0]
    ");
}

/// Returns the objects of tug, an operator that is installed without OLM: its Operator, and the
/// ResourceManifest of its plan.
fn tug() -> [Value; 2] {
    let csv = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": "tug.v1.0.0",
            "namespace": "tugs",
            "annotations": {"olm.operatorNamespace": "tugs", "olm.targetNamespaces": "harbor,tugs"},
        },
        "spec": {"version": "1.0.0"},
    });
    let ready = json!({
        "type": "Ready", "status": "True", "reason": "Installed", "message": "tug.v1.0.0 works",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    [
        json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {"name": "tug", "uid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
            "spec": {"packageName": "tug"},
            "status": {
                "versions": {"installed": "1.0.0", "target": "1.0.0"},
                "plan": {"namespace": "portolan", "name": "tug-1", "clusterServiceVersion": "tug-0b5e"},
                "conditions": [ready],
            },
        }),
        json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "ResourceManifest",
            "metadata": {
                "name": "tug-0b5e",
                "namespace": "portolan",
                "labels": {"operators.portolan.dev/content": "cluster-service-version"},
            },
            "spec": {"digest": portolan_core_install::digest(&csv), "manifest": csv},
        }),
    ]
}

#[test]
fn lists_operators_installed_without_olm() {
    let folder = harbor();
    let [operator, stored] = tug();
    let mut other = stored.clone();
    other["metadata"] = json!({"name": "more", "namespace": "portolan"});
    other["spec"]["digest"] = json!("sha256:0");
    for (name, object) in [("a", &operator), ("b", &stored), ("c", &other)] {
        let file = folder.join(format!("{name}.json"));
        fs::write(file, object.to_string()).expect("a file");
    }
    let mut asked = portolan("installed -n harbor -o wide --world");
    assert_snapshot!(transcript(asked.arg(folder.as_ref())), @r"
    [stdout]
    NAME           INSTALLATION_NAMESPACE   CHANNEL   CURRENT_VERSION   TARGET_VERSION   PHASE       PACKAGE   SUBSCRIPTION   MESSAGE
    ferry.v1.0.0   olm                      stable    1.0.0             ferry.v1.1.0     Succeeded   ferry     ferry          ferry.v1.0.0 is Succeeded
    tug.v1.0.0     tugs                     <none>    1.0.0             1.0.0            Succeeded   tug       <none>         tug.v1.0.0 works
    tug.v2.0.0     tugs                     <none>    2.0.0             <none>           Failed      <none>    <none>         no pier
    [exit 0]
    ");
    let mut asked = portolan("installed -A -o name -l operators.portolan.dev/operator=tug --world");
    assert_snapshot!(transcript(asked.arg(folder.as_ref())), @r"
    [stdout]
    installed.packages.operators.coreos.com/tug.v1.0.0
    installed.packages.operators.coreos.com/tug.v1.0.0
    [exit 0]
    ");
}
