//! Tests properties that hold for every namespace: for all scenarios, for scenarios with additional
//! problems, and for impossible namespaces.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::breaks::BREAKS;
use super::kit::*;
use super::neighbor::{both, neighbor};
use super::{absurd, claims, worlds};
use crate::*;

/// Generates a scenario with additional problems.
fn troubled() -> impl Strategy<Value = Namespace> {
    let stories: Vec<Namespace> = worlds().into_iter().map(|(_, World(all))| all).collect();
    let breaks = prop::collection::vec((select(BREAKS), 0..3_usize), 0..3);
    (select(stories), breaks).prop_map(|(mut all, breaks)| {
        breaks
            .iter()
            .for_each(|((_, strike), which)| strike(&mut all, *which));
        all
    })
}

/// Returns the Verdict of each operator.
fn states(all: &Namespace) -> BTreeMap<Object, State> {
    let operators = judge(all).into_iter();
    operators
        .map(|operator| (operator.subject, operator.verdict.state))
        .collect()
}

/// Returns the namespace with its objects in another order.
fn shuffled(all: &Namespace, by: &[Index]) -> Namespace {
    fn turn<T>(objects: &mut [T], by: &[Index]) {
        for (place, index) in by.iter().enumerate().take(objects.len()) {
            let other = index.index(objects.len());
            objects.swap(place, other);
        }
    }
    let mut all = all.clone();
    turn(&mut all.subscriptions.objects, by);
    turn(&mut all.groups.objects, by);
    turn(&mut all.plans.objects, by);
    turn(&mut all.csvs.objects, by);
    turn(&mut all.copied.objects, by);
    turn(&mut all.conditions.objects, by);
    turn(&mut all.deployments.objects, by);
    turn(&mut all.crds.objects, by);
    turn(&mut all.served.objects, by);
    turn(&mut all.catalogs.objects, by);
    all
}

/// Returns the namespace with the ReplicaSets, Pods and Events of each Deployment in reverse order.
fn shuffled_below(all: &Namespace) -> Namespace {
    let mut all = all.clone();
    for deployment in &mut all.deployments.objects {
        if let Below::Looked {
            replica_sets,
            pods,
            events,
        } = &mut deployment.below
        {
            replica_sets.objects.reverse();
            pods.objects.reverse();
            events.objects.reverse();
        }
    }
    all
}

fn indices() -> impl Strategy<Value = Vec<Index>> {
    prop::collection::vec(any::<Index>(), 8)
}

/// Returns true if the text has no control characters and no direction overrides.
fn is_harmless(text: &str) -> bool {
    !text.contains(|char: char| char.is_control() || "\u{202e}\u{feff}".contains(char))
        && text.chars().count() < 2100
}

fn everything(facts: &[Fact]) -> Vec<&Fact> {
    let below = facts.iter().flat_map(|fact| everything(&fact.below));
    facts.iter().chain(below).collect()
}

/// The kinds whose list may be incomplete. The flag is true if no operator of the scenarios is
/// healthy while the list of this kind is incomplete.
const DIM: &[(&str, bool)] = &[
    ("subscriptions", true),
    ("groups", true),
    ("plans", false),
    ("csvs", true),
    ("copied", false),
    ("conditions", false),
    ("deployments", true),
    ("definitions", false),
    ("served", false),
    ("catalogs", false),
];

fn dimmed(all: &Namespace, kind: &str) -> Namespace {
    let mut all = all.clone();
    let why = Sight::Dim("forbidden".to_owned());
    match kind {
        "subscriptions" => all.subscriptions.sight = why,
        "groups" => all.groups.sight = why,
        "plans" => all.plans.sight = why,
        "csvs" => all.csvs.sight = why,
        "copied" => all.copied.sight = why,
        "conditions" => all.conditions.sight = why,
        "deployments" => all.deployments.sight = why,
        "definitions" => all.crds.sight = why,
        "served" => all.served.sight = why,
        "catalogs" => all.catalogs.sight = why,
        other => panic!("no kind {other}"),
    }
    all
}

