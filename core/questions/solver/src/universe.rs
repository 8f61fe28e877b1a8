//! The content of all catalogs, prepared for many questions.

pub(crate) mod candidate;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use portolan_core_catalog::{Api, Bundle, Fault, Requirements};
use portolan_core_graph::Charted;
use portolan_core_names::{BundleName, CatalogName, PackageName, nearest};

pub(crate) use self::candidate::{ChannelPlace, OfferedBundle};
use crate::Requirement;

/// The content of one catalog, as input of a [`Universe`].
#[derive(Debug, Clone)]
pub struct CatalogOffer {
    pub name: CatalogName,
    /// The priority. Among catalogs with the same priority, the first catalog by name is preferred.
    pub priority: i32,
    pub freshness: Freshness,
    /// The packages. Empty if the catalog was never read.
    pub packages: Vec<Arc<Charted>>,
    /// The errors in the catalog. An error may hide a package.
    pub errors: Vec<Fault>,
}

/// The certainty that the content of a catalog is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Freshness {
    /// The content is current.
    Serving,
    /// The catalog cannot be read, so its last known content is used. Contains the time and the
    /// reason, as a clause.
    Stale(String),
    /// The catalog cannot be read and has no known content. Contains the time and the reason, as a
    /// clause.
    Unread(String),
}

/// The bundles of all catalogs, with their dependencies and APIs.
#[derive(Debug)]
pub struct Universe {
    /// The catalogs, best first. They are sorted by priority, and then by name.
    pub(crate) catalogs: Vec<Catalog>,
    /// The packages, sorted by name.
    pub(crate) packages: Vec<Package>,
    /// The candidates, grouped by package. In each package, the preferred candidate comes first. If
    /// two extras are equal otherwise, the earlier candidate is better.
    pub(crate) candidates: Vec<OfferedBundle>,
    apis: BTreeMap<Api, ApiId>,
    /// The providers of each API, in the order of the candidates.
    providers: Vec<Vec<CandidateId>>,
    /// True for each API that bundles of several packages provide.
    contested: Vec<bool>,
    requirements: Vec<Required>,
    /// The ids of dependencies, by the key of the dependency.
    keys: BTreeMap<String, RequirementId>,
    /// The first dependency on each package.
    subjects: BTreeMap<PackageName, RequirementId>,
    /// The bundles of all catalogs with their packages, sorted by bundle name.
    bundles: Vec<(BundleName, PackageId)>,
}

pub(crate) type CandidateId = u32;
pub(crate) type PackageId = u32;
pub(crate) type ApiId = u32;
pub(crate) type RequirementId = u32;

/// A catalog without its packages.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) name: CatalogName,
    pub(crate) priority: i32,
    pub(crate) freshness: Freshness,
    pub(crate) errors: Vec<Fault>,
}

/// A package, with its content in all catalogs that contain it.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: PackageName,
    pub(crate) candidates: Range<CandidateId>,
    /// The package in each catalog, best catalog first. Contains the index of the catalog.
    pub(crate) offers: Vec<(usize, Arc<Charted>)>,
}

/// A dependency of a bundle, with the candidates that satisfy it. The candidates are computed when
/// they are first used.
#[derive(Debug)]
struct Required {
    requirement: Requirement,
    /// The first dependency on the same package, API or constraint. It identifies the group of the
    /// dependency.
    subject: RequirementId,
    met_by: OnceLock<Box<[CandidateId]>>,
}

/// Assigns ids to dependencies and APIs while a Universe is built.
#[derive(Debug, Default)]
struct Numbering {
    apis: BTreeMap<Api, ApiId>,
    keys: BTreeMap<String, RequirementId>,
    /// The first dependency on each package.
    subjects: BTreeMap<PackageName, RequirementId>,
    requirements: Vec<Required>,
}

// === impl Universe ===

