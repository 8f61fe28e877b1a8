use portolan_core_olm::InstallModeType;

use crate::tests::kit::*;

stories! { World;
    all_is_well_with_one: world() => r#"
        Yes Subscription demo/ferry
    "#;
    none_is_a_fault_that_olm_does_not_tell_of: world().namespace(|all| all.groups.objects.clear()) => r#"
        No Subscription demo/ferry
        No OperatorGroupMissing OperatorGroup: Namespace demo has no OperatorGroup, and without one OLM does nothing there and does not say so. Create exactly one.
    "#;
    none_keeps_a_fresh_subscription_from_its_operator: fresh().namespace(|all| all.groups.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet SubscriptionUnseen Subscription demo/ferry: OLM has not said anything of Subscription demo/ferry. If that lasts, look whether OLM runs.
        - No OperatorGroupMissing OperatorGroup: Namespace demo has no OperatorGroup, and without one OLM does nothing there and does not say so. Create exactly one.
    "#;
    two_are_one_too_many: world().namespace(|all| all.groups.objects.push(group("another"))) => r#"
        No Subscription demo/ferry
        No OperatorGroupsConflict OperatorGroup demo/another: Namespace demo has 2 OperatorGroups, another and only, and OLM does nothing until all but one are deleted.
    "#;
    one_that_is_being_deleted_still_counts: world().group(|group| group.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet OperatorGroupMissing OperatorGroup demo/only: OperatorGroup demo/only is being deleted, and OLM does nothing without one.
    "#;
    two_of_which_one_is_being_deleted_are_two: world().namespace(|all| {
        all.groups.objects.push(group("another"));
        all.groups.objects[0].metadata.deletion_timestamp = deleted();
    }) => r#"
        No Subscription demo/ferry
        No OperatorGroupsConflict OperatorGroup demo/another: Namespace demo has 2 OperatorGroups, another and only, and OLM does nothing until all but one are deleted.
    "#;
    one_that_olm_still_takes_for_several: world().group(|group| {
        group.status.conditions = vec![condition("MultipleOperatorGroup", "True", "MultipleOperatorGroupsFound", "")];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet OperatorGroupsConflict OperatorGroup demo/only: OLM still takes OperatorGroup demo/only for one of several in its namespace.
    "#;
    one_whose_service_account_is_missing: world().group(|group| {
        group.spec.service_account_name = "deckhand".to_owned();
        group.status.conditions = vec![condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no service account deckhand")];
    }) => r#"
        No Subscription demo/ferry
        No GroupServiceAccountMissing OperatorGroup demo/only: OperatorGroup demo/only names a ServiceAccount that is not there, so OLM cannot act: no service account deckhand
    "#;
    one_whose_service_account_is_named_no_more: world().group(|group| {
        group.status.conditions = vec![condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no service account deckhand")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    one_that_selects_by_labels_that_nobody_evaluated: world().group(|group| group.spec.selector = selector()) => r#"
        NotYet Subscription demo/ferry
        NotYet InstallModeUnsupported OperatorGroup demo/only: OperatorGroup demo/only selects namespaces by labels, and OLM has not written down which.
    "#;
    one_that_selects_all_by_the_empty_name: world().group(|group| group.spec.target_namespaces = these(&[""])) => r#"
        Yes Subscription demo/ferry
    "#;
    its_own_namespace_takes_a_mode_of_its_own: world().group(|group| group.spec.target_namespaces = these(&[HOME])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support OwnNamespace, which it needs as OperatorGroup demo/only selects the namespace demo. It supports AllNamespaces.
    "#;
    another_namespace_takes_a_mode_of_its_own: world().group(|group| group.spec.target_namespaces = these(&["a"])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support SingleNamespace, which it needs as OperatorGroup demo/only selects the namespace a. It supports AllNamespaces.
    "#;
    several_namespaces_take_a_mode_of_their_own: world().group(|group| group.spec.target_namespaces = these(&["a", "b"])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support MultiNamespace, which it needs as OperatorGroup demo/only selects the namespaces a and b. It supports AllNamespaces.
    "#;
    several_with_its_own_take_two_modes: world().group(|group| group.spec.target_namespaces = these(&["a", HOME])).csv(|csv| {
        csv.spec.install_modes = modes(&[InstallModeType::MultiNamespace]);
    }) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support OwnNamespace, which it needs as OperatorGroup demo/only selects the namespaces a and demo. It supports MultiNamespace.
    "#;
    an_operator_without_modes_fits_nowhere: world().csv(|csv| csv.spec.install_modes.clear()) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support AllNamespaces, which it needs as OperatorGroup demo/only selects all namespaces. It supports no install mode at all.
    "#;
    an_operator_with_all_modes_fits_everywhere: world().group(|group| group.spec.target_namespaces = these(&["a", HOME])).csv(|csv| {
        csv.spec.install_modes = modes(&[InstallModeType::OwnNamespace, InstallModeType::MultiNamespace]);
    }) => r#"
        Yes Subscription demo/ferry
    "#;
}

fn these(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}
