//! Checks that a Conflict is true and minimal.

use portolan_core_solver::{Attempt, Cause, Conflict, Freshness, Required};

use crate::board::{Board, Need};
use crate::possible::is_possible;
use crate::set::Set;

/// Checks a Conflict between some of the requests.
pub(crate) fn hold(board: &Board<'_>, requests: Set, conflict: &Conflict) -> Result<(), String> {
    let causes: Vec<_> = conflict.causes.iter().collect();
    for (at, cause) in causes.iter().enumerate() {
        is_true(board, requests, cause).map_err(|why| format!("{cause:?} is not true: {why}"))?;
        if causes[..at].contains(cause) {
            return Err(format!("{cause:?} is there twice"));
        }
    }
    let is_wish = |cause: &&Cause| matches!(cause, Cause::Wish { .. });
    if !causes.is_sorted_by_key(|cause| !is_wish(cause)) {
        return Err("a request follows other causes".to_owned());
    }
    if is_possible(board, &causes) {
        return Err(format!("the causes are possible together: {causes:#?}"));
    }
    for cause in causes.iter().filter(|_| conflict.is_minimal) {
        let others: Vec<_> = causes
            .iter()
            .copied()
            .filter(|other| other != cause)
            .collect();
        if !is_possible(board, &others) {
            return Err(format!("{cause:?} can be left out of {causes:#?}"));
        }
    }
    attempts_hold(board, conflict)
}

fn is_true(board: &Board<'_>, requests: Set, cause: &Cause) -> Result<(), String> {
    let held = |holds: bool, why: &str| if holds { Ok(()) } else { Err(why.to_owned()) };
    match cause {
        Cause::Wish {
            at,
            wish: request,
            lack,
        } => {
            if !requests.has(*at) || board.world.requests[*at] != *request {
                return Err("no request asks for it here".to_owned());
            }
            let is_empty = board.picks[*at].is_empty();
            held(is_empty == lack.is_some(), "the reported lack is wrong")
        }
        Cause::Requires { .. } => requires(board, cause),
        Cause::Stays(installed) => {
            let mut residents = board.residents.iter().map(|at| &board.operators[at]);
            let found = residents.find(|operator| operator.installed == Some(installed));
            let package = found.ok_or("it is not installed")?.package;
            let mut asked = requests.iter().map(|at| &board.world.requests[at].package);
            held(
                !asked.any(|asked| Some(asked) == package),
                "a request names it",
            )
        }
        Cause::OnePackage(_) | Cause::OneProvider(_) => Ok(()),
        Cause::Prohibited { package, bundles } => {
            let is_prohibited = |name| {
                board.operators.iter().any(|operator| {
                    operator.is_prohibited
                        && operator.package == Some(package)
                        && operator.name == name
                })
            };
            held(
                !bundles.is_empty() && bundles.iter().all(is_prohibited),
                "it is not",
            )
        }
        Cause::Unread {
            catalog,
            why,
            is_stale,
        } => {
            let freshness = if *is_stale {
                Freshness::Stale(why.clone())
            } else {
                Freshness::Unread(why.clone())
            };
            let mut offers = board.offers.iter();
            let found = offers.any(|one| one.name == *catalog && one.freshness == freshness);
            held(found, "it stands otherwise")
        }
    }
}

fn requires(board: &Board<'_>, cause: &Cause) -> Result<(), String> {
    let Cause::Requires {
        package,
        required,
        lack,
    } = cause
    else {
        return Err("it is another cause".to_owned());
    };
    let mut met_by = Set::NONE;
    for Required {
        requirement,
        bundles,
    } in required
    {
        for name in bundles {
            let operators = board.operators.iter();
            let mut same =
                operators.filter(|one| one.package == package.as_ref() && one.name == name);
            let has = |need: &&Need| need.requirement == *requirement;
            let need = same.find_map(|operator| operator.needs.iter().find(has));
            met_by = met_by | need.ok_or(format!("{name} does not require it"))?.met_by;
        }
    }
    match required.is_empty() || required.iter().any(|required| required.bundles.is_empty()) {
        true => Err("it is of no bundle".to_owned()),
        false if met_by.is_empty() != lack.is_some() => {
            Err("the reported lack is wrong".to_owned())
        }
        false => Ok(()),
    }
}

/// Checks that each request among the causes has an attempt, and that attempts name only existing
/// bundles and causes.
fn attempts_hold(board: &Board<'_>, conflict: &Conflict) -> Result<(), String> {
    let requests = conflict.causes.iter();
    let requests = requests
        .filter(|cause| matches!(cause, Cause::Wish { .. }))
        .count();
    if conflict.attempts.len() != requests {
        return Err(format!(
            "{requests} requests and these attempts: {:#?}",
            conflict.attempts
        ));
    }
    conflict
        .attempts
        .iter()
        .try_for_each(|attempt| attempt_holds(board, conflict, attempt))
}

fn attempt_holds(board: &Board<'_>, conflict: &Conflict, attempt: &Attempt) -> Result<(), String> {
    let is_there = |name| board.operators.iter().any(|operator| operator.name == name);
    let is_cause = |at: &usize| *at < conflict.causes.len();
    if !attempt.bundles.iter().all(is_there) || !attempt.causes.iter().all(is_cause) {
        return Err(format!("{attempt:?} names a missing bundle or cause"));
    }
    let mut deeper = attempt.attempts.iter();
    deeper.try_for_each(|attempt| attempt_holds(board, conflict, attempt))
}
