//! Operators that are installed by an Install.

use portolan_core_components::{Component, Decision, Installation, Observation, decide};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::kit::{component, observation};

const IMAGE: &str = "registry.example/plum@sha256:0b5e";

fn content(image: &str) -> Value {
    json!([{"type": "ManifestImage", "manifestImage": image}])
}

/// The Install of the Operator, with this image, and what it says of its approval.
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
    install.id.namespace = String::new();
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
fn an_operator_that_names_an_image_has_an_install_made() {
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
fn another_image_is_its_content_from_then_on() {
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
#[case::where_nobody_carries_installs_out(|it: &mut Observation| it.are_installs_made = false)]
#[case::of_an_operator_that_goes(|it: &mut Observation| it.operator.is_deleting = true)]
#[case::of_another_type(|it: &mut Observation| {
    let spec = it.operator.stored.spec.as_mut().expect("a spec");
    spec["updates"]["type"] = json!("CatalogSource");
})]
fn no_install_is_made(#[case] change: fn(&mut Observation)) {
    let mut observation = of_image(Vec::new());
    change(&mut observation);
    assert_eq!(decide(&observation).installation, None);
}

#[rstest]
#[case::permissions(("True", "UnsatisfiedPermissions"), "True PrivilegeEscalationRequired")]
#[case::a_word(("True", "NotApproved"), "True InstallNotApproved")]
#[case::nothing(("False", "ApprovalGiven"), "False InstallsApproved")]
fn an_install_that_waits_is_told(#[case] approval: (&str, &str), #[case] told: &str) {
    let Decision { stored, .. } = decide(&of_image(vec![install("uid-1", IMAGE, approval)]));
    let status = stored.and_then(|it| it.status).expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let pending = conditions.find(|it| it["type"] == "InstallPendingApproval");
    let pending = pending.expect("the condition");
    let said = [&pending["status"], &pending["reason"]].map(|it| it.as_str().expect("a text"));
    assert_eq!(said.join(" "), told);
}

/// What is said of a content that was there before is not said of the one that is there now.
#[rstest]
#[case::all_is_there(
    2,
    "True",
    "False ComponentsAsInstalled: all that Install plumbus has is there"
)]
#[case::the_content_is_another_one_since(
    1,
    "True",
    "True ComponentsDivergeFromResolvedContent: nobody has looked yet at the content that Install plumbus has now"
)]
#[case::something_lacks(
    2,
    "False",
    "True ComponentsDivergeFromResolvedContent: not all that Install plumbus has is there: it is said so"
)]
fn what_there_is_of_an_install_is_told(
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
    install.id.namespace = String::new();
    let decision = decide(&of_image(vec![install]));
    let status = decision.stored.and_then(|it| it.status).expect("a status");
    let conditions = status["conditions"].as_array().expect("conditions");
    let mut conditions = conditions.iter();
    let told = conditions
        .find(|it| it["type"] == "ComponentsDiverge")
        .expect("it");
    let text = |field: &str| told[field].as_str().expect("a text");
    let said = format!("{} {}: {}", text("status"), text("reason"), text("message"));
    assert_eq!(said, expected);
}
