//! Scenarios about needs of bundles, and about relations that are not needs.

use crate::Need;
use crate::tests::kit::*;

stories! {
    dependency_outside_of_the_range_is_not_allowed: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs vault@<2.0.0; vault.v2 generated
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v2 = vault 2.0.0 by Lookup
        ! No DependencyOutOfRange ClusterServiceVersion demo/vault.v2: etcd.v1, which policy
        | p/etcd allows, requires vault in the range <2.0.0, but vault.v2 is version 2.0.0
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows
        | vault.v2; OLM does not install the bundle because of etcd.v1
        policies ["p/etcd"]
    "#;

    dependency_of_unknown_version_is_in_no_range: world("
        sub etcd: - > etcd.v1
        sub vault-stable of vault auto: - > vault.v1
        plan a 1: etcd.v1 needs vault@>=1.0.0; vault.v1 unidentified
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v1 = vault ? by Subscription sub vault-stable
        ! No DependencyOutOfRange ClusterServiceVersion demo/vault.v1: etcd.v1, which policy
        | p/etcd allows, requires vault in the range >=1.0.0, but vault.v1 is of an unknown
        | version
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows
        | vault.v1; OLM does not install the bundle because of etcd.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/a: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    /// Defect D8: the review terminates for bundles that require each other or themselves.
    circular_needs_terminate: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1 needs etcd@>=1.0.0 needs harbor@>=1.0.0
            ; harbor.v1 needs harbor@>=1.0.0 needs vault@>=1.0.0
            ; vault.v1 needs harbor@>=1.0.0 needs etcd@>=1.0.0
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes harbor.v1 = harbor 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd * > etcd.v1 > harbor.v1
        policies ["p/etcd"]
    "#;

    circular_needs_without_a_policy_are_not_allowed: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1; harbor.v1 needs vault@>=1.0.0; vault.v1 needs harbor@>=1.0.0
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No harbor.v1 = harbor 1.0.0 by Lookup
        ! No NoPolicy ClusterServiceVersion demo/harbor.v1: No policy names harbor in demo, and
        | vault.v1, which requires harbor.v1, is not allowed
        ~ new spec.subscription.name "harbor": Create an OperatorPolicy with
        | spec.subscription.name harbor and spec.subscription.namespace demo that allows
        | harbor.v1
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No NoPolicy ClusterServiceVersion demo/vault.v1: No policy names vault in demo, and
        | harbor.v1, which requires vault.v1, is not allowed
        ~ new spec.subscription.name "vault": Create an OperatorPolicy with
        | spec.subscription.name vault and spec.subscription.namespace demo that allows vault.v1
        policies ["p/etcd"]
    "#;

    each_needing_policy_is_listed_with_its_shortest_chain: world("
        sub etcd: - > etcd.v1
        sub harbor: - > harbor.v1
        plan a 1: etcd.v1 needs lock@>=1.0.0 needs vault@>=1.0.0
            ; harbor.v1 needs lock@>=1.0.0
            ; lock.v1 needs vault@>=1.0.0
            ; vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/harbor: harbor allows harbor.v1 with updates dependencies
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes harbor.v1 = harbor 1.0.0 by Lookup sub harbor
        + p/harbor harbor.v1
        - Yes lock.v1 = lock 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        + p/harbor harbor.v1 > harbor.v1
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        + p/harbor harbor.v1 > harbor.v1 > lock.v1
        policies ["p/etcd", "p/harbor"]
    "#;

    /// A single bundle must satisfy the whole constraint. Two bundles together cannot satisfy it.
    two_bundles_cannot_share_one_need: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1; harbor.v1; vault.v1 provides api:Vault
        policy p/etcd: etcd allows * with updates dependencies
    ").needs("etcd.v1", vec![Need::All(vec![need("harbor@>=1.0.0"), need("api:Vault")])]) => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No harbor.v1 = harbor 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/harbor.v1: No Subscription in demo
        | requests harbor, and no bundle requires harbor.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without harbor.v1
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/vault.v1: No Subscription in demo
        | requests vault, and no bundle requires vault.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without vault.v1
        policies ["p/etcd"]
    "#;

    one_alternative_of_a_need_is_enough: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1; vault.v1 provides api:Vault
        policy p/etcd: etcd allows * with updates dependencies
    ").needs("etcd.v1", vec![Need::Any(vec![need("harbor@>=1.0.0"), need("api:Vault")])]) => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
    "#;

    negative_or_undecidable_constraint_is_no_need: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1; vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ").needs("etcd.v1", vec![
        Need::Not(vec![need("harbor@>=1.0.0")]),
        Need::Opaque("properties.exists(p, p.type == 'vault')".to_owned()),
    ]) => r#"
        No a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup
        ! No NoSubscription ClusterServiceVersion demo/vault.v1: No Subscription in demo
        | requests vault, and no bundle requires vault.v1. Delete InstallPlan demo/a; OLM then
        | creates an InstallPlan without vault.v1
        policies ["p/etcd"]
    "#;
}
