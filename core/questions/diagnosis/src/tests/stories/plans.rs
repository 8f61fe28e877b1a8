//! Scenarios with InstallPlans.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_core_health::{CsvPhase, InstallPlanPhase};
use portolan_core_olm::OlmController;

use portolan_core_approval::{Overlap, Says, Withheld};

use super::stories;
use crate::tests::kit::*;

/// Adds a plan with this phase and these bundles to a Subscription.
fn planned(story: Story, name: &str, phase: InstallPlanPhase, csvs: &[&str]) -> Story {
    let mut plan = install_plan("install-new", csvs);
    plan.spec.approved = phase != InstallPlanPhase::RequiresApproval;
    plan.status.phase = phase;
    let next = csvs.first().copied().unwrap_or_default().to_owned();
    story
        .subscriptions(name, |subscription| {
            subscription.status.state = "UpgradePending".to_owned();
            subscription.status.current_csv = next;
            subscription.status.install_plan_ref = plan_ref("install-new");
        })
        .change(|all| all.namespace.plans.objects.push(plan))
}

fn manual(story: Story, name: &str) -> Story {
    let name = name.to_owned();
    story.change(|all| all.manual.extend([name]))
}

fn waiting(csvs: &[&str]) -> Story {
    let story = at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0", "ferry.v1.0.0");
    planned(
        manual(story, "ferry"),
        "ferry",
        InstallPlanPhase::RequiresApproval,
        csvs,
    )
}

fn approve(story: &mut Story) {
    for plan in &mut story.namespace.plans.objects {
        plan.spec.approved = true;
    }
}

fn overlapping(story: Story) -> Story {
    let [mut first, mut second] = ["ferry.v1.0.0", "ferry.v1.1.0"].map(|it| policy("ferry", &[it]));
    "second".clone_into(&mut second.id.name);
    let overlap = Overlap::of([first.id.clone(), second.id.clone()]);
    for policy in [&mut first, &mut second] {
        policy.says = Says::Withholds(Withheld::Overlaps(overlap.clone()));
    }
    story.change(|all| all.policies.extend([first, second]))
}

fn with_policy(story: Story, consents: &[&str]) -> Story {
    let policy = policy("ferry", consents);
    story.change(|all| all.policies.push(policy))
}

/// Adds a waiting plan, and changes the installed version so that it cannot run on the cluster.
fn unserved(story: Story, csvs: &[&str]) -> Story {
    planned(
        manual(story, "ferry"),
        "ferry",
        InstallPlanPhase::RequiresApproval,
        csvs,
    )
    .deployment("ferry", |one| {
        let pod = pod("ferry", |container| {
            crashes(container);
            let ended = container.last_state.terminated.as_mut().expect("an end");
            ended.message =
                r#"{"error": "no matches for kind \"CronJob\" in version \"batch/v1beta1\""}"#
                    .to_owned();
        });
        down(one, vec![pod]);
    })
    .phase(
        "ferry.v1.0.0",
        CsvPhase::Failed,
        "InstallCheckFailed",
        "install timeout",
    )
}

/// Returns an upgrade whose InstallPlan was deleted after it had created the new
/// ClusterServiceVersion.
fn deleted_upgrade() -> Story {
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "")
        .csv("ferry.v1.0.0", |csv| {
            csv.status.phase = CsvPhase::Replacing;
        })
        .change(|all| all.namespace.plans.objects.clear())
}

