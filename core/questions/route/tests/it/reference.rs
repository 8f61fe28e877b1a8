//! A slow and simple reference implementation that applies the rules literally and tries every
//! state.
//!
//! The reference shares only the questions with the crate. A state contains the bundle of each
//! operator. A step to the next state is a set of moves with a valid result. No proper subset of
//! these moves has a valid result.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Api, Bundle, Candidate, Properties, Requirement, Requirements};
use portolan_core_graph::Graph;
use portolan_core_names::{BundleName, Version};
use portolan_core_route::{Goal, Operator, Question};
use portolan_core_solver::InstalledOperator;

/// The bundle of each operator. None if the operator is not installed.
pub(crate) type State = Vec<Option<BundleName>>;

/// The number of moves that only an override permits, the number of moves, and the number of
/// deprecated bundles.
pub(crate) type Cost = (u32, u32, u32);

pub(crate) struct Reference<'a> {
    question: &'a Question,
    own: Vec<Own<'a>>,
    start: State,
}

/// One operator of the question, with the data from its catalog.
struct Own<'a> {
    operator: &'a Operator,
    graph: &'a Graph,
    start: Option<BundleName>,
    /// The bundles that the operator may have.
    allowed: BTreeSet<Option<BundleName>>,
    /// The bundles that satisfy the requirement, best first.
    goals: Vec<BundleName>,
    /// The possible moves: the bundle before the move, the bundle after it, and true if only an
    /// override permits the move.
    moves: BTreeSet<(Option<BundleName>, BundleName, bool)>,
}

/// An operator that is installed in a state.
#[derive(Clone, Copy)]
struct Present<'a> {
    candidate: Candidate<'a>,
    requires: &'a Requirements,
    ignores_dependencies: bool,
    ignores_conflicts: bool,
    is_at_start: bool,
    /// The index of the operator in the question.
    at: usize,
}

// === impl Reference ===

impl<'a> Reference<'a> {
    pub(crate) fn of(question: &'a Question) -> Self {
        let mut reference = Self::standing(question);
        reference.own.iter_mut().for_each(Own::walk);
        reference
    }

    /// Returns a reference with the possible bundles, but without moves.
    pub(crate) fn standing(question: &'a Question) -> Self {
        let own: Vec<_> = question.operators.iter().map(Own::of).collect();
        let start = own.iter().map(|own| own.start.clone()).collect();
        Self {
            question,
            own,
            start,
        }
    }

    pub(crate) fn start(&self) -> &State {
        &self.start
    }

    /// Returns the lowest cost of each reachable state.
    pub(crate) fn reached(&self) -> BTreeMap<State, Cost> {
        let mut costs = BTreeMap::from([(self.start.clone(), (0, 0, 0))]);
        let mut border = vec![self.start.clone()];
        let mut steps: BTreeMap<State, Vec<(State, Cost)>> = BTreeMap::new();
        while let Some(state) = border.pop() {
            let known = steps.entry(state.clone());
            let known = known.or_insert_with(|| self.steps(&state)).clone();
            let cost = costs[&state];
            for (next, more) in known {
                let all = add(cost, more);
                if costs.get(&next).is_none_or(|known| all < *known) {
                    costs.insert(next.clone(), all);
                    border.push(next);
                }
            }
        }
        costs
    }

    /// Returns the best reachable state with its cost.
    pub(crate) fn best(&self) -> (State, Cost) {
        let reached = self.reached().into_iter();
        let best = reached.min_by_key(|(state, cost)| (self.worth(state), *cost));
        best.expect("the start is always reached")
    }

    pub(crate) fn is_granted(&self, operator: usize, at: &Option<BundleName>) -> bool {
        self.own[operator].is_goal(at)
    }

    fn worth(&self, state: &State) -> impl Ord + use<> {
        let own = || self.own.iter().zip(state);
        let misses: Vec<_> = own().map(|(own, at)| !own.is_goal(at)).collect();
        let ranks: Vec<_> = own().map(|(own, at)| own.rank(at)).collect();
        (misses, ranks)
    }

