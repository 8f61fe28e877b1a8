//! Whether an Answer is right.

use portolan_resolve::{Answer, Conflict, Granted, Mode, Optimality, Solution};

use crate::best::{Best, best, bettered, is_valid};
use crate::board::Board;
use crate::set::Set;
use crate::{conflicts, solutions};

/// How much of an answer has to be proved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    /// Each Conflict is known to be minimal.
    Whole,
    /// A Conflict may have causes that nobody had the time to leave out.
    Partial,
}

/// The answer of a solver that had all the time it wanted: the very best, or a minimal Conflict.
pub(crate) fn is_right(board: &Board<'_>, answer: &Answer) -> Result<(), String> {
    match (answer, best(board)) {
        (Answer::Solved(solution), Some(best)) => is_best(board, best, solution, Proof::Whole),
        (Answer::Refused(conflict), None) => is_real(board, all(board), conflict, Proof::Whole),
        (answer, best) => Err(format!("{answer:#?}\nwhere the best is {best:?}")),
    }
}

/// The answer of a solver that may have run out of steps: never wrong, but perhaps not known.
pub(crate) fn is_honest(board: &Board<'_>, answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::GaveUp { .. } => Ok(()),
        Answer::Refused(conflict) => is_real(board, all(board), conflict, Proof::Partial),
        Answer::Solved(solution) => match (solution.optimality, best(board)) {
            (Optimality::Best, Some(best)) => is_best(board, best, solution, Proof::Partial),
            (Optimality::Best, None) => Err(format!("nothing can solve this: {solution:#?}")),
            (Optimality::NoSingleChangeBetters { .. }, _) => is_sound(board, solution),
        },
    }
}

fn all(board: &Board<'_>) -> Set {
    (0..board.picks.len()).collect()
}

fn granted(solution: &Solution) -> Set {
    let wishes = solution.wishes.iter().enumerate();
    let granted = wishes.filter(|(_, granted)| matches!(granted, Granted::By { .. }));
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
    wishes_hold(board, best.granted, solution, proof)
}

/// Valid, and no single change betters it.
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
    wishes_hold(board, granted, solution, Proof::Partial)
}

/// Each wish is granted by an operator that is there for it, or refused with those before it.
fn wishes_hold(
    board: &Board<'_>,
    granted: Set,
    solution: &Solution,
    proof: Proof,
) -> Result<(), String> {
    if solution.wishes.len() != board.picks.len() {
        return Err(format!("{} wishes are answered", solution.wishes.len()));
    }
    for (wish, answer) in solution.wishes.iter().enumerate() {
        match answer {
            Granted::By { operator: at, .. } if solution.operators[*at].wishes.contains(&wish) => {}
            Granted::By { operator: at, .. } => {
                return Err(format!("wish {wish} is not of operator {at}"));
            }
            Granted::Refused(conflict) => {
                let before: Set = granted.iter().filter(|at| *at < wish).collect();
                is_real(board, before | Set::one(wish), conflict, proof)?;
            }
            Granted::GaveUp if solution.optimality != Optimality::Best => {}
            Granted::GaveUp => return Err(format!("wish {wish} is given up")),
        }
    }
    match board.world.mode == Mode::Each || granted == all(board) {
        true => Ok(()),
        false => Err("a wish is refused alone".to_owned()),
    }
}

fn is_real(
    board: &Board<'_>,
    wishes: Set,
    conflict: &Conflict,
    proof: Proof,
) -> Result<(), String> {
    match conflict.is_minimal || proof == Proof::Partial {
        true => conflicts::hold(board, wishes, conflict),
        false => Err(format!("not known to be minimal: {conflict:#?}")),
    }
}
