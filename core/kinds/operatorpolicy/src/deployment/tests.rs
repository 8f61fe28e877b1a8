use portolan_api::{ConditionType, Reason, RelatedObject};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, ConditionReason, Status};
use crate::kinds::{ApiKind, DEPLOYMENT, SERVICE_ACCOUNT};
use crate::tests::kit::{
    DATABASES, Stage, csv, design, established, merged, now, stage, subscription,
};
use crate::{Answer, HealthFact, Operator, State, Unavailable, Verdict, Why};

const TYPE: ConditionType = ConditionType::DeploymentCompliant;
const DESIGN: ConditionType = ConditionType::DeploymentsAvailable;
const ONE: &str = "etcd.v1.0.0";

/// Returns a stage with an installed operator that has these Deployments.
fn installed(policy: Value, names: &[&str]) -> Stage {
    let wanted: Vec<_> = names
        .iter()
        .map(|name| json!({"name": name, "spec": {}}))
        .collect();
    let spec = json!({"install": {"strategy": "deployment", "spec": {"deployments": wanted}}});
    stage(policy)
        .object(subscription(
            json!({"status": {"installedCSV": ONE, "currentCSV": ONE}}),
        ))
        .object(csv(ONE, json!({"spec": spec})))
}

fn fact(kind: ApiKind, name: &str, (state, code): (State, &str), message: &str) -> HealthFact {
    let uid = match code {
        "DeploymentMissing" | "RequirementNotMet" => String::new(),
        _ => format!("{name}-uid"),
    };
    HealthFact {
        kind: kind.1.to_owned(),
        namespace: DATABASES.to_owned(),
        name: name.to_owned(),
        uid,
        resource_version: "1".to_owned(),
        state,
        code: code.into(),
        message: message.to_owned(),
    }
}

fn fine(name: &str) -> HealthFact {
    fact(DEPLOYMENT, name, (State::Yes, "Healthy"), "It is fine.")
}

fn down(name: &str) -> HealthFact {
    let message = format!("Deployment {name} has 0 of 1 replica available.");
    fact(
        DEPLOYMENT,
        name,
        (State::No, "DeploymentUnavailable"),
        &message,
    )
}

fn missing(name: &str) -> HealthFact {
    let message = format!("Deployment {name} is not there. OLM makes it again, if it can.");
    fact(DEPLOYMENT, name, (State::No, "DeploymentMissing"), &message)
}

fn judged(stage: Stage, facts: Vec<HealthFact>) -> Stage {
    answered(stage, Answer::Found(operator(facts)))
}

fn operator(facts: Vec<HealthFact>) -> Operator {
    Operator {
        csv: ONE.to_owned(),
        verdict: Verdict::default(),
        facts,
    }
}

fn answered(stage: Stage, operator: Answer<Operator>) -> Stage {
    stage.with(|stage| stage.answers.operator = operator)
}

fn condition(status: Status, reason: Reason, message: &str) -> Condition {
    Condition::new(TYPE, status, reason, message)
}

fn object(name: &str, compliant: &str, reason: &str) -> RelatedObject {
    let object = related(DEPLOYMENT, (Some(DATABASES), name), Some(compliant), reason);
    known(object, Some(&format!("{name}-uid")), false)
}

fn available(name: &str) -> RelatedObject {
    object(name, "Compliant", "Deployment Available")
}

fn absent(name: &str, compliant: &str) -> RelatedObject {
    let reason = "Resource not found but should exist";
    related(DEPLOYMENT, (Some(DATABASES), name), Some(compliant), reason)
}

fn contribution(condition: Condition, objects: Vec<RelatedObject>) -> Contribution {
    Contribution::of(condition).add_related(TYPE, objects)
}

/// Returns the contribution for an unavailable Deployment. `message` is the message of the health
/// service.
fn bad(message: &str) -> Contribution {
    contribution(
        condition(Status::False, Reason::DeploymentsUnavailable, message),
        vec![object(
            "api",
            "NonCompliant",
            &format!("Deployment Unavailable: {message}"),
        )],
    )
}

