//! Converts the operators of a model to a Solution.

use std::collections::BTreeSet;

use crate::pool::Pool;
use crate::problem::{Item, Pick, Problem};
use crate::{Conflict, Granted, Lacking, Need, Operator, OperatorChange, Optimality, Solution};

/// The result of the search, before it is converted to a Solution.
#[derive(Debug)]
pub(crate) struct ChosenOperators {
    /// The chosen operators, sorted.
    pub(crate) items: Vec<Item>,
    pub(crate) granted: Vec<usize>,
    pub(crate) optimality: Optimality,
}

/// The result for a requirement, before the operators of the Solution have indexes.
#[derive(Debug)]
pub(crate) enum WishOutcome {
    Granted { passed_over: Option<Box<Conflict>> },
    Otherwise(Granted),
}

/// Converts the chosen operators to a Solution.
pub(crate) fn solution(
    problem: &Problem<'_>,
    found: &ChosenOperators,
    wishes: Vec<WishOutcome>,
) -> Solution {
    let pool = Pool::of(found.items.iter().map(|item| problem.offer(*item)));
    let order = order(problem, found, &pool);
    let place = |at: usize| {
        let item = granting(problem, found, at)?;
        order.iter().position(|other| *other == item)
    };
    let wishes = wishes.into_iter().enumerate();
    let wishes = wishes.map(|(at, told)| match told {
        WishOutcome::Granted { passed_over } => Granted::By {
            operator: place(at).expect(
                "a satisfied request must have an operator that satisfies \
             it",
            ),
            passed_over,
        },
        WishOutcome::Otherwise(granted) => granted,
    });
    let wishes = wishes.collect();
    let operators = order
        .iter()
        .map(|item| operator(problem, found, &pool, *item));
    Solution {
        wishes,
        operators: operators.collect(),
        optimality: found.optimality,
        lacking: lacking(problem, &found.items),
    }
}

/// Returns the operator that satisfies a requirement. Returns None if the requirement is not
/// satisfied.
fn granting(problem: &Problem<'_>, found: &ChosenOperators, at: usize) -> Option<Item> {
    let aim = &problem.aims[at];
    let place = aim.place_in(&found.items)?;
    Some(aim.picks[place].item)
}

/// Returns the operators in the order of a Solution. First come the operators that satisfy
/// requirements, in the order of the requirements. Then come the other chosen bundles, and then the
/// installed operators that other operators need.
fn order(problem: &Problem<'_>, found: &ChosenOperators, pool: &Pool<'_>) -> Vec<Item> {
    let mut order: Vec<Item> = Vec::new();
    for at in &found.granted {
        let item = granting(problem, found, *at);
        order.extend(item.filter(|item| !order.contains(item)));
    }
    let is_candidate = |item: &&Item| matches!(item, Item::Candidate(_));
    let mut extras: Vec<_> = found.items.iter().filter(is_candidate).copied().collect();
    extras.retain(|item| !order.contains(item));
    order.extend(extras);
    let needs = order
        .iter()
        .flat_map(|item| needs_of(problem, found, pool, *item));
    let by: BTreeSet<_> = needs.map(|(_, by)| by).collect();
    let mut residents: Vec<_> = by.into_iter().filter(|by| !order.contains(by)).collect();
    residents.sort_by_key(|item| problem.name(*item));
    order.extend(residents);
    order
}

/// Iterates over the satisfied dependencies of an operator, each with the operator that satisfies
/// it. The operator itself comes first, then an installed operator, then the first other operator.
fn needs_of<'p>(
    problem: &'p Problem<'_>,
    found: &'p ChosenOperators,
    pool: &'p Pool<'_>,
    item: Item,
) -> impl Iterator<Item = (&'p crate::Requirement, Item)> + 'p {
    let requirements = problem.requirements(item);
    requirements.filter_map(move |requirement| {
        let by = pool.meeting(requirement).map(|at| found.items[at]);
        let best = by.min_by_key(|by| (*by != item, matches!(by, Item::Candidate(_)), *by));
        best.map(|by| (requirement, by))
    })
}

fn operator(
    problem: &Problem<'_>,
    found: &ChosenOperators,
    pool: &Pool<'_>,
    item: Item,
) -> Operator {
    let wishes = found.granted.iter().copied();
    let granting = |at: &usize| problem.aims[*at].permits(item).is_some();
    let wishes: Vec<_> = wishes.filter(granting).collect();
    let pick = wishes
        .first()
        .and_then(|at| problem.aims[*at].permits(item));
    let needs = needs_of(problem, found, pool, item);
    let needs = needs.map(|(requirement, by)| Need {
        requirement: requirement.clone(),
        by: problem.name(by).clone(),
    });
    let (catalog, channel, deprecation) = match item {
        Item::Resident(_) => (None, None, None),
        Item::Candidate(id) => {
            let candidate = problem.universe.candidate(id);
            let catalog = &problem.universe.catalogs[candidate.catalog];
            let channel = pick.and_then(|pick| pick.channel.as_ref());
            let channel = channel.unwrap_or(&candidate.place().channel);
            (
                Some(catalog.name.clone()),
                Some(channel.clone()),
                candidate.deprecation.clone(),
            )
        }
    };
    Operator {
        catalog,
        package: problem.package_name(item).cloned(),
        bundle: problem.name(item).clone(),
        version: problem.offer(item).version.cloned(),
        channel,
        change: change(problem, item, pick),
        wishes,
        deprecation,
        needs: needs.collect(),
    }
}

fn change(problem: &Problem<'_>, item: Item, pick: Option<&Pick>) -> OperatorChange {
    if matches!(item, Item::Resident(_)) {
        return OperatorChange::Stay;
    }
    let package = problem.package_name(item);
    let residents = package.map(|package| problem.residents_of(package));
    match residents.unwrap_or_default().first() {
        Some((_, resident)) => OperatorChange::Move {
            from: resident.installed.name.clone(),
            hops: pick.map_or(0, |pick| pick.hops),
        },
        None => OperatorChange::Install,
    }
}

/// Returns the dependencies of kept operators that were already missing before.
fn lacking(problem: &Problem<'_>, items: &[Item]) -> Vec<Lacking> {
    let staying = items.iter().filter_map(|item| match item {
        Item::Resident(at) => Some(&problem.residents[*at as usize]),
        Item::Candidate(_) => None,
    });
    let lacking = staying.flat_map(|resident| {
        resident.lacks.iter().map(|requirement| Lacking {
            installed: resident.installed.clone(),
            requirement: requirement.clone(),
        })
    });
    lacking.collect()
}
