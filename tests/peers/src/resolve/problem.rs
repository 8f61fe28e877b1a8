//! Converts requests about a catalog to problems for deppy, in the form that OLM v1 used.
//!
//! A requirement is a mandatory variable. It depends on the bundles of its package. For each of its
//! own requirements, a bundle depends on the bundles that satisfy the requirement. A solution
//! contains at most one bundle of each package, and at most one provider of each API. deppy prefers
//! bundles at the beginning of a list, so newer bundles come first.
//!
//! Bundles that no requirement can reach are omitted, as in OLM v1. There are two differences to
//! OLM v1. OLM v1 merged all requirements of a bundle, so one satisfied requirement was sufficient,
//! and its last versions ignored APIs. Here each requirement must be satisfied, so that both
//! solvers solve the same problem.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use portolan_core_names::{Version, VersionRange};
use portolan_kit::Catalog;
use portolan_kit::catalog::{Api, Bundle, Requirement};
use serde::Serialize;

use crate::failure::Failure;

/// A problem for deppy.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Problem<'c> {
    variables: Vec<Variable<'c>>,
}

/// A variable of deppy, and its constraints.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Variable<'c> {
    id: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    mandatory: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<Vec<&'c str>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    at_most_one: Vec<Vec<&'c str>>,
}

/// A catalog, prepared so that problems can be created from it.
#[derive(Debug)]
pub(crate) struct Problems<'c> {
    offers: BTreeMap<&'c str, Offer<'c>>,
    /// The bundles of each package, the newest bundle first.
    packages: BTreeMap<&'c str, Vec<&'c str>>,
}

/// A bundle, and for each of its requirements the bundles that satisfy it.
#[derive(Debug)]
struct Offer<'c> {
    package: &'c str,
    provides: &'c [Api],
    needs: Vec<Vec<&'c str>>,
}

// === impl Problems ===

impl<'c> Problems<'c> {
    pub(crate) fn of(catalog: &'c Catalog) -> Result<Self, Failure> {
        let mut packages = BTreeMap::<_, Vec<_>>::new();
        let mut providers = BTreeMap::<_, Vec<_>>::new();
        for package in &catalog.packages {
            for bundle in package.bundles.iter().rev() {
                packages.entry(&*package.name).or_default().push(bundle);
                for api in &bundle.provides {
                    providers.entry(api).or_default().push(&*bundle.name);
                }
            }
        }
        let fulfilling = |requirement: &Requirement| match requirement {
            Requirement::Api(api) => Ok(providers.get(api).cloned().unwrap_or_default()),
            Requirement::Package { name, range } => {
                within(packages.get(&**name).map_or(&[], Vec::as_slice), range)
            }
        };
        let mut offers = BTreeMap::new();
        for package in &catalog.packages {
            for bundle in &package.bundles {
                let needs = bundle.requires.iter().map(&fulfilling);
                let offer = Offer {
                    package: &package.name,
                    provides: &bundle.provides,
                    needs: needs.collect::<Result<_, _>>()?,
                };
                offers.insert(&*bundle.name, offer);
            }
        }
        let names = |bundles: Vec<&'c Bundle>| bundles.iter().map(|it| &*it.name).collect();
        let packages = packages.into_iter();
        let packages = packages.map(|(name, bundles)| (name, names(bundles)));
        Ok(Self {
            offers,
            packages: packages.collect(),
        })
    }