    /// Returns the steps from a state, with the next state and the cost of each step.
    fn steps(&self, state: &State) -> Vec<(State, Cost)> {
        let mut sets: Vec<(State, Cost, u32)> = vec![(state.clone(), (0, 0, 0), 0)];
        for (at, own) in self.own.iter().enumerate() {
            let from = &state[at];
            let moves = own.moves.iter().filter(|(one, ..)| one == from);
            let moves: Vec<_> = moves
                .filter(|(_, to, _)| own.allowed.contains(&Some(to.clone())))
                .collect();
            for (before, cost, part) in sets.clone() {
                for (_, to, is_override) in &moves {
                    let mut next = before.clone();
                    next[at] = Some(to.clone());
                    let more = (u32::from(*is_override), 1, own.deprecated(to));
                    sets.push((next, add(cost, more), part | 1 << at));
                }
            }
        }
        let sound = sets
            .iter()
            .filter(|(next, _, part)| *part != 0 && self.is_sound(next));
        let sound: Vec<_> = sound.collect();
        let is_whole = |(next, _, part): &(State, Cost, u32)| {
            !sound.iter().any(|(other, _, smaller)| {
                let is_part = smaller != part && smaller & part == *smaller;
                let agree = |at: usize| smaller & (1 << at) == 0 || other[at] == next[at];
                is_part && (0..state.len()).all(agree)
            })
        };
        let whole = sound.iter().filter(|set| is_whole(set));
        whole.map(|(next, cost, _)| (next.clone(), *cost)).collect()
    }

    /// Returns true if a state satisfies all requirements, and if no two operators conflict.
    pub(crate) fn is_sound(&self, state: &State) -> bool {
        let present = self.present(state);
        let start = self.present(&self.start);
        let needs = present.iter().all(|one| {
            one.ignores_dependencies
                || one.requires.each().all(|requirement| {
                    is_met(&requirement, &present)
                        || (one.is_at_start && !is_met(&requirement, &start))
                })
        });
        needs && conflicts(&present).is_subset(&conflicts(&start))
    }

    fn present<'s>(&'s self, state: &'s State) -> Vec<Present<'s>> {
        let own = self.own.iter().zip(state).enumerate();
        let own = own.filter_map(|(at, (own, bundle))| own.present(at, bundle.as_ref()?));
        let others = self.question.others.iter();
        let others = others.enumerate().map(|(at, other)| self.other(at, other));
        own.chain(others).collect()
    }

    fn other<'s>(&'s self, at: usize, other: &'s InstalledOperator) -> Present<'s> {
        let facts = other
            .facts
            .as_ref()
            .expect("the facts of what else is there");
        Present {
            candidate: Candidate {
                package: other.package.as_ref(),
                version: other.version.as_ref(),
                provides: &facts.provides,
                properties: Properties::Listed(&facts.properties),
            },
            requires: &facts.requires,
            ignores_dependencies: false,
            ignores_conflicts: false,
            is_at_start: true,
            at: self.own.len() + at,
        }
    }
}

// === impl Own ===

impl<'a> Own<'a> {
    fn of(operator: &'a Operator) -> Self {
        let start = operator.installed.as_ref().map(|one| one.name.clone());
        Self {
            operator,
            graph: operator.package.graph(),
            start: start.clone(),
            allowed: BTreeSet::from([start]),
            goals: Vec::new(),
            moves: BTreeSet::new(),
        }
    }

