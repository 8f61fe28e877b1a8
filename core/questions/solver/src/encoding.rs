//! Encodes the rules as SAT clauses. The clauses are created when they are needed.
//!
//! The literal of an operator is true if the Solution contains the operator. The clauses about the
//! package and the APIs of an operator are created together with its literal. The clauses about its
//! dependencies are created when a model first chooses the operator. Therefore a contradiction
//! between the existing clauses is also a contradiction between all rules. A model satisfies all
//! rules if every operator in it is [expanded](Encoding::expand).

mod exclusion;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::exclusion::{Exclusion, Shared};
use crate::problem::{Item, NeedGroup, NeedId, Problem};
use crate::sat::{Lit, Sat, SatOutcome};
use crate::universe::{ApiId, PackageId};

/// A rule that may be a cause of a Conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Wish(usize),
    /// Dependencies on one package, of all bundles with the same owner. They form one rule, even if
    /// the bundles require different versions.
    Need(Owner, NeedGroup),
    Stays(u32),
    OnePackage(PackageId),
    OneProvider(ApiId),
    Prohibited(PackageId),
    /// The assumption that a catalog without current content contains no suitable bundle. Contains
    /// the index of the catalog.
    Unknown(usize),
}

/// The owner of dependencies. All bundles of a package have the same owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Package(PackageId),
    Resident(u32),
}

/// The time when rules are enforced: always, or only if they are assumed. Requirements of the
/// question are enforced only if they are assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    Always,
    Assumed,
}

/// The clauses that were created so far.
pub(crate) struct Encoding<'p, 'a> {
    pub(crate) problem: &'p Problem<'a>,
    pub(crate) sat: Sat,
    force: Force,
    /// The operators that have a literal, in the order of their creation.
    items: Vec<EncodedItem>,
    /// The index of each candidate in `items`. None for most candidates, because they have no
    /// literal.
    candidates: Vec<Option<usize>>,
    /// The index of each resident (installed operator) in `items`. None until a clause contains the
    /// resident.
    residents: Vec<Option<usize>>,
    /// The residents whose [`Rule::Stays`] clause was not created yet.
    unsettled: Vec<u32>,
    packages: BTreeMap<PackageId, Exclusion>,
    apis: BTreeMap<ApiId, Shared>,
    fulfilling: BTreeMap<NeedId, Rc<[Lit]>>,
    rules: BTreeMap<Rule, Lit>,
    /// The literal of each catalog that was not read. It is true if the catalog contains a suitable
    /// bundle.
    unknown: BTreeMap<usize, Lit>,
}

/// An operator that has a literal.
#[derive(Debug, Clone, Copy)]
struct EncodedItem {
    item: Item,
    lit: Lit,
    is_expanded: bool,
}

// === impl Encoding ===

impl<'p, 'a> Encoding<'p, 'a> {
    pub(crate) fn new(problem: &'p Problem<'a>, force: Force, steps: u32) -> Self {
        let mut encoding = Self {
            problem,
            sat: Sat::new(steps, problem.abandoned.clone()),
            force,
            items: Vec::new(),
            candidates: vec![None; problem.universe.candidates.len()],
            residents: vec![None; problem.residents.len()],
            unsettled: Vec::new(),
            packages: BTreeMap::new(),
            apis: BTreeMap::new(),
            fulfilling: BTreeMap::new(),
            rules: BTreeMap::new(),
            unknown: BTreeMap::new(),
        };
        for (at, resident) in (0..).zip(&problem.residents) {
            // A resident gets no literal until a clause contains it, if no change can break its
            // dependencies.
            if !resident.needs.is_empty() {
                encoding.place(Item::Resident(at));
            }
        }
        for at in 0..problem.aims.len() {
            encoding.wish(at);
        }
        encoding
    }

