//! Scenarios with OperatorGroups.

use portolan_core_catalog::InstallMode as Offered;
use portolan_core_health::CsvPhase;
use portolan_core_olm::InstallModeType;

use super::stories;
use crate::tests::kit::*;

fn only_own(story: Story, name: &str) -> Story {
    story.bundle(name, |bundle| {
        bundle.display.install_modes = vec![Offered {
            name: "OwnNamespace".into(),
            is_supported: true,
        }];
    })
}

fn unsupported(modes: &[InstallModeType], targets: &[&str]) -> Story {
    harbor()
        .phase(
            "ferry.v2.0.0",
            CsvPhase::Failed,
            "UnsupportedOperatorGroup",
            "InstallModes do not suit",
        )
        .csv("ferry.v2.0.0", |csv| {
            csv.spec.install_modes = super::super::kit::modes(modes);
        })
        .group(|group| {
            let targets = targets.iter().map(ToString::to_string);
            group.spec.target_namespaces = targets.collect();
        })
}

stories! {
    operator_group_is_missing: shore(FERRIES)
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    operator_group_is_missing_for_own_namespace_mode:
        only_own(shore(FERRIES), "ferry.v2.0.0")
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    operator_group_of_a_working_operator_was_deleted: harbor()
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    operator_group_was_deleted_and_olm_reports_it: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "NoOperatorGroup", "no operatorgroup")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Broken OperatorGroupMissing OperatorGroup of namespace demo"];
    namespace_has_two_operator_groups: shore(FERRIES)
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.push(group("another")))
        => ["ferry: Stuck OperatorGroupsConflict OperatorGroup demo/only"];
    fix_keeps_the_operator_group_that_fits: harbor()
        .csv("ferry.v2.0.0", |csv| csv.spec.install_modes = modes(&[InstallModeType::OwnNamespace]))
        .change(|all| {
            let mut own = group("suits");
            own.spec.target_namespaces = vec![HOME.to_owned()];
            all.namespace.groups.objects.push(own);
        })
        => ["ferry: Stuck OperatorGroupsConflict OperatorGroup demo/only"];
    named_service_account_of_the_group_is_missing: shore(FERRIES)
        .subscription("ferry", "ferry")
        .group(|group| {
            group.spec.service_account_name = "deckhand".to_owned();
            let said = condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no deckhand");
            group.status.conditions.push(said);
        })
        => ["ferry: Stuck GroupServiceAccountMissing OperatorGroup demo/only"];
    operator_supports_own_namespace_mode_only:
        unsupported(&[InstallModeType::OwnNamespace], &[])
        => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    operator_supports_all_namespaces_mode_only: unsupported(
        &[InstallModeType::AllNamespaces],
        &[HOME],
    ) => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    operator_supports_single_namespace_mode_only:
        unsupported(&[InstallModeType::SingleNamespace], &[])
        => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    namespace_has_two_operator_groups_and_olm_reports_it: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "TooManyOperatorGroups", "found 2")
        .change(|all| all.namespace.groups.objects.push(group("another")))
        => ["ferry: Broken OperatorGroupsConflict OperatorGroup demo/only"];
    second_group_was_deleted_and_olm_status_is_stale: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "TooManyOperatorGroups", "found 2")
        => ["ferry: Broken RequirementNotRechecked ClusterServiceVersion demo/ferry.v2.0.0"];
    neighbor_does_not_support_the_required_install_mode:
        unsupported(&[InstallModeType::OwnNamespace], &[])
        .with("dock", "dock.v1.0.0")
        .csv("dock.v1.0.0", |csv| csv.spec.install_modes = modes(&[InstallModeType::AllNamespaces]))
        => ["dock: Well", "ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
}
