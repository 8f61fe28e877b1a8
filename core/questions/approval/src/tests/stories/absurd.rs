//! Scenarios with namespaces that cannot occur in a cluster, but can occur in a dump.

use crate::tests::kit::*;

stories! {
    plan_without_bundles_is_not_written: world("
        plan a 1: etcd.v1
    ").plan(|plan| {
        plan.csvs.clear();
        plan.steps.clear();
        plan.bundles.clear();
    }) => "
        NotYet a [waits]
        ! NotYet NotWritten InstallPlan demo/a: OLM has not written the content of InstallPlan
        | a yet
        policies []
    ";

    bundle_without_a_name_is_refused: world("
        sub etcd: - > -
        plan a 1: etcd.v1
        policy p/etcd: etcd allows *
    ").plan(|plan| {
        plan.csvs = vec![String::new()];
        plan.steps.clear();
        plan.bundles[0].name.clear();
    }) => r#"
        No a [waits]
        - No  = ? ?
        ! No UnknownPackage ClusterServiceVersion demo/: "" is not a valid bundle name
        policies []
    "#;

    names_with_terminal_escapes_are_escaped: world("
        sub etcd: - > -
        plan a 1: etcd.v1
        policy p/etcd: etcd invalid \u{1b}[2Jspec.versions is \u{202e}fine
        policy p/evil: etcd overlaps p/x
        unseen it is\u{7} dark
    ").namespace(|all| {
        all.policies[1].id.name = "is allowed.\nPolicy p/etcd".to_owned();
        all.subscriptions[0].name = "etcd\u{1b}[0m".to_owned();
    }).plan(|plan| {
        plan.steps.push(step("", "Secret\r", ""));
        plan.csvs.push("miner v1".to_owned());
    }) => r#"
        NotYet a [waits]
        ! NotYet NotCurrent Subscription demo/etcd\u{1b}[0m: status.currentCSV of Subscription
        | "etcd\u{1b}[0m" is not etcd.v1 yet
        ! NotYet StepWithoutBundle InstallPlan demo/a: InstallPlan a creates "Secret\u{d}" "",
        | which belongs to no bundle
        - NotYet etcd.v1 = etcd 1.0.0 by Lookup sub etcd\u{1b}[0m
        ! NotYet NotObserved Namespace demo: it is\u{7} dark
        ! NotYet PolicyInvalid OperatorPolicy p/etcd: Policy p/etcd is invalid, so it allows no
        | bundle: \u{1b}[2Jspec.versions is \u{202e}fine
        ! NotYet PolicyOverlaps OperatorPolicy p/is allowed.\nPolicy p/etcd: Policy "p/is
        | allowed.\u{a}Policy p/etcd" overlaps with p/x: all these policies apply to etcd in
        | demo, so none of them has an effect
        ~ p/etcd spec "": Correct policy p/etcd: \u{1b}[2Jspec.versions is \u{202e}fine
        ~ p/is allowed.\nPolicy p/etcd spec.remediationAction "inform": Keep one of the
        | policies "p/is allowed.\u{a}Policy p/etcd" and p/x. Delete the other policies, or set
        | spec.remediationAction to inform in the other policies
        - NotYet miner v1 = ? ?
        ! NotYet NotObserved Namespace demo: it is\u{7} dark
        ! NotYet UnknownPackage ClusterServiceVersion demo/miner v1: "miner v1" is not a valid
        | bundle name
        policies ["p/etcd", "p/is allowed.\\nPolicy p/etcd"]
    "#;

    duplicate_objects_count_once: world("
        sub etcd: etcd.v1 > etcd.v1
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        has etcd.v1 needs vault@>=1.0.0
        plan b 2: vault.v2 over vault.v1; vault.v2 over vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/etcd: etcd allows * with updates dependencies
    ") => r#"
        Yes b [waits]
        - Yes vault.v2 = vault 2.0.0 by Lookup over vault.v1 sub vault-stable
        + p/etcd * > etcd.v1
        policies ["p/etcd"]
        remark Yes ForcedManual InstallPlan demo/b: Subscription vault-stable has automatic
        | approval, but waits because Subscription etcd in the same namespace is Manual
    "#;

    contradicting_installed_bundles_allow_no_dependency: world("
        sub etcd: etcd.v1 > etcd.v1
        sub vault-stable of vault auto: vault.v1 > vault.v2
        has etcd.v1 needs vault@>=1.0.0
        has etcd.v1
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
}