/// Behaviors 83, 84. Defect D17.
#[rstest]
#[case::running_is_available(
    fine("api"),
    contribution(
        condition(Status::True, Reason::DeploymentsAvailable, "The Deployment of etcd.v1.0.0 is available"),
        vec![available("api")],
    )
)]
#[case::without_replicas_is_unavailable(
    down("api"),
    bad("Deployment api has 0 of 1 replica available")
)]
#[case::scaled_to_zero_is_unavailable(
    fact(DEPLOYMENT, "api", (State::No, "DeploymentScaledToZero"), "Deployment api is scaled to 0."),
    bad("Deployment api is scaled to 0")
)]
#[case::stale_status_is_unavailable(
    fact(DEPLOYMENT, "api", (State::NotYet, "DeploymentNotObserved"), "Nobody has seen its newest."),
    bad("Nobody has seen its newest")
)]
#[case::rollout_in_progress_is_unavailable(
    fact(DEPLOYMENT, "api", (State::NotYet, "DeploymentProgressing"), "It is being rolled out."),
    bad("It is being rolled out")
)]
fn reports_one_deployment(#[case] fact: HealthFact, #[case] part: Contribution) {
    let stage = installed(established(json!({})), &["api"]);
    assert_eq!(judged(stage, vec![fact]).case(judge), part);
}

/// Behaviors 83, 85. Defect D17.
#[rstest]
#[case::all_running_are_available(
    vec![fine("api"), fine("web"), down("foreign")],
    contribution(
        condition(
            Status::True,
            Reason::DeploymentsAvailable,
            "All 2 Deployments of etcd.v1.0.0 are available",
        ),
        vec![available("api"), available("web")],
    )
)]
#[case::one_missing_is_unavailable(
    vec![fine("api"), missing("web")],
    contribution(
        condition(
            Status::False,
            Reason::DeploymentsUnavailable,
            "Deployment web is not there. OLM makes it again, if it can",
        ),
        vec![available("api"), absent("web", "NonCompliant")],
    )
)]
#[case::all_missing_are_unavailable(
    vec![missing("api")],
    contribution(
        condition(
            Status::False,
            Reason::NoExistingDeployments,
            "Deployment api is not there. OLM makes it again, if it can; Deployment web does not exist yet",
        ),
        vec![absent("api", "NonCompliant"), absent("web", "NonCompliant")],
    )
)]
#[case::contradicting_facts_count_as_the_worse_fact(
    vec![
        fine("api"),
        fact(DEPLOYMENT, "api", (State::No, "DeploymentOwnedByOther"), "It belongs to raft."),
        fine("web"),
    ],
    contribution(
        condition(Status::False, Reason::DeploymentsUnavailable, "It belongs to raft"),
        vec![
            object("api", "NonCompliant", "Deployment Unavailable: It belongs to raft"),
            available("web"),
        ],
    )
)]
fn reports_two_deployments(#[case] facts: Vec<HealthFact>, #[case] part: Contribution) {
    let stage = installed(established(json!({})), &["web", "api"]);
    assert_eq!(judged(stage, facts).case(judge), part);
}

/// Behavior 86.
#[test]
fn unavailable_deployments_are_compliant_if_policy_ignores_them() {
    let policy = established(json!({"complianceConfig": {"deploymentsUnavailable": "Compliant"}}));
    let stage = judged(
        installed(policy, &["api", "web"]),
        vec![down("api"), missing("web")],
    );
    let message = "Deployment api has 0 of 1 replica available; Deployment web is not there. OLM \
                   makes it again, if it can";
    let label = "Deployment Unavailable: Deployment api has 0 of 1 replica available";
    let part = contribution(
        condition(Status::True, Reason::DeploymentsUnavailable, message),
        vec![
            object("api", "Compliant", label),
            absent("web", "Compliant"),
        ],
    );
    assert_eq!(stage.case(judge), part);
}

