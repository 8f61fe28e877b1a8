//! Tests of the readiness of objects. Each rule of each kind has a case.

use portolan_core_install::{Expectation, readiness};
use portolan_core_olm::State;
use rstest::rstest;
use serde_json::{Value, json};

const READY: (State, &str) = (State::Yes, "");

fn not(sentence: &str) -> (State, &str) {
    (State::NotYet, sentence)
}

fn failed(sentence: &str) -> (State, &str) {
    (State::No, sentence)
}

#[track_caller]
fn assert_is(object: &Value, (state, sentence): (State, &str)) {
    let found = readiness(object, Expectation::default());
    assert_eq!(
        (found.state, found.reasons.join("; ").as_str()),
        (state, sentence),
        "{object:#}"
    );
}

fn object(api_version: &str, kind: &str, spec: Value, status: Value) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": "a", "generation": 2},
        "spec": spec, "status": status,
    })
}

/// Returns the object with changed values in one of its fields. A null removes a value.
fn changed(mut object: Value, field: &str, changes: Value) -> Value {
    for (key, value) in changes.as_object().expect("changes") {
        let fields = object[field].as_object_mut().expect("fields");
        if value.is_null() {
            fields.remove(key);
        } else {
            fields.insert(key.clone(), value.clone());
        }
    }
    object
}

fn condition(about: &str, status: &str, reason: &str) -> Value {
    json!({"type": about, "status": status, "reason": reason})
}

fn deployment() -> Value {
    let spec = json!({"replicas": 2, "progressDeadlineSeconds": 600});
    let conditions = json!([
        condition("Progressing", "True", "NewReplicaSetAvailable"),
        condition("Available", "True", "MinimumReplicasAvailable"),
    ]);
    let status = json!({
        "observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": 2,
        "readyReplicas": 2, "conditions": conditions,
    });
    object("apps/v1", "Deployment", spec, status)
}

#[rstest]
#[case::all_replicas_exist(json!({}), READY)]
#[case::too_few_replicas(json!({"replicas": 1}), not("has 1 of 2 replicas created"))]
#[case::too_few_updated_replicas(json!({"updatedReplicas": 1}), not("has 1 of 2 replicas updated"))]
#[case::new_replicas_are_unavailable(
    json!({"replicas": 3, "unavailableReplicas": 1}),
    not("waits for 1 replica to become available before 1 old replica can stop")
)]
#[case::old_replicas_remain(json!({"replicas": 3}), not("has 1 old replica that must still stop"))]
#[case::too_few_available(json!({"availableReplicas": 1}), not("has 1 of 2 replicas available"))]
#[case::too_few_ready(json!({"readyReplicas": null}), not("has 0 of 2 replicas ready"))]
#[case::progress_deadline_exceeded(
    json!({"conditions": [condition("Progressing", "False", "ProgressDeadlineExceeded")]}),
    failed("has exceeded the progress deadline of its rollout: ProgressDeadlineExceeded")
)]
#[case::in_progress(
    json!({"conditions": [condition("Progressing", "True", "ReplicaSetUpdated"), condition("Available", "True", "")]}),
    not("has not completed its rollout")
)]
#[case::not_available(
    json!({"conditions": [
        condition("Progressing", "True", "NewReplicaSetAvailable"),
        condition("Available", "False", "MinimumReplicasUnavailable"),
    ]}),
    not("is not available: MinimumReplicasUnavailable")
)]
#[case::outdated_generation(json!({"observedGeneration": 1}), not("has a change that its \
                                                                   controller has not observed \
                                                                   yet"))]
fn readiness_of_a_deployment(#[case] status: Value, #[case] expected: (State, &str)) {
    assert_is(&changed(deployment(), "status", status), expected);
}

#[rstest]
#[case::replica_counts_decide_without_a_deadline(json!({"progressDeadlineSeconds": 2_147_483_647}), READY)]
#[case::paused_with_all_replicas(json!({"paused": true}), READY)]
#[case::zero_replicas(json!({"replicas": 0}), not("has 2 old replicas that must still stop"))]
#[case::paused_with_some_replicas(json!({"paused": true, "replicas": 3}), not("has 2 of 3 replicas created, \
    and its rollout is paused"))]
