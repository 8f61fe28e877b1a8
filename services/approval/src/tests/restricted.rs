//! Tests of the effects of windows and rules on InstallPlans, and of events that only the passing
//! of time causes.

use std::time::Duration;

use jiff::Timestamp;
use portolan_core_approval::consent::{Fallback, Terms};
use portolan_kit::World;
use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::watch_upgrades_response::Event;
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;
use tokio::time::{Instant, advance, timeout};
use tonic::{Code, Status};

use super::upgrades::{SATURDAY, WEDNESDAY, ferry, object, request, shown, weekends};
use super::{Approval, Asking, PATIENCE, Stage, state, waiting};
use crate::Options;
use crate::clock::Clock;

/// A time shortly before the weekend. The policies of these tests have windows on weekends.
const FRIDAY: &str = "2026-11-27T23:59:50Z";

/// Returns a PolicyBinding for the OperatorPolicy of a namespace.
fn binding(namespace: &str, name: &str, policy: &str) -> Value {
    let mut subject = json!({"kind": "operatorPolicy", "name": name});
    if !namespace.is_empty() {
        subject["namespace"] = namespace.into();
    }
    let spec = json!({"subjects": [subject], "policyRef": [{"name": policy}]});
    object("PolicyBinding", "own", &spec)
}

fn with(world: World, objects: &[Value]) -> World {
    objects.iter().cloned().fold(world, World::object)
}

fn rule(text: &str) -> Value {
    object("Policy", "rule", &json!({"opaPolicy": text}))
}

fn terms(unbound: Fallback) -> Options {
    let broken = Fallback::Allow;
    Options {
        upgrades: Some(Terms { unbound, broken }),
        ..Options::default()
    }
}

fn at(time: &str) -> Options {
    Options {
        at: Some(time.parse().expect("a time")),
        ..terms(Fallback::Allow)
    }
}

/// Returns a client of a service whose clock starts at this time.
async fn since(stage: &Stage, time: &str) -> Asking {
    let time: Timestamp = time.parse().expect("a time");
    let approval = Approval::of(stage.clone(), terms(Fallback::Allow));
    let approval = approval.with_clock(Clock::Since(time, Instant::now()));
    let settled = timeout(PATIENCE, approval.settled()).await;
    settled.expect("the first sync must complete");
    Asking::approval(approval)
}

#[rstest]
#[case::no_binding(&[weekends()], WEDNESDAY, "YES")]
#[case::binding_of_another_operator(&[weekends(), binding("b-system", "b", "weekends")], WEDNESDAY, "YES")]
#[case::a_window_is_open(&[weekends(), binding("a-system", "a", "weekends")], SATURDAY, "YES")]
#[case::a_window_is_closed(
    &[weekends(), binding("a-system", "a", "weekends")], WEDNESDAY, "NOT_YET TimeRestricted"
)]
#[case::a_wildcard_is_for_it_too(
    &[weekends(), binding("", "*", "weekends")], WEDNESDAY, "NOT_YET TimeRestricted"
)]
#[case::a_rule_denies(
    &[rule("allow := false"), binding("a-system", "a", "rule")], SATURDAY, "NO DeniedByPolicy"
)]
#[case::a_rule_sees_what_moves(
    &[
        rule(
            "allow if {\n  input.move.to.bundle == \"a.v1.1.0\"\n  \
             input.move.from.bundle == \"a.v1.0.0\"\n  input.move.to.version == \"1.1.0\"\n  \
             input.operator.packageName == \"a\"\n}"
        ),
        binding("a-system", "a", "rule"),
    ],
    SATURDAY, "YES"
)]
#[case::a_broken_binding_has_no_effect(&[binding("a-system", "a", "gone")], WEDNESDAY, "YES")]
#[tokio::test]
async fn bound_policies_restrict_plans(
    #[case] objects: &[Value],
    #[case] time: &str,
    #[case] expected: &str,
) {
    let stage = Stage::of(&with(waiting(&["a", "b"]), objects));
    let mut asking = Asking::of(stage, at(time)).await;
    assert_eq!(asking.verdict_line("a-system").await, expected);
    let whole = asking.namespace("a-system").await.expect("an answer");
    let reviews = whole.reviews.iter();
    let reported: Vec<_> = reviews.map(|it| state(it.verdict.as_ref())).collect();
    assert_eq!(reported, [expected]);
}

