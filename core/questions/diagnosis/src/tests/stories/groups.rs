//! OperatorGroups.

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
    there_is_no_group: shore(FERRIES)
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    there_is_no_group_for_an_operator_that_watches_its_own_namespace:
        only_own(shore(FERRIES), "ferry.v2.0.0")
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    the_group_of_an_operator_that_works_is_gone: harbor()
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Stuck OperatorGroupMissing OperatorGroup of namespace demo"];
    the_group_of_an_operator_is_gone_and_olm_has_noticed: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "NoOperatorGroup", "no operatorgroup")
        .change(|all| all.namespace.groups.objects.clear())
        => ["ferry: Broken OperatorGroupMissing OperatorGroup of namespace demo"];
    there_are_two_groups: shore(FERRIES)
        .subscription("ferry", "ferry")
        .change(|all| all.namespace.groups.objects.push(group("another")))
        => ["ferry: Stuck OperatorGroupsConflict OperatorGroup demo/only"];
    of_two_groups_the_one_that_suits_stays: harbor()
        .csv("ferry.v2.0.0", |csv| csv.spec.install_modes = modes(&[InstallModeType::OwnNamespace]))
        .change(|all| {
            let mut own = group("suits");
            own.spec.target_namespaces = vec![HOME.to_owned()];
            all.namespace.groups.objects.push(own);
        })
        => ["ferry: Stuck OperatorGroupsConflict OperatorGroup demo/only"];
    the_account_of_the_group_is_not_there_and_has_a_name: shore(FERRIES)
        .subscription("ferry", "ferry")
        .group(|group| {
            group.spec.service_account_name = "deckhand".to_owned();
            let said = condition("OperatorGroupServiceAccount", "True", "ServiceAccountNotFound", "no deckhand");
            group.status.conditions.push(said);
        })
        => ["ferry: Stuck GroupAccountMissing OperatorGroup demo/only"];
    an_operator_watches_its_own_namespace_only:
        unsupported(&[InstallModeType::OwnNamespace], &[])
        => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    an_operator_watches_all_namespaces_only: unsupported(
        &[InstallModeType::AllNamespaces],
        &[HOME],
    ) => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    an_operator_watches_a_single_other_namespace_only:
        unsupported(&[InstallModeType::SingleNamespace], &[])
        => ["ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
    there_are_two_groups_and_olm_has_noticed: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "TooManyOperatorGroups", "found 2")
        .change(|all| all.namespace.groups.objects.push(group("another")))
        => ["ferry: Broken OperatorGroupsConflict OperatorGroup demo/only"];
    the_second_group_is_gone_and_olm_has_not_noticed: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "TooManyOperatorGroups", "found 2")
        => ["ferry: Broken RequirementUnseen ClusterServiceVersion demo/ferry.v2.0.0"];
    a_neighbor_does_not_support_what_the_operator_needs:
        unsupported(&[InstallModeType::OwnNamespace], &[])
        .with("dock", "dock.v1.0.0")
        .csv("dock.v1.0.0", |csv| csv.spec.install_modes = modes(&[InstallModeType::AllNamespaces]))
        => ["dock: Well", "ferry: Broken InstallModeUnsupported OperatorGroup demo/only"];
}
