//! Tests for the approval of InstallPlans.

use super::*;
use crate::tests::kit::{at, now, policy, subscription_spec};
use crate::{Operator, Unavailable, WriteMode};

const AVAILABLE: &str = "An upgrade to etcd.v2.0.0 is available on the stable channel";

/// Returns the contribution for a waiting InstallPlan that does not violate the policy.
fn waiting(more: &str) -> Contribution {
    let message = format!("{AVAILABLE}{more}");
    contribution(
        condition(Status::True, Reason::InstallPlanRequiresApproval, &message),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    )
}

fn granted(more: &str) -> Contribution {
    let message = format!("InstallPlan install-b for etcd.v2.0.0 is approved{more}");
    approving(waiting(""), &message)
}

/// Returns the contribution for an InstallPlan while the approval service has not read the current
/// objects.
fn lagging(more: &str) -> Contribution {
    waiting(more).requeue_at(at("2026-01-01T12:00:05Z"))
}

fn allowed(policy: Value) -> Stage {
    reviewed(planned(policy, json!({})), review(State::Yes, &[], &[]))
}

/// Behaviors 9, 62, 64, 65, 70.
#[rstest]
#[case::is_approved_if_all_bundles_are_allowed(allowed(established(json!({}))), granted(""))]
#[case::is_approved_if_the_policy_lists_the_version(
    allowed(established(json!({"versions": ["etcd.v1.0.0, etcd.v2.0.0"]}))),
    granted("")
)]
#[case::is_approved_if_the_version_is_in_a_range(
    allowed(established(json!({"versions": ["etcd@>=1.0.0 <3.0.0"]}))),
    granted("")
)]
#[case::waits_in_inform_mode(
    allowed(established(json!({"remediationAction": "inform"}))),
    waiting(". The InstallPlan is not approved because spec.remediationAction is inform")
)]
#[case::waits_if_the_policy_approves_no_upgrades(
    allowed(established(json!({"upgradeApproval": "None"}))),
    waiting(
        ". The InstallPlan is not approved because spec.upgradeApproval is None; set \
         spec.upgradeApproval to Automatic, or approve the InstallPlan by hand",
    )
)]
#[case::waits_in_read_only_mode(
    allowed(established(json!({})))
        .with(|stage| stage.write_mode = WriteMode::ReadOnly("Another controller writes this kind.".into())),
    waiting(". The InstallPlan is not approved: Another controller writes this kind")
)]
#[case::waits_for_olm_if_olm_approves_automatically(
    reviewed(
        planned(established(json!({})), json!({"spec": {"approval": "Automatic"}})),
        review(State::Yes, &[], &[]),
    ),
    waiting(". OLM approves the InstallPlan, because spec.approval of the InstallPlan is Automatic")
)]
#[case::waits_if_only_the_approval_service_allows_it(
    allowed(design(json!({"allowedCSVs": ["etcd.v1.0.0"]}))),
    waiting(
        ". The InstallPlan is not approved because spec.allowedCSVs does not allow etcd.v2.0.0. \
         Add etcd.v2.0.0 to spec.allowedCSVs",
    )
)]
fn approves_upgrade_only_if_the_policy_permits_it(
    #[case] stage: Stage,
    #[case] part: Contribution,
) {
    assert_eq!(stage.case(judge), part);
}

/// Behaviors 63, 65.
#[rstest]
#[case::is_approved_although_upgrades_need_approval(json!({"upgradeApproval": "None"}))]
#[case::is_approved_for_the_starting_csv(json!({
    "versions": ["etcd.v3.0.0"],
    "subscription": {"startingCSV": "etcd.v2.0.0"},
}))]
fn approves_first_installation(#[case] other: Value) {
    let stage = stage(established(other))
        .object(between("", "etcd.v2.0.0"))
        .object(plan(NEXT, &["etcd.v2.0.0"], json!({})));
    let head = "etcd.v2.0.0 of the stable channel waits to be installed";
    let waiting = contribution(
        condition(Status::True, Reason::InstallPlanRequiresApproval, head),
        NEXT,
        ("Compliant", "The InstallPlan is not approved"),
    );
    assert_eq!(
        reviewed(stage, review(State::Yes, &[], &[])).case(judge),
        approving(waiting, "InstallPlan install-b for etcd.v2.0.0 is approved")
    );
}

