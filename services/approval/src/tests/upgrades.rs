//! Tests of queries if operators may be upgraded.

use portolan_core_approval::consent::{Fallback, Terms};
use portolan_kit::world;
use portolan_proto::approval::v1 as pb;
use portolan_stage::Stage;
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;
use tonic::{Code, Status};

use super::{Asking, PATIENCE};
use crate::Options;

pub(super) const SATURDAY: &str = "2026-11-28T12:00:00Z";
pub(super) const WEDNESDAY: &str = "2026-11-25T12:00:00Z";

pub(super) fn object(kind: &str, name: &str, spec: &Value) -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": kind,
        "metadata": {"name": name, "uid": format!("{kind}-{name}"), "resourceVersion": "1"},
        "spec": spec,
    })
}

pub(super) fn weekends() -> Value {
    let windows = json!({"schedule": [{"start": "1 0 * * 6", "end": "59 23 * * 0"}]});
    object("Policy", "weekends", &windows)
}

fn bound(policy: &str) -> Value {
    let subjects = json!([{"kind": "operator", "name": "*"}]);
    object(
        "PolicyBinding",
        "all",
        &json!({"subjects": subjects, "policyRef": [{"name": policy}]}),
    )
}

pub(super) fn ferry() -> Value {
    object("Operator", "ferry", &json!({"packageName": "ferry"}))
}

pub(super) fn shown(objects: &[Value]) -> portolan_kit::World {
    let objects = objects.iter().cloned();
    objects.fold(world(), portolan_kit::World::object)
}

async fn asking(stage: &Stage, terms: Terms) -> Asking {
    let options = Options {
        upgrades: Some(terms),
        ..Options::default()
    };
    Asking::of(stage.clone(), options).await
}

pub(super) fn request(at: &str) -> pb::ReviewUpgradeRequest {
    let version = |version: &str| {
        Some(pb::MovedVersion {
            bundle: format!("ferry.v{version}"),
            version: version.to_owned(),
        })
    };
    pb::ReviewUpgradeRequest {
        kind: "Operator".to_owned(),
        name: "ferry".to_owned(),
        package: "ferry".to_owned(),
        from: version("1.0.0"),
        to: version("1.1.0"),
        at: at.to_owned(),
        ..pb::ReviewUpgradeRequest::default()
    }
}

impl Asking {
    async fn upgrade(
        &mut self,
        request: pb::ReviewUpgradeRequest,
    ) -> Result<pb::ReviewUpgradeResponse, Status> {
        let answer = self.client.review_upgrade(request).await?;
        Ok(answer.into_inner())
    }

    /// Returns the result as one line: the state, the codes of the reasons, and the time of a
    /// possible change.
    async fn may_move(&mut self, at: &str) -> String {
        let answer = self.upgrade(request(at)).await.expect("an answer");
        let verdict = answer.verdict.clone().expect("a verdict");
        let codes = verdict.reasons.iter().chain(&answer.allowed_by);
        let codes: Vec<_> = codes.map(|reason| reason.code.as_str()).collect();
        format!(
            "{} {} {}",
            verdict.state().as_str_name(),
            codes.join(" "),
            answer.next
        )
    }
}

#[rstest]
#[case::nothing_is_bound(&[ferry()], WEDNESDAY, "YES NoPolicyBinding ")]
#[case::a_window_is_closed(
    &[ferry(), weekends(), bound("weekends")], WEDNESDAY, "NOT_YET TimeRestricted 2026-11-28T00:01:00Z"
)]
#[case::a_window_is_open(
    &[ferry(), weekends(), bound("weekends")], SATURDAY, "YES Allowed 2026-11-29T23:59:00Z"
)]
#[case::it_never_may(
    &[ferry(), object("Policy", "never", &json!({"opaPolicy": "allow := false"})), bound("never")],
    SATURDAY, "NO DeniedByRule "
)]
#[case::a_broken_binding(&[ferry(), bound("gone")], WEDNESDAY, "YES NoPolicyBinding ")]
#[tokio::test]
async fn upgrade_review_returns_verdict_and_next_window(
    #[case] objects: &[Value],
    #[case] at: &str,
    #[case] expected: &str,
) {
    let stage = Stage::of(&shown(objects));
    let mut asking = asking(&stage, Terms::default()).await;
    assert_eq!(asking.may_move(at).await, expected);
}

#[tokio::test]
async fn fallback_terms_of_the_cluster_apply() {
    let terms = Terms {
        unbound: Fallback::Deny,
        broken: Fallback::Deny,
    };
    let mut unbound = asking(&Stage::of(&shown(&[ferry()])), terms).await;
    assert_eq!(unbound.may_move(SATURDAY).await, "NO NoPolicyBinding ");
    let mut broken = asking(&Stage::of(&shown(&[ferry(), bound("gone")])), terms).await;
    assert_eq!(broken.may_move(SATURDAY).await, "NO BindingBroken ");
}

