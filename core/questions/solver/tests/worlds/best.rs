//! Finds the best Solution by checking every set of operators.

use crate::board::Board;
use crate::set::Set;
use portolan_core_solver::Mode;

/// The best valid set of operators. It includes all installed operators that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Best {
    /// The requests that the set grants.
    pub(crate) granted: Set,
    pub(crate) operators: Set,
}

/// The objective without its first criterion, the satisfied requests. Lower is better.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Merit {
    places: Vec<usize>,
    foreign: usize,
    outranked: usize,
    elsewhere: usize,
    behind: usize,
    deprecated: usize,
    extras: usize,
    /// The extras as a set, for comparing two sets that are equal otherwise. The set without the
    /// last operator in which they differ is lower.
    last: Set,
}

/// Returns the best Solution. Returns None if the requests cannot be granted.
pub(crate) fn best(board: &Board<'_>) -> Option<Best> {
    let requests = board.picks.len();
    let all: Set = (0..requests).collect();
    match board.world.mode {
        Mode::Together => best_of(board, all),
        Mode::Each => vectors(requests).find_map(|granted| best_of(board, granted)),
    }
}

/// Iterates over all subsets of requests, best subset first. An earlier request is more important
/// than all later requests together.
fn vectors(requests: usize) -> impl Iterator<Item = Set> {
    let numbers = (0..1_usize << requests).rev();
    numbers.map(move |number| {
        let places = 0..requests;
        places
            .filter(|at| number >> (requests - 1 - at) & 1 == 1)
            .collect()
    })
}

/// Returns the best Solution for these requests. Returns None if they cannot be granted together.
pub(crate) fn best_of(board: &Board<'_>, granted: Set) -> Option<Best> {
    let mut best: Option<(Merit, Set)> = None;
    each_valid(board, granted, &mut |operators| {
        let merit = Merit::of(board, granted, operators);
        if best.as_ref().is_none_or(|(least, _)| merit < *least) {
            best = Some((merit, operators));
        }
    });
    best.map(|(_, operators)| Best { granted, operators })
}

/// Returns a better valid set that differs in one operator: the operator is removed, or replaced
/// with another bundle of its package. Returns None if no such set exists.
pub(crate) fn bettered(board: &Board<'_>, granted: Set, operators: Set) -> Option<Set> {
    let merit = Merit::of(board, granted, operators);
    let all = || 0..board.operators.len();
    let of = |at: usize| board.operators[at].package;
    let swapped = |at: usize| {
        let others = all().filter(move |other| of(*other) == of(at) && *other != at);
        let without = operators.without(Set::one(at));
        let with = others.map(move |other| without | Set::one(other));
        std::iter::once(without).chain(with)
    };
    let mut changed = operators.iter().flat_map(swapped);
    changed.find(|changed| {
        is_valid(board, granted, *changed) && Merit::of(board, granted, *changed) < merit
    })
}

/// Returns true if a set is valid and grants these requests.
pub(crate) fn is_valid(board: &Board<'_>, granted: Set, operators: Set) -> bool {
    let is_granted = |request: usize| operators.meets(board.permitted(request));
    let members = || operators.iter().map(|at| (at, &board.operators[at]));
    granted.iter().all(is_granted)
        && board.residents.iter().all(|at| {
            let mut requests = requests_for(board, granted, at);
            operators.has(at) || requests.any(|request| operators.meets(board.permitted(request)))
        })
        && members().all(|(_, operator)| {
            let mut needs = operator.needs.iter();
            needs.all(|need| need.is_lacking || operators.meets(need.met_by))
        })
        && members().all(|(_, operator)| !operators.meets(operator.excludes))
        && members().all(|(_, operator)| !operator.is_prohibited)
}

/// Iterates over the granted requests for the package of an installed operator.
fn requests_for<'a>(
    board: &'a Board<'_>,
    granted: Set,
    resident: usize,
) -> impl Iterator<Item = usize> + 'a {
    let package = board.operators[resident].package;
    granted
        .iter()
        .filter(move |request| Some(&board.world.requests[*request].package) == package)
}