    /// Iterates over the rules that have clauses, each with its literal.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (Rule, Lit)> {
        self.rules.iter().map(|(rule, lit)| (*rule, *lit))
    }

    /// Returns the literal of a rule. If the literal is assumed, the rule is enforced.
    pub(crate) fn rule(&mut self, rule: Rule) -> Lit {
        let sat = &mut self.sat;
        *self.rules.entry(rule).or_insert_with(|| sat.auxiliary())
    }

    /// Adds a clause that belongs to a rule.
    fn hold(&mut self, rule: Rule, clause: impl IntoIterator<Item = Lit>) {
        let guard = match (self.force, rule) {
            (Force::Assumed, _) | (_, Rule::Wish(_)) => Some(!self.rule(rule)),
            (Force::Always, _) => None,
        };
        self.sat.add(clause.into_iter().chain(guard));
    }

    /// Adds the clauses that a resident is kept, unless a candidate of a requirement for its
    /// package replaces it.
    fn settle(&mut self) {
        let problem = self.problem;
        while let Some(at) = self.unsettled.pop() {
            let package = problem.residents[at as usize].package_name;
            let picks = problem.aims_for(package).flat_map(|aim| &aim.picks);
            let new: Vec<_> = picks
                .filter(|pick| matches!(pick.item, Item::Candidate(_)))
                .map(|pick| self.item(pick.item))
                .collect();
            let lit = self.item(Item::Resident(at));
            self.hold(Rule::Stays(at), new.into_iter().chain([lit]));
        }
    }

    fn wish(&mut self, at: usize) {
        let aim = &self.problem.aims[at];
        let mut clause: Vec<_> = aim.picks.iter().map(|pick| self.item(pick.item)).collect();
        clause.extend(self.unknown(&aim.unknown));
        self.hold(Rule::Wish(at), clause);
    }

    /// Returns the literals of catalogs that were not read. A literal is true if its catalog
    /// contains a suitable bundle. Empty if rules are always enforced.
    fn unknown(&mut self, catalogs: &[usize]) -> Vec<Lit> {
        if self.force == Force::Always {
            return Vec::new();
        }
        let mut literals = Vec::new();
        for catalog in catalogs {
            let known = self.unknown.get(catalog).copied();
            literals.push(known.unwrap_or_else(|| {
                let lit = self.sat.literal();
                self.unknown.insert(*catalog, lit);
                self.hold(Rule::Unknown(*catalog), [!lit]);
                lit
            }));
        }
        literals
    }

    /// Returns the literal of an operator.
    pub(crate) fn item(&mut self, item: Item) -> Lit {
        let at = self.place(item);
        self.items[at].lit
    }

    fn place(&mut self, item: Item) -> usize {
        let known = match item {
            Item::Resident(at) => self.residents[at as usize],
            Item::Candidate(id) => self.candidates[id as usize],
        };
        known.unwrap_or_else(|| self.admit(item))
    }

    fn admit(&mut self, item: Item) -> usize {
        let lit = self.sat.literal();
        let place = self.items.len();
        self.items.push(EncodedItem {
            item,
            lit,
            is_expanded: false,
        });
        match item {
            Item::Resident(at) => {
                self.residents[at as usize] = Some(place);
                self.unsettled.push(at);
            }
            Item::Candidate(id) => {
                self.candidates[id as usize] = Some(place);
                self.exclude(id, lit);
            }
        }
        place
    }

    /// Returns the literals of the operators that satisfy a dependency.
    pub(crate) fn fulfilling(&mut self, need: NeedId) -> Rc<[Lit]> {
        if let Some(known) = self.fulfilling.get(&need) {
            return Rc::clone(known);
        }
        let items: Vec<_> = self.problem.fulfilling(need).collect();
        let mut literals: Vec<_> = items.into_iter().map(|item| self.item(item)).collect();
        let unknown: Vec<_> = match self.force {
            Force::Always => Vec::new(),
            Force::Assumed => self.problem.unknown_catalogs().collect(),
        };
        literals.extend(self.unknown(&unknown));
        let literals: Rc<[Lit]> = literals.into();
        self.fulfilling.insert(need, Rc::clone(&literals));
        literals
    }

    /// Adds the clauses about the dependencies of an operator, which expands the operator.
    fn expand(&mut self, at: usize) {
        self.items[at].is_expanded = true;
        let EncodedItem { item, lit, .. } = self.items[at];
        let problem = self.problem;
        let owner = problem.owner(item);
        for need in problem.needs(item) {
            let fulfilling = self.fulfilling(*need);
            if fulfilling.contains(&lit) {
                continue;
            }
            self.hold(
                Rule::Need(owner, problem.subject(*need)),
                fulfilling.iter().copied().chain([!lit]),
            );
        }
    }

    /// Expands an operator before a model contains it. Returns its literal.
    pub(crate) fn expand_now(&mut self, item: Item) -> Lit {
        let at = self.place(item);
        if !self.items[at].is_expanded {
            self.expand(at);
        }
        self.items[at].lit
    }

    /// Expands every operator that another operator may need, directly or indirectly.
    pub(crate) fn expand_all(&mut self) {
        self.settle();
        let mut at = 0;
        while at < self.items.len() {
            if !self.items[at].is_expanded {
                self.expand(at);
                self.settle();
            }
            at += 1;
        }
    }

    /// Searches for a model that satisfies all rules and the assumptions.
    pub(crate) fn solve(&mut self, assume: impl Fn(&Self) -> Vec<Lit>) -> SatOutcome {
        loop {
            self.settle();
            let found = self.sat.solve(&assume(self));
            if found != SatOutcome::Model || !self.expand_chosen() {
                return found;
            }
        }
    }

    /// Expands the operators of the last model. Returns true if at least one of them was not
    /// expanded before.
    fn expand_chosen(&mut self) -> bool {
        let items = self.items.iter().enumerate();
        let chosen = items.filter(|(_, known)| !known.is_expanded && self.sat.holds(known.lit));
        let chosen: Vec<_> = chosen.map(|(at, _)| at).collect();
        for at in &chosen {
            self.expand(*at);
        }
        !chosen.is_empty()
    }

    /// Returns the operators of the last model. Residents without a literal are included.
    pub(crate) fn chosen(&self) -> Vec<Item> {
        let items = self.items.iter();
        let chosen = items.filter(|known| self.sat.holds(known.lit));
        let left_out = (0..)
            .zip(&self.residents)
            .filter(|(_, place)| place.is_none());
        let left_out = left_out.map(|(at, _)| Item::Resident(at));
        let mut chosen: Vec<_> = chosen.map(|known| known.item).chain(left_out).collect();
        chosen.sort_unstable();
        chosen
    }

    /// Iterates over the operators that have a literal. The flag is true for expanded operators.
    pub(crate) fn items(&self) -> impl Iterator<Item = (Item, Lit, bool)> {
        let items = self.items.iter();
        items.map(|known| (known.item, known.lit, known.is_expanded))
    }
}