/// Behavior 73.
#[rstest]
#[case::is_only_reported("Compliant", Status::True, "Compliant")]
#[case::violates_if_the_policy_counts_it("NonCompliant", Status::False, "NonCompliant")]
fn counts_unallowed_upgrade_as_configured(
    #[case] effect: &str,
    #[case] status: Status,
    #[case] compliant: &str,
) {
    let policy = established(json!({
        "versions": ["etcd.v1.0.0"],
        "complianceConfig": {"upgradesAvailable": effect},
    }));
    let reason = "Policy local-cluster/etcd-policy allows only etcd.v1.0.0";
    let fix = "Add etcd.v2.0.0 to spec.versions of policy local-cluster/etcd-policy";
    let review = review(State::No, &[("NotAllowed", reason)], &[fix]);
    let message = format!("{AVAILABLE}. The InstallPlan is not approved: {reason}. {fix}");
    assert_eq!(
        reviewed(planned(policy, json!({})), review).case(judge),
        contribution(
            condition(status, Reason::InstallPlanRequiresApproval, &message),
            NEXT,
            (compliant, "The InstallPlan is not approved"),
        )
    );
}

/// Behaviors 70, 71.
#[test]
fn plan_of_several_operators_names_each_rejected_version() {
    let mut review = review(State::Yes, &[], &[]);
    let objection = |message: &str| Verdict {
        state: State::No,
        reasons: vec![Why {
            code: "NoPolicy".into(),
            message: message.to_owned(),
        }],
    };
    let bundle = |name: &str, message: &str, fix: &str| PlannedBundle {
        name: name.to_owned(),
        verdict: objection(message),
        fixes: vec![fix.to_owned()],
        ..PlannedBundle::default()
    };
    review.bundles.push(bundle(
        "mast.v1.0.0",
        "No policy is about mast",
        "Make one for mast",
    ));
    review.bundles.push(bundle(
        "raft.v3.0.0",
        "Policy sea/raft only informs",
        "Enforce it",
    ));
    review.verdict = objection("No policy is about mast");
    let raft = json!({
        "metadata": {"name": "raft", "uid": "raft-uid"},
        "spec": {"name": "raft", "channel": "beta"},
        "status": {"currentCSV": "raft.v3.0.0"},
    });
    let csvs = &["raft.v3.0.0", "etcd.v2.0.0", "mast.v1.0.0"];
    let stage = upgrading(established(json!({})))
        .object(subscription(raft))
        .object(plan(NEXT, csvs, json!({})));
    assert_eq!(
        reviewed(stage, review).case(judge),
        waiting(
            ", together with mast.v1.0.0 and raft.v3.0.0 of the beta channel. The InstallPlan is \
             not approved: No policy is about mast. Make one for mast. Policy sea/raft only \
             informs. Enforce it"
        )
    );
}

/// Returns a stage with a changed review. After the change, the review does not match the
/// InstallPlan or the policy.
fn other(change: impl FnOnce(&mut PlanReview)) -> Stage {
    let mut other = review(State::Yes, &[], &[]);
    change(&mut other);
    reviewed(planned(established(json!({})), json!({})), other)
}

const NOT_THE_PLAN: &str = ". The InstallPlan is not approved yet: the approval service has not \
                            observed the latest version of the InstallPlan";
const NOT_THE_POLICY: &str = ". The InstallPlan is not approved yet: the approval service has not \
                              observed the latest version of this policy";

