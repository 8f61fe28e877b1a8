//! The rules as clauses, made for those operators only that somebody chose.
//!
//! An operator has a literal: it is in the Solution. Its clauses about packages and APIs are there
//! as soon as it is; those about what it needs, once a model chose it. So a contradiction is real,
//! and a model is one of all rules if every operator in it is [expanded](Encoding::expand).

mod exclusion;

use std::collections::BTreeMap;
use std::rc::Rc;

use self::exclusion::{Exclusion, Shared};
use crate::problem::{Item, NeedGroup, NeedId, Problem};
use crate::sat::{Lit, Sat, SatOutcome};
use crate::universe::{ApiId, PackageId};

/// One thing that may be the cause of a Conflict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Rule {
    Wish(usize),
    /// The needs that bundles have of one package are one rule, whatever versions each of them
    /// names.
    Need(Owner, NeedGroup),
    Stays(u32),
    OnePackage(PackageId),
    OneProvider(ApiId),
    Prohibited(PackageId),
    /// An unread catalog may have what would do: by its place.
    Unknown(usize),
}

/// The owner of a requirement: that of all bundles of a package is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    Package(PackageId),
    Resident(u32),
}

/// Whether rules hold always, or only if they are assumed. Wishes are always assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Force {
    Always,
    Assumed,
}

/// The clauses made so far.
pub(crate) struct Encoding<'p, 'a> {
    pub(crate) problem: &'p Problem<'a>,
    pub(crate) sat: Sat,
    force: Force,
    /// In the order in which they were made.
    items: Vec<EncodedItem>,
    /// By candidate, its place among the items; most never have one.
    candidates: Vec<Option<usize>>,
    /// By resident, its place among the items; who is not near anything never has one.
    residents: Vec<Option<usize>>,
    /// Residents whose staying has no clause yet.
    unsettled: Vec<u32>,
    packages: BTreeMap<PackageId, Exclusion>,
    apis: BTreeMap<ApiId, Shared>,
    fulfilling: BTreeMap<NeedId, Rc<[Lit]>>,
    rules: BTreeMap<Rule, Lit>,
    /// By catalog: that it has what would do.
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
            // A resident that needs nothing that could go is left out until something concerns it.
            if !resident.needs.is_empty() {
                encoding.place(Item::Resident(at));
            }
        }
        for at in 0..problem.aims.len() {
            encoding.wish(at);
        }
        encoding
    }

    /// Every rule that has a clause, with the literal that it holds by.
    pub(crate) fn rules(&self) -> impl Iterator<Item = (Rule, Lit)> {
        self.rules.iter().map(|(rule, lit)| (*rule, *lit))
    }

    /// The literal that a rule holds by: assumed, it holds.
    pub(crate) fn rule(&mut self, rule: Rule) -> Lit {
        let sat = &mut self.sat;
        *self.rules.entry(rule).or_insert_with(|| sat.auxiliary())
    }

    /// Adds a clause of a rule.
    fn hold(&mut self, rule: Rule, clause: impl IntoIterator<Item = Lit>) {
        let guard = match (self.force, rule) {
            (Force::Assumed, _) | (_, Rule::Wish(_)) => Some(!self.rule(rule)),
            (Force::Always, _) => None,
        };
        self.sat.add(clause.into_iter().chain(guard));
    }

    /// Whatever takes the place of a resident is permitted by a wish for its package.
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

    /// The literals that catalogs have what would do; needed only where rules can be lifted.
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

    /// The literal of an operator.
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

    /// The operators that fulfill a need.
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

    /// Adds the clauses about what an operator needs.
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

    /// Expands an operator before any model chose it.
    pub(crate) fn expand_now(&mut self, item: Item) -> Lit {
        let at = self.place(item);
        if !self.items[at].is_expanded {
            self.expand(at);
        }
        self.items[at].lit
    }

    /// Expands every operator that any other one could bring in.
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

    /// Looks for a model of all rules in which the assumptions hold.
    pub(crate) fn solve(&mut self, assume: impl Fn(&Self) -> Vec<Lit>) -> SatOutcome {
        loop {
            self.settle();
            let found = self.sat.solve(&assume(self));
            if found != SatOutcome::Model || !self.expand_chosen() {
                return found;
            }
        }
    }

    /// Whether there was anything to expand.
    fn expand_chosen(&mut self) -> bool {
        let items = self.items.iter().enumerate();
        let chosen = items.filter(|(_, known)| !known.is_expanded && self.sat.holds(known.lit));
        let chosen: Vec<_> = chosen.map(|(at, _)| at).collect();
        for at in &chosen {
            self.expand(*at);
        }
        !chosen.is_empty()
    }

    /// The operators of the last model, and those that it is not about.
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

    /// All operators that have a literal, and whether their needs have clauses.
    pub(crate) fn items(&self) -> impl Iterator<Item = (Item, Lit, bool)> {
        let items = self.items.iter();
        items.map(|known| (known.item, known.lit, known.is_expanded))
    }
}
