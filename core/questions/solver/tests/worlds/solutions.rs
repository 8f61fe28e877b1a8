//! Checks that a Solution equals the result of the reference implementation.

use std::collections::BTreeSet;

use portolan_core_solver::{Lacking, Need, Operator, OperatorChange, Solution};

use crate::best::extras;
use crate::board::Board;
use crate::set::Set;

/// Checks the content of a Solution. Does not check which operator grants which request.
pub(crate) fn hold(
    board: &Board<'_>,
    granted: Set,
    operators: Set,
    solution: &Solution,
) -> Result<(), String> {
    let listed = places(board, solution)?;
    let expected = expected(board, granted, operators, solution);
    let actual: Vec<_> = solution.operators.iter().map(without_needs).collect();
    if actual != expected {
        return Err(format!(
            "operators {actual:#?}\nwhere the best are {expected:#?}"
        ));
    }
    for (operator, at) in solution.operators.iter().zip(listed) {
        needs_hold(board, operators, at, &operator.needs)?;
    }
    let lacking = lacking(board, operators);
    if solution.lacking == lacking {
        Ok(())
    } else {
        Err(format!("lacking {:#?}\nnot {lacking:#?}", solution.lacking))
    }
}

/// Returns all operators of the cluster after the Solution is applied.
pub(crate) fn operators(board: &Board<'_>, solution: &Solution) -> Result<Set, String> {
    let listed: Set = places(board, solution)?.into_iter().collect();
    let moved = solution
        .operators
        .iter()
        .filter_map(|one| match &one.change {
            OperatorChange::Move { from, .. } => Some(from),
            OperatorChange::Install | OperatorChange::Stay => None,
        });
    let moved: BTreeSet<_> = moved.collect();
    let stays = |at: &usize| !moved.contains(board.operators[*at].name);
    let staying: Set = board.residents.iter().filter(stays).collect();
    Ok(listed | staying)
}

fn places(board: &Board<'_>, solution: &Solution) -> Result<Vec<usize>, String> {
    let place = |one: &Operator| {
        let mut all = 0..board.operators.len();
        let found = all.find(|at| {
            let operator = &board.operators[*at];
            let is_same = operator.name == &one.bundle && operator.package == one.package.as_ref();
            is_same && board.catalog(*at) == one.catalog.as_ref()
        });
        found.ok_or_else(|| format!("no such operator: {one:?}"))
    };
    solution.operators.iter().map(place).collect()
}

fn without_needs(operator: &Operator) -> Operator {
    Operator {
        needs: Vec::new(),
        ..operator.clone()
    }
}

/// Returns the operators of a Solution in the expected order: the requested operators, then the
/// extras, then the installed operators that satisfy requirements of the others.
fn expected(board: &Board<'_>, granted: Set, operators: Set, solution: &Solution) -> Vec<Operator> {
    let mut order: Vec<usize> = Vec::new();
    for request in granted.iter() {
        let pick = board.picks[request]
            .iter()
            .find(|pick| operators.has(pick.at));
        order.extend(pick.map(|pick| pick.at).filter(|at| !order.contains(at)));
    }
    order.extend(extras(board, granted, operators).iter());
    let first = solution.operators.iter().take(order.len());
    let needed: BTreeSet<_> = first
        .flat_map(|one| &one.needs)
        .map(|need| &need.by)
        .collect();
    let staying = operators & board.residents;
    let mut staying: Vec<_> = staying
        .iter()
        .filter(|at| !order.contains(at) && needed.contains(board.operators[*at].name))
        .collect();
    staying.sort_by_key(|at| board.operators[*at].name);
    order.extend(staying);
    order
        .into_iter()
        .map(|at| solved_operator(board, granted, at))
        .collect()
}

fn solved_operator(board: &Board<'_>, granted: Set, at: usize) -> Operator {
    let operator = &board.operators[at];
    let requested = granted.iter().filter_map(|request| {
        let pick = board.picks[request].iter().find(|pick| pick.at == at)?;
        Some((request, pick))
    });
    let requested: Vec<_> = requested.collect();
    let place = operator
        .offer
        .as_ref()
        .map(|(_, place)| place.channel.clone());
    let change = match (
        operator.installed,
        requested.first().and_then(|(_, pick)| pick.hops),
    ) {
        (Some(_), _) => OperatorChange::Stay,
        (None, None) => OperatorChange::Install,
        (None, Some(hops)) => {
            let package = operator.package.expect("a candidate has a package");
            let from = board.residents_of(package).iter().next();
            OperatorChange::Move {
                from: board.operators[from.expect("a path has a start")]
                    .name
                    .clone(),
                hops,
            }
        }
    };
    Operator {
        catalog: board.catalog(at).cloned(),
        package: operator.package.cloned(),
        bundle: operator.name.clone(),
        version: operator.version.cloned(),
        channel: requested
            .first()
            .map_or(place, |(_, pick)| pick.channel.clone()),
        change,
        wishes: requested.iter().map(|(request, _)| *request).collect(),
        deprecation: operator.deprecation.clone(),
        needs: Vec::new(),
    }
}

/// Checks that an operator satisfies each requirement that the Solution lists.
fn needs_hold(board: &Board<'_>, operators: Set, at: usize, needs: &[Need]) -> Result<(), String> {
    let asked = board.operators[at].needs.iter();
    let asked: Vec<_> = asked
        .filter(|need| !need.is_lacking || operators.meets(need.met_by))
        .collect();
    let fulfills = |by: &Need, met_by: Set| {
        let fulfilling = operators & met_by;
        fulfilling
            .iter()
            .any(|at| *board.operators[at].name == by.by)
    };
    let is_whole = asked.len() == needs.len()
        && asked.iter().zip(needs).all(|(need, told)| {
            need.requirement == told.requirement && fulfills(told, need.met_by)
        });
    let name = board.operators[at].name;
    let required: Vec<_> = asked
        .iter()
        .map(|need| need.requirement.to_string())
        .collect();
    let needs: Vec<_> = needs
        .iter()
        .map(|need| format!("{} by {}", need.requirement, need.by))
        .collect();
    if is_whole {
        Ok(())
    } else {
        Err(format!(
            "{name} requires {required:?} and is reported to need {needs:?}"
        ))
    }
}

/// Returns the missing requirements of kept operators, by name. Operators that are changed have
/// other requirements, so they are ignored.
fn lacking(board: &Board<'_>, operators: Set) -> Vec<Lacking> {
    let staying = operators & board.residents;
    let mut staying: Vec<_> = staying.iter().collect();
    staying.sort_by_key(|at| board.operators[*at].name);
    let lacking = staying.into_iter().flat_map(|at| {
        let operator = &board.operators[at];
        let needs = operator.needs.iter();
        needs.filter(|need| need.is_lacking).map(|need| Lacking {
            installed: operator.installed.expect("it is installed").clone(),
            requirement: need.requirement.clone(),
        })
    });
    lacking.collect()
}
