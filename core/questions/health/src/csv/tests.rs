use crate::tests::kit::*;
use crate::*;

stories! { World;
    one_that_failed: world().phase(CsvPhase::Failed, "InstallCheckFailed", "install timeout") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (InstallCheckFailed): install timeout
    "#;
    one_that_failed_without_a_reason: world().phase(CsvPhase::Failed, "", "") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed.
    "#;
    one_that_failed_before_it_ran_needs_no_deployment: world().phase(CsvPhase::Failed, "OwnerConflict", "ferries is owned by tug").namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (OwnerConflict): ferries is owned by tug
    "#;
    one_that_olm_has_not_looked_at: world().phase(CsvPhase::default(), "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: OLM has not looked at ClusterServiceVersion demo/ferry.v1.
    "#;
    one_that_waits_for_olm_to_look: world().phase(CsvPhase::Pending, "RequirementsUnknown", "requirements not yet checked") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 waits to be installed (RequirementsUnknown): requirements not yet checked
    "#;
    one_that_is_installed_anew: world().phase(CsvPhase::Pending, "NeedsReinstall", "calculated deployment install is bad") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 waits to be installed (NeedsReinstall): calculated deployment install is bad
    "#;
    one_that_is_ready_to_be_installed: world().phase(CsvPhase::InstallReady, "AllRequirementsMet", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (AllRequirementsMet).
    "#;
    one_that_is_being_installed: world().phase(CsvPhase::Installing, "InstallWaiting", "installing: waiting for deployment ferry to become ready") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (InstallWaiting): installing: waiting for deployment ferry to become ready
    "#;
    one_that_is_to_be_replaced_by_nobody: world().phase(CsvPhase::Replacing, "BeingReplaced", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is to be replaced, and what takes its place is not there (BeingReplaced).
    "#;
    one_that_olm_deletes: world().phase(CsvPhase::Deleting, "Replaced", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvDeleting ClusterServiceVersion demo/ferry.v1: OLM deletes ClusterServiceVersion demo/ferry.v1 (Replaced).
    "#;
    one_that_somebody_deletes: world().csv(|csv| csv.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvDeleting ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being deleted.
    "#;
    one_that_failed_is_not_better_for_being_deleted: world().phase(CsvPhase::Failed, "ComponentUnhealthy", "").csv(|csv| csv.metadata.deletion_timestamp = deleted()) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (ComponentUnhealthy).
    "#;
    one_of_which_olm_knows_nothing: world().phase(CsvPhase::Unknown, "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: OLM does not know how ClusterServiceVersion demo/ferry.v1 is.
    "#;
    one_in_a_phase_that_is_not_known: world().phase(CsvPhase::Other("Dreaming".to_owned()), "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is in the phase Dreaming, which is not known here.
    "#;
    an_upgrade_that_waits: upgrade(CsvPhase::Pending, "RequirementsUnknown") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 waits to be installed (RequirementsUnknown).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 stays until ferry.v2 has taken its place.
    "#;
    an_upgrade_that_waits_needs_the_old_deployment: upgrade(CsvPhase::Pending, "RequirementsUnknown").namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 waits to be installed (RequirementsUnknown).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 stays until ferry.v2 has taken its place.
        - No DeploymentMissing Deployment demo/ferry: Deployment demo/ferry is not there, or has lost the label olm.owner, by which it is known. OLM makes it again, if it can.
    "#;
    an_upgrade_that_is_installed: upgrade(CsvPhase::Installing, "InstallWaiting") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed (InstallWaiting).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 stays until ferry.v2 has taken its place.
    "#;
    an_upgrade_that_has_come: upgrade(CsvPhase::Succeeded, "InstallSucceeded").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")).namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Deleting;
    }) => r#"
        Yes Subscription demo/ferry
        Yes CsvDeleting ClusterServiceVersion demo/ferry.v1: OLM deletes ClusterServiceVersion demo/ferry.v1, as ferry.v2 has taken its place.
    "#;
    an_upgrade_that_failed_leaves_the_old_one: upgrade(CsvPhase::Failed, "InstallCheckFailed").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 has failed (InstallCheckFailed).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 stays until ferry.v2 has taken its place.
    "#;
    an_upgrade_from_one_that_failed: upgrade(CsvPhase::Pending, "RequirementsUnknown").namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Failed;
        all.csvs.objects[0].status.reason = "ComponentUnhealthy".to_owned();
        all.csvs.objects[0].status.message = String::new();
    }) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 waits to be installed (RequirementsUnknown).
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed, and ferry.v2 is to take its place (ComponentUnhealthy).
    "#;
    an_upgrade_that_has_come_past_one_that_failed: upgrade(CsvPhase::Succeeded, "InstallSucceeded").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")).namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Failed;
        (all.csvs.objects[0].status.reason, all.csvs.objects[0].status.message) = ("ComponentUnhealthy".to_owned(), String::new());
    }) => r#"
        Yes Subscription demo/ferry
        Yes CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed, and ferry.v2 has taken its place (ComponentUnhealthy).
    "#;
    an_upgrade_that_the_old_operator_does_not_want: upgrade(CsvPhase::Pending, "OperatorConditionNotUpgradeable")
        .csv(|csv| csv.status.message = "operator is not upgradeable: passengers on board".to_owned())
        .operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]) => r#"
        NotYet Subscription demo/ferry
        NotYet NotUpgradeable ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 waits, as Upgradeable=False is reported for the operator before it (OperatorConditionNotUpgradeable): operator is not upgradeable: passengers on board
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 stays until ferry.v2 has taken its place.
    "#;
    hostile_words_stay_words: world().phase(CsvPhase::Failed, "\u{1b}[2J", "line\nline\u{202e}\u{0}") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed ([2J): line line
    "#;
}
