//! The operators of a world, by number. For each operator, the board has its properties, the
//! requirements that it satisfies, and the operators that it excludes.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{self as catalog, Api, Bundle, Package, Properties, Requirements};
use portolan_core_names::{BundleName, CatalogName, ChannelName, PackageName, Version};
use portolan_core_solver::{Freshness, InstalledOperator, Requirement};

use crate::meaning::{self, Pick};
use crate::set::Set;
use crate::world::{Offer, World};

/// The operators of a world. First come the candidates, by package and then by preference, so a
/// later candidate is worse. Then come the installed operators.
#[derive(Debug, Clone)]
pub(crate) struct Board<'a> {
    pub(crate) world: &'a World,
    /// The catalogs, best first.
    pub(crate) offers: Vec<&'a Offer>,
    pub(crate) operators: Vec<Operator<'a>>,
    pub(crate) residents: Set,
    /// The operators that each request permits, best first.
    pub(crate) picks: Vec<Vec<Pick>>,
}

#[derive(Debug, Clone)]
pub(crate) struct Operator<'a> {
    /// The index of the catalog in `offers`, and the position of the bundle in the catalog. None if
    /// the operator is installed.
    pub(crate) offer: Option<(usize, Place)>,
    pub(crate) installed: Option<&'a InstalledOperator>,
    pub(crate) package: Option<&'a PackageName>,
    pub(crate) name: &'a BundleName,
    pub(crate) version: Option<&'a Version>,
    pub(crate) provides: &'a BTreeSet<Api>,
    pub(crate) needs: Vec<Need>,
    pub(crate) is_prohibited: bool,
    pub(crate) deprecation: Option<Arc<str>>,
    /// True if the candidate is the bundle of an installed operator.
    pub(crate) is_twin: bool,
    properties: Properties<'a>,
    pub(crate) requires: &'a Requirements,
    /// The operators that cannot be installed together with this operator.
    pub(crate) excludes: Set,
}

/// A requirement of an operator.
#[derive(Debug, Clone)]
pub(crate) struct Need {
    pub(crate) requirement: Requirement,
    pub(crate) met_by: Set,
    /// True if the operator is installed and its requirement was already unsatisfied.
    pub(crate) is_lacking: bool,
}

/// The position of a bundle in a channel. Lower positions are preferred.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) is_elsewhere: bool,
    pub(crate) channel: ChannelName,
    pub(crate) is_behind: bool,
}

// === impl Board ===

impl<'a> Board<'a> {
    pub(crate) fn of(world: &'a World, offers: &'a [Offer]) -> Self {
        let mut offers: Vec<_> = offers.iter().collect();
        offers.sort_by_key(|offer| (Reverse(offer.priority), &offer.name));
        let mut operators = candidates(&offers);
        let first = operators.len();
        operators.extend(world.installed.iter().map(|one| resident(&offers, one)));
        mark_twins(&mut operators, first);
        let residents = (first..operators.len()).collect();
        fill_needs(&mut operators, residents);
        fill_exclusions(&mut operators);
        let mut board = Self {
            world,
            offers,
            operators,
            residents,
            picks: Vec::new(),
        };
        let requests = world.requests.iter();
        board.picks = requests
            .map(|request| meaning::picks(&board, request))
            .collect();
        board
    }

    pub(crate) fn catalog(&self, at: usize) -> Option<&'a CatalogName> {
        let (offer, _) = self.operators[at].offer.as_ref()?;
        Some(&self.offers[*offer].name)
    }

    /// Returns the installed operators of a package.
    pub(crate) fn residents_of(&self, package: &PackageName) -> Set {
        let of = |at: &usize| self.operators[*at].package == Some(package);
        self.residents.iter().filter(of).collect()
    }

    /// Returns the operators that a request permits, as a set.
    pub(crate) fn permitted(&self, request: usize) -> Set {
        self.picks[request].iter().map(|pick| pick.at).collect()
    }

    /// Iterates over the catalogs that may contain more bundles than are known.
    pub(crate) fn veiled(&self) -> impl Iterator<Item = &'a Offer> + '_ {
        let offers = self.offers.iter().copied();
        offers.filter(|offer| offer.freshness != Freshness::Serving)
    }
}

// === impl Operator ===

impl<'a> Operator<'a> {
    pub(crate) fn offered(&self) -> catalog::Candidate<'a> {
        catalog::Candidate {
            package: self.package,
            version: self.version,
            provides: self.provides,
            properties: self.properties,
        }
    }

    pub(crate) fn shares(&self, other: &Self) -> impl Iterator<Item = &'a Api> {
        self.provides.intersection(other.provides)
    }

    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        let is_kept = self.installed.is_some() && other.installed.is_some();
        let is_same = self.package.is_some() && self.package == other.package;
        is_kept || !is_same && self.shares(other).next().is_none()
    }
}

// === impl Place ===

impl Place {
    pub(crate) fn of(
        package: &Package,
        bundle: &BundleName,
        channel: &ChannelName,
    ) -> Option<Self> {
        let entries = &package.channels[channel].entries;
        let is_followed = entries.values().any(|other| {
            let names = other.replaces.as_ref() == Some(bundle) || other.skips.contains(bundle);
            names && other.name != *bundle
        });
        entries.contains_key(bundle).then(|| Self {
            is_elsewhere: package.default_channel.as_ref() != Some(channel),
            channel: channel.clone(),
            is_behind: is_followed,
        })
    }

    fn best(package: &Package, bundle: &BundleName) -> Option<Self> {
        let channels = package.channels.keys();
        channels
            .filter_map(|channel| Self::of(package, bundle, channel))
            .min()
    }
}

