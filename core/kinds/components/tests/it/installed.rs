//! Tests of Operators with an Install.

use portolan_core_components::{Component, Decision, Installation, Observation, Question, decide};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::kit::{component, condition, observation, status};

const IMAGE: &str = "registry.example/plum@sha256:0b5e";

fn content(image: &str) -> Value {
    json!([{"type": "ManifestImage", "manifestImage": image}])
}

/// Returns the Operator's Install. It has this owner, this image and this approval condition.
fn install(owner: &str, image: &str, approval: (&str, &str)) -> Component {
    let (status, reason) = approval;
    let mut install = component(
        "Install",
        "plumbus",
        &json!({
            "metadata": {"ownerReferences": [{"uid": owner}]},
            "spec": {"content": content(image)},
            "status": {"conditions": [{"type": "PendingApproval", "status": status, "reason": reason}]},
        }),
    );
    install.id.namespace = None;
    install
}

fn of_image(components: Vec<Component>) -> Observation {
    let mut observation = observation(components);
    observation.operator.uid = "uid-1".to_owned();
    let updates = json!({"updates": {"type": "ManifestImage", "manifestImage": IMAGE}});
    observation.operator.stored.spec = updates.as_object().cloned();
    observation
}

#[test]
fn creates_install_for_operator_with_image() {
    let decision = decide(&of_image(Vec::new()));
    let owner = json!({
        "apiVersion": "operators.coreos.com/v1", "kind": "Operator", "name": "plumbus", "uid": "uid-1",
    });
    let made = json!({
        "apiVersion": "operators.coreos.com/v2alpha1", "kind": "Install",
        "metadata": {
            "name": "plumbus", "labels": {"operators.coreos.com/plumbus": ""}, "ownerReferences": [owner],
        },
        "spec": {"content": content(IMAGE)},
    });
    assert_eq!(decision.installation, Some(Installation::Make(made)));
}

#[test]
fn new_image_becomes_the_content_of_the_install() {
    let approved = ("False", "ApprovalGiven");
    let same = install("uid-1", IMAGE, approved);
    assert_eq!(decide(&of_image(vec![same])).installation, None);
    let older = install("uid-1", "registry.example/plum:v1", approved);
    let changed = Installation::Change {
        name: "plumbus".to_owned(),
        content: content(IMAGE),
        bundles: None,
        is_unapproved: false,
    };
    assert_eq!(decide(&of_image(vec![older])).installation, Some(changed));
    let of_another = install("uid-2", "registry.example/plum:v1", approved);
    assert_eq!(decide(&of_image(vec![of_another])).installation, None);
}

#[rstest]
#[case::without_a_controller_for_installs(|it: &mut Observation| it.are_installs_made = false)]
#[case::for_an_operator_in_deletion(|it: &mut Observation| it.operator.is_deleting = true)]
#[case::for_another_source_type(|it: &mut Observation| {
    let spec = it.operator.stored.spec.as_mut().expect("a spec");
    spec["updates"]["type"] = json!("CatalogSource");
})]
fn creates_no_install(#[case] change: fn(&mut Observation)) {
    let mut observation = of_image(Vec::new());
    change(&mut observation);
    assert_eq!(decide(&observation).installation, None);
}

#[rstest]
#[case::missing_permissions(("True", "UnsatisfiedPermissions"), "True PrivilegeEscalationRequired")]
#[case::other_reason(("True", "NotApproved"), "True InstallNotApproved")]
#[case::no_approval_needed(("False", "ApprovalGiven"), "False InstallsApproved")]
#[case::not_checked(("Unknown", "NotChecked"), "Unknown InstallNotChecked")]
fn reports_approval_of_the_install(#[case] approval: (&str, &str), #[case] expected: &str) {
    let Decision { stored, .. } = decide(&of_image(vec![install("uid-1", IMAGE, approval)]));
    let status = stored.and_then(|it| it.status).expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let pending = conditions.find(|it| it["type"] == "InstallPendingApproval");
    let pending = pending.expect("the condition");
    let said = [&pending["status"], &pending["reason"]].map(|it| it.as_str().expect("a text"));
    assert_eq!(said.join(" "), expected);
    if expected.ends_with("EscalationRequired") {
        let message = pending["message"].as_str().expect("a text");
        assert!(
            message.ends_with(": kubectl operator approve install/plumbus"),
            "{message}"
        );
    }
}

/// Returns the Operator's Install, with the content of its image and with these conditions.
fn described(ready: &str, pending: &str, version: &str) -> Component {
    let api = |kind: &str| json!([{"group": "fruits.test", "version": "v1", "kind": kind, "plural": "plums"}]);
    let mut install = component(
        "Install",
        "plumbus",
        &json!({
            "metadata": {"ownerReferences": [{"uid": "uid-1"}], "generation": 2},
            "spec": {"content": content(IMAGE)},
            "status": {
                "observedGeneration": 2,
                "conditions": [
                    {"type": "Ready", "status": ready},
                    {"type": "PendingApproval", "status": pending},
                ],
                "resolved": [{"type": "ManifestImage", "bundle": {
                    "name": format!("plum.v{version}"), "version": version, "displayName": "Plum",
                    "description": "Fruit.", "provides": api("Plum"), "requires": api("Stone"),
                }}],
            },
        }),
    );
    install.id.namespace = None;
    install
}