/// Behavior 70. Defect D11.
#[rstest]
#[case::review_of_another_plan(other(|it| it.plan = "install-a".into()), NOT_THE_PLAN)]
#[case::review_of_a_deleted_plan_with_the_same_name(other(|it| it.uid = "old".into()), NOT_THE_PLAN)]
#[case::review_of_an_older_version_of_the_plan(other(|it| it.resource_version = "0".into()), NOT_THE_PLAN)]
#[case::review_without_an_observed_state(other(|it| it.resource_version = String::new()), NOT_THE_PLAN)]
#[case::review_without_this_policy(other(|it| it.policies.clear()), NOT_THE_POLICY)]
#[case::review_with_an_older_generation_of_the_policy(other(|it| it.policies[0].generation = 0), NOT_THE_POLICY)]
#[case::review_with_a_newer_generation_of_the_policy(other(|it| it.policies[0].generation = 2), NOT_THE_POLICY)]
#[case::review_with_a_deleted_policy_of_the_same_name(other(|it| it.policies[0].uid = "old".into()), NOT_THE_POLICY)]
#[case::review_with_a_policy_with_the_same_joined_name(
    other(|it| {
        it.policies[0].namespace = "local-cluster.etcd".into();
        it.policies[0].name = "policy".into();
    }),
    NOT_THE_POLICY
)]
fn ignores_an_outdated_review(#[case] stage: Stage, #[case] why: &str) {
    assert_eq!(stage.case(judge), lagging(why));
}

/// Defect D11.
#[test]
fn policy_with_dots_in_its_name_approves_plans() {
    let spec = established(json!({}))["spec"].clone();
    let mut review = review(State::Yes, &[], &[]);
    review.policies[0].name = "etcd.policy.v2".to_owned();
    let dotted = policy(
        "etcd.policy.v2",
        POLICY_UID,
        merged(spec, json!({"subscription": subscription_spec()})),
    );
    let stage = reviewed(planned(dotted, json!({})), review);
    assert_eq!(stage.case(judge), granted(""));
}

fn unavailable() -> Answer<Vec<PlanReview>> {
    Answer::Unavailable(Unavailable {
        service: "approval",
        since: Some(now()),
        why: "connection refused".to_owned(),
    })
}

#[rstest]
#[case::unavailable_since_a_time(
    unavailable(),
    waiting(
        ". The InstallPlan is not approved: no answer from approval since 2026-01-01T12:00:00Z: \
         connection refused",
    )
)]
#[case::not_queried(
    Answer::NotAsked,
    lagging(". The InstallPlan is not approved yet: the approval service was not asked")
)]
#[case::plan_is_not_found(
    Answer::NotFound("There is no InstallPlan in databases.".to_owned()),
    lagging(". The InstallPlan is not approved yet: the approval service reports: There is no \
             InstallPlan in databases")
)]
#[case::unknown_with_a_cause(
    Answer::Found(vec![review(State::NotYet, &[("NotWritten", "OLM has not written it yet.")], &[])]),
    waiting(". The InstallPlan is not approved yet: OLM has not written it yet")
        .requeue_at(at("2026-01-01T12:00:30Z"))
)]
#[case::next_window_is_awaited(
    Answer::Found(vec![review(State::NotYet, &[("TimeRestricted", "It opens at noon.")], &[])]),
    waiting(". The InstallPlan is not approved yet: It opens at noon")
)]
#[case::rejection_without_a_reason(
    Answer::Found(vec![review(State::No, &[], &[])]),
    waiting(". The InstallPlan is not approved: the approval service gives no reason")
)]
fn approves_no_plan_without_an_answer_of_the_approval_service(
    #[case] reviews: Answer<Vec<PlanReview>>,
    #[case] part: Contribution,
) {
    let stage = planned(established(json!({})), json!({}));
    let stage = stage.with(|stage| stage.answers.reviews = reviews);
    assert_eq!(stage.case(judge), part);
}

#[test]
fn reports_disallowed_version_and_unavailable_approval() {
    let stage = planned(design(json!({"allowedCSVs": ["etcd.v1.0.0"]})), json!({}));
    let stage = stage.with(|stage| stage.answers.reviews = unavailable());
    let message = ". The InstallPlan is not approved because spec.allowedCSVs does not allow \
                   etcd.v2.0.0. Add etcd.v2.0.0 to spec.allowedCSVs. Also, no answer from \
                   approval since 2026-01-01T12:00:00Z: connection refused";
    assert_eq!(stage.case(judge), waiting(message));
}

