//! Checks if some of the rules can be satisfied when the other rules are ignored.
//!
//! A rule applies only if its cause is given. Without the cause:
//!
//! - A request or a requirement is ignored.
//! - An installed operator may be removed.
//! - A package or an API may occur twice.
//! - A bundle with the property `olm.deprecated` may be installed.
//! - A catalog that cannot be read contains every bundle that a request or a requirement needs.

use portolan_core_names::CatalogName;
use portolan_core_solver::Cause;

use crate::board::{Board, Need, Operator};
use crate::set::Set;

/// The rules that apply.
struct Rules<'a, 'b> {
    board: &'a Board<'b>,
    requests: Vec<usize>,
    causes: Vec<&'a Cause>,
    /// The catalogs that count as containing every required bundle.
    lifted: Vec<&'a CatalogName>,
}

/// Returns true if some set of operators satisfies the rules of these causes.
///
/// The search tries only sets that consist of the kept operators, and of one operator for each
/// request and each requirement. This is sufficient, because every valid set contains such a set.
pub(crate) fn is_possible(board: &Board<'_>, causes: &[&Cause]) -> bool {
    let requests = causes.iter().filter_map(|cause| match cause {
        Cause::Wish { at, .. } => Some(*at),
        _ => None,
    });
    let is_held = |name: &CatalogName| {
        let mut causes = causes.iter();
        causes.any(|cause| matches!(cause, Cause::Unread { catalog, .. } if catalog == name))
    };
    let rules = Rules {
        board,
        requests: requests.collect(),
        causes: causes.to_vec(),
        lifted: board
            .veiled()
            .map(|offer| &offer.name)
            .filter(|name| !is_held(name))
            .collect(),
    };
    rules.can_grow(Set::NONE)
}

// === impl Rules ===

impl Rules<'_, '_> {
    fn can_grow(&self, chosen: Set) -> bool {
        let Some(wanted) = self.unmet(chosen) else {
            return true;
        };
        let mut fitting = wanted.iter().filter(|at| self.fits(chosen, *at));
        fitting.any(|at| self.can_grow(chosen | Set::one(at)))
    }

    /// Returns the candidates for the first unsatisfied request or requirement. Returns None if all
    /// are satisfied.
    fn unmet(&self, chosen: Set) -> Option<Set> {
        let open = |request: &usize| {
            let catalog = self.board.world.requests[*request].catalog.as_ref();
            !self
                .lifted
                .iter()
                .any(|name| catalog.is_none_or(|asked| asked == *name))
        };
        let requests = self.requests.iter().copied().filter(open);
        let requests = requests.map(|request| self.board.permitted(request));
        let staying = self.board.residents.iter().filter(|at| self.stays(*at));
        let staying = staying.map(|at| Set::one(at) | self.successors(at));
        let needs = chosen.iter().flat_map(|at| {
            let operator = &self.board.operators[at];
            let needs = operator.needs.iter();
            needs.filter(move |need| self.lifted.is_empty() && self.asks(operator, need))
        });
        let mut wanted = staying.chain(requests).chain(needs.map(|need| need.met_by));
        wanted.find(|wanted| !chosen.meets(*wanted))
    }

    fn asks(&self, operator: &Operator<'_>, need: &Need) -> bool {
        !need.is_lacking
            && self.causes.iter().any(|cause| match cause {
                Cause::Requires {
                    package,
                    required,
                    lack: _,
                } => {
                    package.as_ref() == operator.package
                        && required.iter().any(|required| {
                            required.bundles.contains(operator.name)
                                && required.requirement == need.requirement
                        })
                }
                _ => false,
            })
    }

    fn fits(&self, chosen: Set, at: usize) -> bool {
        let operator = &self.board.operators[at];
        let is_prohibited = operator.is_prohibited
            && self.causes.iter().any(|cause| match cause {
                Cause::Prohibited { package, bundles } => {
                    operator.package == Some(package) && bundles.contains(operator.name)
                }
                _ => false,
            });
        let excludes = |other: usize| self.excludes(operator, &self.board.operators[other]);
        !is_prohibited && !(operator.excludes & chosen).iter().any(excludes)
    }

    fn excludes(&self, one: &Operator<'_>, other: &Operator<'_>) -> bool {
        self.causes.iter().any(|cause| match cause {
            Cause::OnePackage(package) => {
                one.package == Some(package) && other.package == Some(package)
            }
            Cause::OneProvider(api) => one.shares(other).any(|shared| shared == api),
            _ => false,
        })
    }

    fn stays(&self, at: usize) -> bool {
        let operator = &self.board.operators[at];
        let mut causes = self.causes.iter();
        causes.any(|cause| match cause {
            Cause::Stays(installed) => operator.installed == Some(installed),
            _ => false,
        })
    }

    /// Returns the operators that may replace an installed operator according to requests. Includes
    /// requests that are not causes, because an upgrade of the operator may make an impossible
    /// request possible.
    fn successors(&self, at: usize) -> Set {
        let package = self.board.operators[at].package;
        let requests = self.board.world.requests.iter().enumerate();
        let requests = requests.filter(|(_, request)| Some(&request.package) == package);
        let permitted = requests.map(|(request, _)| self.board.permitted(request));
        permitted.fold(Set::NONE, |all, some| all | some)
    }
}