#[test]
fn message_names_unavailable_deployment_and_cause() {
    let mut operator = operator(vec![down("api")]);
    let why = |code: &str, message: &str| Why {
        code: code.into(),
        message: message.to_owned(),
    };
    operator.verdict.reasons = vec![
        why("CatalogMissing", "The catalog is gone."),
        why("ImagePullFailing", "The image cannot be pulled."),
    ];
    let stage = installed(established(json!({})), &["api"]);
    let message = "Deployment api has 0 of 1 replica available; The image cannot be pulled";
    let label = "Deployment Unavailable: Deployment api has 0 of 1 replica available";
    let part = contribution(
        condition(Status::False, Reason::DeploymentsUnavailable, message),
        vec![object("api", "NonCompliant", label)],
    );
    assert_eq!(answered(stage, Answer::Found(operator)).case(judge), part);
}

#[test]
fn cause_in_deployment_message_is_not_repeated() {
    let mut fact = down("api");
    fact.message =
        "Deployment api has 0 of 1 replica available: The image is not there.".to_owned();
    let mut operator = operator(vec![fact]);
    operator.verdict.reasons = vec![Why {
        code: "ImagePullFailing".into(),
        message: "The image is not there.".to_owned(),
    }];
    let stage = installed(established(json!({})), &["api"]);
    let message = "Deployment api has 0 of 1 replica available: The image is not there";
    let label = format!("Deployment Unavailable: {message}");
    let part = contribution(
        condition(Status::False, Reason::DeploymentsUnavailable, message),
        vec![object("api", "NonCompliant", &label)],
    );
    assert_eq!(answered(stage, Answer::Found(operator)).case(judge), part);
}

#[test]
fn operator_without_deployments_is_compliant() {
    let stage = judged(installed(established(json!({})), &[]), Vec::new());
    let message = "etcd.v1.0.0 has no Deployments";
    let part = contribution(
        condition(Status::True, Reason::NoExistingDeployments, message),
        Vec::new(),
    );
    assert_eq!(stage.case(judge), part);
}

fn nothing_installed() -> Contribution {
    let label = "No relevant deployments found";
    let none = related(
        DEPLOYMENT,
        (Some(DATABASES), "-"),
        Some("Inapplicable"),
        label,
    );
    contribution(
        condition(
            Status::True,
            Reason::NoRelevantDeployments,
            "Operator is not installed; there are no Deployments to check",
        ),
        vec![none],
    )
}

/// Behavior 83.
#[test]
fn deployments_are_inapplicable_before_installation() {
    let stage = judged(stage(established(json!({}))), vec![down("api")]);
    assert_eq!(stage.case(judge), nothing_installed());
}

#[test]
fn deployments_available_is_false_before_installation() {
    let condition = Condition {
        violates: false,
        ..Condition::new(
            DESIGN,
            Status::False,
            Reason::NoRelevantDeployments,
            "Operator is not installed; there are no Deployments to check",
        )
    };
    let part = nothing_installed()
        .add_condition(condition)
        .add_related(DESIGN, Vec::new());
    assert_eq!(stage(design(json!({}))).case(judge), part);
}

fn account(name: &str, compliant: &str, reason: &str) -> RelatedObject {
    related(
        SERVICE_ACCOUNT,
        (Some(DATABASES), name),
        Some(compliant),
        reason,
    )
}

#[rstest]
#[case::violates_the_policy("NonCompliant", Status::False, "NonCompliant", true)]
#[case::is_only_reported("Condition", Status::True, "Compliant", false)]
fn design_form_counts_unavailable_deployment_as_configured(
    #[case] effect: &str,
    #[case] status: Status,
    #[case] compliant: &str,
    #[case] violates: bool,
) {
    let policy = design(json!({"statusConfig": {"deploymentsUnavailable": effect}}));
    let facts = vec![
        down("api"),
        fact(
            SERVICE_ACCOUNT,
            "keeper",
            (State::Yes, "Healthy"),
            "It is there.",
        ),
        fact(
            SERVICE_ACCOUNT,
            "absent",
            (State::No, "RequirementNotMet"),
            "It is not there.",
        ),
    ];
    let message = "Deployment api has 0 of 1 replica available";
    let label = format!("Deployment Unavailable: {message}");
    let keeper = account("keeper", "Compliant", "Resource found as expected");
    let part = contribution(
        condition(status, Reason::DeploymentsUnavailable, message),
        vec![object("api", compliant, &label)],
    )
    .add_condition(Condition {
        violates,
        ..Condition::new(
            DESIGN,
            Status::False,
            Reason::DeploymentsUnavailable,
            message,
        )
    })
    .add_related(
        DESIGN,
        vec![
            account(
                "absent",
                "NonCompliant",
                "Resource not found but should exist",
            ),
            known(keeper, Some("keeper-uid"), false),
        ],
    );
    assert_eq!(judged(installed(policy, &["api"]), facts).case(judge), part);
}

