use portolan_core_olm::Step;

use crate::tests::kit::*;
use crate::*;

stories! { World;
    new_plan_installs_the_first_operator: fresh().first_plan(InstallPlanPhase::default()) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanInstalling InstallPlan demo/install-a: InstallPlan demo/install-a is being executed.
    "#;
    installing_plan_lists_remaining_steps: fresh().first_plan(InstallPlanPhase::Installing).plan(|plan| {
        let mut step = Step::default();
        step.resource.kind = "CustomResourceDefinition".to_owned();
        step.resource.name = "ferries.demo.example".to_owned();
        plan.status.steps = vec![step];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanInstalling InstallPlan demo/install-a: InstallPlan demo/install-a is being executed. [these objects are not created yet: CustomResourceDefinition ferries.demo.example]
    "#;
    retried_plan_reports_the_reason: fresh().first_plan(InstallPlanPhase::Installing).plan(|plan| {
        plan.status.conditions = vec![condition("Installed", "False", "InstallComponentFailed", "namespaces \"demo\" is terminating")];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanInstalling InstallPlan demo/install-a: InstallPlan demo/install-a is being executed: namespaces "demo" is terminating
    "#;
    plan_waits_for_approval: fresh().first_plan(InstallPlanPhase::RequiresApproval) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanRequiresApproval InstallPlan demo/install-a: InstallPlan demo/install-a waits for approval. The InstallPlan installs ferry.v1.
    "#;
    approved_plan_is_not_started: fresh().first_plan(InstallPlanPhase::RequiresApproval).plan(|plan| plan.spec.approved = true) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanNotStarted InstallPlan demo/install-a: InstallPlan demo/install-a is approved, but OLM has not started it yet. If OLM does not start it within 5 minutes, check that OLM runs (Deployment catalog-operator).
    "#;
    approved_update_is_not_started: update_to_v2(InstallPlanPhase::RequiresApproval).namespace(|all| {
        for plan in &mut all.plans.objects {
            plan.spec.approved = true;
        }
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet PlanNotStarted InstallPlan demo/install-b: InstallPlan demo/install-b is approved, but OLM has not started it yet. If OLM does not start it within 5 minutes, check that OLM runs (Deployment catalog-operator).
    "#;
    plan_failed: fresh().first_plan(InstallPlanPhase::Failed).plan(|plan| plan.status.message = "risk of data loss updating ferries".to_owned()) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No PlanFailed InstallPlan demo/install-a: InstallPlan demo/install-a has failed and is not retried: risk of data loss updating ferries
    "#;
    plan_has_an_unsupported_phase: fresh().first_plan(InstallPlanPhase::Other("Dreaming".to_owned())) => r#"
        NotYet Subscription demo/ferry
        NotYet NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator yet.
        - NotYet PlanInstalling InstallPlan demo/install-a: InstallPlan demo/install-a is in phase Dreaming, which this version of Portolan does not know.
    "#;
    complete_plan_installed_nothing: fresh().first_plan(InstallPlanPhase::Complete) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, although its InstallPlan is complete: the operator was deleted.
    "#;
    plan_is_missing: fresh().first_plan(InstallPlanPhase::Complete).namespace(|all| all.plans.objects.clear()) => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No PlanMissing InstallPlan demo/install-a: InstallPlan demo/install-a is missing, although the Subscription refers to it.
    "#;
    update_that_waits_for_approval_keeps_the_operator_healthy: update_to_v2(InstallPlanPhase::RequiresApproval) => r#"
        Yes Subscription demo/ferry
        Yes PlanRequiresApproval InstallPlan demo/install-b: InstallPlan demo/install-b waits for approval. The InstallPlan installs ferry.v2.
    "#;
    update_in_progress_is_not_healthy_yet: update_to_v2(InstallPlanPhase::Installing) => r#"
        NotYet Subscription demo/ferry
        NotYet PlanInstalling InstallPlan demo/install-b: InstallPlan demo/install-b is being executed.
    "#;
    failed_update_is_a_fault: update_to_v2(InstallPlanPhase::Failed) => r#"
        No Subscription demo/ferry
        No PlanFailed InstallPlan demo/install-b: InstallPlan demo/install-b has failed and is not retried.
    "#;
    update_without_its_plan_is_resolved_again: update_to_v2(InstallPlanPhase::default()).namespace(|all| all.plans.objects.clear()) => r#"
        NotYet Subscription demo/ferry
        NotYet PlanMissing InstallPlan demo/install-b: InstallPlan demo/install-b is missing, although the Subscription refers to it.
    "#;
    earlier_failed_plan_is_ignored: world().planned(InstallPlanPhase::Failed) => r#"
        Yes Subscription demo/ferry
    "#;
    subscription_reports_a_hidden_failed_plan: dim(update_to_v2(InstallPlanPhase::default())).condition("InstallPlanFailed", "InstallComponentFailed", "no rights") => r#"
        No Subscription demo/ferry
        No PlanFailed Subscription demo/ferry: The InstallPlan of Subscription demo/ferry has failed: no rights
        NotYet NotObserved InstallPlan: InstallPlans are not observed: forbidden
    "#;
    subscription_reports_a_hidden_pending_plan: dim(update_to_v2(InstallPlanPhase::default())).condition("InstallPlanPending", "RequiresApproval", "") => r#"
        NotYet Subscription demo/ferry
        Yes PlanRequiresApproval Subscription demo/ferry: The InstallPlan of Subscription demo/ferry waits for approval: RequiresApproval
        NotYet NotObserved InstallPlan: InstallPlans are not observed: forbidden
    "#;
    subscription_reports_a_hidden_installing_plan: dim(update_to_v2(InstallPlanPhase::default())).condition("InstallPlanPending", "Installing", "") => r#"
        NotYet Subscription demo/ferry
        NotYet PlanInstalling Subscription demo/ferry: The InstallPlan of Subscription demo/ferry is being executed: Installing
        NotYet NotObserved InstallPlan: InstallPlans are not observed: forbidden
    "#;
    subscription_reports_a_missing_plan: fresh().condition("InstallPlanMissing", "ReferencedInstallPlanNotFound", "") => r#"
        No Subscription demo/ferry
        No NotInstalled Subscription demo/ferry: Subscription demo/ferry has no installed operator, because another problem blocks OLM.
        - No PlanMissing Subscription demo/ferry: The InstallPlan of Subscription demo/ferry is missing: ReferencedInstallPlanNotFound
    "#;
}

/// Returns an installed operator with an upgrade whose InstallPlan has this phase.
fn update_to_v2(phase: InstallPlanPhase) -> World {
    let named = world().namespace(|all| all.plans.objects.push(plan("install-b", &["ferry.v2"])));
    named.planned(phase).subscription(|subscription| {
        subscription.status.state = "UpgradePending".to_owned();
        subscription.status.install_plan_ref = plan_ref("install-b");
        subscription.status.current_csv = "ferry.v2".to_owned();
    })
}

fn dim(world: World) -> World {
    world.namespace(|all| {
        all.plans.objects.clear();
        all.plans.sight = Sight::Dim("forbidden".to_owned());
    })
}
