//! Tests of approvals of Installs.

use jiff::Timestamp;
use portolan_api::installs::Status;
use portolan_core_grants::{
    APPROVES, Giver, STAMP, Stamp, StampKey, account_name, approval_digest,
};
use portolan_core_install::{Access, Answers};
use portolan_webhook::admission::{Approval, Request, approval};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::admission::request;

const UID: &str = "0a1b2c3d-0000-0000-0000-000000000000";

/// Returns a request in which a user approves an Install that needs one permission. The request
/// contains the digest of the approved content.
fn question() -> Value {
    let mut question = unnamed();
    name_digest(&mut question["request"]);
    question
}

fn name_digest(request: &mut Value) {
    let old = &request["oldObject"];
    let status: Status = serde_json::from_value(old["status"].clone()).expect("a status");
    let digest = approval_digest(
        (UID, &old["spec"]),
        &status.service_account_ref.expect("an account"),
        &status.resolved,
        &status.pending.expect("permissions").permissions,
    );
    request["object"]["metadata"]["annotations"] = json!({APPROVES: digest});
}

fn unnamed() -> Value {
    let spec =
        |approval: &str| json!({"approval": approval, "content": [{"type": "Raw", "raw": "a"}]});
    let metadata = json!({"name": "plumbus", "uid": UID, "generation": 3});
    json!({"request": {
        "uid": "7", "operation": "UPDATE", "name": "plumbus",
        "userInfo": {
            "username": "ada", "groups": ["pilots", "system:authenticated"], "extra": {"scopes": ["user:info"]},
        },
        "kind": {"group": "operators.coreos.com", "version": "v2alpha1", "kind": "Install"},
        "object": {"metadata": metadata, "spec": spec("Approved")},
        "oldObject": {"metadata": metadata, "spec": spec("Unapproved"), "status": {
            "observedGeneration": 3,
            "serviceAccountRef": {"name": account_name("plumbus", UID), "namespace": "portolan-installs"},
            "pending": {"permissions": [{
                "apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "get"],
                "namespaces": ["harbor"],
            }]},
        }},
    }})
}

fn key() -> StampKey {
    StampKey::new(vec![1; StampKey::BYTES]).expect("a key")
}

/// Decides about an approval. All access reviews have the same result.
fn answered(asked: &portolan_webhook::admission::ApprovalRequest, is_allowed: bool) -> Giver {
    let mut answers = Answers::default();
    loop {
        match asked.giver(&answers) {
            Giver::Asks(asks) => answers.extend(asks.into_iter().map(|it| (it, is_allowed))),
            end => return end,
        }
    }
}

#[test]
fn approver_with_the_permissions_is_stamped() {
    let Approval::Asked(asked) = approval(&request(&question())) else {
        panic!("it must be asked");
    };
    assert_eq!(answered(&asked, true), Giver::May);
    let (response, patch) = asked.stamped(&key(), Timestamp::UNIX_EPOCH);
    assert!(response.is_allowed());
    let path = "/metadata/annotations/operators.portolan.dev~1approved-by";
    assert_eq!(patch[0]["path"], path);
    let text = patch[0]["value"].as_str().expect("a stamp");
    let stamp = Stamp::read(text, &key()).expect("a stamp that counts");
    assert_eq!((&*stamp.approver.user, &*stamp.install), ("ada", UID));
    assert_eq!(stamp.approver.groups, ["pilots", "system:authenticated"]);
    let review = stamp.approver.review(&Access::default());
    let extra = review.extra.expect("the scopes of the token");
    assert_eq!(extra["scopes"], ["user:info"]);
    let forged = text.replace("ada", "eve");
    assert_eq!(
        Stamp::read(&forged, &key()),
        Err("the webhook of Portolan did not write the approval stamp")
    );
    assert!(STAMP.ends_with("approved-by"));
}

#[test]
fn approver_without_the_permissions_is_rejected_with_the_missing_permissions() {
    let Approval::Asked(asked) = approval(&request(&question())) else {
        panic!("it must be asked");
    };
    let Giver::MayNot(lacking) = answered(&asked, false) else {
        panic!("nothing is allowed");
    };
    let refused = asked.refused(&lacking).refused;
    assert_eq!(
        refused[0].to_string(),
        "spec.approval requires a user who can grant the permissions of the content, but user ada \
         cannot grant \
         {\"apiGroups\":[\"\"],\"namespaces\":[\"harbor\"],\"resources\":[\"configmaps\"],\
         \"verbs\":[\"create\",\"get\"]}"
    );
}

type Change = fn(&mut Value);

