use crate::tests::kit::*;
use crate::*;

stories! { World;
    deployment_is_missing: world().namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        No DeploymentMissing Deployment demo/ferry: Deployment demo/ferry is missing or lacks the label olm.owner. OLM creates the Deployment again, if possible.
    "#;
    deployment_is_scaled_to_zero: world().deployment(|one| counts(one, [0, 0, 0, 0])) => r#"
        No Subscription demo/ferry
        No DeploymentScaledToZero Deployment demo/ferry: Deployment demo/ferry is scaled to 0, but the ClusterServiceVersion requires 1.
    "#;
    deployment_is_scaled_to_zero_without_explicit_replicas: world().csv(|csv| csv.spec.install.spec.deployments[0].spec.replicas = None).deployment(|one| counts(one, [0, 0, 0, 0])) => r#"
        No Subscription demo/ferry
        No DeploymentScaledToZero Deployment demo/ferry: Deployment demo/ferry is scaled to 0, but the ClusterServiceVersion requires 1.
    "#;
    deployment_has_zero_replicas_in_the_csv: world().csv(|csv| csv.spec.install.spec.deployments[0].spec.replicas = Some(0)).deployment(|one| counts(one, [0, 0, 0, 0])) => r#"
        Yes Subscription demo/ferry
    "#;
    deployment_exceeded_its_progress_deadline: world().rolls("Progressing", "False", "ProgressDeadlineExceeded", "ReplicaSet \"ferry-2\" has timed out progressing.") => r#"
        No Subscription demo/ferry
        No DeploymentDeadlineExceeded Deployment demo/ferry: Deployment demo/ferry exceeded its progress deadline (ProgressDeadlineExceeded): ReplicaSet "ferry-2" has timed out progressing.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    quota_is_exceeded: world().rolls("ReplicaFailure", "True", "FailedCreate", "pods \"ferry-1-a\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4") => r#"
        No Subscription demo/ferry
        No DeploymentReplicaFailure Deployment demo/ferry: Deployment demo/ferry cannot create its Pods (FailedCreate): pods "ferry-1-a" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        - No QuotaExceeded Deployment demo/ferry: A quota of Deployment demo/ferry is exhausted. Raise the quota, or delete objects that use the quota.
    "#;
    webhook_rejects_the_pods: world().rolls("ReplicaFailure", "True", "FailedCreate", "admission webhook \"harbor.example\" denied the request: no flag") => r#"
        No Subscription demo/ferry
        No DeploymentReplicaFailure Deployment demo/ferry: Deployment demo/ferry cannot create its Pods (FailedCreate): admission webhook "harbor.example" denied the request: no flag
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        - No PodRejected Deployment demo/ferry: A webhook or a policy rejects the Pods of Deployment demo/ferry.
    "#;
    replica_set_is_forbidden: world().rolls("Progressing", "False", "ReplicaSetCreateError", "replicasets.apps \"ferry-2\" is forbidden: violates PodSecurity") => r#"
        No Subscription demo/ferry
        No DeploymentReplicaFailure Deployment demo/ferry: Deployment demo/ferry cannot create its Pods (ReplicaSetCreateError): replicasets.apps "ferry-2" is forbidden: violates PodSecurity
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        - No PodRejected Deployment demo/ferry: A webhook or a policy rejects the Pods of Deployment demo/ferry.
    "#;
    pods_cannot_be_created: world().rolls("ReplicaFailure", "True", "FailedCreate", "timeout") => r#"
        No Subscription demo/ferry
        No DeploymentReplicaFailure Deployment demo/ferry: Deployment demo/ferry cannot create its Pods (FailedCreate): timeout
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_is_unavailable: world().deployment(|one| one.status.available_replicas = 0).rolls("Available", "False", "MinimumReplicasUnavailable", "") => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_is_unavailable_with_surplus_replicas: world().deployment(|one| {
        one.status.available_replicas = 0;
        one.below = Below::TooMany(20);
    }).rolls("Available", "False", "MinimumReplicasUnavailable", "") => r#"
        No Subscription demo/ferry
        No DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry are not checked, because more than 20 Deployments fail or failed recently.
    "#;
    deployment_is_rolling_out: world().rolls("Progressing", "True", "ReplicaSetUpdated", "") => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 1 available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        Yes DeploymentMinimumAvailable Deployment demo/ferry: Deployment demo/ferry has the minimum number of replicas available during the rollout.
    "#;
    deployment_has_old_replicas: world().deployment(|one| one.status.replicas = 2) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 1 new, 1 available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        Yes DeploymentMinimumAvailable Deployment demo/ferry: Deployment demo/ferry has the minimum number of replicas available during the rollout.
    "#;
    deployment_has_too_few_new_replicas: world().deployment(|one| counts(one, [3, 3, 1, 1])) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentProgressing Deployment demo/ferry: Deployment demo/ferry is being rolled out: 1 of 3 new, 1 available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
        Yes DeploymentMinimumAvailable Deployment demo/ferry: Deployment demo/ferry has the minimum number of replicas available during the rollout.
    "#;
    deployment_has_unavailable_replicas: world().deployment(|one| counts(one, [3, 3, 3, 2])) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 2 of 3 replicas available.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_has_no_progress_condition: world().deployment(|one| one.status.conditions.truncate(1)) => r#"
        Yes Subscription demo/ferry
    "#;
    new_deployment_has_no_progress_condition: world().phase(CsvPhase::Installing, "InstallWaiting", "").deployment(|one| {
        one.status.available_replicas = 0;
        one.status.conditions = vec![condition("Available", "False", "MinimumReplicasUnavailable", "")];
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (InstallWaiting).
        - NotYet DeploymentUnavailable Deployment demo/ferry: Deployment demo/ferry has 0 of 1 replica available.
        - - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_has_no_conditions: world().deployment(|one| one.status.conditions.clear()) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentUnavailable Deployment demo/ferry: The controller of Deployment demo/ferry does not report availability.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_is_paused: world().deployment(|one| one.spec.paused = true) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentPaused Deployment demo/ferry: Deployment demo/ferry is paused, so Kubernetes does not roll out its changes. Resume the rollout.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_is_being_deleted: world().deployment(|one| one.metadata.deletion_timestamp = deleted()) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentTerminating Deployment demo/ferry: Deployment demo/ferry is being deleted.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_status_is_outdated: world().deployment(|one| one.metadata.generation = Some(2)) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentNotObserved Deployment demo/ferry: The controller of Deployment demo/ferry has not observed the latest generation.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_has_negative_replicas: world().deployment(|one| one.status.available_replicas = -1) => r#"
        NotYet Subscription demo/ferry
        NotYet DeploymentNotObserved Deployment demo/ferry: The status of Deployment demo/ferry has a negative count or generation.
        - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    deployment_belongs_to_another_operator: world().deployment(|one| label(&mut one.metadata, "olm.owner", "tug.v1")) => r#"
        No Subscription demo/ferry
        No DeploymentOwnedByOther Deployment demo/ferry: Deployment demo/ferry belongs to tug.v1, so this operator has no Deployment with this name.
    "#;
    deployment_has_no_labels: world().deployment(|one| one.metadata.labels = None) => r#"
        Yes Subscription demo/ferry
    "#;
    failing_deployment_of_a_pending_operator_is_in_progress: world().phase(CsvPhase::Pending, "NeedsReinstall", "").rolls("Progressing", "False", "ProgressDeadlineExceeded", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (NeedsReinstall).
        - NotYet DeploymentDeadlineExceeded Deployment demo/ferry: Deployment demo/ferry exceeded its progress deadline (ProgressDeadlineExceeded).
        - - Yes CauseNotExamined Deployment demo/ferry: The ReplicaSets and Pods of Deployment demo/ferry have not been checked yet.
    "#;
    missing_deployment_of_a_reinstalled_operator_is_in_progress: world().phase(CsvPhase::Pending, "NeedsReinstall", "").namespace(|all| all.deployments.objects.clear()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (NeedsReinstall).
        - No DeploymentMissing Deployment demo/ferry: Deployment demo/ferry is missing or lacks the label olm.owner. OLM creates the Deployment again, if possible.
    "#;
}

#[test]
fn rollout_reports_whether_enough_replicas_are_available() {
    let rolled_out = || world().rolls("Progressing", "True", "ReplicaSetUpdated", "");
    let has_code = |world: World| {
        let codes = world.codes();
        codes.contains(&HealthCode::DeploymentMinimumAvailable)
    };
    assert!(has_code(rolled_out()));
    assert!(!has_code(rolled_out().rolls("Available", "False", "", "")));
    assert!(!has_code(world()));
}