/// The health service reports a ServiceAccount only if it has a problem.
#[rstest]
#[case::that_has_succeeded("Succeeded", Some("Compliant"), "Resource found as expected")]
#[case::that_is_being_installed("Installing", None, "The operator requires this Deployment")]
fn lists_service_accounts_of_an_operator(
    #[case] phase: &str,
    #[case] compliant: Option<&str>,
    #[case] reason: &str,
) {
    let of = |name: &str| json!({"serviceAccountName": name});
    let mut stage = installed(design(json!({})), &["api"]);
    let csv = stage.objects.pop().expect("a ClusterServiceVersion");
    let spec =
        json!({"permissions": [of("keeper"), of("worse")], "clusterPermissions": [of("keeper")]});
    let other = json!({"spec": {"install": {"spec": spec}}, "status": {"phase": phase}});
    let message = "ServiceAccount databases/worse may not get pods.";
    let worse = fact(
        SERVICE_ACCOUNT,
        "worse",
        (State::No, "PermissionMissing"),
        message,
    );
    let stage = judged(stage.object(merged(csv, other)), vec![fine("api"), worse]);
    let lacking = message.trim_end_matches('.');
    let accounts = vec![
        related(
            SERVICE_ACCOUNT,
            (Some(DATABASES), "keeper"),
            compliant,
            reason,
        ),
        known(
            account("worse", "NonCompliant", lacking),
            Some("worse-uid"),
            false,
        ),
    ];
    assert_eq!(stage.case(judge).related[1], (DESIGN, accounts));
}

#[rstest]
#[case::does_not_respond(
    Answer::Unavailable(Unavailable { service: "health", since: Some(now()), why: "timed out".into() }),
    "no answer from health since 2026-01-01T12:00:00Z: timed out"
)]
#[case::is_not_queried(Answer::NotAsked, "the health service was not asked")]
#[case::does_not_find_the_operator(
    Answer::NotFound("There is no operator etcd.".to_owned()),
    "health says: There is no operator etcd"
)]
#[case::reports_another_operator(
    Answer::Found(Operator { csv: "etcd.v2.0.0".into(), ..operator(vec![down("api")]) }),
    "health reports etcd.v2.0.0, and etcd.v1.0.0 is installed"
)]
#[case::reports_no_operator(
    Answer::Found(Operator { csv: String::new(), ..operator(vec![]) }),
    "health reports no ClusterServiceVersion, and etcd.v1.0.0 is installed"
)]
#[case::has_no_facts_about_deployments(
    Answer::Found(operator(vec![
        down("api"),
        fact(DEPLOYMENT, "", (State::NotYet, "NotObserved"), "Deployments are not observed: gone."),
    ])),
    "health says: Deployments are not observed: gone"
)]
fn keeps_previous_conditions_without_an_answer_of_the_health_service(
    #[case] answer: Answer<Operator>,
    #[case] why: &str,
) {
    let kept = Contribution::default().keep(TYPE, why);
    let stage = |policy| answered(installed(policy, &["api"]), answer.clone());
    assert_eq!(stage(established(json!({}))).case(judge), kept);
    assert_eq!(stage(design(json!({}))).case(judge), kept.keep(DESIGN, why));
}

/// Returns the health facts about a Deployment during a rollout with the minimum number of
/// available replicas.
fn rolling(name: &str) -> Vec<HealthFact> {
    let progressing = format!("Deployment {name} is being rolled out: 1 of 1 new, 1 available.");
    vec![
        fact(
            DEPLOYMENT,
            name,
            (State::NotYet, "DeploymentProgressing"),
            &progressing,
        ),
        fact(
            DEPLOYMENT,
            name,
            (State::Yes, "DeploymentMinimumAvailable"),
            "It has enough.",
        ),
    ]
}