fn readiness_of_a_deployment_without_progress_condition(
    #[case] spec: Value,
    #[case] expected: (State, &str),
) {
    let conditions = json!([
        condition("Progressing", "Unknown", "DeploymentPaused"),
        condition("Available", "True", ""),
    ]);
    let object = changed(deployment(), "status", json!({"conditions": conditions}));
    assert_is(&changed(object, "spec", spec), expected);
}

#[test]
fn unobserved_deployment_is_not_ready() {
    let mut object = deployment();
    object.as_object_mut().expect("fields").remove("status");
    assert_is(&object, not("has 0 of 2 replicas created"));
}

#[rstest]
#[case::all_replicas_exist(json!({}), json!({}), READY)]
#[case::too_few_replicas(json!({}), json!({"replicas": 1}), not("has 1 of 2 replicas created"))]
#[case::too_few_ready(json!({}), json!({"readyReplicas": 1}), not("has 1 of 2 replicas ready"))]
#[case::too_many_replicas(json!({}), json!({"replicas": 3}), not("has 3 replicas instead of 2"))]
#[case::two_revisions(json!({}), json!({"currentRevision": "0"}), not("has not completed its \
                                                                       rollout"))]
#[case::on_delete(json!({"updateStrategy": {"type": "OnDelete"}}), json!({"currentRevision": "0", "readyReplicas": 0}), READY)]
#[case::partition_is_rolled_out(
    json!({"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
    json!({"currentRevision": "0", "updatedReplicas": 1}),
    READY
)]
#[case::partition_is_not_rolled_out(
    json!({"updateStrategy": {"rollingUpdate": {"partition": 1}}}),
    json!({"currentRevision": "0", "updatedReplicas": 0}),
    not("has 0 of 1 replicas updated")
)]
fn readiness_of_a_stateful_set(
    #[case] spec: Value,
    #[case] status: Value,
    #[case] expected: (State, &str),
) {
    let whole = json!({
        "observedGeneration": 2, "replicas": 2, "readyReplicas": 2, "updatedReplicas": 2,
        "currentRevision": "1", "updateRevision": "1",
    });
    let set = object("apps/v1", "StatefulSet", json!({"replicas": 2}), whole);
    assert_is(
        &changed(changed(set, "spec", spec), "status", status),
        expected,
    );
}

#[rstest]
#[case::all_pods_exist(json!({}), READY)]
#[case::not_observed(json!({"observedGeneration": null}), not("has not been observed by its \
                                                                controller yet"))]
#[case::too_few_scheduled(json!({"currentNumberScheduled": 1}), not("has 1 of 2 replicas scheduled"))]
#[case::too_few_updated(json!({"updatedNumberScheduled": 1}), not("has 1 of 2 replicas updated"))]
#[case::too_few_available(json!({"numberAvailable": 1}), not("has 1 of 2 replicas available"))]
#[case::too_few_ready(json!({"numberReady": 1}), not("has 1 of 2 replicas ready"))]
#[case::no_matching_node(json!({"desiredNumberScheduled": 0}), READY)]
fn readiness_of_a_daemon_set(#[case] status: Value, #[case] expected: (State, &str)) {
    let whole = json!({
        "observedGeneration": 2, "desiredNumberScheduled": 2, "currentNumberScheduled": 2,
        "updatedNumberScheduled": 2, "numberAvailable": 2, "numberReady": 2,
    });
    let set = object("apps/v1", "DaemonSet", json!({}), whole);
    assert_is(&changed(set, "status", status), expected);
}

#[rstest]
#[case::all_replicas_exist(json!({}), READY)]
#[case::pods_cannot_be_created(
    json!({"conditions": [{"type": "ReplicaFailure", "status": "True", "message": "no quota\nleft"}]}),
    not("cannot create its Pods: no quota left")
)]
#[case::too_few_labeled(json!({"fullyLabeledReplicas": 0}), not("has 0 of 1 replicas labeled"))]
#[case::too_few_available(json!({"availableReplicas": 0}), not("has 0 of 1 replicas available"))]
#[case::too_few_ready(json!({"readyReplicas": 0}), not("has 0 of 1 replicas ready"))]
#[case::too_many_replicas(json!({"replicas": 2}), not("has 2 replicas instead of 1"))]
fn readiness_of_a_replica_set(#[case] status: Value, #[case] expected: (State, &str)) {
    let whole = json!({
        "observedGeneration": 2, "replicas": 1, "fullyLabeledReplicas": 1, "availableReplicas": 1,
        "readyReplicas": 1,
    });
    let set = object("apps/v1", "ReplicaSet", json!({"replicas": 1}), whole);
    assert_is(&changed(set, "status", status), expected);
}

