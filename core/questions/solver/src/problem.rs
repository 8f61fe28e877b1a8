//! Combines a question with the universe: the candidates for each requirement, and the dependencies
//! of each operator.

mod aim;
mod lack;
mod resident;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use portolan_core_catalog as catalog;
use portolan_core_names::{BundleName, PackageName};

pub(crate) use self::aim::{Aim, Pick};
pub(crate) use self::lack::unprovided;
pub(crate) use self::resident::Resident;
use crate::encoding::Owner;
use crate::pool::Pool;
use crate::universe::{ApiId, CandidateId, PackageId, RequirementId, Universe, number};
use crate::{Freshness, Question, Requirement};

/// An operator that a Solution may contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Item {
    Candidate(CandidateId),
    /// An installed operator that is not changed, as an index of [`Problem::residents`].
    Resident(u32),
}

/// The id of a dependency. Dependencies that only residents (installed operators) have come after
/// the dependencies of the universe.
pub(crate) type NeedId = RequirementId;

/// A group of dependencies on the same package, API or constraint. The group has the id of its
/// first dependency. Versions are ignored.
pub(crate) type NeedGroup = NeedId;

/// A question that is prepared for the search.
#[derive(Debug, Clone)]
pub(crate) struct Problem<'a> {
    pub(crate) universe: &'a Universe,
    pub(crate) question: &'a Question,
    /// True after the caller has stopped waiting for the answer.
    pub(crate) abandoned: Arc<AtomicBool>,
    pub(crate) aims: Vec<Aim>,
    pub(crate) residents: Vec<Resident<'a>>,
    /// An index of the residents, by package and API.
    offers: Pool<'a>,
    /// The bundles of the residents whose package is in a catalog.
    installed: BTreeSet<(PackageId, &'a BundleName)>,
    /// True for each API that operators of several packages provide, so that these operators
    /// exclude each other.
    contested: Vec<bool>,
    /// The dependencies that residents have and that no bundle of a catalog has. Each dependency
    /// has the candidates that satisfy it.
    own: Vec<(Requirement, Box<[CandidateId]>)>,
}

// === impl Problem ===

impl<'a> Problem<'a> {
    pub(crate) fn new(universe: &'a Universe, question: &'a Question) -> Self {
        let residents = question.installed.iter();
        let residents = residents.map(|installed| Resident::of(universe, installed));
        let mut residents: Vec<_> = residents.collect();
        residents.sort_by(|one, other| one.order().cmp(&other.order()));
        let mut problem = Self {
            universe,
            question,
            abandoned: Arc::default(),
            aims: Vec::new(),
            offers: Pool::of(residents.iter().map(Resident::offer)),
            installed: residents.iter().filter_map(Resident::key).collect(),
            residents,
            contested: universe.contested().to_vec(),
            own: Vec::new(),
        };
        problem.contest();
        problem.settle();
        problem.aims = (0..question.wishes.len())
            .map(|at| Aim::of(&problem, at))
            .collect();
        problem
    }

    /// Marks an API as contested if a resident and a bundle of another package provide it.
    fn contest(&mut self) {
        let Self {
            universe,
            residents,
            contested,
            ..
        } = self;
        for resident in residents {
            for api in &resident.apis {
                let providers = universe.providers(*api).iter();
                let mut packages = providers.map(|id| universe.candidate(*id).package);
                if packages.any(|package| resident.package != Some(package)) {
                    contested[*api as usize] = true;
                }
            }
        }
    }

    /// Finds the dependencies of residents that a change of another operator could break. Such a
    /// dependency is satisfied now. But neither the resident itself nor a resident that is
    /// certainly kept satisfies it.
    fn settle(&mut self) {
        let wished = self.question.wished();
        let stays: Vec<_> = self
            .residents
            .iter()
            .map(|resident| !wished.contains(&resident.package_name))
            .collect();
        let mut kept: BTreeMap<String, NeedId> = BTreeMap::new();
        let mut judged: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in 0..self.residents.len() {
            let mut needs = Vec::new();
            for requirement in self.residents[at].requires.clone() {
                let key = requirement.key();
                // Evaluating a constraint is expensive, and constraints in a cluster are often
                // equal. Therefore each constraint is evaluated only once.
                let met_by = judged
                    .entry(key.clone())
                    .or_insert_with(|| self.offers.meeting(&requirement).collect());
                if met_by.is_empty() {
                    self.residents[at].lacks.push(requirement);
                } else if met_by.iter().all(|by| *by != at && !stays[*by]) {
                    let known = self.universe.requirement_of(&key);
                    let id = known.or_else(|| kept.get(&key).copied());
                    needs.push(id.unwrap_or_else(|| {
                        let id = self.universe.requirements() + number(self.own.len());
                        let met_by = self.universe.meeting(&requirement);
                        self.own.push((requirement, met_by));
                        kept.insert(key, id);
                        id
                    }));
                }
            }
            self.residents[at].needs = needs;
        }
    }

    pub(crate) fn is_contested(&self, api: ApiId) -> bool {
        self.contested[api as usize]
    }

    pub(crate) fn needs(&self, item: Item) -> &[NeedId] {
        match item {
            Item::Candidate(id) => &self.universe.candidate(id).requires,
            Item::Resident(at) => &self.residents[at as usize].needs,
        }
    }

    /// Iterates over all dependencies of an operator. The result includes dependencies that are
    /// always satisfied, and dependencies that are already missing.
    pub(crate) fn requirements(&self, item: Item) -> impl Iterator<Item = &Requirement> {
        let (of_bundle, of_resident): (&[NeedId], &[Requirement]) = match item {
            Item::Candidate(id) => (&self.universe.candidate(id).requires, &[]),
            Item::Resident(at) => (&[], &self.residents[at as usize].requires),
        };
        let of_bundle = of_bundle.iter().map(|need| self.requirement(*need));
        of_bundle.chain(of_resident)
    }

