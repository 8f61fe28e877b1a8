use std::time::Duration;

use std::sync::Arc;

use portolan_core_operatorpolicy::{NamespaceState, ReviewedPolicy, State, Verdict};
use prometheus_client::encoding::text::encode;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::controllers::POLICIES;

fn policy(severity: &str) -> OperatorPolicy {
    let spec = json!({"severity": severity});
    OperatorPolicy::new("ferry", spec.into())
}

/// Returns all time series of the gauge of policies.
fn series(registry: &Registry) -> Vec<String> {
    of("cluster_policy_governance_info{", registry)
}

/// Returns all time series whose name has this prefix.
fn of(name: &str, registry: &Registry) -> Vec<String> {
    let mut text = String::new();
    encode(&mut text, registry).expect("a text");
    let lines = text.lines().filter(|line| line.starts_with(name));
    let mut lines: Vec<_> = lines.map(str::to_owned).collect();
    lines.sort();
    lines
}

fn line(severity: &str, value: i64) -> String {
    format!(
        "cluster_policy_governance_info{{kind=\"OperatorPolicy\",policy=\"ferry\",\
         policy_namespace=\"west\",severity=\"{severity}\"}} {value}"
    )
}

#[rstest]
#[case::compliant(Some(Compliance::Compliant), 0)]
#[case::not_compliant(Some(Compliance::NonCompliant), 1)]
#[case::on_its_way(Some(Compliance::Pending), -1)]
#[case::on_its_way_out(Some(Compliance::Terminating), -1)]
#[case::not_known(None, -1)]
fn each_policy_has_a_metric(#[case] compliance: Option<Compliance>, #[case] value: i64) {
    let (metrics, registry) = Metrics::new();
    let key = Key::new("west", "ferry");
    metrics.is(&key, Severity::of(&policy("High")), compliance);
    assert_eq!(series(&registry), [line("high", value)]);
}

#[test]
fn changed_or_deleted_policy_leaves_no_time_series() {
    let (metrics, registry) = Metrics::new();
    let key = Key::new("west", "ferry");
    metrics.is(&key, Severity::of(&policy("low")), None);
    metrics.is(&key, Severity::of(&policy("none of these")), None);
    assert_eq!(series(&registry), [line("", -1)]);
    metrics.forget(&key);
    assert_eq!(series(&registry), Vec::<String>::new());
}

#[test]
fn reconciliation_is_counted_with_its_duration() {
    let (metrics, registry) = Metrics::new();
    let reconciles = metrics.controllers.reconciles("policies");
    reconciles.count(false, Duration::from_millis(20));
    reconciles.count(false, Duration::from_millis(20));
    reconciles.count(true, Duration::from_secs(2));
    let counted = of("portolan_controller_reconcile", &registry);
    let buckets = |line: &&String| !line.contains("_bucket{");
    let counted: Vec<_> = counted.iter().filter(buckets).collect();
    assert_eq!(
        counted,
        [
            "portolan_controller_reconcile_seconds_count{controller=\"policies\"} 3",
            "portolan_controller_reconcile_seconds_sum{controller=\"policies\"} 2.04",
            "portolan_controller_reconciles_total{controller=\"policies\",result=\"done\"} 2",
            "portolan_controller_reconciles_total{controller=\"policies\",result=\"failed\"} 1",
        ]
    );
    let second =
        "portolan_controller_reconcile_seconds_bucket{le=\"0.025\",controller=\"policies\"}";
    assert_eq!(of(second, &registry), [format!("{second} 2")]);
}

