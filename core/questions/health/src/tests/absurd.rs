//! Generates namespaces that cannot occur in a cluster. They have duplicate and empty names,
//! cycles, negative counts, unknown words, and malicious text.

use portolan_core_olm::{
    ApiService, CatalogSource, Condition, CustomResource, CustomResourceDefinition, InstallPlan,
    OperatorCondition, OperatorGroup, Requirement, Subscription,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::kit::*;
use crate::*;

mod running;

/// Generates a namespace with random objects.
pub(super) fn namespace() -> impl Strategy<Value = Namespace> {
    let asked = (
        observed_objects(subscription()),
        observed_objects(group()),
        observed_objects(plan()),
        observed_objects(csv()),
    );
    let runs = (
        observed_objects(name()),
        observed_objects(operator_condition()),
        observed_objects(running::deployment()),
    );
    let around = (
        observed_objects(crd()),
        observed_objects(served()),
        observed_objects(catalog()),
    );
    (asked, runs, around).prop_map(|(asked, runs, around)| {
        let (subscriptions, groups, plans, csvs) = asked;
        let (copied, conditions, deployments) = runs;
        let (crds, served, catalogs) = around;
        Namespace {
            name: HOME.to_owned(),
            subscriptions,
            groups,
            plans,
            csvs,
            copied,
            conditions,
            deployments,
            crds,
            served,
            catalogs,
        }
    })
}

/// Generates names. The same name is generated frequently.
fn name() -> impl Strategy<Value = String> {
    select(
        &[
            "ferry.v1",
            "ferry.v2",
            "ferry.v3",
            "ferry",
            "",
            "\u{1b}[2J\n\u{202e}",
        ][..],
    )
    .prop_map(str::to_owned)
}

/// Generates reasons that controllers use, and unknown reasons.
fn word() -> impl Strategy<Value = String> {
    select(
        &[
            "",
            "READY",
            "Present",
            "NotPresent",
            "RequirementsNotMet",
            "OwnerConflict",
            "OperatorConditionNotUpgradeable",
            "NewReplicaSetAvailable",
            "ProgressDeadlineExceeded",
            "CrashLoopBackOff",
            "ErrImagePull",
            "ContainerCreating",
            "Failed",
            "Running",
            "FailedMount",
            "ServiceAccountNotFound",
            "CustomResourceDefinition",
            "APIService",
            "ServiceAccount",
            "\n\0\u{feff}",
        ][..],
    )
    .prop_map(str::to_owned)
}

/// Generates texts of any length, as users and programs write them.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("exceeded quota".to_owned()),
        Just("cluster rule:{\"verbs\":[1]}".to_owned()),
        Just("ä\u{0}\n".repeat(900)),
        Just("2026-11-22T09:00:00Z".to_owned()),
        Just("panic: \u{1b}[2J\u{202e}\n\n".to_owned()),
    ]
}

fn observed_objects<T: Clone + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = ObservedObjects<T>> {
    let place = (select(&[HOME, ""][..]).prop_map(str::to_owned), name());
    let odd = btree_map(place, text(), 1..3).prop_map(Sight::Odd);
    let dim = text().prop_map(Sight::Dim);
    let sight = prop_oneof![4 => Just(Sight::Clear), 1 => odd, 1 => dim];
    (vec(one, 0..4), sight).prop_map(|(objects, sight)| ObservedObjects { objects, sight })
}

fn condition() -> impl Strategy<Value = Condition> {
    let kinds = select(
        &[
            "Available",
            "Progressing",
            "ReplicaFailure",
            "Established",
            "NamesAccepted",
            "Terminating",
            "Upgradeable",
            "ResolutionFailed",
            "BundleUnpackFailed",
            "InstallPlanFailed",
            "MultipleOperatorGroup",
            "PodScheduled",
            "Ready",
            "",
        ][..],
    );
    let statuses = select(&["True", "False", "Unknown", ""][..]);
    (kinds, statuses, word(), text(), -1..3_i64).prop_map(
        |(kind, status, reason, message, generation)| Condition {
            r#type: kind.to_owned(),
            status: status.to_owned(),
            reason,
            message,
            observed_generation: Some(generation),
            last_transition_time: None,
        },
    )
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    vec(condition(), 0..4)
}

fn deletion(is_deleting: bool) -> Option<k8s_openapi::apimachinery::pkg::apis::meta::v1::Time> {
    is_deleting.then(deleted).flatten()
}

fn subscription() -> impl Strategy<Value = Item<Subscription>> {
    let names = (name(), name(), name(), name(), word());
    (names, conditions(), any::<bool>()).prop_map(|(names, conditions, is_deleting)| {
        let (own, current_csv, installed_csv, plan, state) = names;
        let mut one = super::kit::subscription("ferry", "");
        one.observed = observed(Kind::Subscription, HOME, &own);
        one.metadata.deletion_timestamp = deletion(is_deleting);
        one.status.current_csv = current_csv;
        one.status.installed_csv = installed_csv;
        one.status.install_plan_ref = plan_ref(&plan);
        one.status.state = state;
        one.status.conditions = conditions;
        one
    })
}

