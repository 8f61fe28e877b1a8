//! Tests of CRDs that switch to another storage version.

use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::run;
use crate::fleet::Fleet;
use crate::handover::{replacing, reported};
use crate::kit::{stage, with};
use crate::model::{Server, identity};

const CA_BUNDLE: &str = "/spec/conversion/webhook/clientConfig/caBundle";

/// Returns a CRD with these versions. It stores the last version.
fn crd(versions: &[&str]) -> Value {
    let last = versions.last();
    let versions = versions
        .iter()
        .map(|name| json!({"name": name, "served": true, "storage": Some(name) == last}));
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "buoys.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced",
            "names": {"kind": "Buoy", "plural": "buoys"},
            "versions": versions.collect::<Vec<_>>(),
            "conversion": {"strategy": "Webhook", "webhook": {
                "clientConfig": {"service": {"namespace": "harbor", "name": "converter"}},
            }},
        },
    })
}

fn converter() -> [Value; 2] {
    let labels = json!({"app": "converter"});
    let service = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {"namespace": "harbor", "name": "converter"}, "spec": {"selector": labels},
    });
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "harbor", "name": "converter"},
        "spec": {"replicas": 1, "template": {"metadata": {"labels": labels}}},
    });
    [service, deployment]
}

fn spec(crd: &Value, converter: &[Value; 2]) -> Value {
    json!({"collisions": "Adopt", "stages": [
        stage("definitions", std::slice::from_ref(crd)), stage("workloads", converter),
    ]})
}

/// Returns a cluster that stores `v1alpha1`, with a certificate for the webhook.
fn server() -> Server {
    Server::new().with(with(crd(&["v1alpha1"]), CA_BUNDLE, json!("Q0E=")))
}

/// Returns the versions of the CRD in the cluster. A star marks the stored version.
fn versions(server: &Server) -> String {
    let crd = &server.objects[&identity(&crd(&["v1"]))];
    let versions = crd["spec"]["versions"].as_array().expect("versions");
    let versions = versions.iter().map(|version| {
        let star = if version["storage"] == true { "*" } else { "" };
        format!("{}{star}", version["name"].as_str().expect("a name"))
    });
    versions.collect::<Vec<_>>().join(" ")
}

#[test]
fn crd_stores_its_old_version_until_the_webhook_runs() {
    let (mut server, new) = (server(), crd(&["v1alpha1", "v1"]));
    server.stuck = [identity(&converter()[1])].into();
    let said = run(&spec(&new, &converter()), &mut server);
    assert_same!(said[0], "Applying");
    assert_same!(versions(&server), "v1alpha1* v1");
    // A new process continues. After that, another new process finds no work.
    server.stuck.clear();
    assert_same!(run(&spec(&new, &converter()), &mut server)[0], "Ready");
    assert_same!(versions(&server), "v1alpha1 v1*");
    let writes = server.writes;
    assert_same!(run(&spec(&new, &converter()), &mut server)[0], "Ready");
    assert_eq!(server.writes, writes);
}

#[test]
fn stage_waits_for_the_certificate_of_the_conversion_webhook() {
    let (mut server, new) = (
        Server::new().with(crd(&["v1alpha1"])),
        crd(&["v1alpha1", "v1"]),
    );
    let said = run(&spec(&new, &converter()), &mut server);
    let expected = "- definitions[0] CustomResourceDefinition.apiextensions.k8s.io \
                    buoys.ferry.example NotReady: stores objects in version v1alpha1 until the \
                    conversion webhook has a caBundle";
    assert_same!(said.last().map(String::as_str), Some(expected));
    assert_same!(versions(&server), "v1alpha1* v1");
    server.edit(&new, CA_BUNDLE, json!("Q0E="), "certificates");
    assert_same!(run(&spec(&new, &converter()), &mut server)[0], "Ready");
    assert_same!(versions(&server), "v1alpha1 v1*");
}