/// The codes that report a missing object. They never occur for a kind whose list is incomplete,
/// because the object may exist.
const OF_ABSENCE: &[HealthCode] = &[
    HealthCode::OperatorGroupMissing,
    HealthCode::CatalogMissing,
    HealthCode::DeploymentMissing,
    HealthCode::CrdMissing,
    HealthCode::ApiServiceMissing,
    HealthCode::PlanMissing,
    HealthCode::NotInstalled,
];

/// Returns the problems of an operator. Omits problems that report a missing object.
fn wrong(operator: &Operator) -> BTreeSet<(HealthCode, Object)> {
    let reasons = operator.verdict.reasons.iter();
    reasons
        .filter(|reason| reason.state == State::No && !OF_ABSENCE.contains(&reason.code))
        .map(|reason| (reason.code, reason.object.clone()))
        .collect()
}

/// Changes only details and object versions. The result must count as an equal fact.
fn touched(mut fact: Fact) -> Fact {
    fact.detail.push('!');
    fact.observed.resource_version.push('!');
    fact.below = fact.below.into_iter().map(touched).collect();
    fact
}

/// Asserts that breaking one object never improves the verdict of an operator.
fn assert_no_better(story: &str, all: &Namespace) {
    let before = states(all);
    for (name, strike) in BREAKS {
        let mut broken = all.clone();
        strike(&mut broken, 0);
        let after = states(&broken);
        for (subject, state) in &before {
            assert!(
                after[subject] >= *state,
                "{story}, {name}: {subject} was {state:?}"
            );
        }
    }
}

#[test]
fn additional_problem_never_improves_a_scenario() {
    for (story, World(all)) in worlds() {
        assert_no_better(story, &all);
    }
}

#[test]
fn additional_problem_never_improves_a_broken_scenario() {
    let tales = [
        ("all is well", world()),
        (
            "an upgrade waits",
            upgrade(CsvPhase::Pending, "RequirementsUnknown"),
        ),
        (
            "an upgrade is installed",
            upgrade(CsvPhase::Installing, "InstallWaiting"),
        ),
        ("a rollout", rollout(|_| ())),
        ("an outage", outage(|_| ())),
        ("nothing is installed", fresh()),
    ];
    for (tale, World(all)) in tales {
        for (name, strike) in BREAKS {
            let mut broken = all.clone();
            strike(&mut broken, 0);
            assert_no_better(&format!("{tale}, {name}"), &broken);
        }
    }
}