    /// Returns the problem for a request for these packages, in any version.
    pub(crate) fn requiring(&self, packages: &[String]) -> Problem<'c> {
        let candidates = |name: &String| self.packages.get(&**name).cloned().unwrap_or_default();
        let wanted = packages.iter().map(|name| Variable {
            mandatory: true,
            dependencies: vec![candidates(name)],
            ..Variable::named(format!("required package {name}"))
        });
        let reached = self.reached(packages.iter().flat_map(candidates).collect());
        let bundles = reached.iter().map(|name| Variable {
            dependencies: self.offers[name].needs.clone(),
            ..Variable::named((*name).to_owned())
        });
        let rivals = self.rivals(&reached);
        let rivals = rivals.into_iter().map(|(what, rivals)| Variable {
            at_most_one: vec![rivals],
            ..Variable::named(format!("{what} at most once"))
        });
        Problem {
            variables: wanted.chain(bundles).chain(rivals).collect(),
        }
    }

    /// Returns all bundles that are reachable from these bundles. The nearest bundles come first.
    fn reached(&self, mut from: VecDeque<&'c str>) -> Vec<&'c str> {
        let (mut reached, mut seen) = (Vec::new(), BTreeSet::new());
        while let Some(name) = from.pop_front() {
            if seen.insert(name) {
                reached.push(name);
                from.extend(self.offers[name].needs.iter().flatten());
            }
        }
        reached
    }

    /// Returns groups of bundles. A solution contains at most one bundle of each group. A group has
    /// the name of the package or API that its bundles have in common.
    fn rivals(&self, bundles: &[&'c str]) -> Vec<(String, Vec<&'c str>)> {
        let (mut packages, mut apis) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for name in bundles {
            let offer = &self.offers[name];
            packages.entry(offer.package).or_default().push(*name);
            for api in offer.provides {
                apis.entry(api).or_default().push(*name);
            }
        }
        // If only one package provides an API, this group is redundant, because a solution contains
        // only one bundle of the package.
        apis.retain(|_, rivals| !self.are_of_one_package(rivals));
        let packages = packages.into_iter();
        let packages = packages.map(|(package, rivals)| (package.to_owned(), rivals));
        let apis = apis.into_iter().map(|(api, rivals)| {
            let Api {
                group,
                kind,
                version,
            } = api;
            (format!("{group}/{version}/{kind}"), rivals)
        });
        packages.chain(apis).collect()
    }

    fn are_of_one_package(&self, bundles: &[&str]) -> bool {
        let package = |name: &&str| self.offers[*name].package;
        bundles
            .windows(2)
            .all(|pair| package(&pair[0]) == package(&pair[1]))
    }
}

/// Returns the bundles whose version is in the range.
fn within<'c>(bundles: &[&'c Bundle], range: &str) -> Result<Vec<&'c str>, Failure> {
    let unread = |text: &str| Failure::Expect(format!("a generated catalog has {text:?}"));
    let range = VersionRange::parse(range).map_err(|_| unread(range))?;
    let mut within = Vec::new();
    for bundle in bundles {
        let version = Version::parse(&bundle.version).map_err(|_| unread(&bundle.version))?;
        if range.matches(&version) {
            within.push(&*bundle.name);
        }
    }
    Ok(within)
}

// === impl Variable ===

impl Variable<'_> {
    fn named(id: String) -> Self {
        Self {
            id,
            mandatory: false,
            dependencies: Vec::new(),
            at_most_one: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_kit::{assert_same, catalog};
    use serde_json::json;

    use super::*;

    #[test]
    fn problem_has_every_requirement_and_only_reachable_bundles() {
        let catalog = catalog(
            "a: 1.0.0 -> 2.0.0
               1.0.0 requires b >=2.0.0
               2.0.0 requires b <2.0.0
               2.0.0 requires g.test/v1/One
             b: 1.0.0 -> 2.0.0
               2.0.0 provides b.test/v1/Own
             c: 1.0.0; 1.0.0 provides g.test/v1/One
             d: 1.0.0; 1.0.0 provides g.test/v1/One
             e: 1.0.0; 1.0.0 requires a >=1.0.0",
        );
        let problem = Problems::of(&catalog).unwrap().requiring(&["a".to_owned()]);
        let required = json!({
            "id": "required package a",
            "mandatory": true,
            "dependencies": [["a.v2.0.0", "a.v1.0.0"]],
        });
        let one_of = |id: &str, rivals: &[&str]| {
            let id = format!("{id} at most once");
            json!({"id": id, "atMostOne": [rivals]})
        };
        let expected = json!([
            required,
            {"id": "a.v2.0.0", "dependencies": [["b.v1.0.0"], ["c.v1.0.0", "d.v1.0.0"]]},
            {"id": "a.v1.0.0", "dependencies": [["b.v2.0.0"]]},
            {"id": "b.v1.0.0"},
            {"id": "c.v1.0.0"},
            {"id": "d.v1.0.0"},
            {"id": "b.v2.0.0"},
            one_of("a", &["a.v2.0.0", "a.v1.0.0"]),
            one_of("b", &["b.v1.0.0", "b.v2.0.0"]),
            one_of("c", &["c.v1.0.0"]),
            one_of("d", &["d.v1.0.0"]),
            one_of("g.test/v1/One", &["c.v1.0.0", "d.v1.0.0"]),
        ]);
        assert_same!(json: problem, expected);
    }

    #[test]
    fn requirement_without_a_provider_is_an_empty_dependency() {
        let catalog = catalog("a: 1.0.0; 1.0.0 requires b >=1.0.0; 1.0.0 requires g.test/v1/One");
        let problem = Problems::of(&catalog).unwrap().requiring(&["a".to_owned()]);
        let written = serde_json::to_value(&problem).unwrap();
        assert_same!(json: written[1], json!({"id": "a.v1.0.0", "dependencies": [[], []]}));
    }
}
