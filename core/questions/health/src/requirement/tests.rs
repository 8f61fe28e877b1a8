use crate::tests::kit::*;
use crate::*;

stories! { World;
    crd_is_missing: world().lacks("CustomResourceDefinition", "quays.demo.example", "NotPresent") => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No CrdMissing CustomResourceDefinition quays.demo.example: CustomResourceDefinition quays.demo.example is missing, and ferry.v1 needs it.
    "#;
    plan_may_still_create_the_crd: fresh().first_plan(InstallPlanPhase::Installing).namespace(|all| all.csvs.objects.push(csv("ferry.v1"))).lacks("CustomResourceDefinition", "ferries.demo.example", "NotPresent") => r#"
        NotYet Subscription demo/ferry
        NotYet PlanInstalling InstallPlan demo/install-a: InstallPlan demo/install-a is being executed.
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - NotYet CrdMissing CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is missing, and ferry.v1 brings it.
    "#;
    crd_was_restored_and_olm_status_is_stale: world().lacks("CustomResourceDefinition", "ferries.demo.example", "NotPresent") => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - NotYet RequirementNotRechecked CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example exists, but OLM has not checked the requirement again. OLM checks the requirement within 15 minutes, or when the ClusterServiceVersion changes.
    "#;
    plan_has_not_updated_the_crd_of_another_version: world().lacks("CustomResourceDefinition", "ferries.demo.example", "PresentNotSatisfied").csv(|csv| {
        csv.status.requirements[0].message = "CRD installed alongside other CSV(s): ferry.v0".to_owned();
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - NotYet RequirementNotMet CustomResourceDefinition ferries.demo.example: The InstallPlan of ferry.v1 has not updated CustomResourceDefinition ferries.demo.example yet, so OLM does not accept this requirement.
    "#;
    crd_exists_and_is_not_established: world().lacks("CustomResourceDefinition", "ferries.demo.example", "NotPresent").crd(|one| one.status.conditions.clear()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No CrdNotEstablished CustomResourceDefinition ferries.demo.example: CustomResourceDefinition ferries.demo.example is not established, so its kind is not served.
    "#;
    crd_cannot_be_listed: world().lacks("CustomResourceDefinition", "quays.demo.example", "NotPresent").namespace(|all| all.crds.sight = dim()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet CustomResourceDefinition quays.demo.example: ferry.v1 needs CustomResourceDefinition quays.demo.example, which OLM reports as missing.
        NotYet NotObserved CustomResourceDefinition: CustomResourceDefinitions are not observed: forbidden
    "#;
    api_service_is_missing: world().lacks("APIService", "v1.quays.example", "NotPresent") => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No ApiServiceMissing APIService v1.quays.example: APIService v1.quays.example is missing, and ferry.v1 needs it.
    "#;
    api_service_was_restored_and_olm_status_is_stale: world().lacks("APIService", "v1.quays.example", "NotPresent").namespace(|all| all.served.objects.push(served("v1.quays.example"))) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - NotYet RequirementNotRechecked APIService v1.quays.example: APIService v1.quays.example exists, but OLM has not checked the requirement again. OLM checks the requirement within 15 minutes, or when the ClusterServiceVersion changes.
    "#;
    api_service_cannot_be_listed: world().lacks("APIService", "v1.quays.example", "NotPresent").namespace(|all| all.served.sight = dim()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet APIService v1.quays.example: ferry.v1 needs APIService v1.quays.example, which OLM reports as missing.
        NotYet NotObserved APIService: APIServices are not observed: forbidden
    "#;
    plan_has_not_updated_the_service_account_of_another_version: world().lacks("ServiceAccount", "ferry", "PresentNotSatisfied").csv(|csv| {
        csv.status.requirements[0].message = "Service account is owned by another ClusterServiceVersion".to_owned();
    }) => r#"
        NotYet Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - NotYet RequirementNotMet ServiceAccount demo/ferry: The InstallPlan of ferry.v1 has not updated ServiceAccount demo/ferry yet, so OLM does not accept this requirement.
    "#;
    service_account_has_no_permissions: world().lacks("ServiceAccount", "ferry", "PresentNotSatisfied").csv(|csv| {
        csv.status.requirements[0].dependents = vec![
            rule("Satisfied", r#"namespaced rule:{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}"#),
            rule("NotSatisfied", r#"namespaced rule:{"verbs":["create"],"apiGroups":["coordination.k8s.io"],"resources":["leases"]}"#),
            rule("NotSatisfied", r#"cluster rule:{"verbs":["get"],"nonResourceURLs":["/metrics"]}"#),
        ];
    }) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No PermissionMissing ServiceAccount demo/ferry: ServiceAccount demo/ferry lacks the permission to create leases.coordination.k8s.io in the namespace; nor get /metrics in the whole cluster, which ferry.v1 needs.
    "#;
    service_account_lacks_many_permissions: world().lacks("ServiceAccount", "ferry", "PresentNotSatisfied").csv(|csv| {
        csv.status.requirements[0].dependents = vec![rule("NotSatisfied", "cluster rule:{}"); 9];
    }) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No PermissionMissing ServiceAccount demo/ferry: ServiceAccount demo/ferry lacks the permission to act by the rule cluster rule:{}; nor act by the rule cluster rule:{}; nor act by the rule cluster rule:{}; nor act by 6 other rules, which ferry.v1 needs.
    "#;
    service_account_is_missing: world().lacks("ServiceAccount", "ferry", "NotPresent") => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet ServiceAccount demo/ferry: ferry.v1 needs ServiceAccount demo/ferry, which OLM reports as missing.
    "#;
    object_of_another_kind_is_missing: world().lacks("Lighthouse", "north", "PresentNotAvailable").csv(|csv| csv.status.requirements[0].message = "the light is out".to_owned()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet object north: ferry.v1 needs Lighthouse north, which OLM reports as PresentNotAvailable: the light is out
    "#;
    cluster_is_too_old: world().lacks("ClusterServiceVersion", "ferry.v1", "").csv(|csv| csv.status.requirements[0].message = "minKubeVersion is 1.99".to_owned()) => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet ClusterServiceVersion demo/ferry.v1: OLM reports that ClusterServiceVersion demo/ferry.v1 is not compatible with the cluster: minKubeVersion is 1.99
    "#;
    requirement_has_no_details: world().lacks("ServiceAccount", "ferry", "Present") => r#"
        No Subscription demo/ferry
        NotYet CsvPending ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 is waiting to be installed (RequirementsNotMet): one or more requirements couldn't be found
        - No RequirementNotMet ClusterServiceVersion demo/ferry.v1: OLM reports that ClusterServiceVersion demo/ferry.v1 lacks a requirement, but does not name the requirement: one or more requirements couldn't be found
    "#;
    object_that_exists_is_not_missing: world().csv(|csv| csv.status.requirements = vec![requirement("ServiceAccount", "ferry", "NotPresent")]) => r#"
        Yes Subscription demo/ferry
    "#;
    requirement_is_lost_after_the_installation: world().phase(CsvPhase::Failed, "RequirementsNotMet", "requirements no longer met").csv(|csv| csv.status.requirements = vec![requirement("ServiceAccount", "ferry", "NotPresent")]) => r#"
        No Subscription demo/ferry
        No CsvFailed ClusterServiceVersion demo/ferry.v1: ClusterServiceVersion demo/ferry.v1 has failed (RequirementsNotMet): requirements no longer met
        - No RequirementNotMet ServiceAccount demo/ferry: ferry.v1 needs ServiceAccount demo/ferry, which OLM reports as missing.
    "#;
}

fn dim() -> Sight {
    Sight::Dim("forbidden".to_owned())
}
