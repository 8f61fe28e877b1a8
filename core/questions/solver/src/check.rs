//! Checks that a Solution follows all rules. The check does not use the SAT solver.

use std::collections::BTreeSet;

use crate::Unsound;
use crate::cost::Scope;
use crate::pool::Pool;
use crate::problem::{Item, Problem};

/// Checks that a sorted set of operators follows all rules and satisfies the requirements in
/// `granted`.
///
/// # Errors
///
/// Returns the first rule that the set violates.
pub(crate) fn check(
    problem: &Problem<'_>,
    granted: &[usize],
    items: &[Item],
) -> Result<(), Unsound> {
    let unsound = |broken: String| Err(Unsound(broken));
    for at in granted {
        if problem.aims[*at].place_in(items).is_none() {
            return unsound(format!(
                "the requirement {} cannot be met",
                problem.question.wishes[*at]
            ));
        }
    }
    for (at, _) in (0..).zip(&problem.residents) {
        let item = Item::Resident(at);
        if items.binary_search(&item).is_err()
            && !items.iter().any(|other| replaces(problem, *other, item))
        {
            return unsound(format!("{} is gone", problem.name(item)));
        }
    }
    let pool = Pool::of(items.iter().map(|item| problem.offer(*item)));
    for item in items {
        if let Some(lacked) = lacked(problem, &pool, *item) {
            return unsound(format!("{} lacks {lacked}", problem.name(*item)));
        }
        let offer = problem.offer(*item);
        let mut alike = pool.alike(&offer).map(|at| items[at]);
        if let Some(other) = alike.find(|other| clash(*item, *other)) {
            let (one, other) = (problem.name(*item), problem.name(other));
            return unsound(format!("{one} and {other} exclude each other"));
        }
        if problem.is_prohibited(*item) {
            return unsound(format!("{} is prohibited", problem.name(*item)));
        }
    }
    Ok(())
}

/// Returns true if a requirement for the installed operator's package permits `other` as its
/// replacement.
fn replaces(problem: &Problem<'_>, other: Item, installed: Item) -> bool {
    let package = problem.package_name(installed);
    let mut aims = problem.aims_for(package);
    matches!(other, Item::Candidate(_)) && aims.any(|aim| aim.permits(other).is_some())
}

fn lacked<'p>(
    problem: &'p Problem<'_>,
    pool: &Pool<'_>,
    item: Item,
) -> Option<&'p crate::Requirement> {
    let needs = problem.needs(item).iter();
    let mut requirements = needs.map(|need| problem.requirement(*need));
    requirements.find(|requirement| pool.meeting(requirement).next().is_none())
}

/// Returns true if two operators with the same package or with a common API exclude each other. Two
/// installed operators never exclude each other.
fn clash(one: Item, other: Item) -> bool {
    let are_installed = matches!((one, other), (Item::Resident(_), Item::Resident(_)));
    one != other && !are_installed
}

/// Improves a valid set of operators until no single change improves it. A change removes one
/// operator, or replaces it with another operator of the same package. The other operator is a
/// bundle of a catalog or the installed operator.
pub(crate) fn polished(scope: &Scope<'_, '_>, mut items: Vec<Item>) -> Vec<Item> {
    let mut cost = scope.cost(&items);
    loop {
        let changed = changes(scope.problem, &items).find_map(|changed| {
            let changed_cost = scope.cost(&changed);
            let is_better =
                changed_cost < cost && check(scope.problem, &scope.granted, &changed).is_ok();
            is_better.then_some((changed, changed_cost))
        });
        match changed {
            Some(better) => (items, cost) = better,
            None => return items,
        }
    }
}

fn changes<'s>(
    problem: &'s Problem<'_>,
    items: &'s [Item],
) -> impl Iterator<Item = Vec<Item>> + 's {
    let wished = problem.question.wished();
    // An installed operator may be removed or replaced only if a requirement names its package.
    let may_go = move |item: &&Item| match item {
        Item::Candidate(_) => true,
        Item::Resident(_) => wished.contains(&problem.package_name(**item)),
    };
    items.iter().filter(may_go).flat_map(move |item| {
        let others = match problem.package(*item) {
            Some(package) => {
                let candidates = problem.universe.packages[package as usize]
                    .candidates
                    .clone();
                candidates.map(Item::Candidate).collect()
            }
            None => Vec::new(),
        };
        let others = others.into_iter().filter(move |other| other != item);
        let others = others.map(Some).chain([None]);
        others.map(move |other| {
            let kept = items.iter().filter(|kept| *kept != item).copied();
            let changed: BTreeSet<_> = kept.chain(other).collect();
            changed.into_iter().collect()
        })
    })
}