#[tokio::test]
async fn reason_of_a_restrained_plan_names_policy_for_each_bundle() {
    let objects = [weekends(), binding("a-system", "a", "weekends")];
    let stage = Stage::of(&with(waiting(&["a"]), &objects));
    let mut asking = Asking::of(stage, at(WEDNESDAY)).await;
    let review = asking.plan("a-system", "install-1").await.expect("a plan");
    let expected =
        "Policy weekends (by PolicyBinding own) opens its next time window at 2026-11-28T00:01:00Z";
    for verdict in [&review.verdict, &review.bundles[0].verdict] {
        let reasons = verdict.iter().flat_map(|it| &it.reasons);
        let reported: Vec<_> = reasons.map(|reason| reason.message.as_str()).collect();
        assert_eq!(reported, [expected]);
    }
    assert_eq!(
        review.bundles[0].allowances.len(),
        1,
        "it is allowed, only not now"
    );
}

#[tokio::test]
async fn unbound_operator_is_denied_if_the_fallback_is_deny() {
    let stage = Stage::of(&with(waiting(&["a"]), &[weekends()]));
    let mut asking = Asking::of(stage, terms(Fallback::Deny)).await;
    assert_eq!(asking.verdict_line("a-system").await, "NO DeniedByPolicy");
    let stage = Stage::of(&waiting(&["a"]));
    stage.turn("Policy", State::NotServed);
    stage.turn("PolicyBinding", State::NotServed);
    let mut asking = Asking::of(stage, terms(Fallback::Deny)).await;
    assert_eq!(
        asking.verdict_line("a-system").await,
        "YES",
        "there cannot be any"
    );
}

#[tokio::test]
async fn no_plan_is_allowed_while_policies_are_unobserved() {
    let stage = Stage::of(&waiting(&["a"]));
    let mut asking = Asking::of(stage.clone(), terms(Fallback::Allow)).await;
    assert_eq!(asking.verdict_line("a-system").await, "YES");
    let stale = State::Stale {
        trouble: Trouble::Unreachable("connection refused".to_owned()),
        since: WEDNESDAY.parse().expect("a time"),
    };
    stage.turn("Policy", stale);
    let is_told =
        |review: &pb::Review| state(review.verdict.as_ref()) == "NOT_YET PolicyServiceUnavailable";
    asking.until("a-system", is_told).await;
}

/// The binding seems broken only because the Operator that it names is not observed.
#[rstest]
#[case::of_the_policy("a", "NOT_YET PolicyServiceUnavailable")]
#[case::binding_of_another_operator("b", "YES")]
#[tokio::test]
async fn binding_allows_nothing_while_operators_are_not_observed(
    #[case] policy: &str,
    #[case] expected: &str,
) {
    let namespace = format!("{policy}-system");
    let subjects = json!([
        {"kind": "operatorPolicy", "name": policy, "namespace": namespace},
        {"kind": "operator", "name": "ferry"},
    ]);
    let spec = json!({"subjects": subjects, "policyRef": [{"name": "weekends"}]});
    let bound = [weekends(), object("PolicyBinding", "own", &spec)];
    let stage = Stage::of(&with(waiting(&["a", "b"]), &bound));
    stage.turn(
        "Operator",
        State::Unknown {
            trouble: Trouble::Unreachable("too many requests".to_owned()),
            since: WEDNESDAY.parse().expect("a time"),
        },
    );
    let mut asking = Asking::of(stage, at(WEDNESDAY)).await;
    assert_eq!(asking.verdict_line("a-system").await, expected);
}

#[rstest]
#[case::by_the_api_server(
    Trouble::Forbidden("no".to_owned()),
    "forbidden: no; it requires the permission to list and watch \
     upgradepolicies.operators.operatorframework.io, which `portolan serve approval` has"
)]
#[case::by_who_dumped(
    Trouble::NotDumped("forbidden: no".to_owned()),
    "forbidden: no; dump the cluster as a user with the permission to list and watch \
     upgradepolicies.operators.operatorframework.io"
)]
#[case::without_an_author(Trouble::Unreachable("no".to_owned()), "the API server cannot be queried: no")]
#[tokio::test]
async fn forbidden_policies_error_names_the_missing_permission(
    #[case] trouble: Trouble,
    #[case] expected: &str,
) {
    let stage = Stage::of(&waiting(&["a"]));
    let since = WEDNESDAY.parse().expect("a time");
    stage.turn("Policy", State::Unknown { trouble, since });
    let mut asking = Asking::of(stage, at(WEDNESDAY)).await;
    let review = asking.plan("a-system", "install-1").await.expect("a plan");
    let verdict = review.verdict.expect("a verdict");
    assert_eq!(state(Some(&verdict)), "NOT_YET PolicyServiceUnavailable");
    let expected = format!("Policies are not observed: unknown since {WEDNESDAY}: {expected}");
    assert_eq!(verdict.reasons[0].message, expected);
}

