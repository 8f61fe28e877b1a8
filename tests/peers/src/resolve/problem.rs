//! The wishes about a catalog, as OLM v1 said them to deppy while it used it.
//!
//! A wish is a variable that must be, and depends on the bundles of its package. A bundle depends,
//! for each of its requirements, on the bundles that fulfill it. At most one bundle of a package,
//! and at most one of those that provide an API. Earlier bundles are preferred: newer ones.
//!
//! Bundles that no wish can lead to are left out, as OLM v1 did. It pooled all requirements of a
//! bundle so that fulfilling one of them was enough, and knew no APIs towards the end; here each
//! requirement counts, so that both sides answer the same question.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use portolan_core_names::{Version, VersionRange};
use portolan_kit::Catalog;
use portolan_kit::catalog::{Api, Bundle, Requirement};
use serde::Serialize;

use crate::failure::Failure;

/// One question for deppy.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Problem<'c> {
    variables: Vec<Variable<'c>>,
}

/// A variable of deppy with its constraints.
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

/// A catalog, ready to make problems of.
#[derive(Debug)]
pub(crate) struct Problems<'c> {
    offers: BTreeMap<&'c str, Offer<'c>>,
    /// The bundles of each package by its name, the newest first.
    packages: BTreeMap<&'c str, Vec<&'c str>>,
}

/// A bundle, with the names of bundles that fulfill what it requires.
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

    /// The problem of granting all of these wishes, for packages in any version.
    pub(crate) fn wishing(&self, wishes: &[String]) -> Problem<'c> {
        let candidates = |wish: &String| self.packages.get(&**wish).cloned().unwrap_or_default();
        let wanted = wishes.iter().map(|wish| Variable {
            mandatory: true,
            dependencies: vec![candidates(wish)],
            ..Variable::named(format!("required package {wish}"))
        });
        let reached = self.reached(wishes.iter().flat_map(candidates).collect());
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

    /// All bundles that these can lead to, the nearest first.
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

    /// Those of the bundles of which at most one can be, and what they share.
    fn rivals(&self, bundles: &[&'c str]) -> Vec<(String, Vec<&'c str>)> {
        let (mut packages, mut apis) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
        for name in bundles {
            let offer = &self.offers[name];
            packages.entry(offer.package).or_default().push(*name);
            for api in offer.provides {
                apis.entry(api).or_default().push(*name);
            }
        }
        // An API that one package alone provides is there at most once as that package is.
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

/// Those of the bundles that are in the range.
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
    fn every_requirement_counts_and_only_what_wishes_reach_is_there() {
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
        let problem = Problems::of(&catalog).unwrap().wishing(&["a".to_owned()]);
        let wish = json!({
            "id": "required package a",
            "mandatory": true,
            "dependencies": [["a.v2.0.0", "a.v1.0.0"]],
        });
        let one_of = |id: &str, rivals: &[&str]| {
            let id = format!("{id} at most once");
            json!({"id": id, "atMostOne": [rivals]})
        };
        let expected = json!([
            wish,
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
    fn nobody_provides_is_a_dependency_on_nothing() {
        let catalog = catalog("a: 1.0.0; 1.0.0 requires b >=1.0.0; 1.0.0 requires g.test/v1/One");
        let problem = Problems::of(&catalog).unwrap().wishing(&["a".to_owned()]);
        let written = serde_json::to_value(&problem).unwrap();
        assert_same!(json: written[1], json!({"id": "a.v1.0.0", "dependencies": [[], []]}));
    }
}