/// API servers may send requests to old Pods until these Pods have ended. A Pod on a lost node
/// never ends, so the wait has a limit.
#[test]
fn old_pods_are_awaited_for_a_while_after_the_rollout() {
    let (mut server, new) = (server(), crd(&["v1alpha1", "v1"]));
    server.stuck = [identity(&converter()[1])].into();
    run(&spec(&new, &converter()), &mut server);
    let deployment = server.objects.get_mut(&identity(&converter()[1]));
    deployment.expect("it")["status"] = json!({
        "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1,
        "terminatingReplicas": 1,
        "conditions": [{"type": "Available", "status": "True"}, {
            "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
            "lastUpdateTime": server.now.to_string(),
        }],
    });
    let said = run(&spec(&new, &converter()), &mut server);
    let expected = "stores objects in version v1alpha1 until 1 old Pod of Deployment.apps \
         harbor/converter stopped";
    assert!(
        said.last().is_some_and(|it| it.ends_with(expected)),
        "{said:?}"
    );
    assert_same!(versions(&server), "v1alpha1* v1");
    server.later(31);
    assert_same!(run(&spec(&new, &converter()), &mut server)[0], "Ready");
    assert_same!(versions(&server), "v1alpha1 v1*");
}

/// Returns a CRD with one version, which needs no conversion.
fn unconverted() -> Value {
    let mut crd = crd(&["v1alpha1"]);
    crd["spec"]
        .as_object_mut()
        .expect("a spec")
        .remove("conversion");
    crd
}

/// The cluster stores no object in the new version, so the old plan takes the CRD back. An apply
/// could not remove the caBundle of another owner, and the API server would reject the result.
#[test]
fn failed_plan_gives_the_crd_back_without_its_webhook() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &spec(&unconverted(), &converter()));
    fleet.run(None);
    let mut upgraded = converter();
    upgraded[1]["spec"]["replicas"] = json!(2);
    fleet.server.stuck = [identity(&upgraded[1])].into();
    let new = crd(&["v1alpha1", "v1"]);
    fleet.make("b", &replacing(spec(&new, &upgraded), &["a"]));
    fleet.run(None);
    fleet
        .server
        .edit(&new, CA_BUNDLE, json!("Q0E="), "certificates");
    fleet.run(None);
    assert_same!(versions(&fleet.server), "v1alpha1* v1");

    fleet.delete("b");
    fleet.server.stuck.clear();
    fleet.run(None);
    assert!(!fleet.has("b"));
    assert_same!(versions(&fleet.server), "v1alpha1*");
    let crd = &fleet.server.objects[&identity(&new)];
    assert_same!(crd["spec"].get("conversion"), None);
}

#[test]
fn next_version_may_drop_the_conversion_webhook() {
    let mut fleet = Fleet::new(Server::new());
    let old = crd(&["v1alpha1"]);
    fleet.make("a", &spec(&old, &converter()));
    fleet.run(None);
    fleet
        .server
        .edit(&old, CA_BUNDLE, json!("Q0E="), "certificates");
    fleet.make("b", &replacing(spec(&unconverted(), &converter()), &["a"]));
    fleet.run(None);
    assert_same!(reported(&fleet, "b")[0], "Ready");
    let crd = &fleet.server.objects[&identity(&old)];
    assert_same!(crd["spec"].get("conversion"), None);
}

#[rstest]
#[case::webhook_of_another_plan(with(
    crd(&["v1alpha1", "v1"]),
    "/spec/conversion/webhook/clientConfig/service/name",
    json!("other")
))]
#[case::no_webhook(with(crd(&["v1alpha1", "v1"]), "/spec/conversion", json!({"strategy": "None"})))]
#[case::no_old_version(crd(&["v1"]))]
fn crd_without_a_webhook_in_the_plan_stores_its_new_version_at_once(#[case] new: Value) {
    let mut server = server();
    server.stuck = [identity(&converter()[1])].into();
    assert_same!(run(&spec(&new, &converter()), &mut server)[0], "Applying");
    assert!(versions(&server).ends_with("v1*"), "{}", versions(&server));
}
