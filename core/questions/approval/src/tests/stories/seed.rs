//! Scenarios for the requirements that the OperatorPolicy design has for an approver of
//! InstallPlans.

use crate::tests::kit::*;

stories! {
    /// OLM puts all bundles that a namespace needs into one plan.
    two_operators_in_one_plan_need_two_policies: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: vault.v1 > vault.v2
        plan a 2: etcd.v2 over etcd.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        ! No NoPolicy ClusterServiceVersion demo/vault.v2: No policy names vault in demo, and
        | nothing needs vault.v2
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies ["p/etcd"]
    "#;

    two_policies_allow_two_operators_in_one_plan: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: vault.v1 > vault.v2
        plan a 2: etcd.v2 over etcd.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/vault: vault allows vault.v1, vault.v2 with updates
    ") => r#"
        Yes a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        + p/vault vault.v2
        policies ["p/etcd", "p/vault"]
    "#;

    policy_switched_to_inform_stops_the_shared_plan: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: vault.v1 > vault.v2
        plan a 2: etcd.v2 over etcd.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/vault: vault informs
    ") => r#"
        No a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        ! No PolicyInforms OperatorPolicy p/vault: Policy p/vault has remediationAction inform,
        | so it allows no bundle
        ~ p/vault spec.remediationAction "enforce": Set spec.remediationAction of policy
        | p/vault to enforce, so that the policy can allow upgrades
        policies ["p/etcd", "p/vault"]
    "#;

    /// The owner references of a plan list every existing Subscription of the namespace, so the
    /// review ignores them.
    subscription_without_a_bundle_in_the_plan_is_ignored: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: vault.v1 > vault.v1
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows etcd.v2 with updates
        policy p/vault: vault informs
    ") => r#"
        Yes a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd etcd.v2
        policies ["p/etcd"]
    "#;

    /// A Manual Subscription blocks all other Subscriptions of its namespace.
    one_manual_subscription_blocks_the_others: world("
        sub etcd auto: etcd.v1 > etcd.v2
        sub harbor: - > -
        sub vault: vault.v1 > vault.v1
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        Yes a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/a: Subscription etcd has automatic approval,
        | but waits because Subscriptions harbor and vault in the same namespace are Manual
    "#;

    one_manual_subscription_blocks_several_bundles: world("
        sub etcd auto: etcd.v1 > etcd.v2
        sub harbor auto: - > harbor.v1
        sub vault: vault.v1 > vault.v1
        plan a 2: etcd.v2 over etcd.v1; harbor.v1
        policy p/etcd: etcd allows * with updates
        policy p/harbor: harbor allows * with updates
    ") => r#"
        Yes a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - Yes harbor.v1 = harbor 1.0.0 by Lookup sub harbor
        + p/harbor *
        policies ["p/etcd", "p/harbor"]
        remark Yes ForcedManual InstallPlan demo/a: Subscriptions etcd and harbor have
        | automatic approval, but wait because Subscription vault in the same namespace is
        | Manual
    "#;

    /// Other users may create Subscriptions in the namespace, and OLM puts their bundles into the
    /// same plan.
    bundle_of_a_subscription_without_a_policy_stops_the_plan: world("
        sub etcd: etcd.v1 > etcd.v2
        sub somebodys-vault of vault: - > vault.v1
        plan a 2: etcd.v2 over etcd.v1; vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup sub somebodys-vault
        ! No NoPolicy ClusterServiceVersion demo/vault.v1: No policy names vault in demo, and
        | nothing needs vault.v1
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
    "#;

    /// Every object that a plan creates must belong to an allowed bundle.
    step_without_a_bundle_stops_the_plan: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd allows * with updates
    ").plan(|plan| {
        plan.steps.push(step("", "ClusterRole", "root"));
        plan.steps.push(step("", "Secret", "token"));
    }) => r#"
        No a [waits]
        ! No StepWithoutBundle InstallPlan demo/a: InstallPlan a creates ClusterRole root and
        | Secret token, which belongs to no bundle
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    /// The review compares the `packageName` of a Subscription with the policy. The `identifier` in
    /// a bundle lookup is only a name.
    policy_is_found_by_package_and_not_by_name: world("
        sub etcd: - > harbor.v1
        plan a 1: harbor.v1 from market/community
        policy p/etcd: etcd allows harbor.v1
        policy p/harbor: harbor allows *
    ").bundle("harbor.v1", |bundle| identity_of(bundle).package = package("etcd")) => r#"
        Yes a [waits]
        - Yes harbor.v1 = etcd 1.0.0 by Lookup from market/community sub etcd
        + p/etcd harbor.v1
        policies ["p/etcd"]
    "#;

    /// A bundle name allows only the bundle with exactly this name. It does not allow bundles whose
    /// names begin with this name.
    consent_matches_the_whole_bundle_name: world("
        sub etcd: - > etcd.v1.1
        plan a 1: etcd.v1.1
        policy p/etcd: etcd allows etcd.v1, etcd.v1.1.0
    ") => r#"
        No a [waits]
        - No etcd.v1.1 = etcd 1.1.0 by Lookup sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v1 and
        | etcd.v1.1.0, but etcd.v1.1 is version 1.1.0
        ~ p/etcd spec.versions "etcd.v1.1": Add etcd.v1.1 to spec.versions of policy p/etcd
        policies ["p/etcd"]
    "#;

    /// Scenarios 1 and 2 of the design: the update begins as soon as the policy allows its version.
    update_waits_until_the_policy_names_it: world("
        sub strimzi: strimzi.v0.35.0 > strimzi.v0.35.1
        plan a 2: strimzi.v0.35.1 over strimzi.v0.35.0
        policy p/strimzi: strimzi allows strimzi.v0.35.0 with updates
    ") => r#"
        No a [waits]
        - No strimzi.v0.35.1 = strimzi 0.35.1 by Lookup over strimzi.v0.35.0 sub strimzi
        ! No NotAllowed OperatorPolicy p/strimzi: Policy p/strimzi allows only strimzi.v0.35.0,
        | but strimzi.v0.35.1 is version 0.35.1
        ~ p/strimzi spec.versions "strimzi.v0.35.1": Add strimzi.v0.35.1 to spec.versions of
        | policy p/strimzi
        policies ["p/strimzi"]
    "#;

    update_is_allowed_once_the_policy_names_it: world("
        sub strimzi: strimzi.v0.35.0 > strimzi.v0.35.1
        plan a 2: strimzi.v0.35.1 over strimzi.v0.35.0
        policy p/strimzi: strimzi allows strimzi.v0.35.0, strimzi.v0.35.1 with updates
    ") => r#"
        Yes a [waits]
        - Yes strimzi.v0.35.1 = strimzi 0.35.1 by Lookup over strimzi.v0.35.0 sub strimzi
        + p/strimzi strimzi.v0.35.1
        policies ["p/strimzi"]
    "#;

    policy_for_another_namespace_is_ignored: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd in elsewhere allows *
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No NoPolicy ClusterServiceVersion demo/etcd.v1: No policy names etcd in demo, and
        | nothing needs etcd.v1
        ~ new spec.subscription.name "etcd": Create an OperatorPolicy with
        | spec.subscription.name etcd and spec.subscription.namespace demo that allows etcd.v1
        policies []
    "#;
}
