//! Scenarios with requirements of operators and their Upgradeable conditions.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use portolan_core_health::{CsvPhase, Sight};
use portolan_core_olm::Dependent;

use super::stories;
use crate::tests::kit::*;
use crate::{Object, Removal};

const UNMET: &str = "one or more requirements couldn't be found";

/// Returns an operator that waits for this requirement.
fn lacks(kind: &str, name: &str, status: &str, message: &str) -> Story {
    let row = requirement(kind, name, status, message);
    harbor()
        .phase(
            "ferry.v2.0.0",
            CsvPhase::Pending,
            "RequirementsNotMet",
            UNMET,
        )
        .csv("ferry.v2.0.0", |csv| {
            csv.spec
                .custom_resources
                .required
                .push(api("tides.demo.example"));
            csv.status.requirements.push(row);
        })
}

fn waits_for_its_word(status: &str, administrator: bool) -> Story {
    let status = status.to_owned();
    at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading(
            "ferry",
            "ferry.v1.1.0",
            CsvPhase::Pending,
            "OperatorConditionNotUpgradeable",
        )
        .csv("ferry.v1.1.0", |csv| {
            csv.status.message = "operator is not upgradeable: the tide is out".to_owned();
        })
        .change(|all| {
            let mut own = operator_says("ferry.v1.0.0", &status, "the tide is out");
            if administrator {
                own.spec.overrides.push(condition(
                    "Upgradeable",
                    "False",
                    "Frozen",
                    "no changes in May",
                ));
                own.spec
                    .overrides
                    .push(condition("Manned", "True", "Night", "a watch is kept"));
            }
            all.namespace.conditions.objects.push(own);
        })
}

/// Returns a namespace whose operator fails because an OperatorGroup of another namespace claims
/// its API.
fn claimed(reason: &str) -> Story {
    harbor()
        .phase(
            "ferry.v2.0.0",
            CsvPhase::Failed,
            reason,
            "intersecting operatorgroups provide the same apis",
        )
        .change(|all| all.namespace.deployments.objects.clear())
}

/// Adds a static OperatorGroup in namespace `sea` that claims the API for these namespaces.
fn reserved(story: Story, namespaces: &[&str]) -> Story {
    let mut group = group("reserved");
    group.observed.object.namespace = "sea".to_owned();
    group.metadata.namespace = Some("sea".to_owned());
    let claims = "Ferry.v1.demo.example,Tug.v1.sea.example".to_owned();
    group.metadata.annotations = Some([("olm.providedAPIs".to_owned(), claims)].into());
    group.spec.static_provided_apis = true;
    let labels = [("water".to_owned(), "salt".to_owned())];
    group.spec.selector = Some(LabelSelector {
        match_labels: Some(labels.into()),
        ..LabelSelector::default()
    });
    group.status.namespaces = namespaces.iter().map(ToString::to_string).collect();
    story
        .group(|own| own.spec.target_namespaces = vec![HOME.to_owned()])
        .change(|all| all.around.groups.objects.push(group))
}