proptest! {
    #[test]
    fn order_of_objects_has_no_effect(all in troubled(), by in indices()) {
        prop_assert_eq!(judge(&all), judge(&shuffled(&all, &by)));
        prop_assert_eq!(judge(&all), judge(&shuffled_below(&all)));
    }

    #[test]
    fn order_of_impossible_objects_has_no_effect(all in absurd::namespace(), by in indices()) {
        prop_assert_eq!(judge(&all), judge(&shuffled(&all, &by)));
    }

    #[test]
    fn verdict_is_the_worst_fact_and_texts_are_harmless(all in absurd::namespace()) {
        for operator in judge(&all) {
            let facts = everything(&operator.facts);
            let worst = facts.iter().map(|fact| fact.state).max();
            prop_assert_eq!(Some(operator.verdict.state), worst);
            for fact in facts {
                prop_assert!(is_harmless(&fact.message), "{:?}", fact.message);
                prop_assert!(is_harmless(&fact.detail), "{:?}", fact.detail);
                prop_assert!(!fact.message.is_empty());
                prop_assert!(!fact.is_remark || fact.state == State::Yes);
            }
            let states: Vec<State> = operator.verdict.reasons.iter().map(|one| one.state).collect();
            prop_assert!(states.iter().rev().is_sorted());
        }
    }

    #[test]
    fn each_subscription_has_one_operator(all in absurd::namespace()) {
        let subscriptions = all.subscriptions.objects.iter().map(|subscription| &subscription.observed.object);
        let mut subscriptions: Vec<&Object> = subscriptions.collect();
        subscriptions.sort();
        let operators = judge(&all);
        let subjects = operators.iter().map(|operator| &operator.subject);
        let of_subscriptions = subjects.filter(|object| object.kind == Kind::Subscription);
        prop_assert_eq!(of_subscriptions.collect::<Vec<_>>(), subscriptions);
    }

    #[test]
    fn additional_break_improves_no_operator(
        all in troubled(),
        (name, strike) in select(BREAKS),
        which in 0..3_usize,
    ) {
        let before = states(&all);
        let mut broken = all.clone();
        strike(&mut broken, which);
        let after = states(&broken);
        for (subject, state) in before {
            prop_assert!(after[&subject] >= state, "{name}: {subject}: {state:?} -> {:?}", after[&subject]);
        }
    }

    #[test]
    fn hidden_object_never_makes_an_operator_healthy(all in troubled(), dim in select(DIM)) {
        let (kind, always) = dim;
        for (before, after) in judge(&all).iter().zip(judge(&dimmed(&all, kind))) {
            prop_assert_eq!(&before.subject, &after.subject);
            prop_assert!(wrong(before).is_subset(&wrong(&after)), "{:?} {:?}", before, after);
            let least = if before.verdict.state == State::Yes { State::Yes } else { State::NotYet };
            prop_assert!(after.verdict.state >= least);
            prop_assert!(!always || after.verdict.state > State::Yes);
        }
    }

    #[test]
    fn healthy_verdict_passes_the_independent_check(all in troubled()) {
        for operator in judge(&all) {
            if operator.verdict.state == State::Yes {
                prop_assert_eq!(claims::broken(&operator, &all), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn healthy_verdict_of_impossible_objects_passes_the_independent_check(mut all in absurd::namespace()) {
        // If two objects had the same name, it would be unknown which of them the verdict is about.
        let mut names = BTreeSet::new();
        all.deployments.objects.retain(|one| names.insert(one.observed.object.clone()));
        all.crds.objects.retain(|one| names.insert(one.observed.object.clone()));
        all.served.objects.retain(|one| names.insert(one.observed.object.clone()));
        all.csvs.objects.retain(|one| names.insert(one.observed.object.clone()));
        for operator in judge(&all) {
            if operator.verdict.state == State::Yes {
                prop_assert_eq!(claims::broken(&operator, &all), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn operators_of_other_namespaces_change_no_verdict(all in troubled(), other in troubled()) {
        let together = judge(&both(&all, &neighbor(&other)));
        for alone in judge(&all) {
            let beside = together.iter().find(|operator| operator.subject == alone.subject);
            prop_assert_eq!(Some(&alone), beside);
        }
    }

    #[test]
    fn comparison_of_operators_ignores_details(all in troubled()) {
        for operator in judge(&all) {
            let mut other = operator.clone();
            other.facts = other.facts.into_iter().map(touched).collect();
            prop_assert!(operator.says_as(&operator) && operator.says_as(&other));
            if let Some(fact) = other.facts.first_mut() {
                fact.message.push('!');
                prop_assert!(!operator.says_as(&other));
            }
        }
    }

    #[test]
    fn only_failing_deployments_are_inspected_below(all in troubled()) {
        let named = all.csvs.objects.iter().flat_map(|csv| csv.deployments());
        let named: BTreeMap<&str, i32> = named.map(|one| (one.name.as_str(), one.replicas())).collect();
        let failing = failing(&all.csvs.objects, &all.deployments.objects);
        for one in &all.deployments.objects {
            let object = &one.observed.object;
            let fails = named.get(object.name.as_str()).is_some_and(|wanted| !one.is_fine(*wanted));
            prop_assert_eq!(failing.contains(object), fails);
        }
    }
}