/// Returns a stage in which the installed operator has the given state.
fn follows(installed: Value) -> Stage {
    let stage = stage(established(json!({})))
        .object(between("etcd.v1.0.0", "etcd.v2.0.0"))
        .object(csv("etcd.v1.0.0", installed))
        .object(plan(NEXT, &["etcd.v2.0.0"], json!({})));
    reviewed(stage, review(State::Yes, &[], &[]))
}

#[rstest]
#[case::pending("Pending", "Pending")]
#[case::pending_with_all_requirements("InstallReady", "InstallReady")]
#[case::being_installed("Installing", "Installing")]
#[case::being_replaced("Replacing", "Replacing")]
#[case::new("", "OLM has not checked it yet")]
fn delays_upgrade_until_the_installed_csv_is_complete(#[case] phase: &str, #[case] shown: &str) {
    let more = format!(
        ". The approval waits until the installation of etcd.v1.0.0 has ended \
                        ({shown})"
    );
    assert_eq!(follows(super::phase(phase)).case(judge), waiting(&more));
}

/// Returns a stage in which the installed operator has lacked a requirement since the given time.
fn lacking(reason: &str, since: Value, created: Value) -> Stage {
    follows(json!({
        "metadata": {"creationTimestamp": created},
        "status": {
            "phase": "Pending",
            "reason": reason,
            "message": "one or more requirements couldn't be found",
            "lastTransitionTime": since,
        },
    }))
}

const UNMET: &str = "RequirementsNotMet";
const LACKS: &str = ". The InstallPlan is not approved while etcd.v1.0.0 is Pending: one or more \
                     requirements couldn't be found. After an approval, OLM would \
                     never replace etcd.v1.0.0, and would block all operators of namespace \
                     databases. Provide the missing requirements of etcd.v1.0.0. Or delete \
                     ClusterServiceVersion databases/etcd.v1.0.0; OLM then installs etcd.v2.0.0";

#[rstest]
#[case::for_a_long_time(lacking(UNMET, json!("2026-01-01T11:00:00Z"), json!(null)))]
#[case::since_its_creation(lacking(UNMET, json!(null), json!("2026-01-01T11:00:00Z")))]
#[case::for_a_moment(lacking(UNMET, json!("2026-01-01T11:59:59Z"), json!(null)))]
fn never_approves_an_upgrade_of_a_pending_csv_with_a_missing_requirement(#[case] stage: Stage) {
    assert_eq!(stage.case(judge), waiting(LACKS));
}

/// The InstallPlan also replaces another operator, because OLM creates one InstallPlan for all
/// operators of a namespace.
#[test]
fn never_approves_a_plan_that_replaces_a_pending_csv_of_another_operator() {
    let raft = json!({
        "metadata": {"name": "raft", "uid": "raft-uid"},
        "spec": {"name": "raft"},
        "status": {"installedCSV": "raft.v1.0.0", "currentCSV": "raft.v2.0.0"},
    });
    let lacks = json!({"status": {"phase": "Pending", "reason": UNMET, "message": ""}});
    let stage = stage(established(json!({})))
        .object(between("etcd.v1.0.0", "etcd.v2.0.0"))
        .object(csv("etcd.v1.0.0", json!({})))
        .object(subscription(raft))
        .object(csv("raft.v1.0.0", lacks))
        .object(plan(NEXT, &["etcd.v2.0.0", "raft.v2.0.0"], json!({})));
    let stage = reviewed(stage, review(State::Yes, &[], &[]));
    let message = stage.case(judge).conditions.remove(0).message;
    let why = "The InstallPlan is not approved while raft.v1.0.0 is Pending. After an \
               approval, OLM would never";
    assert!(message.contains(why), "{message}");
}

/// OLM is about to check the operator, or the operator refuses upgrades.
#[rstest]
#[case("RequirementsUnknown")]
#[case("OperatorConditionNotUpgradeable")]
fn upgrade_waits_while_installed_csv_is_pending_for_another_reason(#[case] reason: &str) {
    let stage = lacking(reason, json!("2026-01-01T11:00:00Z"), json!(null));
    let more = ". The approval waits until the installation of etcd.v1.0.0 has ended (Pending)";
    assert_eq!(stage.case(judge), waiting(more));
}