#[test]
fn status_describes_the_bundle_of_an_image() {
    let mut observation = of_image(vec![described("True", "False", "1.0.0")]);
    let shown = status(&observation);
    let api = |kind: &str| json!([{"group": "fruits.test", "version": "v1", "kind": kind, "plural": "plums"}]);
    let metadata = json!({
        "displayName": "Plum", "description": "Fruit.", "version": "1.0.0",
        "apis": {"provides": api("Plum"), "requires": api("Stone")},
    });
    assert_eq!(shown["metadata"], metadata);
    let no_catalog = Some(["Unknown", "NoCatalog"].map(str::to_owned));
    assert_eq!(condition(&shown, "UpdateAvailable"), no_catalog);

    // Content that waits for an approval, or that is being rolled out, does not count as installed.
    observation.operator.stored.status = shown.as_object().cloned();
    for (ready, pending) in [("False", "True"), ("False", "False")] {
        observation.components = vec![described(ready, pending, "2.0.0")];
        assert_eq!(status(&observation)["metadata"], metadata);
    }
    observation.components = vec![described("True", "False", "2.0.0")];
    assert_eq!(status(&observation)["metadata"]["version"], "2.0.0");
    observation.components.clear();
    assert_eq!(status(&observation)["metadata"], Value::Null);
}

#[test]
fn queries_catalog_in_spec_for_updates_of_an_image() {
    let mut observation = of_image(vec![described("True", "False", "1.0.0")]);
    let spec = observation.operator.stored.spec.as_mut().expect("a spec");
    let reference = json!({"name": "community", "namespace": "my-ns"});
    spec["updates"]["catalogSource"] =
        json!({"package": "plum", "channel": "stable", "ref": reference});
    observation.answer = None;
    let asked = decide(&observation).question.expect("a question");
    let Question {
        catalog,
        package,
        channel,
        bundle,
        version,
        namespace,
    } = asked;
    let asked = [catalog, package, channel, bundle, version, namespace];
    assert_eq!(
        asked,
        [
            "my-ns/community",
            "plum",
            "stable",
            "plum.v1.0.0",
            "1.0.0",
            ""
        ]
    );
}

#[test]
fn unapproved_image_counts_as_not_installed() {
    let shown = status(&of_image(vec![described("False", "True", "1.0.0")]));
    let nothing = Some(["Unknown", "NothingInstalled"].map(str::to_owned));
    assert_eq!(condition(&shown, "UpdateAvailable"), nothing);
    assert_eq!(shown["metadata"]["displayName"], Value::Null);
    // The components are compared only after the content was approved.
    let waits = Some(["Unknown", "InstallNotApproved"].map(str::to_owned));
    assert_eq!(condition(&shown, "ComponentsDiverge"), waits);
}

#[rstest]
#[case::unreadable_image("ManifestImagePullFailed", "ManifestImagePullFailed")]
#[case::another_fault("ContentNotInstallable", "ContentInvalid")]
fn reports_content_that_cannot_be_read(#[case] reason: &str, #[case] expected: &str) {
    let mut install = install("uid-1", IMAGE, ("Unknown", "NotObserved"));
    install.reading.conditions.push(json!({
        "type": "ContentImportError", "status": "True", "reason": reason, "message": "the registry is away",
    }));
    let shown = status(&of_image(vec![install]));
    let error = Some(["True", expected].map(str::to_owned));
    assert_eq!(condition(&shown, "ContentImportError"), error);
    assert!(
        shown
            .to_string()
            .contains("Install plumbus: the registry is away"),
        "{shown}"
    );
    let unknown = |reason: &str| Some(["Unknown", reason].map(str::to_owned));
    assert_eq!(
        condition(&shown, "ComponentsDiverge"),
        unknown("ContentInvalid")
    );
    assert_eq!(
        condition(&shown, "InstallPendingApproval"),
        unknown("InstallNotChecked")
    );
    let shown = status(&of_image(vec![described("True", "False", "1.0.0")]));
    assert_eq!(condition(&shown, "ContentImportError"), None);
}

/// A condition about earlier content does not describe the current content.
#[rstest]
#[case::everything_exists(
    2,
    "True",
    "False ComponentsAsInstalled: all objects of Install plumbus exist"
)]
#[case::content_has_changed_since(
    1,
    "True",
    "True ComponentsDivergeFromResolvedContent: the current content of Install plumbus has not \
     been checked yet"
)]
#[case::object_is_missing(
    2,
    "False",
    "True ComponentsDivergeFromResolvedContent: not all objects of Install plumbus are ready: it \
     is said so"
)]
fn reports_readiness_of_the_install(
    #[case] observed: i64,
    #[case] ready: &str,
    #[case] expected: &str,
) {
    let mut install = component(
        "Install",
        "plumbus",
        &json!({
            "metadata": {"ownerReferences": [{"uid": "uid-1"}], "generation": 2},
            "spec": {"content": content(IMAGE)},
            "status": {
                "observedGeneration": observed,
                "conditions": [{"type": "Ready", "status": ready, "message": "it is said so"}],
            },
        }),
    );
    install.id.namespace = None;
    let decision = decide(&of_image(vec![install]));
    let status = decision.stored.and_then(|it| it.status).expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let diverge = conditions
        .find(|it| it["type"] == "ComponentsDiverge")
        .expect("it");
    let text = |field: &str| diverge[field].as_str().expect("a text");
    let said = format!("{} {}: {}", text("status"), text("reason"), text("message"));
    assert_eq!(said, expected);
}
