//! Answers questions.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::check::{check, polished};
use crate::cost::Scope;
use crate::encoding::{Encoding, Force, Rule};
use crate::explain::{explain, passed_over};
use crate::optimum::Optimum;
use crate::problem::{Item, Problem};
use crate::sat::{Lit, SatOutcome};
use crate::solution::{ChosenOperators, WishOutcome, solution};
use crate::{Conflict, Granted, Mode, Optimality, Question, Resolution, Universe, Unsound};

/// The maximum number of operators that are expanded before the first search.
const EXPANDED_AHEAD: usize = 5_000;

/// Answers a question.
///
/// # Errors
///
/// Returns an error only if a Solution violates the rules. This is a bug of this crate.
pub fn resolve(universe: &Universe, question: &Question) -> Result<Resolution, Unsound> {
    resolve_unless(universe, question, Arc::default())
}

/// Answers a question as [`resolve`] does, but stops early after `abandoned` is set. The result may
/// then differ from the result of [`resolve`]. Do not return such a result to users, and do not
/// cache it.
///
/// # Errors
///
/// Returns the same errors as [`resolve`].
pub fn resolve_unless(
    universe: &Universe,
    question: &Question,
    abandoned: Arc<AtomicBool>,
) -> Result<Resolution, Unsound> {
    let mut problem = Problem::new(universe, question);
    problem.abandoned = abandoned;
    let steps = question.budget.steps;
    let mut encoding = Encoding::new(&problem, Force::Always, steps);
    let all: Vec<_> = (0..problem.aims.len()).collect();
    expand_now(&mut encoding);
    let outcomes = match (granting(&mut encoding, &all), question.mode) {
        (SatOutcome::Model, _) => all.iter().map(|_| Outcome::Granted).collect(),
        (SatOutcome::Core, Mode::Together) => {
            return Ok(Resolution::Refused(explain(&problem, &all)));
        }
        (SatOutcome::Nothing, Mode::Together) => return Ok(Resolution::GaveUp { steps }),
        (SatOutcome::Core | SatOutcome::Nothing, Mode::Each) => each(&mut encoding),
    };
    solved(&problem, &mut encoding, outcomes)
}

/// Returns the best Solution for the requirements that can be satisfied.
fn solved<'p>(
    problem: &'p Problem<'p>,
    encoding: &mut Encoding<'p, 'p>,
    mut outcomes: Vec<Outcome>,
) -> Result<Resolution, Unsound> {
    let steps = problem.question.budget.steps;
    let is_unproved = outcomes.contains(&Outcome::Unknown);
    if is_unproved {
        encoding.sat.spend_at_most(steps);
    }
    if granting(encoding, &granted(&outcomes)) != SatOutcome::Model {
        return Ok(Resolution::GaveUp { steps });
    }
    let scope = Scope::new(problem, granted(&outcomes));
    let (mut items, mut optimality) = Optimum::new(scope, encoding).find();
    if is_unproved {
        items = helped(problem, &mut outcomes, items);
        optimality = Optimality::NoSingleChangeBetters { steps };
    }
    let granted = granted(&outcomes);
    check(problem, &granted, &items)?;
    let wishes = outcomes.iter().enumerate();
    let wishes = wishes.map(|(at, outcome)| match outcome {
        Outcome::Granted => WishOutcome::Granted {
            passed_over: better(problem, &granted, &items, at).map(Box::new),
        },
        Outcome::Refused => {
            WishOutcome::Otherwise(Granted::Refused(refusal(problem, &granted, at)))
        }
        Outcome::Unknown => WishOutcome::Otherwise(Granted::GaveUp),
    });
    let wishes = wishes.collect();
    let found = ChosenOperators {
        items,
        granted,
        optimality,
    };
    Ok(Resolution::Solved(solution(problem, &found, wishes)))
}

fn granted(outcomes: &[Outcome]) -> Vec<usize> {
    let outcomes = outcomes.iter().enumerate();
    let granted = outcomes.filter(|(_, outcome)| **outcome == Outcome::Granted);
    granted.map(|(at, _)| at).collect()
}