#[rstest]
#[case::new(json!({}), json!({}), not("has not started yet"))]
#[case::running(json!({}), json!({"startTime": "2026-01-01T00:00:00Z", "active": 1}), not("is not \
                                                                                           complete \
                                                                                           yet"))]
#[case::complete(json!({}), json!({"conditions": [condition("Complete", "True", "")]}), READY)]
#[case::failed(
    json!({}),
    json!({"conditions": [condition("Failed", "True", "BackoffLimitExceeded")]}),
    failed("has failed: BackoffLimitExceeded")
)]
#[case::failing_but_not_failed(json!({}), json!({"startTime": "x", "conditions": [condition("Failed", "False", "")]}), not("is \
                                                                                                                    not \
                                                                                                                    complete \
                                                                                                                    yet"))]
#[case::suspended(json!({"suspend": true}), json!({}), not("is suspended"))]
fn readiness_of_a_job(#[case] spec: Value, #[case] status: Value, #[case] expected: (State, &str)) {
    assert_is(&object("batch/v1", "Job", spec, status), expected);
}

#[rstest]
#[case::ready(json!({"phase": "Running", "conditions": [condition("Ready", "True", "")]}), READY)]
#[case::done(json!({"phase": "Succeeded"}), READY)]
#[case::failed(json!({"phase": "Failed", "reason": "Evicted"}), failed("has failed: Evicted"))]
#[case::running(json!({"phase": "Running", "conditions": [condition("Ready", "False", "")]}), not("is \
                                                                                                   not \
                                                                                                   ready \
                                                                                                   yet"))]
#[case::unschedulable(
    json!({"phase": "Pending", "conditions": [condition("PodScheduled", "False", "Unschedulable")]}),
    not("cannot be scheduled on any node: Unschedulable")
)]
#[case::crash_loop(
    json!({"phase": "Running", "containerStatuses": [
        {"name": "a", "state": {"running": {}}},
        {"name": "b", "state": {"waiting": {"reason": "CrashLoopBackOff"}}},
    ]}),
    failed("has the crash-looping container b")
)]
fn readiness_of_a_pod(#[case] status: Value, #[case] expected: (State, &str)) {
    assert_is(&object("v1", "Pod", json!({}), status), expected);
}

#[rstest]
#[case::new_namespace("Namespace", json!({}), json!({}), not("is not active yet"))]
#[case::namespace("Namespace", json!({}), json!({"phase": "Active"}), READY)]
#[case::volume_claim("PersistentVolumeClaim", json!({}), json!({"phase": "Bound"}), READY)]
#[case::claim_that_waits_for_its_consumer("PersistentVolumeClaim", json!({}), json!({"phase": "Pending"}), READY)]
#[case::claim_without_its_volume("PersistentVolumeClaim", json!({}), json!({"phase": "Lost"}), failed("has \
                                                                                                         lost \
                                                                                                         its \
                                                                                                         volume"))]
#[case::service("Service", json!({"type": "ClusterIP"}), json!({}), READY)]
#[case::load_balancer_without_an_address("Service", json!({"type": "LoadBalancer"}), json!({}), not("has \
                                                                                                  no \
                                                                                                  address \
                                                                                                  in \
                                                                                                  the \
                                                                                                  cluster \
                                                                                                  yet"))]
#[case::load_balancer_without_an_ingress("Service", json!({"type": "LoadBalancer", "clusterIP": "10.0.0.1"}), json!({"loadBalancer": {}}), READY)]
#[case::config_map("ConfigMap", json!({}), json!({}), READY)]
#[case::secret("Secret", json!({}), json!({}), READY)]
fn readiness_of_a_core_object(
    #[case] kind: &str,
    #[case] spec: Value,
    #[case] status: Value,
    #[case] expected: (State, &str),
) {
    assert_is(&object("v1", kind, spec, status), expected);
}

#[rstest]
#[case::new(json!([]), not("is not established yet"))]
#[case::accepted(json!([condition("NamesAccepted", "True", "")]), not("is not established yet"))]
#[case::established(json!([condition("NamesAccepted", "True", ""), condition("Established", "True", "")]), READY)]
#[case::established_but_not_accepted(json!([condition("Established", "True", "")]), not("is not \
                                                                                         established \
                                                                                         yet"))]
