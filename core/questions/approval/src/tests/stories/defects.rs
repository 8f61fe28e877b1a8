//! Defects of the established controller for OperatorPolicy, by number. Portolan does not have
//! these defects.

use crate::tests::kit::*;

stories! {
    /// Defect D1: an invalid policy approves nothing, even if its Subscription exists.
    invalid_policy_allows_nothing: world("
        sub etcd: etcd.v1 > etcd.v2
        plan a 2: etcd.v2 over etcd.v1
        policy p/etcd: etcd invalid spec.operatorGroup has no name.; the namespace is not known
    ") => r#"
        No a [waits]
        - No etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        ! No PolicyInvalid OperatorPolicy p/etcd: Policy p/etcd is invalid, so it allows no
        | bundle: spec.operatorGroup has no name; the namespace is not known
        ~ p/etcd spec "": Correct policy p/etcd: spec.operatorGroup has no name; the namespace
        | is not known
        policies ["p/etcd"]
    "#;

    /// Defect D9: another policy allows bundles of a plan only if that policy is valid, enforced
    /// and the only policy for its package.
    mustnothave_policy_does_not_approve_for_others: world("
        sub etcd: etcd.v1 > etcd.v2
        sub vault: - > vault.v1
        plan a 2: etcd.v2 over etcd.v1; vault.v1
        policy p/etcd: etcd allows * with updates dependencies
        policy p/vault: vault forbids
    ") => r#"
        No a [waits]
        - Yes etcd.v2 = etcd 2.0.0 by Lookup over etcd.v1 sub etcd
        + p/etcd *
        - No vault.v1 = vault 1.0.0 by Lookup sub vault
        ! No PolicyForbids OperatorPolicy p/vault: Policy p/vault requires that vault is not
        | installed in demo
        ~ p/vault spec.complianceType "musthave": Policy p/vault and the Subscription for vault
        | contradict each other: delete the Subscription, or set spec.complianceType of the
        | policy to musthave
        policies ["p/etcd", "p/vault"]
    "#;

    /// Defect D10: a template in a policy is not compared as literal text.
    policy_with_a_template_allows_nothing: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd invalid spec.versions[0] has a template in it
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No PolicyInvalid OperatorPolicy p/etcd: Policy p/etcd is invalid, so it allows no
        | bundle: spec.versions[0] has a template in it
        ~ p/etcd spec "": Correct policy p/etcd: spec.versions[0] has a template in it
        policies ["p/etcd"]
    "#;

    /// Defect D11: names that contain dots must not be confused with each other.
    names_with_dots_do_not_collide: world("
        sub etcd: - > etcd.v1
        sub vault.io: - > vault.io.v1
        plan a 1: etcd.v1; vault.io.v1
        policy a.b/c: etcd allows *
        policy a/b.c: vault.io allows *
    ") => r#"
        Yes a [waits]
        - Yes etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        + a.b/c *
        - Yes vault.io.v1 = vault.io 1.0.0 by Lookup sub vault.io
        + a/b.c *
        policies ["a/b.c", "a.b/c"]
    "#;

    /// Defect D12: the caller detects overlapping policies. Overlapping policies allow nothing.
    overlapping_policies_allow_nothing: world("
        sub etcd: - > etcd.v1
        plan a 1: etcd.v1
        policy p/etcd: etcd overlaps q/etcd
        policy q/etcd: etcd overlaps p/etcd
    ") => r#"
        No a [waits]
        - No etcd.v1 = etcd 1.0.0 by Lookup sub etcd
        ! No PolicyOverlaps OperatorPolicy p/etcd: Policy p/etcd overlaps with q/etcd: all
        | these policies apply to etcd in demo, so none of them has an effect
        ! No PolicyOverlaps OperatorPolicy q/etcd: Policy q/etcd overlaps with p/etcd: all
        | these policies apply to etcd in demo, so none of them has an effect
        ~ p/etcd spec.remediationAction "inform": Keep one of the policies p/etcd and q/etcd.
        | Delete the other policies, or set spec.remediationAction to inform in the other
        | policies
        ~ q/etcd spec.remediationAction "inform": Keep one of the policies p/etcd and q/etcd.
        | Delete the other policies, or set spec.remediationAction to inform in the other
        | policies
        policies ["p/etcd", "q/etcd"]
    "#;

    /// Defect D13: two long names are different, even if OLM truncates both names to the same
    /// label.
    long_names_with_the_same_prefix_are_different: world("
        sub an-operator-with-a-name-that-has-more-than-sixty-three-characters-a: - > -
        sub an-operator-with-a-name-that-has-more-than-sixty-three-characters-b: - > b.v1
        plan a 1: b.v1
        policy p/a: an-operator-with-a-name-that-has-more-than-sixty-three-characters-a allows *
        policy p/b: an-operator-with-a-name-that-has-more-than-sixty-three-characters-b informs
    ").bundle("b.v1", |bundle| {
        identity_of(bundle).package =
            package("an-operator-with-a-name-that-has-more-than-sixty-three-characters-b");
    }) => r#"
        No a [waits]
        - No b.v1 = an-operator-with-a-name-that-has-more-than-sixty-three-characters-b 1.0.0 by Lookup sub an-operator-with-a-name-that-has-more-than-sixty-three-characters-b
        ! No PolicyInforms OperatorPolicy p/b: Policy p/b has remediationAction inform, so it
        | allows no bundle
        ~ p/b spec.remediationAction "enforce": Set spec.remediationAction of policy p/b to
        | enforce, so that the policy can allow upgrades
        policies ["p/b"]
    "#;
}