/// Returns another policy for this namespace, with the given generation.
fn neighbor(package: &str, generation: u32) -> Value {
    let spec = json!({
        "remediationAction": "enforce",
        "subscription": merged(subscription_spec(), json!({"name": package})),
        "allowedCSVs": ["*"],
    });
    let neighbor = policy("other", "other-uid", spec);
    merged(neighbor, json!({"metadata": {"generation": generation}}))
}

/// Returns a stage with an InstallPlan that also installs a second operator, which the other policy
/// allows.
fn together(seen: Option<Value>, judged: Option<u32>) -> Stage {
    let mut review = review(State::Yes, &[], &[]);
    review.bundles.push(PlannedBundle {
        name: "raft.v1.0.0".to_owned(),
        package: "raft".to_owned(),
        version: "1.0.0".to_owned(),
        verdict: review.verdict.clone(),
        allowances: vec![Allowance {
            uid: "other-uid".to_owned(),
            needed_by: Vec::new(),
        }],
        fixes: Vec::new(),
    });
    review
        .policies
        .extend(judged.map(|generation| ReviewedPolicy {
            namespace: "local-cluster".to_owned(),
            name: "other".to_owned(),
            uid: "other-uid".to_owned(),
            generation,
        }));
    let stage = reviewed(planned(established(json!({})), json!({})), review);
    match seen {
        Some(seen) => stage.neighbor(seen),
        None => stage,
    }
}

const NOT_THE_OTHER: &str = ". The InstallPlan is not approved yet: the approval service has not \
                             observed the latest version of policy local-cluster/other";

#[rstest]
#[case::is_reviewed_in_its_current_generation(Some(neighbor("raft", 2)), Some(2), granted(""))]
#[case::has_a_newer_generation(Some(neighbor("raft", 3)), Some(2), lagging(NOT_THE_OTHER))]
#[case::is_reviewed_in_a_later_generation(
    Some(neighbor("raft", 1)),
    Some(2),
    lagging(NOT_THE_OTHER)
)]
#[case::was_deleted(None, Some(2), lagging(NOT_THE_OTHER))]
#[case::is_new(Some(neighbor("raft", 1)), None, lagging(NOT_THE_OTHER))]
#[case::is_of_another_operator(Some(neighbor("vault", 1)), None, granted(""))]
fn delays_upgrade_until_the_review_covers_all_current_policies(
    #[case] seen: Option<Value>,
    #[case] judged: Option<u32>,
    #[case] part: Contribution,
) {
    assert_eq!(together(seen, judged).case(judge), part);
}

#[rstest]
#[case::failed(
    follows(json!({"status": {"phase": "Failed", "message": "etcd is not available."}})),
    granted(", although etcd.v1.0.0 is Failed: etcd is not available")
)]
#[case::unhealthy_according_to_the_health_service(
    follows(json!({})).with(|stage| {
        stage.answers.operator = Answer::Found(Operator {
            csv: "etcd.v1.0.0".to_owned(),
            verdict: verdict(State::No, &[("CrashLooping", "etcd ends again and again.")]),
            facts: Vec::new(),
        });
    }),
    granted(", although etcd.v1.0.0 is unhealthy: etcd ends again and again")
)]
#[case::missing(
    follows(json!({})).without(crate::kinds::CSV),
    granted("")
)]
fn approves_upgrade_if_installed_csv_is_failed_unhealthy_or_missing(
    #[case] stage: Stage,
    #[case] part: Contribution,
) {
    assert_eq!(stage.case(judge), part);
}

#[test]
fn plan_without_the_version_that_olm_chose_waits() {
    let stage = upgrading(established(json!({}))).object(plan(NEXT, &["etcd.v1.0.0"], json!({})));
    let message = "An upgrade to etcd.v1.0.0 is available. The InstallPlan is not approved because \
                   it does not install etcd.v2.0.0, which OLM has chosen as the next version";
    assert_eq!(
        reviewed(stage, review(State::Yes, &[], &[])).case(judge),
        contribution(
            condition(Status::True, Reason::InstallPlanRequiresApproval, message),
            NEXT,
            ("Compliant", "The InstallPlan is not approved"),
        )
    );
}
