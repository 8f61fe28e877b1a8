//! Checks that an answer of the solver is correct.

use portolan_core_solver::{Conflict, Granted, Mode, Optimality, Resolution, Solution};

use crate::best::{Best, best, best_of, bettered, is_valid};
use crate::board::Board;
use crate::set::Set;
use crate::{conflicts, solutions};

/// The property of Conflicts that the check requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Every Conflict must be minimal.
    Whole,
    /// A Conflict may contain unnecessary causes, because the solver used up its budget before it
    /// removed them.
    Partial,
}

/// Checks the answer of a solver with an unlimited budget: the best Solution, or a minimal
/// Conflict.
pub(crate) fn is_right(board: &Board<'_>, answer: &Resolution) -> Result<(), String> {
    match (answer, best(board)) {
        (Resolution::Solved(solution), Some(best)) => is_best(board, best, solution, Proof::Whole),
        (Resolution::Refused(conflict), None) => is_real(board, all(board), conflict, Proof::Whole),
        (answer, best) => Err(format!("{answer:#?}\nwhere the best is {best:?}")),
    }
}

/// Checks the answer of a solver that may have used up its budget. Such an answer may be
/// incomplete, but never wrong.
pub(crate) fn is_honest(board: &Board<'_>, answer: &Resolution) -> Result<(), String> {
    match answer {
        Resolution::GaveUp { .. } => Ok(()),
        Resolution::Refused(conflict) => is_real(board, all(board), conflict, Proof::Partial),
        Resolution::Solved(solution) => match solution.optimality {
            Optimality::Best => is_best_it_grants(board, solution),
            Optimality::NoSingleChangeBetters { .. } => is_sound(board, solution),
        },
    }
}

/// Checks that the Solution is the best Solution. If the result of a request is unknown, compares
/// the Solution only with Solutions that grant the same requests.
fn is_best_it_grants(board: &Board<'_>, solution: &Solution) -> Result<(), String> {
    let is_open = solution.wishes.contains(&Granted::GaveUp);
    let best = if is_open {
        best_of(board, granted(solution))
    } else {
        best(board)
    };
    let best = best.ok_or_else(|| format!("nothing can solve this: {solution:#?}"))?;
    is_best(board, best, solution, Proof::Partial)
}

fn all(board: &Board<'_>) -> Set {
    (0..board.picks.len()).collect()
}

fn granted(solution: &Solution) -> Set {
    let requests = solution.wishes.iter().enumerate();
    let granted = requests.filter(|(_, granted)| matches!(granted, Granted::By { .. }));
    granted.map(|(at, _)| at).collect()
}

fn is_best(board: &Board<'_>, best: Best, solution: &Solution, proof: Proof) -> Result<(), String> {
    if solution.optimality != Optimality::Best {
        return Err(format!(
            "{:?} where the best was to be found",
            solution.optimality
        ));
    }
    if granted(solution) != best.granted {
        return Err(format!("{:#?}\nwhere {best:?} is granted", solution.wishes));
    }
    solutions::hold(board, best.granted, best.operators, solution)?;
    requests_hold(board, best.granted, solution, proof)
}

/// Checks that the Solution is valid, and that no single change improves it.
fn is_sound(board: &Board<'_>, solution: &Solution) -> Result<(), String> {
    let granted = granted(solution);
    let operators = solutions::operators(board, solution)?;
    if !is_valid(board, granted, operators) {
        return Err(format!("no valid Solution: {solution:#?}"));
    }
    if let Some(better) = bettered(board, granted, operators) {
        return Err(format!("{better:?} is better than {operators:?}"));
    }
    solutions::hold(board, granted, operators, solution)?;
    requests_hold(board, granted, solution, Proof::Partial)
}

/// Checks each request. An operator of its package must grant it, or it must conflict with the
/// granted requests before it.
fn requests_hold(
    board: &Board<'_>,
    granted: Set,
    solution: &Solution,
    proof: Proof,
) -> Result<(), String> {
    if solution.wishes.len() != board.picks.len() {
        return Err(format!("{} requests are answered", solution.wishes.len()));
    }
    for (request, answer) in solution.wishes.iter().enumerate() {
        match answer {
            Granted::By {
                operator,
                passed_over,
            } => {
                if !solution.operators[*operator].wishes.contains(&request) {
                    return Err(format!("request {request} is not of operator {operator}"));
                }
                let passed_over = passed_over.as_deref();
                passed_over_holds(board, solution, request, passed_over, proof)?;
            }
            Granted::Refused(conflict) => {
                let before: Set = granted.iter().filter(|at| *at < request).collect();
                is_real(board, before | Set::one(request), conflict, proof)?;
            }
            Granted::GaveUp if proof == Proof::Partial => {}
            Granted::GaveUp => return Err(format!("request {request} is given up")),
        }
    }
    if board.world.mode == Mode::Each || granted == all(board) {
        Ok(())
    } else {
        Err("a request is refused alone".to_owned())
    }
}

/// Checks that a conflict with a better choice is reported if and only if a better choice exists.
/// The granted requests before it keep their bundles. The requests after it may get any bundle.
fn passed_over_holds(
    board: &Board<'_>,
    solution: &Solution,
    request: usize,
    passed_over: Option<&Conflict>,
    proof: Proof,
) -> Result<(), String> {
    let operators = solutions::operators(board, solution)?;
    let place = |request: usize| {
        let mut picks = board.picks[request].iter();
        picks.position(|pick| operators.has(pick.at))
    };
    let granted = granted(solution);
    let mut narrowed = board.clone();
    for before in granted.iter().filter(|before| *before < request) {
        let kept = place(before).map_or(0, |place| place + 1);
        narrowed.picks[before].truncate(kept);
    }
    let better = place(request).unwrap_or_default();
    narrowed.picks[request].truncate(better);
    match passed_over {
        Some(_) if better == 0 => Err(format!("request {request} has the best there is")),
        Some(conflict) => is_real(&narrowed, granted, conflict, Proof::Whole),
        None if better == 0 || proof == Proof::Partial => Ok(()),
        None => Err(format!(
            "the better choice of request {request} is not reported"
        )),
    }
}

fn is_real(
    board: &Board<'_>,
    requests: Set,
    conflict: &Conflict,
    proof: Proof,
) -> Result<(), String> {
    if conflict.is_minimal || proof == Proof::Partial {
        conflicts::hold(board, requests, conflict)
    } else {
        Err(format!("not known to be minimal: {conflict:#?}"))
    }
}