    fn bundle(&self, name: &BundleName) -> &'a Bundle {
        &self.operator.package.package().bundles[name]
    }

    fn walk(&mut self) {
        if self.operator.wish == Goal::Stay {
            return;
        }
        let offered: Vec<_> = self.offered().cloned().collect();
        let start = self.start.clone();
        for from in start.iter().chain(&offered) {
            for to in &offered {
                if from != to {
                    self.connect(from, to);
                }
            }
        }
        if self.start.is_none() {
            let installs = offered.iter().map(|to| (None, to.clone(), false));
            self.moves.extend(installs);
        }
        let mut goals: Vec<_> = offered
            .iter()
            .filter(|one| self.is_wished(one))
            .cloned()
            .collect();
        goals.sort_by_key(|name| self.worth(name));
        self.goals = goals;
        let reached = closure(self.start.clone(), &self.moves, false);
        let ends = self
            .goals
            .iter()
            .flat_map(|goal| closure(Some(goal.clone()), &self.moves, true));
        let leading: BTreeSet<_> = ends.collect();
        self.allowed.extend(reached.intersection(&leading).cloned());
    }

    fn offered(&self) -> impl Iterator<Item = &BundleName> {
        let channels = self.operator.package.package().channels.values();
        let names: BTreeSet<_> = channels.flat_map(|one| one.entries.keys()).collect();
        let bundles = &self.operator.package.package().bundles;
        names.into_iter().filter(move |name| {
            bundles
                .get(*name)
                .is_some_and(|bundle| match &self.operator.wish {
                    Goal::Range(range) => {
                        let end = range.spans().map(|(_, end)| end).next_back();
                        end.is_some_and(|end| end.is_none_or(|end| bundle.version < *end))
                    }
                    Goal::Any | Goal::Stay => true,
                })
        })
    }

    fn connect(&mut self, from: &BundleName, to: &BundleName) {
        let updates = self.graph.updates(None);
        let mut named = updates.filter(|one| one.from.name == *from && one.to.name == *to);
        let is_older = self.bundle(to).version < self.bundle(from).version;
        let overrides = self.operator.overrides;
        let is_overridden =
            (is_older && overrides.downgrades) || (!is_older && overrides.direct_upgrades);
        if named.next().is_some() {
            self.moves.insert((Some(from.clone()), to.clone(), false));
        } else if is_overridden {
            self.moves.insert((Some(from.clone()), to.clone(), true));
        }
    }

    fn is_wished(&self, name: &BundleName) -> bool {
        let version = &self.bundle(name).version;
        let is_older = |start: &BundleName| *version < self.bundle(start).version;
        let may = self.operator.overrides.downgrades || !self.start.as_ref().is_some_and(is_older);
        may && match &self.operator.wish {
            Goal::Range(range) => range.matches(version),
            Goal::Any => true,
            Goal::Stay => false,
        }
    }

    fn worth(&self, name: &BundleName) -> (u32, Reverse<Version>) {
        (
            self.deprecated(name),
            Reverse(self.bundle(name).version.clone()),
        )
    }

    fn deprecated(&self, name: &BundleName) -> u32 {
        let deprecations = &self.operator.package.package().deprecations.bundles;
        u32::from(deprecations.contains_key(name))
    }

    fn is_goal(&self, at: &Option<BundleName>) -> bool {
        match (&self.operator.wish, at) {
            (Goal::Stay, at) => *at == self.start,
            (Goal::Any | Goal::Range(_), Some(at)) => self.goals.contains(at),
            (Goal::Any | Goal::Range(_), None) => false,
        }
    }

    /// Returns the rank of a bundle. Goals come first, then newer versions. If all goals are
    /// downgrades, older versions come before newer versions.
    fn rank(&self, at: &Option<BundleName>) -> impl Ord + use<> {
        let goal = self.goals.iter().position(|goal| Some(goal) == at.as_ref());
        let version =
            |at: &Option<BundleName>| at.as_ref().map(|at| self.bundle(at).version.clone());
        let start = version(&self.start);
        let is_down = self
            .goals
            .iter()
            .all(|goal| Some(&self.bundle(goal).version) < start.as_ref());
        let down = is_down.then(|| version(at));
        (
            goal.unwrap_or(usize::MAX),
            at.is_none(),
            down,
            Reverse(version(at)),
        )
    }

    fn present<'s>(&'s self, at: usize, name: &'s BundleName) -> Option<Present<'s>> {
        let package = self.operator.package.package();
        let bundle = package.bundles.get(name)?;
        Some(Present {
            candidate: Candidate::of(&package.name, bundle),
            requires: &bundle.requires,
            ignores_dependencies: self.operator.overrides.ignore_dependencies,
            ignores_conflicts: self.operator.overrides.ignore_conflicts,
            is_at_start: Some(name) == self.start.as_ref(),
            at,
        })
    }
}

fn is_met(requirement: &Requirement<'_>, present: &[Present<'_>]) -> bool {
    present
        .iter()
        .any(|one| requirement.is_met_by(&one.candidate))
}

/// Returns each API that two operators both provide, with these two operators.
fn conflicts(present: &[Present<'_>]) -> BTreeSet<(Api, usize, usize)> {
    let mut conflicts = BTreeSet::new();
    for one in present {
        for other in present.iter().filter(|other| other.at > one.at) {
            if one.ignores_conflicts || other.ignores_conflicts {
                continue;
            }
            let both = one
                .candidate
                .provides
                .intersection(other.candidate.provides);
            conflicts.extend(both.map(|api| (api.clone(), one.at, other.at)));
        }
    }
    conflicts
}

fn closure(
    from: Option<BundleName>,
    moves: &BTreeSet<(Option<BundleName>, BundleName, bool)>,
    is_back: bool,
) -> BTreeSet<Option<BundleName>> {
    let mut reached = BTreeSet::from([from.clone()]);
    let mut border = vec![from];
    while let Some(at) = border.pop() {
        for (one, other, _) in moves {
            let other = Some(other.clone());
            let (near, far) = if is_back {
                (&other, one)
            } else {
                (one, &other)
            };
            if *near == at && reached.insert(far.clone()) {
                border.push(far.clone());
            }
        }
    }
    reached
}

fn add(one: Cost, other: Cost) -> Cost {
    (one.0 + other.0, one.1 + other.1, one.2 + other.2)
}