    pub(crate) fn requirement(&self, need: NeedId) -> &Requirement {
        match need.checked_sub(self.universe.requirements()) {
            None => self.universe.requirement(need),
            Some(own) => &self.own[own as usize].0,
        }
    }

    /// Returns the group of a dependency.
    pub(crate) fn subject(&self, need: NeedId) -> NeedGroup {
        let first = self.universe.requirements();
        if need < first {
            return self.universe.subject(need);
        }
        let Requirement::Package(required) = self.requirement(need) else {
            return need;
        };
        let is_same = |(requirement, _): &(Requirement, _)| match requirement {
            Requirement::Package(other) => other.package == required.package,
            Requirement::Api(_) | Requirement::Constraint(_) => false,
        };
        let known = self.universe.subject_of(&required.package);
        let own = || {
            self.own
                .iter()
                .position(is_same)
                .map(|at| first + number(at))
        };
        known.or_else(own).unwrap_or(need)
    }

    /// Returns the candidates that satisfy a dependency, in the order of the universe.
    pub(crate) fn met_by(&self, need: NeedId) -> &[CandidateId] {
        match need.checked_sub(self.universe.requirements()) {
            None => self.universe.met_by(need),
            Some(own) => &self.own[own as usize].1,
        }
    }

    /// Iterates over all operators that satisfy a dependency. Installed operators come first.
    pub(crate) fn fulfilling(&self, need: NeedId) -> impl Iterator<Item = Item> {
        let residents = self.offers.meeting(self.requirement(need));
        let residents = residents.map(|at| Item::Resident(number(at)));
        let candidates = self.met_by(need).iter().copied();
        residents.chain(
            candidates
                .filter(|id| !self.is_installed(*id))
                .map(Item::Candidate),
        )
    }

    /// Returns true if the bundle of the candidate is installed.
    pub(crate) fn is_installed(&self, id: CandidateId) -> bool {
        let candidate = self.universe.candidate(id);
        let key = (candidate.package, &candidate.bundle.name);
        self.installed.contains(&key)
    }

    pub(crate) fn apis(&self, item: Item) -> impl Iterator<Item = ApiId> {
        let apis: &[ApiId] = match item {
            Item::Candidate(id) => &self.universe.candidate(id).provides,
            Item::Resident(at) => &self.residents[at as usize].apis,
        };
        apis.iter().copied().filter(|api| self.is_contested(*api))
    }

    pub(crate) fn package(&self, item: Item) -> Option<PackageId> {
        match item {
            Item::Candidate(id) => Some(self.universe.candidate(id).package),
            Item::Resident(at) => self.residents[at as usize].package,
        }
    }

    /// Returns true if the property `olm.deprecated` forbids the installation of the operator.
    pub(crate) fn is_prohibited(&self, item: Item) -> bool {
        match item {
            Item::Candidate(id) => self.universe.candidate(id).bundle.is_prohibited,
            Item::Resident(_) => false,
        }
    }

    /// Returns the owner of an operator's dependencies: its package or, if the package is unknown,
    /// the resident.
    pub(crate) fn owner(&self, item: Item) -> Owner {
        match (self.package(item), item) {
            (Some(package), _) => Owner::Package(package),
            (None, Item::Resident(at)) => Owner::Resident(at),
            (None, Item::Candidate(_)) => unreachable!("a candidate must have a package"),
        }
    }

    pub(crate) fn package_name(&self, item: Item) -> Option<&PackageName> {
        match item {
            Item::Candidate(id) => Some(self.universe.candidate(id).package(self.universe)),
            Item::Resident(at) => self.residents[at as usize].package_name,
        }
    }

    pub(crate) fn name(&self, item: Item) -> &BundleName {
        match item {
            Item::Candidate(id) => &self.universe.candidate(id).bundle.name,
            Item::Resident(at) => &self.residents[at as usize].installed.name,
        }
    }

    pub(crate) fn offer(&self, item: Item) -> catalog::Candidate<'_> {
        match item {
            Item::Candidate(id) => self.universe.candidate(id).offer(self.universe),
            Item::Resident(at) => self.residents[at as usize].offer(),
        }
    }

    /// Returns the installed bundles of a package, newest first. During an upgrade by OLM, a
    /// package has two installed bundles. The upgrade path then starts at the newer bundle.
    pub(crate) fn residents_of(&self, package: &PackageName) -> Vec<(u32, &Resident<'a>)> {
        let residents = (0..).zip(&self.residents);
        let residents = residents.filter(|(_, resident)| resident.package_name == Some(package));
        let mut residents: Vec<_> = residents.collect();
        residents.sort_by(|(_, one), (_, other)| other.version.cmp(&one.version));
        residents
    }

    /// Iterates over the candidates for each requirement that names this package.
    pub(crate) fn aims_for(&self, package: Option<&PackageName>) -> impl Iterator<Item = &Aim> {
        let wishes = self.question.wishes.iter().zip(&self.aims);
        let wishes = wishes.filter(move |(wish, _)| Some(&wish.package) == package);
        wishes.map(|(_, aim)| aim)
    }

    /// Iterates over the indexes of the catalogs whose current content is unknown.
    pub(crate) fn unknown_catalogs(&self) -> impl Iterator<Item = usize> {
        let catalogs = self.universe.catalogs.iter().enumerate();
        let unknown = catalogs.filter(|(_, catalog)| catalog.freshness != Freshness::Serving);
        unknown.map(|(at, _)| at)
    }
}