fn group() -> impl Strategy<Value = Item<OperatorGroup>> {
    let selects = (any::<bool>(), vec(name(), 0..3));
    (name(), selects, name(), conditions(), any::<bool>()).prop_map(
        |(name, (has_selector, targets), account, conditions, is_deleting)| {
            let mut one = super::kit::group(&name);
            one.metadata.deletion_timestamp = deletion(is_deleting);
            one.spec.service_account_name = account;
            if has_selector {
                one.spec.selector = selector();
                one.status.namespaces = targets;
            } else {
                one.spec.target_namespaces = targets;
            }
            one.status.conditions = conditions;
            one
        },
    )
}

fn plan() -> impl Strategy<Value = Item<InstallPlan>> {
    let phase = prop_oneof![
        Just(InstallPlanPhase::default()),
        Just(InstallPlanPhase::RequiresApproval),
        Just(InstallPlanPhase::Installing),
        Just(InstallPlanPhase::Complete),
        Just(InstallPlanPhase::Failed),
        word().prop_map(InstallPlanPhase::Other),
    ];
    (name(), phase, any::<bool>(), text(), conditions()).prop_map(
        |(name, phase, is_approved, message, conditions)| {
            let mut one = super::kit::plan(&name, &[""; 9]);
            one.spec.approved = is_approved;
            one.status.phase = phase;
            one.status.message = message;
            one.status.conditions = conditions;
            one
        },
    )
}

fn phase() -> impl Strategy<Value = CsvPhase> {
    prop_oneof![
        Just(CsvPhase::default()),
        Just(CsvPhase::Pending),
        Just(CsvPhase::InstallReady),
        Just(CsvPhase::Installing),
        Just(CsvPhase::Succeeded),
        Just(CsvPhase::Succeeded),
        Just(CsvPhase::Succeeded),
        Just(CsvPhase::Failed),
        Just(CsvPhase::Replacing),
        Just(CsvPhase::Deleting),
        Just(CsvPhase::Unknown),
        word().prop_map(CsvPhase::Other),
    ]
}

fn csv() -> impl Strategy<Value = Csv> {
    let said = (phase(), word(), text(), any::<bool>());
    let wants = (vec(api(), 0..3), vec(requirement(), 0..3), -1..2_i32);
    (name(), name(), said, wants).prop_map(|(name, replaces, said, wants)| {
        let (phase, reason, message, is_deleting) = said;
        let (owned, requirements, replicas) = wants;
        let mut one = super::kit::csv(&name);
        one.metadata.deletion_timestamp = deletion(is_deleting);
        one.spec.replaces = replaces;
        one.spec.install.spec.deployments = [Some(replicas), None]
            .map(|replicas| wanted("ferry", replicas))
            .into();
        let served = owned.iter().map(|api| served_api(&api.name));
        one.spec.served.owned = served.collect();
        one.spec.custom_resources.required = owned.clone();
        one.spec.custom_resources.owned = owned;
        one.status.phase = phase;
        one.status.reason = reason;
        one.status.message = message;
        one.status.requirements = requirements;
        one
    })
}

fn api() -> impl Strategy<Value = CustomResource> {
    (name(), name()).prop_map(|(name, version)| CustomResource {
        name,
        version,
        kind: String::new(),
    })
}

fn requirement() -> impl Strategy<Value = Requirement> {
    (word(), name(), word(), text(), vec(text(), 0..3)).prop_map(
        |(kind, name, status, message, rules)| Requirement {
            kind,
            name,
            status,
            message,
            dependents: rules
                .iter()
                .map(|text| rule("NotSatisfied", text))
                .collect(),
            ..Requirement::default()
        },
    )
}

fn operator_condition() -> impl Strategy<Value = Item<OperatorCondition>> {
    (name(), -1..3_i64, conditions(), conditions()).prop_map(
        |(name, generation, overrides, conditions)| {
            let mut one = super::kit::operator_condition(&name);
            one.metadata.generation = Some(generation);
            one.spec.overrides = overrides;
            one.status.conditions = conditions;
            one
        },
    )
}

fn crd() -> impl Strategy<Value = Item<CustomResourceDefinition>> {
    let versions = vec((name(), any::<bool>()), 0..4);
    let stored = vec(name(), 0..3);
    (name(), versions, stored, conditions(), any::<bool>()).prop_map(
        |(name, versions, stored, conditions, is_deleting)| {
            let mut one = super::kit::crd(&name);
            one.metadata.deletion_timestamp = deletion(is_deleting);
            let versions = versions.iter();
            one.spec.versions = versions
                .map(|(name, served)| version(name, *served))
                .collect();
            one.status.stored_versions = stored;
            one.status.conditions = conditions;
            one
        },
    )
}

fn served() -> impl Strategy<Value = Item<ApiService>> {
    (name(), conditions(), any::<bool>()).prop_map(|(name, conditions, is_deleting)| {
        let mut one = super::kit::served(&name);
        one.metadata.deletion_timestamp = deletion(is_deleting);
        one.status.conditions = conditions;
        one
    })
}

fn catalog() -> impl Strategy<Value = Item<CatalogSource>> {
    (name(), word(), any::<bool>()).prop_map(|(name, state, is_deleting)| {
        let mut one = super::kit::catalog(&name);
        one.metadata.deletion_timestamp = deletion(is_deleting);
        one.status.connection = connection(&state);
        one
    })
}