/// No object changes in this test. Only time passes.
#[tokio::test(start_paused = true)]
async fn opening_and_closing_window_sends_plan_events() {
    let weekend = json!({"schedule": [{"start": "0 0 * * 6", "end": "0 1 * * 6"}]});
    let objects = [
        object("Policy", "weekends", &weekend),
        binding("a-system", "a", "weekends"),
    ];
    let stage = Stage::of(&with(waiting(&["a", "b"]), &objects));
    let mut news = since(&stage, FRIDAY).await.listen("").await;
    let (a, b) = (
        "InstallPlan a-system/install-1",
        "InstallPlan b-system/install-1",
    );
    let reported = [
        news.next_event().await,
        news.next_event().await,
        news.next_event().await,
    ];
    let expected = [
        format!("{a} NOT_YET TimeRestricted"),
        format!("{b} YES"),
        "synced".into(),
    ];
    assert_eq!(reported, expected);
    let before = Instant::now();
    assert_eq!(news.next_event().await, format!("{a} YES"));
    assert_eq!(before.elapsed().as_secs(), 10, "as soon as it opens");
    advance(Duration::from_secs(3599)).await;
    loop {
        match news.next_event().await.as_str() {
            "heartbeat" => {}
            reported => break assert_eq!(reported, format!("{a} NOT_YET TimeRestricted")),
        }
    }
}

#[tokio::test]
async fn binding_change_sends_events_for_its_plans() {
    let free = with(waiting(&["a", "b"]), &[weekends()]);
    let stage = Stage::of(&free);
    let mut news = since(&stage, WEDNESDAY).await.synced().await;
    let bound = binding("b-system", "b", "weekends");
    stage.show(&with(free.clone(), &[bound]));
    let b = "InstallPlan b-system/install-1";
    assert_eq!(
        news.next_event().await,
        format!("{b} NOT_YET TimeRestricted")
    );
    stage.show(&free);
    assert_eq!(news.next_event().await, format!("{b} YES"));
}

/// A watch of the results about upgrades.
struct Answers(tonic::Streaming<pb::WatchUpgradesResponse>);

impl Answers {
    /// Returns the next event as one line.
    async fn next_event(&mut self) -> String {
        let reported = timeout(Duration::from_secs(4000), self.0.message()).await;
        let reported = reported
            .expect("there must be news")
            .expect("and no failure");
        match reported.and_then(|it| it.event).expect("of some kind") {
            Event::Answer(answer) => {
                let (place, answer) = (answer.place, answer.answer.expect("an answer"));
                format!("{place} {} {}", state(answer.verdict.as_ref()), answer.next)
            }
            Event::Synced(_) => "synced".to_owned(),
            Event::Heartbeat(_) => "heartbeat".to_owned(),
        }
    }
}

impl Asking {
    async fn follow(&mut self, upgrades: Vec<pb::ReviewUpgradeRequest>) -> Result<Answers, Status> {
        let request = pb::WatchUpgradesRequest { upgrades };
        let answers = self.client.watch_upgrades(request).await?;
        Ok(Answers(answers.into_inner()))
    }
}

#[tokio::test(start_paused = true)]
async fn upgrade_watch_reports_changes_by_time_and_by_policies() {
    let subject = json!({"kind": "operator", "name": "ferry"});
    let spec = json!({"subjects": [subject], "policyRef": [{"name": "weekends"}]});
    let bound = [ferry(), weekends(), object("PolicyBinding", "own", &spec)];
    let stage = Stage::of(&shown(&bound));
    let mut asking = since(&stage, FRIDAY).await;
    let mut other = request("");
    other.name = "tug".to_owned();
    let answers = asking.follow(vec![request(""), other]).await;
    let mut answers = answers.expect("it must begin");
    let reported = [
        answers.next_event().await,
        answers.next_event().await,
        answers.next_event().await,
    ];
    let expected = [
        "0 NOT_YET TimeRestricted 2026-11-28T00:01:00Z",
        "1 YES ",
        "synced",
    ];
    assert_eq!(reported, expected);
    for _ in 0..2 {
        assert_eq!(answers.next_event().await, "heartbeat");
    }
    assert_eq!(answers.next_event().await, "0 YES 2026-11-29T23:59:00Z");
    stage.show(&shown(&[ferry(), weekends()]));
    assert_eq!(answers.next_event().await, "0 YES ");
}

#[rstest]
#[case::nothing_is_asked(vec![], "upgrades")]
#[case::too_much_is(vec![request(""); 1001], "upgrades")]
#[case::another_time_is(vec![request(WEDNESDAY)], "at")]
#[tokio::test]
async fn invalid_upgrade_watch_is_refused_with_its_field(
    #[case] upgrades: Vec<pb::ReviewUpgradeRequest>,
    #[case] field: &str,
) {
    let stage = Stage::of(&shown(&[ferry()]));
    let mut asking = Asking::of(stage, terms(Fallback::Allow)).await;
    let refused = asking.follow(upgrades).await.err().expect("it is refused");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().starts_with(field), "{refused:?}");
}