/// Tries to satisfy undecided requirements by adding or replacing one operator for each
/// requirement.
fn helped(problem: &Problem<'_>, outcomes: &mut [Outcome], mut items: Vec<Item>) -> Vec<Item> {
    for at in 0..outcomes.len() {
        if outcomes[at] != Outcome::Unknown {
            continue;
        }
        outcomes[at] = Outcome::Granted;
        let wishes = granted(outcomes);
        let mut picks = problem.aims[at].picks.iter();
        let helped = picks.find_map(|pick| {
            let helped = placed(problem, &items, pick.item);
            check(problem, &wishes, &helped).is_ok().then_some(helped)
        });
        match helped {
            Some(helped) => items = helped,
            None => outcomes[at] = Outcome::Unknown,
        }
    }
    polished(&Scope::new(problem, granted(outcomes)), items)
}

/// Adds an operator to the set. Removes the other operators of its package.
fn placed(problem: &Problem<'_>, items: &[Item], item: Item) -> Vec<Item> {
    let package = problem.package_name(item);
    let others = items.iter().copied();
    let others = others.filter(|other| problem.package_name(*other) != package);
    let placed: BTreeSet<_> = others.chain([item]).collect();
    placed.into_iter().collect()
}

/// The result for a requirement during the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Granted,
    Refused,
    Unknown,
}

/// Searches for a model that satisfies these requirements.
fn granting(encoding: &mut Encoding<'_, '_>, wishes: &[usize]) -> SatOutcome {
    let wishes: Vec<_> = wishes
        .iter()
        .map(|at| encoding.rule(Rule::Wish(*at)))
        .collect();
    encoding.solve(|_| wishes.clone())
}

/// Satisfies the requirements one after the other. Omits a requirement that cannot be satisfied
/// together with the satisfied requirements before it.
fn each(encoding: &mut Encoding<'_, '_>) -> Vec<Outcome> {
    let mut granted = Vec::new();
    let mut outcomes = Vec::new();
    for at in 0..encoding.problem.aims.len() {
        granted.push(at);
        outcomes.push(match granting(encoding, &granted) {
            SatOutcome::Model => Outcome::Granted,
            SatOutcome::Core => Outcome::Refused,
            SatOutcome::Nothing => Outcome::Unknown,
        });
        if outcomes[at] != Outcome::Granted {
            granted.pop();
        }
    }
    outcomes
}

/// Returns the conflict between a refused requirement and the satisfied requirements before it.
fn refusal(problem: &Problem<'_>, granted: &[usize], at: usize) -> Conflict {
    let before = granted.iter().copied().filter(|before| *before < at);
    let wishes: Vec<_> = before.chain([at]).collect();
    explain(problem, &wishes)
}

/// Returns the conflict that excludes a better operator for a satisfied requirement. Earlier
/// requirements must keep their operators or get better operators. Later satisfied requirements may
/// get any operators. Returns None if no conflict is found.
fn better(problem: &Problem<'_>, granted: &[usize], items: &[Item], at: usize) -> Option<Conflict> {
    let place = |of: usize| {
        if of > at {
            Some(problem.aims[of].picks.len())
        } else {
            problem.aims[of].place_in(items)
        }
    };
    // The last requirement in the list is the requirement that is explained.
    let others = granted.iter().copied().filter(|other| *other != at);
    let wishes: Vec<_> = others.chain([at]).collect();
    let places: Option<Vec<_>> = wishes.iter().map(|of| place(*of)).collect();
    passed_over(problem, &wishes, &places?)
}

/// Expands the best candidate of each requirement, then the best operators for the dependencies of
/// these candidates, and so on. Does not check if these operators are compatible. The search starts
/// with these operators, because they are usually compatible.
fn expand_now(encoding: &mut Encoding<'_, '_>) {
    let problem = encoding.problem;
    let best = problem.aims.iter().filter_map(|aim| aim.picks.first());
    let mut queue: Vec<_> = best.map(|pick| pick.item).collect();
    let mut taken: BTreeSet<Item> = (0..)
        .zip(&problem.residents)
        .map(|(at, _)| Item::Resident(at))
        .collect();
    let mut next = 0;
    taken.extend(&queue);
    while let Some(item) = queue.get(next).copied().filter(|_| next < EXPANDED_AHEAD) {
        next += 1;
        for need in problem.needs(item) {
            let mut by = problem.fulfilling(*need);
            let first = by.next();
            let is_taken = first.into_iter().chain(by).any(|by| taken.contains(&by));
            if let Some(first) = first.filter(|_| !is_taken) {
                taken.insert(first);
                queue.push(first);
            }
        }
    }
    let literals: Vec<Lit> = queue[..next]
        .iter()
        .map(|item| encoding.expand_now(*item))
        .collect();
    encoding.sat.solve(&literals);
}
