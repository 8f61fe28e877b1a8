//! Some operators, found by what they offer.

use std::collections::BTreeMap;

use portolan_catalog::{Api, Candidate};
use portolan_names::PackageName;

use crate::Requirement;

/// What operators offer, so that nobody need hold a requirement against each of thousands.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool<'a> {
    offers: Vec<Candidate<'a>>,
    /// Their places, in order.
    packages: BTreeMap<&'a PackageName, Vec<usize>>,
    /// Their places, in order.
    apis: BTreeMap<&'a Api, Vec<usize>>,
}

// === impl Pool ===

impl<'a> Pool<'a> {
    pub(crate) fn of(offers: impl IntoIterator<Item = Candidate<'a>>) -> Self {
        let mut pool = Self::default();
        for (at, offer) in offers.into_iter().enumerate() {
            if let Some(package) = offer.package {
                pool.packages.entry(package).or_default().push(at);
            }
            for api in offer.provides {
                pool.apis.entry(api).or_default().push(at);
            }
            pool.offers.push(offer);
        }
        pool
    }

    /// The places of those that fulfill a requirement, in order.
    pub(crate) fn meeting(&self, requirement: &Requirement) -> impl Iterator<Item = usize> {
        let (listed, all): (&[usize], _) = match requirement {
            Requirement::Package(required) => (listed(&self.packages, &required.package), 0..0),
            Requirement::Api(api) => (listed(&self.apis, api), 0..0),
            Requirement::Constraint(_) => (&[], 0..self.offers.len()),
        };
        let near = listed.iter().copied().chain(all);
        near.filter(|at| requirement.is_met_by(&self.offers[*at]))
    }

    /// The places of those that are of the same package as another one or provide an API that it
    /// provides, itself among them; one can come several times.
    pub(crate) fn alike(&self, offer: &Candidate<'a>) -> impl Iterator<Item = usize> {
        let package = offer.package.into_iter();
        let package = package.flat_map(|package| listed(&self.packages, package));
        let apis = offer.provides.iter();
        let apis = apis.flat_map(|api| listed(&self.apis, api));
        package.chain(apis).copied()
    }
}

fn listed<'p, K: Ord>(places: &'p BTreeMap<&K, Vec<usize>>, key: &K) -> &'p [usize] {
    places.get(key).map_or(&[], Vec::as_slice)
}