stories! {
    static_group_of_another_namespace_claims_the_api:
        reserved(claimed("InterOperatorGroupOwnerConflict"), &["demo", "lake"]).change(|all| {
            // OLM deletes the Deployments in this case, so it is no problem that they could not be
            // read.
            all.namespace.deployments.sight = Sight::Dim("the files have no Deployment".to_owned());
        })
        => ["ferry: Broken ApiClaimedByGroup OperatorGroup sea/reserved"];
    claiming_group_of_the_api_is_unknown: claimed("InterOperatorGroupOwnerConflict")
        => ["ferry: Broken ApiClaimedByGroup OperatorGroup"];
    group_that_claims_the_api_in_other_namespaces_is_not_at_fault:
        reserved(claimed("InterOperatorGroupOwnerConflict"), &["lake"])
        => ["ferry: Broken ApiClaimedByGroup OperatorGroup"];
    operator_of_the_claiming_group_owns_the_same_crd:
        reserved(claimed("InterOperatorGroupOwnerConflict"), &["demo"]).change(|all| {
            let mut other = operator("ferry.v1.0.0");
            other.observed.object.namespace = "sea".to_owned();
            other.metadata.namespace = Some("sea".to_owned());
            all.elsewhere.push(other);
        })
        => ["ferry: Broken CrdOwnedByOther ClusterServiceVersion sea/ferry.v1.0.0"];
    static_group_does_not_list_the_api: claimed("CannotModifyStaticOperatorGroupProvidedAPIs")
        .group(|own| own.spec.static_provided_apis = true)
        => ["ferry: Broken ApiClaimedByGroup OperatorGroup demo/only"];
    required_crd_is_missing:
        lacks("CustomResourceDefinition", "tides.demo.example", "NotPresent", "CRD is not present")
        => ["ferry: Stuck CrdMissing CustomResourceDefinition tides.demo.example"];
    required_crd_belongs_to_an_operator_in_another_namespace:
        lacks("CustomResourceDefinition", "tides.demo.example", "NotPresent", "CRD is not present")
        .change(|all| {
            let mut other = operator("tide.v1.0.0");
            other.observed.object.namespace = "sea".to_owned();
            all.elsewhere.push(other);
        })
        => ["ferry: Stuck CrdMissing CustomResourceDefinition tides.demo.example"];
    owned_crd_was_deleted: harbor()
        .change(|all| all.namespace.crds.objects.clear())
        => ["ferry: Broken CrdMissing CustomResourceDefinition ferrys.demo.example"];
    required_crd_was_restored:
        lacks("CustomResourceDefinition", "tides.demo.example", "NotPresent", "CRD is not present")
        .change(|all| all.namespace.crds.objects.push(crd("tides.demo.example")))
        => ["ferry: Working RequirementNotRechecked CustomResourceDefinition tides.demo.example"];
    crd_is_being_deleted_while_its_operator_is_scaled_to_zero: harbor()
        .crd("ferry", |one| one.metadata.deletion_timestamp = deleted())
        .deployment("ferry", |one| count(one, 0))
        .change(|all| all.around.removals.push(Removal {
            policy: ("policies".to_owned(), "no-ferry".to_owned()),
            csv: ("demo".to_owned(), "ferry.v2.0.0".to_owned()),
            remaining: vec![Object::new("Ferry", "sea", "pilot")],
        }))
        => ["ferry: Broken ScaledToZero Deployment demo/ferry"];
    crd_is_being_deleted: harbor().crd("ferry", |one| one.metadata.deletion_timestamp = deleted())
        => ["ferry: Broken CrdNotUsable CustomResourceDefinition ferrys.demo.example"];
    crd_no_longer_has_a_stored_version: harbor()
        .crd("ferry", |one| one.status.stored_versions.push("v0".to_owned()))
        => ["ferry: Broken CrdNotUsable CustomResourceDefinition ferrys.demo.example"];
    names_of_a_crd_are_taken: harbor().crd("ferry", |one| {
        one.status.conditions = vec![
            condition("NamesAccepted", "False", "PluralConflict", "ferrys is in use"),
            condition("Established", "False", "NotAccepted", "not all names are accepted"),
        ];
    }) => ["ferry: Broken CrdOwnedByOther CustomResourceDefinition ferrys.demo.example"];
    operator_of_another_namespace_owns_the_same_crd: harbor()
        .phase(
            "ferry.v2.0.0",
            CsvPhase::Failed,
            "InterOperatorGroupOwnerConflict",
            "intersecting operatorgroups provide the same apis",
        )
        .change(|all| {
            let mut other = operator("ferry.v1.0.0");
            other.observed.object.namespace = "sea".to_owned();
            all.elsewhere.push(other);
            all.namespace.deployments.objects.clear();
        })
        => ["ferry: Broken CrdOwnedByOther ClusterServiceVersion sea/ferry.v1.0.0"];
    upgrade_owns_a_crd_of_another_namespace: at("ferry: 1.0.0 -> 1.1.0", "ferry.v1.0.0")
        .upgrading("ferry", "ferry.v1.1.0", CsvPhase::Failed, "InterOperatorGroupOwnerConflict")
        .change(|all| {
            let mut other = operator("ferry.v0.9.0");
            other.observed.object.namespace = "sea".to_owned();
            all.elsewhere.push(other);
        })
        => ["ferry: Broken CrdOwnedByOther ClusterServiceVersion sea/ferry.v0.9.0"];
    neighbor_owns_the_same_crd: harbor()
        .with("dock", "dock.v1.0.0")
        .csv("dock.v1.0.0", |csv| csv.spec.custom_resources.owned.push(api("ferrys.demo.example")))
        .phase("dock.v1.0.0", CsvPhase::Failed, "OwnerConflict", "conflicting CRD owner in namespace")
        => [
            "dock: Broken CrdOwnedByOther ClusterServiceVersion demo/ferry.v2.0.0",
            "ferry: Well",
        ];
    other_owner_of_the_crd_cannot_be_listed: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "OwnerConflict", "unable to adopt APIService")
        .change(|all| all.far_sight = Sight::Dim("nobody may list them".to_owned()))
        => ["ferry: Broken CrdOwnedByOther ClusterServiceVersion demo/ferry.v2.0.0"];
    other_owner_of_the_crd_is_unknown: harbor()
        .phase("ferry.v2.0.0", CsvPhase::Failed, "OwnerConflict", "unable to adopt APIService")
        => ["ferry: Broken CrdOwnedByOther ClusterServiceVersion demo/ferry.v2.0.0"];
    api_service_is_unavailable: harbor()
        .csv("ferry.v2.0.0", |csv| csv.spec.served.owned.push(served_api("v1.tides.example")))
        .change(|all| all.namespace.served.objects.push(served("v1.tides.example", false)))
        => ["ferry: Broken ApiMissing APIService v1.tides.example"];
    api_service_is_missing: harbor()
        .csv("ferry.v2.0.0", |csv| csv.spec.served.required.push(served_api("v1.tides.example")))
        => ["ferry: Broken ApiMissing APIService v1.tides.example"];
    permission_is_missing: lacks("ServiceAccount", "deckhand", "PresentNotSatisfied", "")
        .csv("ferry.v2.0.0", |csv| {
            csv.status.requirements[0].dependents.push(Dependent {
                kind: "PolicyRule".to_owned(),
                status: "NotSatisfied".to_owned(),
                message: r#"namespaced rule:{"verbs":["get"],"apiGroups":[""],"resources":["pods"]}"#
                    .to_owned(),
            });
        })
        => ["ferry: Stuck PermissionMissing ServiceAccount demo/deckhand"];
    service_account_is_missing: lacks("ServiceAccount", "deckhand", "NotPresent", "Service account does not exist")
        => ["ferry: Stuck RequirementUnmet ServiceAccount demo/deckhand"];
    service_account_was_missing_at_the_first_check: lacks("ServiceAccount", "deckhand", "NotPresent", "Service account does not exist")
        .csv("ferry.v2.0.0", |csv| {
            let row = requirement("Moon", "v1.moon.example", "NotPresent", "Native API does not exist");
            csv.status.requirements.push(row);
        })
        => ["ferry: Stuck RequirementUnmet ClusterServiceVersion demo/ferry.v2.0.0"];
    cluster_is_too_old: lacks(
        "ClusterServiceVersion",
        "ferry.v2.0.0",
        "NotPresent",
        "CSV version requirement not met: minKubeVersion (1.99.0) > server version (1.34.0)",
    ) => ["ferry: Stuck ClusterTooOld ClusterServiceVersion demo/ferry.v2.0.0"];
    operator_reports_not_upgradeable: waits_for_its_word("False", false)
        => ["ferry: Stuck NotUpgradeable OperatorCondition demo/ferry.v1.0.0"];
    administrator_blocks_the_upgrade: waits_for_its_word("True", true)
        => ["ferry: Stuck NotUpgradeable OperatorCondition demo/ferry.v1.0.0"];
    administrator_and_operator_block_the_upgrade: waits_for_its_word("False", true)
        => ["ferry: Stuck NotUpgradeable OperatorCondition demo/ferry.v1.0.0"];
}