#[rstest]
#[case::with_another_content(
    |it: &mut Value| it["object"]["spec"]["content"][0]["raw"] = json!("b"), "together with other content"
)]
#[case::before_the_first_check(
    |it: &mut Value| it["oldObject"]["metadata"]["generation"] = json!(4), "before the controller has reconciled"
)]
#[case::for_another_account(
    |it: &mut Value| it["oldObject"]["status"]["serviceAccountRef"]["name"] = json!("admin"), "--account="
)]
#[case::without_the_digest(
    |it: &mut Value| it["object"]["metadata"]["annotations"] = json!({}), "does not name the \
                                                                           approved content"
)]
#[case::content_changed_after_it_was_displayed(
    |it: &mut Value| it["oldObject"]["status"]["pending"]["permissions"][0]["verbs"] = json!(["*"]),
    "does not name the approved content"
)]
#[case::subject_was_replaced(
    |it: &mut Value| it["oldObject"]["status"]["pending"]["permissions"][0]["subjects"] = json!(["User eve"]),
    "does not name the approved content"
)]
#[case::install_was_recreated(
    |it: &mut Value| {
        it["oldObject"]["metadata"]["uid"] = json!("other");
        it["oldObject"]["status"]["serviceAccountRef"]["name"] = json!(account_name("plumbus", "other"));
    },
    "does not name the approved content"
)]
#[case::digest_that_another_user_set_before(
    |it: &mut Value| it["oldObject"]["metadata"]["annotations"] = it["object"]["metadata"]["annotations"].clone(),
    "the annotation was set before"
)]
fn incomplete_approval_is_refused(#[case] change: Change, #[case] reported: &str) {
    let mut question = question();
    change(&mut question["request"]);
    let Approval::Answered(response) = approval(&request(&question)) else {
        panic!("no access review must be sent");
    };
    let sentence = response.refused[0].to_string();
    assert!(sentence.contains(reported), "{sentence}");
}

#[rstest]
#[case::approved_before(|it: &mut Value| it["oldObject"]["spec"]["approval"] = json!("Approved"))]
#[case::set_back(|it: &mut Value| it["object"]["spec"]["approval"] = json!("Unapproved"))]
#[case::nothing_is_lacking(|it: &mut Value| it["oldObject"]["status"]["pending"] = json!(null))]
#[case::deleted(|it: &mut Value| it["object"]["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z"))]
#[case::of_another_kind(|it: &mut Value| it["kind"]["kind"] = json!("Operator"))]
#[case::subresource(|it: &mut Value| it["subResource"] = json!("status"))]
fn other_requests_are_allowed_without_a_stamp(#[case] change: Change) {
    let mut question = question();
    change(&mut question["request"]);
    let request: Request = request(&question);
    let Approval::Answered(response) = approval(&request) else {
        panic!("no access review must be sent");
    };
    assert!(response.is_allowed(), "{response:?}");
}

/// If no permissions are missing, an author cannot write a stamp that a later approval would use.
#[rstest]
#[case::new_stamp(json!("forged"), json!(null), json!([{"op": "remove"}]))]
#[case::written_over(json!("forged"), json!("old"), json!([{"op": "add", "value": "old"}]))]
#[case::existing_stamp(json!("old"), json!("old"), json!(null))]
#[case::taken_off(json!(null), json!("old"), json!(null))]
fn stamp_written_by_an_author_is_removed(
    #[case] now: Value,
    #[case] before: Value,
    #[case] expected: Value,
) {
    let mut question = question();
    question["request"]["oldObject"]["status"]["pending"] = json!(null);
    question["request"]["object"]["metadata"]["annotations"] = json!(null);
    for (object, stamp) in [("object", now), ("oldObject", before)] {
        let annotations = &mut question["request"][object]["metadata"]["annotations"];
        *annotations = json!({"a": "b"});
        if !stamp.is_null() {
            annotations[STAMP] = stamp;
        }
    }
    let mut expected = expected;
    if expected.is_array() {
        let path = "/metadata/annotations/operators.portolan.dev~1approved-by";
        expected[0]["path"] = json!(path);
    }
    let patch = match approval(&request(&question)) {
        Approval::Unstamped(response, patch) => {
            assert!(response.is_allowed());
            patch
        }
        Approval::Answered(response) => {
            assert!(response.is_allowed());
            Value::Null
        }
        Approval::Asked(asked) => panic!("{asked:?}"),
    };
    assert_eq!(patch, expected);
}

/// The author of a request may write any status into the new object.
#[test]
fn status_in_the_request_is_ignored() {
    let mut question = question();
    question["request"]["object"]["status"] = json!({"observedGeneration": 3, "pending": null});
    assert!(matches!(approval(&request(&question)), Approval::Asked(_)));
}

#[test]
fn too_many_rights_for_access_reviews_are_refused() {
    let mut question = question();
    let words: Vec<_> = (0..1_000).map(|at| format!("w{at}")).collect();
    let permissions = json!([{"apiGroups": words, "resources": words, "verbs": words}]);
    question["request"]["oldObject"]["status"]["pending"]["permissions"] = permissions;
    name_digest(&mut question["request"]);
    let Approval::Asked(asked) = approval(&request(&question)) else {
        panic!("it must be asked");
    };
    assert_eq!(answered(&asked, false), Giver::TooMany);
    // If the approver has all permissions, one access review suffices.
    assert_eq!(answered(&asked, true), Giver::May);
}
