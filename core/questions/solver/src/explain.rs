//! Explains a conflict by a minimal set of rules.

mod attempts;
mod causes;

use std::collections::BTreeSet;

use crate::Conflict;
use crate::encoding::{Encoding, Force, Rule};
use crate::problem::Problem;
use crate::sat::SatOutcome;

/// The maximum number of steps for explaining why no better operator was chosen. The limit is low,
/// because this explanation is less important than the Solution.
const ASIDE: u32 = 2_000;

/// Returns the conflict between these requirements, which cannot be satisfied together.
pub(crate) fn explain(problem: &Problem<'_>, wishes: &[usize]) -> Conflict {
    let steps = problem.question.budget.steps;
    // The contradiction is known to exist, so it is worth more steps to find it again.
    let again = steps.saturating_mul(10).saturating_add(10_000);
    let mut encoding = Encoding::new(problem, Force::Assumed, again);
    let asked = |rule: &Rule| is_asked(problem, wishes, *rule);
    let (rules, is_minimal) = match contradiction(&mut encoding, &asked) {
        Some(rules) => {
            encoding.sat.spend_at_most(steps);
            lessened(&mut encoding, rules)
        }
        None => {
            encoding.expand_all();
            let rules = encoding.rules().map(|(rule, _)| rule);
            (rules.filter(|rule| asked(rule)).collect(), false)
        }
    };
    causes::conflict(&encoding, &rules, is_minimal)
}

/// Returns the conflict that excludes a better operator for the last of these requirements. The
/// other requirements get the operators at `places` or better operators. Returns None if the last
/// requirement already has its best operator, or if the search takes too long.
pub(crate) fn passed_over(
    problem: &Problem<'_>,
    wishes: &[usize],
    places: &[usize],
) -> Option<Conflict> {
    let (last, place) = (wishes.last()?, places.last()?);
    if *place == 0 {
        return None;
    }
    let mut narrowed = problem.clone();
    for (at, place) in wishes.iter().zip(places) {
        narrowed.aims[*at].picks.truncate(place + 1);
    }
    narrowed.aims[*last].picks.truncate(*place);
    let mut encoding = Encoding::new(&narrowed, Force::Assumed, ASIDE);
    let asked = |rule: &Rule| is_asked(problem, wishes, *rule);
    let rules = contradiction(&mut encoding, &asked)?;
    let (rules, is_minimal) = lessened(&mut encoding, rules);
    is_minimal.then(|| causes::conflict(&encoding, &rules, true))
}

/// Returns true if a rule is relevant for these requirements. The rule that an installed operator
/// is kept is not relevant if one of the requirements names its package.
fn is_asked(problem: &Problem<'_>, wishes: &[usize], rule: Rule) -> bool {
    let wished = |at: usize| &problem.question.wishes[at].package;
    match rule {
        Rule::Wish(at) => wishes.contains(&at),
        Rule::Stays(at) => {
            let package = problem.residents[at as usize].package_name;
            wishes.iter().all(|wish| Some(wished(*wish)) != package)
        }
        Rule::Need(..)
        | Rule::OnePackage(_)
        | Rule::OneProvider(_)
        | Rule::Prohibited(_)
        | Rule::Unknown(_) => true,
    }
}

/// Returns rules that contradict each other. All of these rules satisfy `asked`. Returns None if no
/// contradiction exists, or if the budget is used up.
fn contradiction(
    encoding: &mut Encoding<'_, '_>,
    asked: &dyn Fn(&Rule) -> bool,
) -> Option<BTreeSet<Rule>> {
    let assume = |encoding: &Encoding<'_, '_>| {
        let rules = encoding.rules().filter(|(rule, _)| asked(rule));
        rules.map(|(_, lit)| lit).collect()
    };
    match encoding.solve(assume) {
        SatOutcome::Core => {
            let rules = encoding.rules();
            let core = rules.filter(|(rule, lit)| asked(rule) && encoding.sat.is_in_core(*lit));
            Some(core.map(|(rule, _)| rule).collect())
        }
        SatOutcome::Model | SatOutcome::Nothing => None,
    }
}

/// Removes rules one by one, as long as the remaining rules contradict each other. Removes
/// requirements last, because requirements explain a conflict best. Also returns true if the result
/// is minimal.
fn lessened(encoding: &mut Encoding<'_, '_>, mut rules: BTreeSet<Rule>) -> (BTreeSet<Rule>, bool) {
    let mut order: Vec<_> = rules.iter().copied().collect();
    order.reverse();
    for rule in order {
        if !rules.contains(&rule) {
            continue;
        }
        let rest = |other: &Rule| *other != rule && rules.contains(other);
        if let Some(fewer) = contradiction(encoding, &rest) {
            rules = fewer;
        }
    }
    let is_minimal = encoding.sat.has_budget();
    (rules, is_minimal)
}
