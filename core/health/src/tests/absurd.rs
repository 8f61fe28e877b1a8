//! Namespaces that no cluster has: names twice and none at all, circles, counts below zero, words
//! that nobody knows, and text that means harm.

use std::collections::BTreeSet;

use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

use super::kit::*;
use crate::*;

mod running;

/// A namespace of any objects.
pub(super) fn namespace() -> impl Strategy<Value = Namespace> {
    let asked = (
        seen(subscription()),
        seen(group()),
        seen(plan()),
        seen(csv()),
    );
    let runs = (
        seen(name()),
        seen(operator_condition()),
        seen(running::deployment()),
    );
    let around = (seen(definition()), seen(served()), seen(catalog()));
    (asked, runs, around).prop_map(|(asked, runs, around)| {
        let (subscriptions, groups, plans, csvs) = asked;
        let (copied, conditions, deployments) = runs;
        let (definitions, served, catalogs) = around;
        Namespace {
            name: HOME.to_owned(),
            subscriptions,
            groups,
            plans,
            csvs,
            copied,
            conditions,
            deployments,
            definitions,
            served,
            catalogs,
        }
    })
}

/// Names that meet each other often.
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

/// Words that controllers write, and others.
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

/// What people and machines say, at whatever length.
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

fn seen<T: Clone + std::fmt::Debug>(
    one: impl Strategy<Value = T>,
) -> impl Strategy<Value = Seen<T>> {
    let place = (select(&[HOME, ""][..]).prop_map(str::to_owned), name());
    let odd = btree_map(place, text(), 1..3).prop_map(Sight::Odd);
    let dim = text().prop_map(Sight::Dim);
    let sight = prop_oneof![4 => Just(Sight::Clear), 1 => odd, 1 => dim];
    (vec(one, 0..4), sight).prop_map(|(objects, sight)| Seen { objects, sight })
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
            kind: kind.to_owned(),
            status: status.to_owned(),
            reason,
            message,
            generation,
        },
    )
}

fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    vec(condition(), 0..4)
}

fn subscription() -> impl Strategy<Value = Subscription> {
    let names = (name(), name(), name(), name(), word());
    (names, conditions(), any::<bool>()).prop_map(|(names, conditions, is_deleting)| {
        let (own, current_csv, installed_csv, plan, state) = names;
        Subscription {
            observed: observed(Kind::Subscription, HOME, &own),
            current_csv,
            installed_csv,
            plan,
            state,
            conditions,
            is_deleting,
            ..super::kit::subscription("ferry", "")
        }
    })
}

fn group() -> impl Strategy<Value = OperatorGroup> {
    let targets = prop_oneof![
        Just(Targets::All),
        Just(Targets::Selected),
        btree_set(name(), 0..3).prop_map(Targets::These),
    ];
    (name(), targets, conditions(), any::<bool>()).prop_map(
        |(name, targets, conditions, is_deleting)| OperatorGroup {
            targets,
            conditions,
            is_deleting,
            ..super::kit::group(&name)
        },
    )
}

fn plan() -> impl Strategy<Value = InstallPlan> {
    let phase = prop_oneof![
        Just(PlanPhase::default()),
        Just(PlanPhase::RequiresApproval),
        Just(PlanPhase::Installing),
        Just(PlanPhase::Complete),
        Just(PlanPhase::Failed),
        word().prop_map(PlanPhase::Other),
    ];
    (name(), phase, any::<bool>(), text(), conditions()).prop_map(
        |(name, phase, is_approved, message, conditions)| InstallPlan {
            phase,
            is_approved,
            message,
            conditions,
            ..super::kit::plan(&name, &[""; 9])
        },
    )
}

fn phase() -> impl Strategy<Value = Phase> {
    prop_oneof![
        Just(Phase::default()),
        Just(Phase::Pending),
        Just(Phase::InstallReady),
        Just(Phase::Installing),
        Just(Phase::Succeeded),
        Just(Phase::Succeeded),
        Just(Phase::Succeeded),
        Just(Phase::Failed),
        Just(Phase::Replacing),
        Just(Phase::Deleting),
        Just(Phase::Unknown),
        word().prop_map(Phase::Other),
    ]
}

fn csv() -> impl Strategy<Value = Csv> {
    let said = (phase(), word(), text(), any::<bool>());
    let wants = (vec(api(), 0..3), vec(requirement(), 0..3), -1..2_i32);
    (name(), name(), said, wants).prop_map(|(name, replaces, said, wants)| {
        let (phase, reason, message, is_deleting) = said;
        let (owned, requirements, replicas) = wants;
        let deployments = [Some(replicas), None].map(|replicas| WantedDeployment {
            name: "ferry".to_owned(),
            replicas,
        });
        Csv {
            replaces,
            phase,
            reason,
            message,
            is_deleting,
            required: owned.clone(),
            serves: owned.clone(),
            owned,
            requirements,
            deployments: deployments.into(),
            ..super::kit::csv(&name)
        }
    })
}

fn api() -> impl Strategy<Value = Api> {
    (name(), name()).prop_map(|(name, version)| Api {
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
        },
    )
}

fn operator_condition() -> impl Strategy<Value = OperatorCondition> {
    (name(), -1..3_i64, conditions(), conditions()).prop_map(
        |(name, generation, overrides, conditions)| OperatorCondition {
            observed: observed(Kind::OperatorCondition, HOME, &name),
            generation,
            overrides,
            conditions,
        },
    )
}

fn definition() -> impl Strategy<Value = Definition> {
    let versions = || btree_set(name(), 0..3);
    (
        name(),
        versions(),
        versions(),
        versions(),
        conditions(),
        any::<bool>(),
    )
        .prop_map(
            |(name, served, versions, stored, conditions, is_deleting): (
                _,
                BTreeSet<String>,
                _,
                _,
                _,
                _,
            )| {
                Definition {
                    observed: observed(Kind::CustomResourceDefinition, "", &name),
                    served,
                    versions,
                    stored,
                    conditions,
                    is_deleting,
                }
            },
        )
}

fn served() -> impl Strategy<Value = ServedApi> {
    (name(), conditions(), any::<bool>()).prop_map(|(name, conditions, is_deleting)| ServedApi {
        observed: observed(Kind::ApiService, "", &name),
        conditions,
        is_deleting,
    })
}

fn catalog() -> impl Strategy<Value = CatalogSource> {
    (name(), word(), any::<bool>()).prop_map(|(name, connection, is_deleting)| CatalogSource {
        connection,
        is_deleting,
        ..super::kit::catalog(&name)
    })
}