/// Returns a stage with an upgrade in this phase. If `from` is set, the old version still exists.
fn upgrading(effect: &str, phase: &str, from: Option<&str>) -> Stage {
    let policy = design(json!({"statusConfig": {"upgradesProgressing": effect}}));
    let mut stage = installed(policy, &["api", "web"]);
    for object in &mut stage.objects {
        if object["metadata"]["name"] == ONE {
            object["spec"]["replaces"] = json!("etcd.v0.9.0");
            object["status"]["phase"] = json!(phase);
        }
    }
    match from {
        Some(from) => stage.object(csv(from, json!({"status": {"phase": "Replacing"}}))),
        None => stage,
    }
}

const BEFORE: Option<&str> = Some("etcd.v0.9.0");

/// Returns status, reason and `violates` of both conditions about Deployments.
fn verdicts_of_both(stage: &Stage) -> Vec<(Status, ConditionReason, bool)> {
    let conditions = stage.case(judge).conditions.into_iter();
    conditions
        .map(|condition| (condition.status, condition.reason, condition.violates))
        .collect()
}

#[rstest]
#[case::is_excused(upgrading("Condition", "Installing", BEFORE), true)]
#[case::is_excused_until_the_old_csv_is_deleted(upgrading("Condition", "Succeeded", BEFORE), true)]
#[case::counts_if_the_policy_counts_it(upgrading("NonCompliant", "Installing", BEFORE), false)]
#[case::counts_at_the_first_installation(upgrading("Condition", "Installing", None), false)]
#[case::counts_if_the_upgrade_failed(upgrading("Condition", "Failed", BEFORE), false)]
#[case::counts_if_no_policy_allows_the_version(
    upgrading("Condition", "Installing", BEFORE).with(|stage| {
        stage.policy["spec"]["allowedCSVs"] = json!(["etcd.v0.9.0"]);
    }),
    false
)]
fn excuses_rollout_during_upgrade_as_configured(#[case] stage: Stage, #[case] is_excused: bool) {
    let facts = [rolling("api"), vec![fine("web")]].concat();
    let stage = judged(stage, facts);
    let (status, reason) = if is_excused {
        (Status::True, Reason::DeploymentsAvailable)
    } else {
        (Status::False, Reason::DeploymentsUnavailable)
    };
    let one = (status, ConditionReason::Ours(reason), !is_excused);
    assert_eq!(verdicts_of_both(&stage), [one.clone(), one]);
}

#[test]
fn excused_upgrade_message_matches_its_status() {
    let facts = [rolling("api"), vec![fine("web")]].concat();
    let part = judged(upgrading("Condition", "Installing", BEFORE), facts).case(judge);
    let message = "During the upgrade to etcd.v1.0.0, the minimum number of replicas is \
                   available: Deployment api is being rolled out: 1 of 1 new, 1 available";
    let good = |type_| Condition::good(type_, Reason::DeploymentsAvailable, message);
    let expected = contribution(good(TYPE), vec![available("api"), available("web")])
        .add_condition(good(DESIGN))
        .add_related(DESIGN, Vec::new());
    assert_eq!(part, expected);
}

#[rstest]
#[case::below_its_minimum(vec![rolling("api")[0].clone()])]
#[case::of_another_operator(
    [rolling("api"), vec![fact(DEPLOYMENT, "api", (State::No, "DeploymentOwnedByOther"), "It is raft's.")]]
        .concat()
)]
#[case::if_another_deployment_is_down([rolling("api"), vec![down("web")]].concat())]
fn rollout_is_not_excused(#[case] facts: Vec<HealthFact>) {
    let facts = if facts.iter().any(|fact| fact.name == "web") {
        facts
    } else {
        [facts, vec![fine("web")]].concat()
    };
    let stage = judged(upgrading("Condition", "Installing", BEFORE), facts);
    let bad = (
        Status::False,
        ConditionReason::Ours(Reason::DeploymentsUnavailable),
        true,
    );
    assert_eq!(verdicts_of_both(&stage), [bad.clone(), bad]);
}
