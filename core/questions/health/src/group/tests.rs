use portolan_core_olm::InstallModeType;

use crate::tests::kit::*;

stories! { World;
    one_group_is_healthy: world() => r#"
        Yes Subscription demo/ferry
    "#;
    missing_group_is_a_fault_that_olm_does_not_report: world().namespace(|all| all.groups.objects.clear()) => r#"
        No Subscription demo/ferry
        No OperatorGroupMissing OperatorGroup: Namespace demo has no OperatorGroup. Without one, OLM installs nothing there, and reports no error. Create exactly one OperatorGroup.
    "#;
    missing_group_blocks_a_new_subscription: fresh().namespace(|all| all.groups.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet SubscriptionNotObserved Subscription demo/ferry: OLM has not reported a status for Subscription demo/ferry. If the status stays empty, check that OLM runs.
        - No OperatorGroupMissing OperatorGroup: Namespace demo has no OperatorGroup. Without one, OLM installs nothing there, and reports no error. Create exactly one OperatorGroup.
    "#;
    two_groups_are_a_fault: world().namespace(|all| all.groups.objects.push(group("another"))) => r#"
        No Subscription demo/ferry
        No OperatorGroupsConflict OperatorGroup demo/another: Namespace demo has 2 OperatorGroups, another and only, and OLM does nothing until all but one are deleted.
    "#;
    group_that_is_being_deleted_still_counts: world().group(|group| group.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet OperatorGroupMissing OperatorGroup demo/only: OperatorGroup demo/only is being deleted. OLM installs nothing in a namespace without an OperatorGroup.
    "#;
    two_groups_are_a_fault_while_one_is_being_deleted: world().namespace(|all| {
        all.groups.objects.push(group("another"));
        all.groups.objects[0].metadata.deletion_timestamp = deleted();
    }) => r#"
        No Subscription demo/ferry
        No OperatorGroupsConflict OperatorGroup demo/another: Namespace demo has 2 OperatorGroups, another and only, and OLM does nothing until all but one are deleted.
    "#;
    outdated_condition_reports_several_groups: world().group(|group| {
        group.status.conditions = vec![condition("MultipleOperatorGroup", "True", "MultipleOperatorGroupsFound", "")];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet OperatorGroupsConflict OperatorGroup demo/only: OLM still treats OperatorGroup demo/only as one of several OperatorGroups of its namespace.
    "#;
    service_account_of_the_group_is_missing: world().group(|group| {
        group.spec.service_account_name = "deckhand".to_owned();
        group.status.conditions = vec![condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no service account deckhand")];
    }) => r#"
        No Subscription demo/ferry
        No GroupServiceAccountMissing OperatorGroup demo/only: OperatorGroup demo/only names a missing ServiceAccount, so OLM cannot install or upgrade operators: no service account deckhand
    "#;
    service_account_is_no_longer_named: world().group(|group| {
        group.status.conditions = vec![condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no service account deckhand")];
    }) => r#"
        Yes Subscription demo/ferry
    "#;
    selector_of_the_group_is_not_evaluated: world().group(|group| group.spec.selector = selector()) => r#"
        NotYet Subscription demo/ferry
        NotYet InstallModeUnsupported OperatorGroup demo/only: OperatorGroup demo/only selects namespaces by labels, and OLM has not recorded these namespaces yet.
    "#;
    empty_name_selects_all_namespaces: world().group(|group| group.spec.target_namespaces = these(&[""])) => r#"
        Yes Subscription demo/ferry
    "#;
    own_namespace_needs_its_install_mode: world().group(|group| group.spec.target_namespaces = these(&[HOME])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support OwnNamespace, which is required because OperatorGroup demo/only selects the namespace demo. The operator supports AllNamespaces.
    "#;
    single_namespace_needs_its_install_mode: world().group(|group| group.spec.target_namespaces = these(&["a"])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support SingleNamespace, which is required because OperatorGroup demo/only selects the namespace a. The operator supports AllNamespaces.
    "#;
    several_namespaces_need_their_install_mode: world().group(|group| group.spec.target_namespaces = these(&["a", "b"])) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support MultiNamespace, which is required because OperatorGroup demo/only selects the namespaces a and b. The operator supports AllNamespaces.
    "#;
    several_namespaces_with_the_own_one_need_two_install_modes: world().group(|group| group.spec.target_namespaces = these(&["a", HOME])).csv(|csv| {
        csv.spec.install_modes = modes(&[InstallModeType::MultiNamespace]);
    }) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support OwnNamespace, which is required because OperatorGroup demo/only selects the namespaces a and demo. The operator supports MultiNamespace.
    "#;
    operator_without_install_modes_fits_no_group: world().csv(|csv| csv.spec.install_modes.clear()) => r#"
        No Subscription demo/ferry
        No InstallModeUnsupported OperatorGroup demo/only: ferry.v1 does not support AllNamespaces, which is required because OperatorGroup demo/only selects all namespaces. The operator supports no install mode.
    "#;
    operator_with_all_install_modes_fits_every_group: world().group(|group| group.spec.target_namespaces = these(&["a", HOME])).csv(|csv| {
        csv.spec.install_modes = modes(&[InstallModeType::OwnNamespace, InstallModeType::MultiNamespace]);
    }) => r#"
        Yes Subscription demo/ferry
    "#;
}

fn these(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}