pub(crate) fn candidates<'a>(offers: &[&'a Offer]) -> Vec<Operator<'a>> {
    let mut operators: Vec<_> = offers
        .iter()
        .enumerate()
        .flat_map(|(at, offer)| {
            let packages = offer.catalog.packages.values();
            packages.flat_map(move |package| {
                let bundles = package.bundles.values();
                bundles.filter_map(move |bundle| candidate(at, package, bundle))
            })
        })
        .collect();
    operators.sort_by(|one, other| {
        (one.package, one.offer.as_ref(), worth(one)).cmp(&(
            other.package,
            other.offer.as_ref(),
            worth(other),
        ))
    });
    operators
}

/// Returns the rank of a bundle that is compared after catalog, channel and head. Lower is better.
pub(crate) fn worth<'o>(operator: &'o Operator<'_>) -> impl Ord + 'o {
    let is_prerelease = operator.version.is_some_and(Version::is_prerelease);
    (
        operator.deprecation.is_some(),
        is_prerelease,
        Reverse(operator.version),
        operator.name,
    )
}

fn candidate<'a>(at: usize, package: &'a Package, bundle: &'a Bundle) -> Option<Operator<'a>> {
    let place = Place::best(package, &bundle.name)?;
    let said = &package.deprecations;
    let of_bundle = said.bundles.get(&bundle.name);
    let of_channel = said.channels.get(&place.channel);
    Some(Operator {
        deprecation: of_bundle.or(of_channel).or(said.package.as_ref()).cloned(),
        offer: Some((at, place)),
        installed: None,
        package: Some(&package.name),
        name: &bundle.name,
        version: Some(&bundle.version),
        provides: &bundle.provides,
        needs: Vec::new(),
        is_prohibited: bundle.is_prohibited,
        is_twin: false,
        properties: Properties::Of(bundle),
        requires: &bundle.requires,
        excludes: Set::NONE,
    })
}

/// Returns an installed operator. Its properties come from the cluster. If they are missing there,
/// they come from the best catalog that contains the bundle.
fn resident<'a>(offers: &[&'a Offer], installed: &'a InstalledOperator) -> Operator<'a> {
    static NOTHING: BTreeSet<Api> = BTreeSet::new();
    static NO_NEEDS: Requirements = Requirements {
        apis: BTreeSet::new(),
        packages: Vec::new(),
        constraints: Vec::new(),
    };
    let packages = offers
        .iter()
        .flat_map(|offer| offer.catalog.packages.values());
    let mut known = packages
        .filter(|package| {
            installed
                .package
                .as_ref()
                .is_none_or(|name| *name == package.name)
        })
        .filter_map(|package| Some((&package.name, &**package.bundles.get(&installed.name)?)));
    let known = known.next();
    let facts = installed.facts.as_deref();
    let bundle = known.map(|(_, bundle)| bundle);
    let provides = facts.map(|facts| &facts.provides);
    let requires = facts.map(|facts| &facts.requires);
    let properties = match (facts, bundle) {
        (Some(facts), _) => Properties::Listed(&facts.properties),
        (None, Some(bundle)) => Properties::Of(bundle),
        (None, None) => Properties::Listed(&[]),
    };
    Operator {
        offer: None,
        installed: Some(installed),
        package: known
            .map(|(package, _)| package)
            .or(installed.package.as_ref()),
        name: &installed.name,
        version: bundle
            .map(|bundle| &bundle.version)
            .or(installed.version.as_ref()),
        provides: provides
            .or(bundle.map(|bundle| &bundle.provides))
            .unwrap_or(&NOTHING),
        needs: Vec::new(),
        is_prohibited: false,
        deprecation: None,
        is_twin: false,
        properties,
        requires: requires
            .or(bundle.map(|bundle| &bundle.requires))
            .unwrap_or(&NO_NEEDS),
        excludes: Set::NONE,
    }
}

fn mark_twins(operators: &mut [Operator<'_>], first: usize) {
    let (candidates, residents) = operators.split_at_mut(first);
    for candidate in candidates {
        let mut residents = residents.iter();
        let is_same =
            |one: &Operator<'_>| (one.name, one.package) == (candidate.name, candidate.package);
        candidate.is_twin = residents.any(is_same);
    }
}

fn fill_needs(operators: &mut [Operator<'_>], residents: Set) {
    let needs_of = |at: usize, operator: &Operator<'_>| -> Vec<Need> {
        let each = operator.requires.each();
        let needs = each.map(|requirement| {
            let others = operators.iter().enumerate();
            let met_by = others
                .filter(|(_, other)| !other.is_twin)
                .filter(|(_, other)| requirement.is_met_by(&other.offered()))
                .map(|(at, _)| at)
                .collect::<Set>();
            Need {
                requirement: Requirement::from(requirement),
                met_by,
                is_lacking: residents.has(at) && !met_by.meets(residents),
            }
        });
        needs.collect()
    };
    let needs = operators.iter().enumerate();
    let needs: Vec<_> = needs.map(|(at, operator)| needs_of(at, operator)).collect();
    for (operator, needs) in operators.iter_mut().zip(needs) {
        operator.needs = needs;
    }
}

fn fill_exclusions(operators: &mut [Operator<'_>]) {
    let excludes: Vec<_> = operators
        .iter()
        .enumerate()
        .map(|(at, operator)| {
            let others = operators.iter().enumerate();
            let others = others.filter(|(other, _)| *other != at);
            let excluded = others.filter(|(_, other)| !operator.is_beside(other));
            excluded.map(|(other, _)| other).collect::<Set>()
        })
        .collect();
    for (operator, excludes) in operators.iter_mut().zip(excludes) {
        operator.excludes = excludes;
    }
}
