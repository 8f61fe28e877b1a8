use crate::tests::kit::*;
use crate::*;

stories! { World;
    csv_failed: world().phase(CsvPhase::Failed, "InstallCheckFailed", "install timeout") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (InstallCheckFailed): install timeout
    "#;
    csv_failed_without_a_reason: world().phase(CsvPhase::Failed, "", "") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed.
    "#;
    csv_that_failed_before_install_needs_no_deployment: world().phase(CsvPhase::Failed, "OwnerConflict", "ferries is owned by tug").namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (OwnerConflict): ferries is owned by tug
    "#;
    csv_has_no_phase: world().phase(CsvPhase::default(), "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: OLM has not reconciled ClusterServiceVersion demo/ferry.v1 yet.
    "#;
    csv_has_unchecked_requirements: world().phase(CsvPhase::Pending, "RequirementsUnknown", "requirements not yet checked") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsUnknown): requirements not yet checked
    "#;
    csv_is_being_reinstalled: world().phase(CsvPhase::Pending, "NeedsReinstall", "calculated deployment install is bad") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (NeedsReinstall): calculated deployment install is bad
    "#;
    csv_is_ready_to_be_installed: world().phase(CsvPhase::InstallReady, "AllRequirementsMet", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (AllRequirementsMet).
    "#;
    csv_is_being_installed: world().phase(CsvPhase::Installing, "InstallWaiting", "installing: waiting for deployment ferry to become ready") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (InstallWaiting): installing: waiting for deployment ferry to become ready
    "#;
    replaced_csv_has_no_successor: world().phase(CsvPhase::Replacing, "BeingReplaced", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being replaced, but the ClusterServiceVersion that replaces it is missing (BeingReplaced).
    "#;
    csv_is_being_deleted_by_olm: world().phase(CsvPhase::Deleting, "Replaced", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvDeleting ClusterServiceVersion demo/ferry.v1: OLM deletes ClusterServiceVersion demo/ferry.v1 (Replaced).
    "#;
    csv_is_being_deleted_by_a_user: world().csv(|csv| csv.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvDeleting ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being deleted.
    "#;
    failed_csv_that_is_being_deleted_is_still_failed: world().phase(CsvPhase::Failed, "ComponentUnhealthy", "").csv(|csv| csv.metadata.deletion_timestamp = deleted()) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (ComponentUnhealthy).
    "#;
    csv_has_phase_unknown: world().phase(CsvPhase::Unknown, "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: OLM does not know the state of ClusterServiceVersion demo/ferry.v1.
    "#;
    csv_has_an_unsupported_phase: world().phase(CsvPhase::Other("Dreaming".to_owned()), "", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPhaseUnknown ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is in phase Dreaming, which this version of Portolan does not know.
    "#;
    upgrade_is_pending: upgrade(CsvPhase::Pending, "RequirementsUnknown") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is waiting to be installed (RequirementsUnknown).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    pending_upgrade_needs_the_old_deployment: upgrade(CsvPhase::Pending, "RequirementsUnknown").namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is waiting to be installed (RequirementsUnknown).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
        - No DeploymentMissing Deployment demo/ferry: Deployment demo/ferry is missing or lacks the label olm.owner. OLM creates the Deployment again, if possible.
    "#;
    upgrade_is_being_installed: upgrade(CsvPhase::Installing, "InstallWaiting") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed (InstallWaiting).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    upgrade_succeeded: upgrade(CsvPhase::Succeeded, "InstallSucceeded").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")).namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Deleting;
    }) => r#"
        Yes Subscription demo/ferry
        Yes CsvDeleting ClusterServiceVersion demo/ferry.v1: OLM deletes ClusterServiceVersion demo/ferry.v1, because ferry.v2 has replaced it.
    "#;
    failed_upgrade_keeps_the_old_csv: upgrade(CsvPhase::Failed, "InstallCheckFailed").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 has failed (InstallCheckFailed).
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    upgrade_replaces_a_failed_csv: upgrade(CsvPhase::Pending, "RequirementsUnknown").namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Failed;
        all.csvs.objects[0].status.reason = "ComponentUnhealthy".to_owned();
        all.csvs.objects[0].status.message = String::new();
    }) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is waiting to be installed (RequirementsUnknown).
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed, and ferry.v2 is to take its place (ComponentUnhealthy).
    "#;
    upgrade_succeeded_after_a_failed_csv: upgrade(CsvPhase::Succeeded, "InstallSucceeded").deployment(|one| label(&mut one.metadata, "olm.owner", "ferry.v2")).namespace(|all| {
        all.csvs.objects[0].status.phase = CsvPhase::Failed;
        (all.csvs.objects[0].status.reason, all.csvs.objects[0].status.message) = ("ComponentUnhealthy".to_owned(), String::new());
    }) => r#"
        Yes Subscription demo/ferry
        Yes CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed, and ferry.v2 has taken its place (ComponentUnhealthy).
    "#;
    upgrade_waits_for_an_operator_that_is_not_upgradeable: upgrade(CsvPhase::Pending, "OperatorConditionNotUpgradeable")
        .csv(|csv| csv.status.message = "operator is not upgradeable: passengers on board".to_owned())
        .operator_says("ferry.v1", &[("Upgradeable", "False", "passengers on board")]) => r#"
        NotYet Subscription demo/ferry
        NotYet NotUpgradeable ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 waits, because the previous version reports Upgradeable=False (OperatorConditionNotUpgradeable): operator is not upgradeable: passengers on board
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    hostile_text_is_escaped: world().phase(CsvPhase::Failed, "\u{1b}[2J", "line\nline\u{202e}\u{0}") => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed ([2J): line line
    "#;
}
