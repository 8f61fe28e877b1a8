//! Scenarios with several plans of one namespace, one after the other.

use crate::tests::kit::*;

stories! {
    /// OLM installs a dependency with a separate Subscription. Later, the dependency has a separate
    /// plan.
    operator_and_dependency_from_installation_to_update: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        has vault.v1
        plan first 1 Complete approved: etcd.v1 needs vault@>=1.0.0; vault.v1 generated
        plan second 2: vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes second [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/second: Subscription vault-stable has
        | automatic approval, but waits because Subscription etcd in the same namespace is
        | Manual
        No first [Complete approved]
        ! No Finished InstallPlan demo/first: InstallPlan first is Complete, so it no longer
        | needs an approval
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + p/etcd *
        - Yes vault.v1 = vault 1.0.0 by Lookup sub vault-stable
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
    "#;

    /// One plan upgrades both the operator and its dependency.
    operator_and_its_dependency_are_updated_together: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        has vault.v1
        plan b 2: etcd.v2 over etcd.v1 needs vault@>=2.0.0; vault.v2 over vault.v1
        policy p/etcd: etcd allows etcd.v2 with updates dependencies
    ") => r#"
        Yes b [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd etcd.v2
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd etcd.v2 > etcd.v2
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;
}