/// Calls `found` with every valid set. Does not extend a set that already violates a rule.
fn each_valid(board: &Board<'_>, granted: Set, found: &mut impl FnMut(Set)) {
    let groups = groups(board);
    walk(board, granted, &groups, Set::NONE, found);
}

fn walk(
    board: &Board<'_>,
    granted: Set,
    groups: &[Vec<Set>],
    chosen: Set,
    found: &mut impl FnMut(Set),
) {
    let Some((choices, rest)) = groups.split_first() else {
        if is_valid(board, granted, chosen) {
            found(chosen);
        }
        return;
    };
    for choice in choices {
        let mut members = choice.iter();
        if members.all(|at| !chosen.meets(board.operators[at].excludes)) {
            walk(board, granted, rest, chosen | *choice, found);
        }
    }
}

/// Returns the choices for each package: no bundle, one of its bundles, or the installed bundle.
fn groups(board: &Board<'_>) -> Vec<Vec<Set>> {
    let mut packages: Vec<_> = board.operators.iter().map(|one| one.package).collect();
    packages.sort_unstable();
    packages.dedup();
    let of = |package| {
        let members = board.operators.iter().enumerate();
        let members: Set = members
            .filter(|(_, one)| one.package == package && !one.is_twin)
            .map(|(at, _)| at)
            .collect();
        let residents = members & board.residents;
        let others = members.without(residents);
        let choices = others.iter().map(Set::one);
        std::iter::once(residents).chain(choices).collect()
    };
    packages.into_iter().map(of).collect()
}

// === impl Merit ===

impl Merit {
    fn of(board: &Board<'_>, granted: Set, operators: Set) -> Self {
        let extras = extras(board, granted, operators);
        let candidates = operators.without(board.residents);
        let counted =
            |counts: &dyn Fn(usize) -> bool| extras.iter().filter(|at| counts(*at)).count();
        let place = |at: usize| board.operators[at].offer.as_ref().map(|(_, place)| place);
        Self {
            places: granted
                .iter()
                .map(|request| place_of(board, request, operators))
                .collect(),
            foreign: candidates
                .iter()
                .map(|at| foreign(board, operators, extras, at))
                .sum(),
            outranked: counted(&|at| is_outranked(board, at)),
            elsewhere: counted(&|at| place(at).is_some_and(|place| place.is_elsewhere)),
            behind: counted(&|at| place(at).is_some_and(|place| place.is_behind)),
            deprecated: counted(&|at| board.operators[at].deprecation.is_some()),
            extras: extras.len(),
            last: candidates,
        }
    }
}

/// Returns the extras of a set: the operators that are not installed, and whose package no granted
/// request names.
pub(crate) fn extras(board: &Board<'_>, granted: Set, operators: Set) -> Set {
    let requested: Vec<_> = granted
        .iter()
        .map(|request| &board.world.requests[request].package)
        .collect();
    let is_requested = |at: &usize| {
        let package = board.operators[*at].package;
        package.is_some_and(|package| requested.contains(&package))
    };
    let candidates = operators.without(board.residents);
    candidates.iter().filter(|at| !is_requested(at)).collect()
}

fn place_of(board: &Board<'_>, request: usize, operators: Set) -> usize {
    let place = board.picks[request]
        .iter()
        .position(|pick| operators.has(pick.at));
    place.expect("a granted request must have its operator")
}

/// Returns the number of an operator's requirements that only extras from other catalogs satisfy.
fn foreign(board: &Board<'_>, operators: Set, extras: Set, at: usize) -> usize {
    let catalog = board.catalog(at);
    let is_foreign = |at: usize| extras.has(at) && board.catalog(at) != catalog;
    let needs = board.operators[at].needs.iter();
    needs
        .filter(|need| (need.met_by & operators).iter().all(is_foreign))
        .count()
}

fn is_outranked(board: &Board<'_>, at: usize) -> bool {
    let operator = &board.operators[at];
    let (Some((offer, _)), Some(package)) = (&operator.offer, operator.package) else {
        return false;
    };
    let mut having = board
        .offers
        .iter()
        .filter(|offer| offer.catalog.packages.contains_key(package));
    having.any(|other| other.priority > board.offers[*offer].priority)
}
