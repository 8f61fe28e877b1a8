//! An index of operators by package and by API.

use std::collections::BTreeMap;

use portolan_core_catalog::{Api, Candidate};
use portolan_core_names::PackageName;

use crate::Requirement;

/// An index of operators. Without this index, each dependency would be compared with thousands of
/// operators.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pool<'a> {
    offers: Vec<Candidate<'a>>,
    /// The sorted indexes of the operators in `offers`, by package.
    packages: BTreeMap<&'a PackageName, Vec<usize>>,
    /// The sorted indexes of the operators in `offers`, by API.
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

    /// Iterates over the indexes of the operators that satisfy a dependency, sorted.
    pub(crate) fn meeting(&self, requirement: &Requirement) -> impl Iterator<Item = usize> {
        let (listed, all): (&[usize], _) = match requirement {
            Requirement::Package(required) => (listed(&self.packages, &required.package), 0..0),
            Requirement::Api(api) => (listed(&self.apis, api), 0..0),
            Requirement::Constraint(_) => (&[], 0..self.offers.len()),
        };
        let near = listed.iter().copied().chain(all);
        near.filter(|at| requirement.is_met_by(&self.offers[*at]))
    }

    /// Iterates over the indexes of the operators that have the same package as `offer`, or provide
    /// one of its APIs. The result includes `offer` itself, and may contain duplicates.
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use portolan_core_catalog::{PackageRequirement, Properties};
    use portolan_core_names::{Version, VersionRange};

    use super::*;

    #[test]
    fn finds_providers_of_a_requirement_and_similar_candidates() {
        let package = PackageName::parse("quay").expect("a name");
        let api = Api {
            group: "db.test".into(),
            version: "v1".into(),
            kind: "Postgres".into(),
        };
        let [none, one] = [BTreeSet::new(), BTreeSet::from([api.clone()])];
        let versions = [Version::new(1, 0, 0), Version::new(2, 0, 0)];
        let offer = |package, version, provides| Candidate {
            package,
            version,
            provides,
            properties: Properties::Listed(&[]),
        };
        let pool = Pool::of([
            offer(Some(&package), Some(&versions[0]), &none),
            offer(None, None, &one),
            offer(Some(&package), Some(&versions[1]), &one),
        ]);
        let required = Requirement::Package(PackageRequirement {
            package: package.clone(),
            text: ">=2.0.0".into(),
            range: VersionRange::parse(">=2.0.0").ok(),
        });
        let meeting = |requirement| pool.meeting(requirement).collect::<Vec<_>>();
        assert_eq!(meeting(&required), [2]);
        assert_eq!(meeting(&Requirement::Api(api)), [1, 2]);
        let alike = |offer| pool.alike(offer).collect::<BTreeSet<_>>();
        let quay = offer(Some(&package), None, &none);
        assert_eq!(alike(&quay), BTreeSet::from([0, 2]));
        let provider = offer(None, None, &one);
        assert_eq!(alike(&provider), BTreeSet::from([1, 2]));
    }
}