impl Universe {
    /// Prepares catalogs for questions. The catalogs may have any order.
    pub fn of(sources: impl IntoIterator<Item = CatalogOffer>) -> Self {
        let mut sources: Vec<_> = sources.into_iter().collect();
        sources.sort_by(|one, other| {
            let rank = |source: &CatalogOffer| (Reverse(source.priority), source.name.clone());
            rank(one).cmp(&rank(other))
        });
        let mut offers: BTreeMap<PackageName, Vec<(usize, Arc<Charted>)>> = BTreeMap::new();
        for (at, source) in sources.iter().enumerate() {
            for charted in &source.packages {
                let name = charted.package().name.clone();
                offers
                    .entry(name)
                    .or_default()
                    .push((at, Arc::clone(charted)));
            }
        }
        let catalogs = sources.into_iter().map(|source| Catalog {
            name: source.name,
            priority: source.priority,
            freshness: source.freshness,
            errors: source.errors,
        });
        Self::offering(catalogs.collect(), offers)
    }

    fn offering(
        catalogs: Vec<Catalog>,
        offers: BTreeMap<PackageName, Vec<(usize, Arc<Charted>)>>,
    ) -> Self {
        let mut numbering = Numbering::default();
        let (mut packages, mut candidates) = (Vec::new(), Vec::new());
        for (id, (name, offers)) in (0..).zip(offers) {
            let first = number(candidates.len());
            candidates.extend(candidate::candidates(
                id,
                &offers,
                &catalogs,
                &mut numbering,
            ));
            packages.push(Package {
                name,
                candidates: first..number(candidates.len()),
                offers,
            });
        }
        let mut providers = vec![Vec::new(); numbering.apis.len()];
        for (id, candidate) in (0..).zip(&candidates) {
            for api in &candidate.provides {
                providers[*api as usize].push(id);
            }
        }
        let of = |id: &CandidateId| candidates[*id as usize].package;
        let contested = providers.iter().map(|ids: &Vec<CandidateId>| {
            let first = ids.first().map(of);
            ids.iter().any(|id| Some(of(id)) != first)
        });
        Self {
            contested: contested.collect(),
            catalogs,
            candidates,
            apis: numbering.apis,
            providers,
            bundles: bundles(&packages),
            packages,
            requirements: numbering.requirements,
            keys: numbering.keys,
            subjects: numbering.subjects,
        }
    }

    pub(crate) fn package(&self, name: &PackageName) -> Option<PackageId> {
        let found = self
            .packages
            .binary_search_by(|package| package.name.cmp(name));
        found.ok().map(number)
    }

    pub(crate) fn candidate(&self, id: CandidateId) -> &OfferedBundle {
        &self.candidates[id as usize]
    }

    pub(crate) fn api(&self, api: &Api) -> Option<ApiId> {
        self.apis.get(api).copied()
    }

    /// Returns the API with this id. Uses a linear search, because only messages need this.
    pub(crate) fn api_of(&self, id: ApiId) -> &Api {
        let mut apis = self.apis.iter();
        let found = apis.find(|(_, known)| **known == id);
        let (api, _) = found.expect("an API id must come from the same universe");
        api
    }

    pub(crate) fn providers(&self, api: ApiId) -> &[CandidateId] {
        &self.providers[api as usize]
    }

    /// Returns a flag for each API. It is true if bundles of several packages provide the API, so
    /// that these bundles exclude each other.
    pub(crate) fn contested(&self) -> &[bool] {
        &self.contested
    }

    /// Returns the package with the most similar name. Returns None if no name is similar.
    pub(crate) fn nearest(&self, asked: &PackageName) -> Option<&PackageName> {
        let names = self.packages.iter().map(|package| &package.name);
        nearest(asked.as_str(), names)
    }

    /// Returns the number of different dependencies of bundles.
    pub(crate) fn requirements(&self) -> RequirementId {
        number(self.requirements.len())
    }

    pub(crate) fn requirement_of(&self, key: &str) -> Option<RequirementId> {
        self.keys.get(key).copied()
    }

    pub(crate) fn requirement(&self, id: RequirementId) -> &Requirement {
        &self.requirements[id as usize].requirement
    }

    /// Returns the first dependency on the same package, API or constraint. It identifies the group
    /// of the dependency.
    pub(crate) fn subject(&self, id: RequirementId) -> RequirementId {
        self.requirements[id as usize].subject
    }

