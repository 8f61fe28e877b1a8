//! Scenarios about the progress of plans, and about several plans in one namespace.

use crate::tests::kit::*;

stories! {
    older_plan_with_a_current_bundle_may_be_approved: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: - > vault.v1
        plan old 2: etcd.v2 over etcd.v1
        plan new 3: etcd.v2 over etcd.v1; vault.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No new [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup sub vault
        ! No NoPolicy ClusterServiceVersion demo/vault.v1: No policy names vault in demo, and
        | nothing needs vault.v1
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
        Yes old [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    older_plan_is_superseded_by_a_plan_of_two_bundles: world("
        sub etcd: etcd.v1 > etcd.v3
        sub vault: - > vault.v1
        plan old 2: etcd.v2 over etcd.v1
        plan new 3: etcd.v3 over etcd.v1; vault.v1
        policy p/etcd: etcd allows * with updates
        policy p/vault: vault allows *
    ") => r#"
        Yes new [waits]
        - Yes etcd.v3 = etcd 3.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup sub vault
        + p/vault *
        policies ["p/etcd", "p/vault"]
        No old [waits]
        ! No Superseded InstallPlan demo/new: The newer InstallPlan new installs etcd.v3
        | instead of etcd.v2
        ! No Superseded Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | etcd.v3 and not etcd.v2
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    one_superseded_bundle_supersedes_the_plan: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: - > vault.v2
        plan old 2: etcd.v2 over etcd.v1; vault.v1
        plan new 3: vault.v2
        policy p/etcd: etcd allows * with updates
        policy p/vault: vault allows *
    ") => r#"
        Yes new [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup sub vault
        + p/vault *
        policies ["p/vault"]
        No old [waits]
        ! No Superseded InstallPlan demo/new: The newer InstallPlan new installs vault.v2
        | instead of vault.v1
        ! No Superseded Subscription demo/vault: status.currentCSV of Subscription vault is
        | vault.v2 and not vault.v1
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup sub vault
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;

    subscription_with_a_newer_bundle_supersedes_a_plan: world("
        sub etcd: etcd.v3 > etcd.v3
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No a [waits]
        ! No Superseded Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | etcd.v3 and not etcd.v2
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    subscription_with_the_replaced_bundle_is_not_written_yet: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault: vault.v1 > vault.v1
        plan a 2: etcd.v2 over etcd.v1; vault.v2
        policy p/etcd: etcd allows * with updates
        policy p/vault: vault allows * with updates
    ") => r#"
        NotYet a [waits]
        ! NotYet NotCurrent Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | still etcd.v1 and not yet etcd.v2
        ! NotYet NotCurrent Subscription demo/vault: status.currentCSV of Subscription vault is
        | still vault.v1 and not yet vault.v2
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes vault.v2 = vault 2.0.0 by Lookup sub vault
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;

    second_subscription_without_a_bundle_is_ignored: world("
        sub etcd: - > etcd.v1
        sub twin of etcd: - > -
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    second_subscription_with_another_bundle_counts: world("
        sub etcd: - > etcd.v1
        sub twin of etcd: - > etcd.v2
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ") => r#"
        No a [waits]
        ! No Superseded Subscription demo/twin: status.currentCSV of Subscription twin is
        | etcd.v2 and not etcd.v1
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    subscription_distinguishes_plans_of_one_generation: world("
        sub etcd: etcd.v1 > etcd.v3
        plan a 2: etcd.v2 over etcd.v1
        plan b 2: etcd.v3 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No a [waits]
        ! No Superseded Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | etcd.v3 and not etcd.v2
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
        Yes b [waits]
        - Yes etcd.v3 = etcd 3.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    complete_plan_is_over: world("
        sub etcd: etcd.v1 > etcd.v1
        has etcd.v1
        plan a 1 Complete approved: etcd.v1
        policy p/etcd: etcd allows *
    ") => r#"
        No a [Complete approved]
        ! No Finished InstallPlan demo/a: InstallPlan a is Complete, so it no longer needs an
        | approval
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    partly_installed_plan_waits: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault: - > vault.v1
        has etcd.v1
        plan a 1: etcd.v1; vault.v1
        policy p/etcd: etcd allows *
        policy p/vault: vault allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup sub vault
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;

    new_plan_is_not_written_yet: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ").plan(|plan| {
        plan.phase.clear();
        plan.steps.clear();
    }) => r#"
        NotYet a []
        ! NotYet NotWritten InstallPlan demo/a: OLM has not prepared InstallPlan a for approval
        | yet
        - Yes etcd.v1 = etcd ? by Subscription sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    unidentified_bundle_of_an_unwritten_plan_is_undecided: world("
        sub etcd: - > -
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.phase.clear()) => "
        NotYet a []
        ! NotYet NotWritten InstallPlan demo/a: OLM has not prepared InstallPlan a for approval
        | yet
        - NotYet etcd.v1 = ? ?
        ! NotYet UnknownPackage ClusterServiceVersion demo/etcd.v1: The package of etcd.v1 is
        | unknown
        policies []
    ";

    plan_in_planning_phase_is_not_written_yet: world("
        sub etcd: - > etcd.v1
        plan a 1 Planning: etcd.v1
        policy p/etcd: etcd allows *
    ") => r#"
        NotYet a [Planning]
        ! NotYet NotWritten InstallPlan demo/a: OLM has not prepared InstallPlan a for approval
        | yet
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    pending_plan_without_steps_is_not_written_yet: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 unidentified
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.steps.clear()) => r#"
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/a: OLM has not written the content of InstallPlan
        | a yet
        - Yes etcd.v1 = etcd ? by Subscription sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    unknown_phase_leaves_the_verdict_open: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.phase = "Pondering".to_owned()) => r#"
        NotYet a [Pondering]
        ! NotYet NotWritten InstallPlan demo/a: InstallPlan a is in phase Pondering, which this
        | version of Portolan does not know
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    packed_bundle_is_not_written_yet: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 pending
        policy p/etcd: etcd allows *
    ") => r#"
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/a: OLM is still unpacking etcd.v1
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    subscription_of_a_bundle_for_another_package_is_stray: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.steps.push(generated("etcd.v1", "miner"))) => r#"
        No a [waits]
        ! No StepWithoutBundle InstallPlan demo/a: InstallPlan a creates Subscription
        | miner-stable-ports-olm for bundle etcd.v1, but this Subscription requests miner
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    subscription_without_a_package_is_stray: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| plan.steps.push(step("etcd.v1", "Subscription", "more"))) => r#"
        No a [waits]
        ! No StepWithoutBundle InstallPlan demo/a: InstallPlan a creates Subscription more for
        | bundle etcd.v1, but this Subscription requests an unreadable package
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    hidden_objects_turn_yes_into_not_yet: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        unseen OperatorPolicies are not watched: forbidden
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet NotObserved Namespace demo: OperatorPolicies are not watched: forbidden
        + p/etcd *
        policies ["p/etcd"]
    "#;

    hidden_objects_turn_no_into_not_yet: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2 Complete: etcd.v2
        policy p/etcd: etcd allows etcd.v1
        unseen Subscriptions were last seen before the connection broke
        unseen OperatorPolicies are not watched: forbidden
    ") => r#"
        NotYet a [Complete]
        ! NotYet Finished InstallPlan demo/a: InstallPlan a is Complete, so it no longer needs
        | an approval
        - NotYet etcd.v2 = etcd 2.0.0 by Lookup sub etcd
        ! NotYet NotObserved Namespace demo: OperatorPolicies are not watched: forbidden
        ! NotYet NotObserved Namespace demo: Subscriptions were last seen before the connection
        | broke
        ! NotYet NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v1, but
        | etcd.v2 is version 2.0.0
        ! NotYet UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v2 would replace etcd.v1
        ~ p/etcd spec.versions "etcd.v2": Add etcd.v2 to spec.versions of policy p/etcd
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
    "#;
}
