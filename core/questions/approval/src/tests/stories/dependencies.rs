//! Scenarios with bundles that are allowed because another bundle requires them.

use crate::tests::kit::*;

stories! {
    /// Behavior 66: a policy in the established form also allows the dependencies of its operator.
    dependency_of_an_allowed_bundle_is_allowed: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
    "#;

    strict_policy_allows_only_its_own_operator: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No DependencyNotAllowed OperatorPolicy p/etcd: vault.v1 is needed by etcd.v1, but
        | policy p/etcd does not allow dependencies
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
    "#;

    transitive_dependency_is_allowed: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs harbor@>=1.0.0
            ; harbor.v1 needs api:Vault
            ; vault.v1 provides api:Vault
        policy p/etcd: etcd allows etcd.v1 with updates dependencies
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd etcd.v1
        - Yes harbor.v1 = harbor 1.0.0 by Lookup
        + p/etcd etcd.v1 > etcd.v1
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd etcd.v1 > etcd.v1 > harbor.v1
        policies ["p/etcd"]
    "#;

    transitive_dependency_of_a_strict_policy_is_not_allowed: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs harbor@>=1.0.0
            ; harbor.v1 needs api:Vault
            ; vault.v1 provides api:Vault
        policy p/etcd: etcd allows etcd.v1 with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd etcd.v1
        - No harbor.v1 = harbor 1.0.0 by Lookup
        ! No DependencyNotAllowed OperatorPolicy p/etcd: harbor.v1 is needed by etcd.v1, but
        | policy p/etcd does not allow dependencies
        ~ new spec.subscription.name "harbor": Create an OperatorPolicy with
        | spec.subscription.name harbor and spec.subscription.namespace demo that allows
        | harbor.v1
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No DependencyNotAllowed OperatorPolicy p/etcd: vault.v1 is needed by etcd.v1 through
        | harbor.v1, but policy p/etcd does not allow dependencies
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
    "#;

    /// The second plan contains only the dependency. The bundle that needs this dependency is
    /// already installed.
    installed_dependent_allows_the_update_of_its_dependency: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes b [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    dependency_update_needs_its_own_policy_under_a_strict_one: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates
    ") => r#"
        No b [waits]
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! No DependencyNotAllowed OperatorPolicy p/etcd: vault.v2 is needed by etcd.v1, but
        | policy p/etcd does not allow dependencies
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    dependency_update_needs_a_policy_that_allows_updates: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        No b [waits]
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: vault.v2 is needed by etcd.v1, but policy
        | p/etcd allows no upgrades of installed operators or their dependencies
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    denied_update_allows_no_dependency: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2: etcd.v2 over etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with dependencies
    ") => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: Policy p/etcd allows no upgrades, but
        | etcd.v2 would replace etcd.v1
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No UpdatesNotAllowed OperatorPolicy p/etcd: vault.v1 is needed by etcd.v2, but policy
        | p/etcd allows no upgrades of installed operators or their dependencies
        ~ p/etcd spec.upgradeApproval "Automatic": Set spec.upgradeApproval of policy p/etcd to
        | Automatic
        policies ["p/etcd"]
    "#;

    dependency_of_an_installed_dependency_is_allowed: world("
        sub etcd: etcd.v1 > etcd.v1
        sub harbor-stable of harbor auto: harbor.v1 > harbor.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs harbor@>=1.0.0
        has harbor.v1 needs vault@>=1.0.0
        plan b 3: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes b [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1 > harbor.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    disallowed_installed_bundle_allows_no_dependency: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows etcd.v2 with updates dependencies
    ") => r#"
        No b [waits]
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! No NoPolicy ClusterServiceVersion demo/vault.v2: No policy names vault in demo, and
        | etcd.v1, which requires vault.v2, is not allowed
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies []
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    unidentified_installed_bundle_allows_no_dependency: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 unidentified
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No b [waits]
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! No NoPolicy ClusterServiceVersion demo/vault.v2: No policy names vault in demo, and
        | nothing needs vault.v2
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies []
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    bundle_without_subscription_allows_no_dependency: world("
        sub etcd: etcd.v2 > etcd.v2
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        has etcd.v2
        plan b 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No b [waits]
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        ! No NoPolicy ClusterServiceVersion demo/vault.v2: No policy names vault in demo, and
        | nothing needs vault.v2
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v2
        policies []
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    disallowed_bundle_allows_no_dependency: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows etcd.v2 with updates dependencies
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No NotAllowed OperatorPolicy p/etcd: Policy p/etcd allows only etcd.v2, but etcd.v1
        | is version 1.0.0
        ~ p/etcd spec.versions "etcd.v1": Add etcd.v1 to spec.versions of policy p/etcd
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No NoPolicy ClusterServiceVersion demo/vault.v1: No policy names vault in demo, and
        | etcd.v1, which requires vault.v1, is not allowed
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
    "#;

    /// The policy of a dependency decides which version of the dependency is allowed.
    policy_of_a_dependency_takes_precedence: world("
        sub etcd: - > etcd.v1
        sub vault: vault.v1 > vault.v2
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/vault: vault allows vault.v1 with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault
        ! No NotAllowed OperatorPolicy p/vault: Policy p/vault allows only vault.v1, but
        | vault.v2 is version 2.0.0
        ~ p/vault spec.versions "vault.v2": Add vault.v2 to spec.versions of policy p/vault
        policies ["p/etcd", "p/vault"]
    "#;

    inform_policy_of_a_dependency_takes_precedence: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with updates dependencies
        policy p/vault: vault informs
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No PolicyInforms OperatorPolicy p/vault: Policy p/vault has remediationAction inform,
        | so it allows no bundle
        ~ p/vault spec.remediationAction "enforce": Set spec.remediationAction of policy
        | p/vault to enforce, so that the policy can allow upgrades
        policies ["p/etcd", "p/vault"]
    "#;

    bundle_with_a_strict_policy_allows_no_dependency_of_others: world("
        sub etcd: - > etcd.v1
        sub harbor: - > harbor.v1
        plan a 1: etcd.v1 needs harbor@>=1.0.0; harbor.v1 needs vault@>=1.0.0; vault.v1 generated
        policy p/etcd: etcd allows * with updates dependencies
        policy p/harbor: harbor allows * with updates
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes harbor.v1 = harbor 1.0.0 by Lookup sub harbor
        + p/harbor *
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No DependencyNotAllowed OperatorPolicy p/harbor: vault.v1 is needed by harbor.v1, but
        | policy p/harbor does not allow dependencies
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd", "p/harbor"]
    "#;
}
