//! Scenarios for the rules of the established controller for OperatorPolicy (behaviors 57 to 76).

use crate::tests::kit::*;

stories! {
    /// Behavior 57: OLM has no plan for a Subscription without a bundle.
    subscription_without_a_bundle_waits: world("
        sub etcd: - > -
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ") => r#"
        NotYet a [waits]
        ! NotYet NotCurrent Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | not etcd.v1 yet
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behaviors 58, 59: only the plan with the highest generation of a namespace is relevant.
    newer_plan_supersedes_older_plan: world("
        sub etcd: etcd.v1 > etcd.v3
        plan old 2: etcd.v2 over etcd.v1
        plan new 3: etcd.v3 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        Yes new [waits]
        - Yes etcd.v3 = etcd 3.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
        No old [waits]
        ! No Superseded InstallPlan demo/new: The newer InstallPlan new installs etcd.v3
        | instead of etcd.v2
        ! No Superseded Subscription demo/etcd: status.currentCSV of Subscription etcd is
        | etcd.v3 and not etcd.v2
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 59: a plan without a generation cannot be approved yet.
    plan_without_a_generation_waits: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a -: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/a: InstallPlan a has no spec.generation, so it is
        | unknown which InstallPlan is newer
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 60: a waiting plan is obsolete if its bundle is already installed.
    plan_with_an_installed_bundle_does_not_wait: world("
        sub etcd: etcd.v2 > etcd.v2
        has etcd.v2
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No a []
        ! No Finished InstallPlan demo/a: All bundles of InstallPlan a are installed
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 61: an approved plan is reviewed like any other plan.
    approved_plan_without_a_policy_is_reported: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2 approved: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows etcd.v1 with updates
    ") => r#"
        No a [approved]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v1, but etcd.v2
        | is version 2.0.0
        ~ p/etcd spec.versions "etcd.v2": Add etcd.v2 to spec.versions of policy p/etcd
        policies ["p/etcd"]
    "#;

    /// Behavior 62: a policy in inform mode approves nothing.
    informing_policy_allows_nothing: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd informs
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No PolicyInforms OperatorPolicy p/etcd: Policy p/etcd has remediationAction inform,
        | so it allows no bundle
        ~ p/etcd spec.remediationAction "enforce": Set spec.remediationAction of policy p/etcd
        | to enforce, so that the policy can allow upgrades
        policies ["p/etcd"]
    "#;

    /// Behavior 62: an update is not approved if the policy does not allow updates.
    update_needs_a_policy_that_allows_updates: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v2 would replace etcd.v1
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
    "#;

    /// Behavior 63: the first installation is not an update.
    installation_needs_no_policy_that_allows_updates: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// The result is the same while OLM installs the bundle and its ClusterServiceVersion already
    /// exists.
    installation_in_progress_is_no_update: world("
        sub etcd: etcd.v1 > etcd.v1
        has etcd.v1 needs vault@>=1.0.0
        plan a 1 Installing approved: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        Yes a [Installing approved]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
    "#;

    /// Behavior 63, the opposite case: an operator counts as installed, regardless of the status of
    /// its Subscription.
    operator_without_its_subscription_counts_as_installed: world("
        sub etcd: - > etcd.v2
        has etcd.v1
        plan a 1: etcd.v2
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup sub etcd
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v2 would replace etcd.v1
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
    "#;

    /// Behavior 64: an update is approved if the policy allows updates.
    policy_that_allows_updates_allows_an_update: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        Yes a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 65: a policy can allow bundles by name, or allow any version. In Portolan, a policy
    /// can also allow a version range.
    range_allows_the_versions_in_it: world("
        sub etcd: etcd.v1 > etcd.v1.4
        sub vault: vault.v1 > vault.v2
        plan a 2: etcd.v1.4 over etcd.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows etcd.v1, etcd@>=1.2.0 <2.0.0 with updates
        policy p/vault: vault allows vault@>=1.2.0 <2.0.0 with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v1.4 = etcd 1.4.0 by Lookup over etcd.v1 sub etcd
        + p/etcd etcd@>=1.2.0 <2.0.0
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        ! No NotAllowed OperatorPolicy p/vault: Policy p/vault allows only vault@>=1.2.0
        | <2.0.0, but vault.v2 is version 2.0.0
        ~ p/vault spec.versions "vault.v2": Add vault.v2 to spec.versions of policy p/vault
        policies ["p/etcd", "p/vault"]
    "#;

    /// Behavior 67: the review ignores a need that no bundle of the plan satisfies. OLM is
    /// responsible for such a need.
    need_outside_of_the_plan_is_ignored: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0
        policy p/etcd: etcd allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behaviors 69, 70, 71: every bundle needs a policy. One of the three policies does not exist.
    three_bundles_need_three_policies: world("
        sub etcd: etcd.v1 > etcd.v2
        sub harbor: harbor.v1 > harbor.v2
        sub vault: vault.v1 > vault.v2
        plan a 4: etcd.v2 over etcd.v1; harbor.v2 over harbor.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates
        policy p/harbor: harbor allows * with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes harbor.v2 = harbor 2.0.0 by Lookup over harbor.v1 sub harbor
        + p/harbor *
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        ! No NoPolicy ClusterServiceVersion demo/vault.v2: No policy names vault in demo, and
        | nothing needs vault.v2
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies ["p/etcd", "p/harbor"]
    "#;

    /// Behavior 72: OLM approves the plan automatically. The review still reports which bundles the
    /// policies allow.
    automatically_approved_plan_is_reviewed_too: world("
        sub etcd auto: etcd.v1 > etcd.v2
        plan a 2 Installing approved auto: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows etcd.v2 with updates
    ") => r#"
        Yes a [Installing approved auto]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd etcd.v2
        policies ["p/etcd"]
    "#;

    /// Behavior 73: a newer bundle that the policy does not allow is not installed.
    newer_bundle_outside_of_the_policy_is_denied: world("
        sub etcd: etcd.v1 > etcd.v3
        plan a 2: etcd.v3 over etcd.v1
        policy p/etcd: etcd allows etcd.v1, etcd.v2 with updates
    ") => r#"
        No a [waits]
        - No etcd.v3 = etcd 3.0.0 by Lookup over etcd.v1 sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v1 and etcd.v2,
        | but etcd.v3 is version 3.0.0
        ~ p/etcd spec.versions "etcd.v3": Add etcd.v3 to spec.versions of policy p/etcd
        policies ["p/etcd"]
    "#;

    /// Behavior 74: a failed plan needs no approval any more.
    failed_plan_needs_no_approval: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2 Failed approved: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No a [Failed approved]
        ! No Finished InstallPlan demo/a: InstallPlan a is Failed, so it no longer needs an
        | approval
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 75: the review also allows a plan that OLM is installing.
    installing_plan_is_allowed: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2 Installing approved: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        Yes a [Installing approved]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// Behavior 76: plans are only history, so a user may delete them.
    namespace_without_plans_has_no_reviews: world("
        sub etcd: etcd.v1 > etcd.v1
        policy p/etcd: etcd allows *
    ") => "";
}