stories! {
    installed_version_uses_an_unserved_api_and_a_plan_waits:
        unserved(at("ferry: 1.0.0 -> 1.1.0 -> 1.2.0", "ferry.v1.0.0"), &["ferry.v1.1.0"])
        .change(|all| all.cluster.kubernetes = "1.26.3".parse().ok())
        => ["ferry: Broken CrashLooping InstallPlan demo/install-new"];
    plan_for_an_unserved_api_also_upgrades_a_neighbor: unserved(
        at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0 -> 1.1.0", "ferry.v1.0.0").with("dock", "dock.v1.0.0"),
        &["ferry.v1.1.0", "dock.v1.1.0"],
    )
        .subscriptions("dock", |dock| {
            dock.status.state = "UpgradePending".to_owned();
            dock.status.current_csv = "dock.v1.1.0".to_owned();
            dock.status.install_plan_ref = plan_ref("install-new");
        })
        => [
            "dock: Waiting PlanForcedManual Subscription demo/ferry",
            "ferry: Broken CrashLooping InstallPlan demo/install-new",
        ];
    plan_waits_for_approval: waiting(&["ferry.v1.1.0"])
        => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    approved_plan_is_not_started_because_olm_does_not_run: waiting(&["ferry.v1.1.0"])
        .change(approve)
        .change(|all| {
            let pods = vec![pod("catalog-operator", crashes)];
            all.around.olm.push(olm_part(OlmController::Catalog, pods));
        })
        => ["ferry: Stuck OlmNotRunning Deployment olm/catalog-operator"];
    approved_plan_is_not_started: waiting(&["ferry.v1.1.0"]).change(approve)
        => ["ferry: Working PlanNotStarted InstallPlan demo/install-new"];
    pending_plan_has_an_unrequested_bundle: waiting(&["ferry.v1.1.0", "dock.v1.0.0"])
        => ["ferry: Stuck PlanObsolete InstallPlan demo/install-new"];
    pending_plan_serves_two_subscriptions:
        waiting(&["ferry.v1.1.0", "dock.v1.0.0"])
        .subscription("dock", "dock")
        .subscriptions("dock", |dock| {
            dock.status.state = "UpgradePending".to_owned();
            dock.status.current_csv = "dock.v1.0.0".to_owned();
            dock.status.install_plan_ref = plan_ref("install-new");
        })
        => [
            "dock: Waiting PlanForcedManual Subscription demo/ferry",
            "ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new",
        ];
    pending_plan_follows_a_pending_csv: waiting(&["ferry.v1.1.0"])
        .phase("ferry.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        => ["ferry: Stuck PredecessorPending ClusterServiceVersion demo/ferry.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/ferry.v1.0.0"];
    plan_allowed_by_a_policy_follows_a_pending_csv:
        with_policy(waiting(&["ferry.v1.1.0"]), &["ferry.v1.1.0"])
        .phase("ferry.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        => ["ferry: Stuck PredecessorPending ClusterServiceVersion demo/ferry.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/ferry.v1.0.0"];
    plan_withheld_by_a_policy_follows_a_pending_csv:
        with_policy(waiting(&["ferry.v1.1.0"]), &["ferry.v1.0.0"])
        .phase("ferry.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        => ["ferry: Stuck PredecessorPending ClusterServiceVersion demo/ferry.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/ferry.v1.0.0"];
    version_follows_a_csv_that_requires_a_newer_cluster: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "RequirementsUnknown")
        .phase("ferry.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "")
        .csv("ferry.v1.0.0", |csv| {
            let message = "CSV version requirement not met: minKubeVersion (9.0.0)";
            let row = requirement("ClusterServiceVersion", "ferry.v1.0.0", "NotPresent", message);
            csv.status.requirements.push(row);
        })
        => ["ferry: Stuck PredecessorPending ClusterServiceVersion demo/ferry.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/ferry.v1.0.0"];
    pending_plan_contains_the_successor_of_a_pending_neighbor:
        manual(
            at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
                .with("dock", "dock.v1.0.0"),
            "ferry",
        )
        .phase("dock.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        .change(|all| {
            let mut plan = install_plan("install-new", &["ferry.v1.1.0", "dock.v1.1.0"]);
            (plan.spec.approved, plan.status.phase) = (false, InstallPlanPhase::RequiresApproval);
            all.namespace.plans.objects.push(plan);
            for subscription in &mut all.namespace.subscriptions.objects {
                let name = subscription.observed.object.name.clone();
                subscription.status.state = "UpgradePending".to_owned();
                subscription.status.current_csv = format!("{name}.v1.1.0");
                subscription.status.install_plan_ref = plan_ref("install-new");
            }
        })
        => [
            "dock: Stuck PredecessorPending ClusterServiceVersion demo/dock.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/dock.v1.0.0",
            "ferry: Stuck PredecessorPending ClusterServiceVersion demo/dock.v1.0.0",
        ];
    version_follows_a_pending_csv: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Pending, "RequirementsUnknown")
        .phase("ferry.v1.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account")
        => ["ferry: Stuck PredecessorPending ClusterServiceVersion demo/ferry.v1.0.0 > RequirementUnmet ClusterServiceVersion demo/ferry.v1.0.0"];
    policy_allows_the_pending_plan: with_policy(waiting(&["ferry.v1.1.0"]), &["ferry.v1.1.0"])
        => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    policy_does_not_allow_the_pending_plan:
        with_policy(waiting(&["ferry.v1.1.0"]), &["ferry.v1.0.0"])
        => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    /// A manual approval is not offered, because it would bypass both policies.
    two_policies_overlap_for_the_pending_plan: overlapping(waiting(&["ferry.v1.1.0"]))
        => ["ferry: Waiting PlanAwaitsApproval OperatorPolicy policies/ferry"];
    policies_are_not_observed_for_the_pending_plan: waiting(&["ferry.v1.1.0"]).change(|all| {
        let why = "OperatorPolicies are not observed: the files have no OperatorPolicy";
        all.unseen_policies.push(why.to_owned());
    }) => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    first_plan_waits_for_approval: planned(
        manual(shore(FERRIES).subscription("ferry", "ferry"), "ferry"),
        "ferry",
        InstallPlanPhase::RequiresApproval,
        &["ferry.v2.0.0"],
    ) => ["ferry: Waiting PlanAwaitsApproval InstallPlan demo/install-new"];
    plan_waits_because_a_neighbor_is_manual: planned(
        manual(at("ferry: 1.0.0 -> 1.1.0; dock: 1.0.0", "ferry.v1.0.0").with("dock", "dock.v1.0.0"), "dock"),
        "ferry",
        InstallPlanPhase::RequiresApproval,
        &["ferry.v1.1.0"],
    ) => ["dock: Well", "ferry: Waiting PlanForcedManual Subscription demo/dock"];
    superseded_plan_is_still_pending: manual(at("ferry: 1.0.0 -> 1.1.0 -> 2.0.0", "ferry.v2.0.0"), "ferry")
        .change(|all| {
            let mut old = install_plan("install-old", &["ferry.v1.1.0"]);
            (old.spec.approved, old.status.phase) = (false, InstallPlanPhase::RequiresApproval);
            all.namespace.plans.objects.insert(0, old);
        })
        => ["ferry: Waiting PlanSuperseded InstallPlan demo/install-old"];
    install_plan_failed: planned(
        shore(FERRIES).subscription("ferry", "ferry"),
        "ferry",
        InstallPlanPhase::Failed,
        &["ferry.v2.0.0"],
    )
    .plan("install-new", |plan| plan.status.message = "no matches for kind Tide".to_owned())
        => ["ferry: Stuck PlanFailed InstallPlan demo/install-new"];
    plan_failed_after_a_partial_installation: planned(
        harbor().phase("ferry.v2.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account"),
        "ferry",
        InstallPlanPhase::Failed,
        &["ferry.v2.0.0"],
    )
    .plan("install-new", |plan| plan.status.message = "no matches for kind Tide".to_owned())
        => ["ferry: Stuck PlanFailed InstallPlan demo/install-new > RequirementUnmet ClusterServiceVersion demo/ferry.v2.0.0"];
    failed_plan_with_steps_is_repeated: planned(
        harbor().phase("ferry.v2.0.0", CsvPhase::Pending, "RequirementsNotMet", "it needs an account"),
        "ferry",
        InstallPlanPhase::Failed,
        &["ferry.v2.0.0"],
    )
    .plan("install-new", |plan| {
        plan.status.message = "no matches for kind Tide".to_owned();
        plan.status.steps = vec![portolan_core_olm::Step::default()];
        plan.status.start_time = k8s_openapi::jiff::Timestamp::from_second(7).ok().map(Time);
    }) => ["ferry: Stuck PlanFailed InstallPlan demo/install-new > RequirementUnmet ClusterServiceVersion demo/ferry.v2.0.0"];
    plan_of_an_upgrade_was_deleted: deleted_upgrade()
        => ["ferry: Stuck PlanMissing InstallPlan demo/upgrade-ferry"];
    plan_of_an_upgrade_with_cleanup_was_deleted: deleted_upgrade()
        .csv("ferry.v1.1.0", |csv| csv.spec.cleanup.enabled = true)
        => ["ferry: Stuck PlanMissing InstallPlan demo/upgrade-ferry"];
    plan_was_deleted: planned(
        shore(FERRIES).subscription("ferry", "ferry"),
        "ferry",
        InstallPlanPhase::Installing,
        &["ferry.v2.0.0"],
    )
    .change(|all| all.namespace.plans.objects.clear())
        => ["ferry: Stuck PlanMissing InstallPlan demo/install-new"];
    plan_was_deleted_and_olm_recovers: planned(
        shore(FERRIES).subscription("ferry", "ferry"),
        "ferry",
        InstallPlanPhase::RequiresApproval,
        &["ferry.v2.0.0"],
    )
    .subscriptions("ferry", |subscription| {
        let pending = condition("InstallPlanPending", "True", "RequiresApproval", "");
        subscription.status.conditions.push(pending);
    })
    .change(|all| all.namespace.plans.objects.clear())
        => ["ferry: Stuck PlanMissing InstallPlan demo/install-new"];
}
