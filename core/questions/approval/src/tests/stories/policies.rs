//! Scenarios with several policies, with added or removed policies, and with unknown policies.

use crate::tests::kit::*;

stories! {
    informing_policy_has_no_veto: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows etcd.v1
        policy q/watcher: etcd informs
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd etcd.v1
        policies ["p/etcd", "q/watcher"]
    "#;

    invalid_or_deleted_policy_has_no_veto: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows etcd.v1
        policy q/broken: etcd invalid spec.versions[0] is empty
        policy q/old: etcd leaves
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd etcd.v1
        policies ["p/etcd", "q/broken", "q/old"]
    "#;

    every_denying_policy_is_reported: world("
        sub etcd: etcd.v1 > etcd.v3
        plan a 3: etcd.v3 over etcd.v1
        policy p/etcd: etcd allows etcd.v2
        policy q/watcher: etcd informs
    ") => r#"
        No a [waits]
        - No etcd.v3 = etcd 3.0.0 by Lookup over etcd.v1 sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v2, but etcd.v3
        | is version 3.0.0
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v3 would replace etcd.v1
        ! No PolicyInforms OperatorPolicy q/watcher: Policy q/watcher has remediationAction
        | inform, so it allows no bundle
        ~ p/etcd spec.versions "etcd.v3": Add etcd.v3 to spec.versions of policy p/etcd
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        ~ q/watcher spec.remediationAction "enforce": Set spec.remediationAction of policy
        | q/watcher to enforce, so that the policy can allow upgrades
        policies ["p/etcd", "q/watcher"]
    "#;

    policy_that_is_being_deleted_leaves_the_verdict_open: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd leaves
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet PolicyTerminating OperatorPolicy p/etcd: Policy p/etcd is being deleted, so it
        | allows no bundle; it is unknown which policy applies after the deletion
        policies ["p/etcd"]
    "#;

    mustnothave_policy_contradicts_the_subscription: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd forbids
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No PolicyForbids OperatorPolicy p/etcd: Policy p/etcd requires that etcd is not
        | installed in demo
        ~ p/etcd spec.complianceType "musthave": Policy p/etcd and the Subscription for etcd
        | contradict each other: delete the Subscription, or set spec.complianceType of the
        | policy to musthave
        policies ["p/etcd"]
    "#;

    three_overlapping_policies_name_each_other: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/one: etcd overlaps p/three p/two
        policy p/three: etcd overlaps p/one p/two
        policy p/two: etcd overlaps p/one p/three
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No PolicyOverlaps OperatorPolicy p/one: Policy p/one overlaps with p/three and p/two:
        | all these policies apply to etcd in demo, so none of them has an effect
        ! No PolicyOverlaps OperatorPolicy p/three: Policy p/three overlaps with p/one and
        | p/two: all these policies apply to etcd in demo, so none of them has an effect
        ! No PolicyOverlaps OperatorPolicy p/two: Policy p/two overlaps with p/one and p/three:
        | all these policies apply to etcd in demo, so none of them has an effect
        ~ p/one spec.remediationAction "inform": Keep one of the policies p/one, p/three and
        | p/two. Delete the other policies, or set spec.remediationAction to inform in the other
        | policies
        ~ p/three spec.remediationAction "inform": Keep one of the policies p/one, p/three and
        | p/two. Delete the other policies, or set spec.remediationAction to inform in the other
        | policies
        ~ p/two spec.remediationAction "inform": Keep one of the policies p/one, p/three and
        | p/two. Delete the other policies, or set spec.remediationAction to inform in the other
        | policies
        policies ["p/one", "p/three", "p/two"]
    "#;

    policy_without_consents_allows_nothing: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows nothing
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no bundle at all, but
        | etcd.v1 is version 1.0.0
        ~ p/etcd spec.versions "etcd.v1": Add etcd.v1 to spec.versions of policy p/etcd
        policies ["p/etcd"]
    "#;

    policy_of_unknown_namespace_may_allow_it: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd in ? allows *
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet PolicyUnresolved OperatorPolicy p/etcd: It is not known yet in which namespace
        | policy p/etcd installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        policies ["p/etcd"]
    "#;

    policy_of_unknown_namespace_may_overlap: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy q/etcd: etcd in ? allows etcd.v0
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet PolicyUnresolved OperatorPolicy q/etcd: It is not known yet in which namespace
        | policy q/etcd installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        + p/etcd *
        policies ["p/etcd", "q/etcd"]
    "#;

    mustnothave_policy_of_unknown_namespace_may_overlap: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy q/etcd: etcd in ? forbids
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet PolicyUnresolved OperatorPolicy q/etcd: It is not known yet in which namespace
        | policy q/etcd installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        + p/etcd *
        policies ["p/etcd", "q/etcd"]
    "#;

    informing_policy_of_unknown_namespace_keeps_a_managed_one: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy q/etcd: etcd in ? informs
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd", "q/etcd"]
    "#;

    informing_policy_of_unknown_namespace_may_decide: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with dependencies
        policy q/vault: vault in ? informs
    ") => r#"
        NotYet a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - NotYet vault.v1 = vault 1.0.0 by Lookup
        ! NotYet PolicyUnresolved OperatorPolicy q/vault: It is not known yet in which
        | namespace policy q/vault installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        + p/etcd * > etcd.v1
        policies ["p/etcd", "q/vault"]
    "#;

    policy_of_unknown_namespace_may_break_the_chain: world("
        sub etcd: etcd.v1 > etcd.v1
        sub harbor-stable of harbor auto: harbor.v1 > harbor.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs harbor@>=1.0.0
        has harbor.v1 needs vault@>=1.0.0
        plan b 3: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy q/harbor: harbor in ? allows *
    ") => r#"
        NotYet b [waits]
        - NotYet vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! NotYet PolicyUnresolved OperatorPolicy q/harbor: It is not known yet in which
        | namespace policy q/harbor installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        + p/etcd * > etcd.v1 > harbor.v1
        policies ["p/etcd", "q/harbor"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    policy_of_unknown_namespace_is_ignored_with_a_certain_chain: world("
        sub etcd: etcd.v1 > etcd.v1
        sub harbor-stable of harbor auto: harbor.v1 > harbor.v1
        sub lock-stable of lock auto: lock.v1 > lock.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs harbor@>=1.0.0 needs lock@>=1.0.0
        has harbor.v1 needs vault@>=1.0.0
        has lock.v1 needs vault@>=1.0.0
        plan b 3: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy q/harbor: harbor in ? allows *
    ") => r#"
        Yes b [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1 > lock.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    policy_of_unknown_namespace_is_ignored_with_another_policy: world("
        sub etcd: etcd.v1 > etcd.v1
        sub harbor-stable of harbor auto: harbor.v1 > harbor.v1
        sub lock: lock.v1 > lock.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs harbor@>=1.0.0
        has harbor.v1 needs vault@>=1.0.0
        has lock.v1 needs vault@>=1.0.0
        plan b 3: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/lock: lock allows * with updates dependencies
        policy q/harbor: harbor in ? allows *
    ") => r#"
        Yes b [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1 > harbor.v1
        + p/lock * > lock.v1
        policies ["p/etcd", "p/lock"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscriptions etcd and lock in the same namespace are
        | Manual
    "#;

    policy_of_unknown_namespace_may_replace_an_informing_one: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd informs
        policy q/etcd: etcd in ? allows *
    ") => r#"
        NotYet a [waits]
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! NotYet PolicyUnresolved OperatorPolicy q/etcd: It is not known yet in which namespace
        | policy q/etcd installs its operator, which may be demo; set
        | spec.subscription.namespace of the policy
        policies ["p/etcd", "q/etcd"]
    "#;

    unrelated_policy_of_unknown_namespace_is_ignored: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
        policy q/vault: vault in ? allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        policies ["p/etcd"]
    "#;

    managed_bundle_waits_for_its_subscription: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with dependencies
        policy p/vault: vault allows *
    ") => r#"
        NotYet a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - NotYet vault.v1 = vault 1.0.0 by Lookup
        ! NotYet SubscriptionMissing OperatorPolicy p/vault: Policy p/vault requires a
        | Subscription for vault in demo, but this InstallPlan is older than that Subscription:
        | OLM would create a second Subscription
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;

    plan_with_a_second_subscription_waits_for_a_newer_plan: world("
        sub etcd: - > etcd.v1
        sub vault: - > vault.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with dependencies
        policy p/vault: vault allows *
    ") => r#"
        NotYet a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - NotYet vault.v1 = vault 1.0.0 by Lookup sub vault
        ! NotYet SubscriptionMissing OperatorPolicy p/vault: Policy p/vault requires a
        | Subscription for vault in demo, but this InstallPlan is older than that Subscription:
        | OLM would create a second Subscription
        + p/vault *
        policies ["p/etcd", "p/vault"]
    "#;
}