    /// Returns the first dependency on the package. Returns None if no bundle depends on the
    /// package.
    pub(crate) fn subject_of(&self, package: &PackageName) -> Option<RequirementId> {
        self.subjects.get(package).copied()
    }

    /// Returns the candidates that satisfy a dependency, in order.
    pub(crate) fn met_by(&self, id: RequirementId) -> &[CandidateId] {
        let required = &self.requirements[id as usize];
        required
            .met_by
            .get_or_init(|| self.meeting(&required.requirement))
    }

    /// Returns the candidates that satisfy a dependency. The dependency may be unknown to the
    /// universe.
    pub(crate) fn meeting(&self, requirement: &Requirement) -> Box<[CandidateId]> {
        let having = |ids: &mut dyn Iterator<Item = CandidateId>| {
            ids.filter(|id| requirement.is_met_by(&self.candidate(*id).offer(self)))
                .collect()
        };
        match requirement {
            Requirement::Package(required) => match self.package(&required.package) {
                Some(id) => having(&mut self.packages[id as usize].candidates.clone()),
                None => Box::default(),
            },
            Requirement::Api(api) => self
                .api(api)
                .map_or_else(Box::default, |api| self.providers(api).into()),
            Requirement::Constraint(_) => having(&mut (0..number(self.candidates.len()))),
        }
    }

    /// Returns the bundle with this name from the best catalog that contains it. The bundle may be
    /// in no channel. Returns None if no catalog contains the bundle.
    pub(crate) fn bundle(
        &self,
        name: &BundleName,
        package: Option<&PackageName>,
    ) -> Option<(PackageId, &Bundle)> {
        let first = self.bundles.partition_point(|(bundle, _)| bundle < name);
        let named = self.bundles[first..].iter();
        let mut named = named.take_while(|(bundle, _)| bundle == name);
        let id = |id: PackageId| &self.packages[id as usize];
        let (_, found) =
            named.find(|(_, of)| package.is_none_or(|package| id(*of).name == *package))?;
        let offers = id(*found).offers.iter();
        let mut having = offers.filter_map(|(_, charted)| charted.package().bundles.get(name));
        having.next().map(|bundle| (*found, &**bundle))
    }
}

/// Returns all bundles sorted by name, each with its package. Bundles that are in no channel are
/// included.
fn bundles(packages: &[Package]) -> Vec<(BundleName, PackageId)> {
    let mut bundles = BTreeSet::new();
    for (id, package) in (0..).zip(packages) {
        for (_, charted) in &package.offers {
            bundles.extend(
                charted
                    .package()
                    .bundles
                    .keys()
                    .map(|name| (name.clone(), id)),
            );
        }
    }
    bundles.into_iter().collect()
}

// === impl Numbering ===

impl Numbering {
    fn api(&mut self, api: &Api) -> ApiId {
        if let Some(id) = self.apis.get(api) {
            return *id;
        }
        let id = number(self.apis.len());
        self.apis.insert(api.clone(), id);
        id
    }

    fn requirements(&mut self, requires: &Requirements) -> Box<[RequirementId]> {
        let each = Requirement::each(requires);
        each.map(|requirement| self.requirement(requirement))
            .collect()
    }

    fn requirement(&mut self, requirement: Requirement) -> RequirementId {
        let key = requirement.key();
        if let Some(id) = self.keys.get(&key) {
            return *id;
        }
        let id = number(self.requirements.len());
        self.keys.insert(key, id);
        let subject = match &requirement {
            Requirement::Package(required) => {
                let package = required.package.clone();
                *self.subjects.entry(package).or_insert(id)
            }
            Requirement::Api(_) | Requirement::Constraint(_) => id,
        };
        self.requirements.push(Required {
            requirement,
            subject,
            met_by: OnceLock::new(),
        });
        id
    }
}

/// Converts a count to a 32-bit id. Catalogs never reach the limit of 32 bits.
pub(crate) fn number(of: usize) -> u32 {
    u32::try_from(of).expect("a universe must have fewer than four billion items of each type")
}