#[case::names_conflict(
    json!([condition("NamesAccepted", "False", "PluralConflict"), condition("Established", "True", "")]),
    failed("has names that another CustomResourceDefinition already uses: PluralConflict")
)]
#[case::being_installed(
    json!([condition("NamesAccepted", "True", ""), condition("Established", "False", "Installing")]),
    not("is not established yet")
)]
#[case::not_established(
    json!([condition("NamesAccepted", "True", ""), condition("Established", "False", "NotAccepted")]),
    failed("is not established: NotAccepted")
)]
fn readiness_of_a_crd(#[case] conditions: Value, #[case] expected: (State, &str)) {
    let status = json!({"conditions": conditions});
    let object = object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        json!({}),
        status,
    );
    assert_is(&object, expected);
}

#[rstest]
#[case::new(json!([]), not("has not been checked for availability yet"))]
#[case::available(json!([condition("Available", "True", "Passed")]), READY)]
#[case::not_available(json!([condition("Available", "False", "MissingEndpoints")]), not("is not \
                                                                                         available: \
                                                                                         MissingEndpoints"))]
fn readiness_of_an_api_service(#[case] conditions: Value, #[case] expected: (State, &str)) {
    let status = json!({"conditions": conditions});
    assert_is(
        &object("apiregistration.k8s.io/v1", "APIService", json!({}), status),
        expected,
    );
}

#[rstest]
#[case::cron_job("batch/v1", "CronJob")]
#[case::disruption_budget("policy/v1", "PodDisruptionBudget")]
#[case::role("rbac.authorization.k8s.io/v1", "Role")]
fn object_without_a_rule_is_ready_once_it_exists(#[case] api_version: &str, #[case] kind: &str) {
    let status = json!({"conditions": [condition("Ready", "False", "")]});
    assert_is(&object(api_version, kind, json!({}), status), READY);
}

#[rstest]
#[case::no_conditions(json!({}), READY)]
#[case::other_conditions(json!({"conditions": [condition("Synced", "False", "")]}), READY)]
#[case::is_ready(json!({"conditions": [condition("Ready", "True", "")]}), READY)]
#[case::is_not_ready(json!({"conditions": [condition("Ready", "False", "NoWind")]}), not("is not \
                                                                                          ready: \
                                                                                          NoWind"))]
#[case::ready_is_unknown(json!({"conditions": [condition("Ready", "Unknown", "")]}), not("is not \
                                                                                       ready"))]
#[case::is_reconciled(
    json!({"conditions": [condition("Ready", "True", ""), condition("Reconciling", "True", "Sailing")]}),
    not("is being reconciled: Sailing")
)]
#[case::is_stalled(
    json!({"conditions": [condition("Ready", "True", ""), condition("Stalled", "True", "NoWind")]}),
    failed("is stalled: NoWind")
)]
#[case::is_not_stalled(json!({"conditions": [condition("Stalled", "False", "")]}), READY)]
#[case::outdated_generation(json!({"observedGeneration": 1}), not("has a change that its \
                                                                       controller has not observed \
                                                                       yet"))]
fn readiness_of_a_custom_resource(#[case] status: Value, #[case] expected: (State, &str)) {
    assert_is(
        &object("ferry.example/v1", "Ship", json!({}), status),
        expected,
    );
}

#[rstest]
#[case::without_a_status(json!({}), State::NotYet)]
#[case::with_a_status(json!({"observedGeneration": 2}), State::Yes)]
#[case::with_a_message(json!({"phase": "Sailing"}), State::Yes)]
fn object_of_a_crd_in_the_plan_needs_a_status(#[case] status: Value, #[case] expected: State) {
    let expectation = Expectation { wants_status: true };
    let ship = object("ferry.example/v1", "Ship", json!({}), status);
    assert_eq!(readiness(&ship, expectation).state, expected);
}

#[test]
fn object_in_deletion_is_not_ready_despite_its_status() {
    let metadata = json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b", "c"]});
    let going = changed(deployment(), "metadata", metadata);
    assert_is(&going, not("is being deleted, and is held by a/b and c"));
}

#[test]
fn kind_of_another_group_has_separate_rules() {
    let status = json!({"conditions": [condition("Ready", "True", "")]});
    assert_is(
        &object(
            "ferry.example/v1",
            "Deployment",
            json!({"replicas": 3}),
            status,
        ),
        READY,
    );
}