#[test]
fn write_is_counted_by_verb_kind_and_outcome() {
    let (metrics, registry) = Metrics::new();
    let writes = metrics.controllers.writes("policies", POLICIES.writes);
    writes.count("OperatorPolicy", "tell", "done");
    writes.count("OperatorPolicy", "tell", "done");
    writes.count("Event", "create", "refused");
    writes.count("SomethingThatAPersonNamed", "own", "lost");
    let line = |kind: &str, verb: &str, result: &str, count: u32| {
        format!(
            "portolan_controller_writes_total{{controller=\"policies\",kind=\"{kind}\",verb=\"{verb}\",\
             result=\"{result}\"}} {count}"
        )
    };
    assert_eq!(
        of("portolan_controller_writes", &registry),
        [
            line("Event", "create", "refused", 1),
            line("OperatorPolicy", "tell", "done", 2),
            line("other", "own", "lost", 1),
        ]
    );
}

/// Returns a policy in its second generation, and an InstallPlan in its namespace.
fn observed() -> Observed {
    let mut policy = policy("low");
    policy.metadata.namespace = Some("west".to_owned());
    policy.metadata.uid = Some("ferry-uid".to_owned());
    policy.metadata.generation = Some(2);
    let plan = json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "metadata": {
            "name": "install-a", "namespace": "harbor", "uid": "plan-uid", "resourceVersion": "7",
        },
    });
    let (plan, _) = portolan_core_olm::read_value(plan).expect("an InstallPlan");
    Observed {
        namespace: Some(NamespaceState {
            plans: vec![Arc::new(plan)],
            ..NamespaceState::default()
        }),
        ..Observed::alone(Arc::new(policy))
    }
}

/// Returns the review of exactly this version of the InstallPlan.
fn review() -> PlanReview {
    PlanReview {
        plan: "install-a".to_owned(),
        uid: "plan-uid".to_owned(),
        resource_version: "7".to_owned(),
        verdict: Verdict {
            state: State::Yes,
            reasons: Vec::new(),
        },
        policies: vec![ReviewedPolicy {
            namespace: "west".to_owned(),
            name: "ferry".to_owned(),
            uid: "ferry-uid".to_owned(),
            generation: 2,
        }],
        bundles: Vec::new(),
    }
}

fn other(change: impl FnOnce(&mut PlanReview)) -> Answer<Vec<PlanReview>> {
    let mut other = review();
    change(&mut other);
    Answer::Found(vec![review(), other])
}

#[rstest]
#[case::review_of_the_observed_state(other(|_| {}), Some("used"))]
#[case::rejection_of_a_plan_in_another_state(
    other(|it| {
        it.verdict.state = State::No;
        it.resource_version = "6".to_owned();
    }),
    Some("used")
)]
#[case::review_for_other_policies(other(|it| it.policies[0].name = "tug".into()), Some("used"))]
#[case::approval_of_a_plan_in_another_state(
    other(|it| it.resource_version = "6".into()), Some("refused")
)]
#[case::review_of_a_deleted_plan_with_the_same_name(other(|it| it.uid = "old".into()), Some("refused"))]
#[case::review_of_an_unobserved_plan(other(|it| it.plan = "install-b".into()), Some("refused"))]
#[case::review_with_an_older_policy(other(|it| it.policies[0].generation = 1), Some("refused"))]
#[case::review_with_a_deleted_policy_of_the_same_name(
    other(|it| it.policies[0].uid = "old".into()), Some("refused")
)]
#[case::missing_review(Answer::NotFound("no".to_owned()), Some("nothing"))]
#[case::no_request(Answer::NotAsked, None)]
fn review_is_counted_by_its_use(
    #[case] reviews: Answer<Vec<PlanReview>>,
    #[case] word: Option<&str>,
) {
    let (metrics, registry) = Metrics::new();
    let answers = Answers {
        reviews,
        ..Answers::default()
    };
    metrics.count_answers(&answers, &observed());
    let wanted = word.map(|word| {
        format!("portolan_controller_answers_total{{service=\"approval\",heard=\"{word}\"}} 1")
    });
    let counted = of("portolan_controller_answers", &registry);
    assert_eq!(counted, wanted.into_iter().collect::<Vec<_>>());
}