#[tokio::test]
async fn broken_binding_is_a_remark_of_the_answer() {
    let mut asking = asking(
        &Stage::of(&shown(&[ferry(), bound("gone")])),
        Terms::default(),
    )
    .await;
    let answer = asking.upgrade(request(WEDNESDAY)).await.expect("an answer");
    let reported: Vec<_> = answer
        .remarks
        .iter()
        .map(|remark| remark.message.as_str())
        .collect();
    let expected = "PolicyBinding all names missing objects: Policy gone; create these objects, or \
                    remove them from the PolicyBinding";
    assert_eq!(reported, [expected]);
}

#[tokio::test]
async fn answer_lists_its_grounds() {
    let mut policy = weekends();
    policy["metadata"]["generation"] = json!(7);
    let stage = Stage::of(&shown(&[ferry(), policy, bound("weekends")]));
    let mut asking = asking(&stage, Terms::default()).await;
    let answer = asking.upgrade(request(WEDNESDAY)).await.expect("an answer");
    let reported = answer.grounds.into_iter().map(|ground| {
        let object = ground.object.unwrap_or_default().object.unwrap_or_default();
        let (kind, name) = (object.kind, object.name);
        (kind, name, ground.generation, ground.broken)
    });
    let reported: Vec<_> = reported.collect();
    let expected = [
        ("Policy".to_owned(), "weekends".to_owned(), 7, false),
        ("PolicyBinding".to_owned(), "all".to_owned(), 0, false),
    ];
    assert_eq!(reported, expected);
}

/// A change of a policy in the cluster affects the next result.
#[tokio::test]
async fn added_and_removed_policy_takes_effect() {
    let stage = Stage::of(&shown(&[ferry(), bound("weekends")]));
    let mut asking = asking(&stage, Terms::default()).await;
    assert_eq!(asking.may_move(WEDNESDAY).await, "YES NoPolicyBinding ");
    for (objects, expected) in [
        (
            vec![ferry(), weekends(), bound("weekends")],
            "NOT_YET TimeRestricted 2026-11-28T00:01:00Z",
        ),
        (vec![ferry(), bound("weekends")], "YES NoPolicyBinding "),
    ] {
        stage.show(&shown(&objects));
        let reported = tokio::time::timeout(PATIENCE, async {
            while asking.may_move(WEDNESDAY).await != expected {
                tokio::task::yield_now().await;
            }
        });
        reported.await.expect(expected);
    }
}

/// An unread restriction must not be treated as "no restriction".
#[tokio::test]
async fn no_upgrade_is_allowed_while_policies_are_unobserved() {
    let stage = Stage::of(&shown(&[ferry()]));
    let mut asking = asking(&stage, Terms::default()).await;
    let state = State::Stale {
        trouble: Trouble::Unreachable("connection refused".to_owned()),
        since: WEDNESDAY.parse().expect("a time"),
    };
    stage.turn("Policy", state);
    let reported = tokio::time::timeout(PATIENCE, async {
        while !asking
            .may_move(SATURDAY)
            .await
            .starts_with("NOT_YET NotObserved")
        {
            tokio::task::yield_now().await;
        }
    });
    reported.await.expect("the change must be reported");
}

#[rstest]
#[case::another_kind(|it: &mut pb::ReviewUpgradeRequest| it.kind = "Pod".to_owned(), "kind")]
#[case::a_namespace(|it: &mut pb::ReviewUpgradeRequest| it.namespace = "a".to_owned(), "namespace")]
#[case::no_namespace(|it: &mut pb::ReviewUpgradeRequest| it.kind = "OperatorPolicy".to_owned(), "namespace")]
#[case::no_name(|it: &mut pb::ReviewUpgradeRequest| it.name.clear(), "name")]
#[case::no_version(|it: &mut pb::ReviewUpgradeRequest| it.to = None, "to")]
#[case::no_time(|it: &mut pb::ReviewUpgradeRequest| it.at = "noon".to_owned(), "at")]
#[tokio::test]
async fn invalid_upgrade_request_is_refused_with_its_field(
    #[case] edit: fn(&mut pb::ReviewUpgradeRequest),
    #[case] field: &str,
) {
    let mut asking = asking(&Stage::of(&world()), Terms::default()).await;
    let mut request = request(SATURDAY);
    edit(&mut request);
    let refused = asking.upgrade(request).await.expect_err("a refusal");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().starts_with(field), "{refused}");
}

#[tokio::test]
async fn upgrade_review_without_policies_is_unavailable() {
    let mut asking = Asking::at(&Stage::of(&shown(&[ferry()]))).await;
    let refused = asking
        .upgrade(request(SATURDAY))
        .await
        .expect_err("a refusal");
    assert_eq!(refused.code(), Code::Unavailable);
}
