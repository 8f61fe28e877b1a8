use portolan_core_olm::ApiService;

use crate::tests::kit::*;
use crate::*;

stories! { World;
    crd_is_missing: world().namespace(|all| all.crds.objects.clear()) => r#"
        No Subscription demo/ferry
        No CrdMissing CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is missing, and ferry.v1 brings it.
    "#;
    required_crd_is_missing: world().csv(|csv| csv.spec.custom_resources.required = vec![api("quays.demo.example")]) => r#"
        No Subscription demo/ferry
        No CrdMissing CustomResourceDefinition quays.demo.example: CustomResourceDefinition quays.demo.example is missing, and ferry.v1 needs it.
    "#;
    crd_is_missing_while_the_plan_is_installing: upgrade(CsvPhase::Installing, "InstallWaiting").planned(InstallPlanPhase::Installing).namespace(|all| all.crds.objects.clear()) => r#"
        NotYet Subscription demo/ferry
        NotYet PlanInstalling InstallPlan demo/install-b: InstallPlan demo/install-b is being executed.
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v2: ClusterServiceVersion demo/ferry.v2 is being installed (InstallWaiting).
        - NotYet CrdMissing CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is missing, and ferry.v2 brings it.
        Yes CsvReplacing ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is kept until ferry.v2 has replaced it.
    "#;
    crd_is_being_deleted: world().crd(|one| one.metadata.deletion_timestamp = deleted()) => r#"
        No Subscription demo/ferry
        No CrdTerminating CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is being deleted, with all its custom resources.
    "#;
    crd_reports_its_deletion: world().crd(|one| one.status.conditions.push(condition("Terminating", "True", "InstanceDeletionPending", ""))) => r#"
        No Subscription demo/ferry
        No CrdTerminating CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is being deleted, with all its custom resources.
    "#;
    names_of_the_crd_are_taken: world().crd(|one| {
        one.status.conditions = vec![
            condition("NamesAccepted", "False", "PluralConflict", "\"ferries\" is already in use"),
            condition("Established", "False", "NotAccepted", "not all names are accepted"),
        ];
    }) => r#"
        No Subscription demo/ferry
        No CrdNamesConflict CustomResourceDefinition ferries.demo.example: Another CustomResourceDefinition already uses the names of CustomResourceDefinition ferries.demo.example (PluralConflict): "ferries" is already in use
    "#;
    crd_is_not_established: world().crd(|one| one.status.conditions[1].status = "False".to_owned()) => r#"
        No Subscription demo/ferry
        No CrdNotEstablished CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is not established, so its kind is not served: InitialNamesAccepted
    "#;
    crd_has_no_conditions: world().crd(|one| one.status.conditions.clear()) => r#"
        No Subscription demo/ferry
        No CrdNotEstablished CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is not established, so its kind is not served.
    "#;
    crd_does_not_serve_the_version: world().crd(|one| one.spec.versions = vec![version("v1", false), version("v1beta1", true)]) => r#"
        No Subscription demo/ferry
        No CrdVersionNotServed CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example does not serve v1, which the operator brings. The CustomResourceDefinition serves v1beta1.
    "#;
    crd_serves_no_version: world().crd(|one| one.spec.versions[0].served = false) => r#"
        No Subscription demo/ferry
        No CrdVersionNotServed CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example does not serve v1, which the operator brings. The CustomResourceDefinition serves nothing.
    "#;
    crd_has_objects_in_a_removed_version: world().crd(|one| one.status.stored_versions = vec!["v1".to_owned(), "v0".to_owned()]) => r#"
        No Subscription demo/ferry
        No StoredVersionGone CustomResourceDefinition ferries.demo.example: Objects of CustomResourceDefinition ferries.demo.example are stored in v0. The CustomResourceDefinition no longer has this version, so these objects cannot be read.
        Yes StoredVersionsMixed CustomResourceDefinition ferries.demo.example: Objects of CustomResourceDefinition ferries.demo.example may be stored in v0 and v1. Migrate these objects to the storage version before one of the other versions is removed.
    "#;
    crd_has_objects_in_two_versions: world().crd(|one| {
        one.status.stored_versions = vec!["v1".to_owned(), "v0".to_owned()];
        one.spec.versions.push(version("v0", false));
    }) => r#"
        Yes Subscription demo/ferry
        Yes StoredVersionsMixed CustomResourceDefinition ferries.demo.example: Objects of CustomResourceDefinition ferries.demo.example may be stored in v0 and v1. Migrate these objects to the storage version before one of the other versions is removed.
    "#;
    crd_cannot_be_listed: world().namespace(|all| {
        all.crds.objects.clear();
        all.crds.sight = Sight::Dim("the API server has not answered".to_owned());
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet NotObserved CustomResourceDefinition: CustomResourceDefinitions are not observed: the API server has not answered
    "#;
    api_service_is_available: world().csv(|csv| csv.spec.served.owned = vec![served_api("v1.quays.example")]).namespace(|all| all.served.objects.push(served("v1.quays.example"))) => r#"
        Yes Subscription demo/ferry
    "#;
    api_service_is_missing: world().csv(|csv| csv.spec.served.owned = vec![served_api("v1.quays.example")]) => r#"
        No Subscription demo/ferry
        No ApiServiceMissing APIService v1.quays.example: APIService v1.quays.example is missing, and ferry.v1 brings it.
    "#;
    required_api_service_is_missing: world().csv(|csv| csv.spec.served.required = vec![served_api("v1.quays.example")]) => r#"
        No Subscription demo/ferry
        No ApiServiceMissing APIService v1.quays.example: APIService v1.quays.example is missing, and ferry.v1 needs it.
    "#;
    api_service_is_unavailable: quays(|one| one.status.conditions = vec![condition("Available", "False", "MissingEndpoints", "endpoints for service/quays have no addresses")]) => r#"
        No Subscription demo/ferry
        No ApiServiceUnavailable APIService v1.quays.example: APIService v1.quays.example does not answer (MissingEndpoints): endpoints for service/quays have no addresses
    "#;
    api_service_is_unavailable_before_the_first_pod_is_ready: quays(|one| one.status.conditions = vec![condition("Available", "False", "MissingEndpoints", "")]).phase(CsvPhase::Installing, "InstallWaiting", "") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvInstalling ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is being installed (InstallWaiting).
        - NotYet ApiServiceUnavailable APIService v1.quays.example: APIService v1.quays.example does not answer (MissingEndpoints).
    "#;
    api_service_has_no_conditions: quays(|one| one.status.conditions.clear()) => r#"
        NotYet Subscription demo/ferry
        NotYet ApiServiceUnavailable APIService v1.quays.example: It is unknown if APIService v1.quays.example answers.
    "#;
    api_service_is_being_deleted: quays(|one| one.metadata.deletion_timestamp = deleted()) => r#"
        No Subscription demo/ferry
        No ApiServiceUnavailable APIService v1.quays.example: APIService v1.quays.example is being deleted.
    "#;
}

/// Returns a namespace with an operator that serves the kind Quay with a separate API server.
fn quays(change: impl FnOnce(&mut ApiService)) -> World {
    let mut one = served("v1.quays.example");
    change(&mut one);
    let serves = world().csv(|csv| csv.spec.served.owned = vec![served_api("v1.quays.example")]);
    serves.namespace(|all| all.served.objects.push(one))
}
