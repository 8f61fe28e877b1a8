//! Creates large random catalogs of packages that depend on each other. The same seed always
//! creates the same catalog.
//!
//! Each package has a single channel, `stable`, in which each bundle replaces the previous one. A
//! separate function chooses the requested packages, so that a test can use the same catalog for
//! many requests.
//!
//! | Catalog     | What makes it difficult for a solver                                       |
//! |-------------|----------------------------------------------------------------------------|
//! | [`sparse`]  | only its size: bundles that need some package in any version               |
//! | [`woven`]   | ranges that move with the versions, and APIs that exclude each other       |
//! | [`pigeons`] | everything: only a search shows that the requests exclude each other       |
//!
//! ```
//! use portolan_kit::universe::{requested_packages, woven};
//!
//! let catalog = woven(100, 7);
//! assert_eq!(catalog, woven(100, 7));
//! assert_eq!(requested_packages(&catalog, 5, 1).len(), 5);
//! ```

#[cfg(test)]
mod tests;

use fastrand::Rng;

use crate::catalog::{Api, Bundle, Catalog, Channel, Entry, Package, Requirement};

/// The number of bundles of a [`woven`] package: four majors of five minors.
pub const WOVEN_VERSIONS: usize = MAJORS * MINORS;

const MAJORS: usize = 4;
const MINORS: usize = 5;

/// The share of bundles in a [`sparse`] catalog that require a package.
const SPARSE_NEEDS: f64 = 0.3;

/// The shares of packages in a [`woven`] catalog that require packages, and that require APIs.
const WOVEN_NEED_PACKAGES: f64 = 0.4;
const WOVEN_NEED_APIS: f64 = 0.3;

/// The number of packages in a [`woven`] catalog for each API that several packages provide.
const PACKAGES_A_SHARED_API: usize = 10;

/// Returns packages in which three of ten bundles require another package, in any version.
pub fn sparse(packages: usize, versions: usize, seed: u64) -> Catalog {
    let mut rng = Rng::with_seed(seed);
    let names = names(packages);
    catalog(&names, |at, _| {
        let bundles = (0..versions).map(|minor| {
            let mut bundle = bundle(&names[at], &format!("1.{minor}.0"));
            if rng.f64() < SPARSE_NEEDS {
                bundle.requires.push(Requirement::Package {
                    name: names[other(at, packages, &mut rng)].clone(),
                    range: ">=1.0.0".to_owned(),
                });
            }
            bundle
        });
        bundles.collect()
    })
}

/// Returns packages with [`WOVEN_VERSIONS`] bundles. Each bundle provides an API of its own
/// package.
///
/// For each ten packages there is a shared API with two to four providers. A cluster can contain
/// only one of these providers.
///
/// Four of ten packages require one to three other packages. Newer bundles require newer versions
/// of these packages. Three of ten packages require an API, and half of these APIs are shared.
///
/// The requirements of a package start at one of its bundles. Older bundles have no requirements,
/// so they can be part of a solution.
pub fn woven(packages: usize, seed: u64) -> Catalog {
    let mut rng = Rng::with_seed(seed);
    let names = names(packages);
    let shared = shared_apis(packages, &mut rng);
    catalog(&names, |at, name| {
        let ranges = ranges(at, packages, &mut rng);
        let need = (rng.f64() < WOVEN_NEED_APIS).then(|| Since {
            version: rng.usize(0..WOVEN_VERSIONS),
            what: needed_api(at, &names, &shared, &mut rng),
        });
        let provided = shared
            .iter()
            .filter(|shared| shared.providers.contains(&at));
        let provided: Vec<_> = provided.map(|shared| &shared.api).collect();
        let bundles = (0..WOVEN_VERSIONS).map(|version| {
            let mut bundle = bundle(name, &woven_version(version));
            bundle.provides.push(own_api(name));
            bundle.provides.extend(provided.iter().copied().cloned());
            let ranges = ranges.iter().filter_map(|range| range.at(version));
            let packages = ranges.map(|range| Requirement::Package {
                name: names[range.package].clone(),
                range: range.around(version),
            });
            bundle.requires.extend(packages);
            let api = need.iter().filter_map(|need| need.at(version));
            let api = api.map(|api| Requirement::Api(api.clone()));
            bundle.requires.extend(api);
            bundle
        });
        bundles.collect()
    })
}

/// Returns packages that cannot all be installed together. Each bundle of a package provides
/// another API, and there is one more package than there are APIs. A request must contain all
/// packages.
pub fn pigeons(holes: usize) -> Catalog {
    catalog(&names(holes + 1), |_, name| {
        let bundles = (0..holes).map(|hole| {
            let mut bundle = bundle(name, &format!("1.{hole}.0"));
            bundle.provides.push(common_api(hole));
            bundle
        });
        bundles.collect()
    })
}

/// Returns the names of `count` different packages of a catalog.
///
/// # Panics
/// Panics if the catalog has fewer packages.
pub fn requested_packages(catalog: &Catalog, count: usize, seed: u64) -> Vec<String> {
    let names = catalog.packages.iter().map(|package| package.name.clone());
    let requested = Rng::with_seed(seed).choose_multiple(names, count);
    assert_eq!(
        requested.len(),
        count,
        "the catalog must have that many packages"
    );
    requested
}

/// A value that applies to all versions of a package from one version on.
struct Since<T> {
    version: usize,
    what: T,
}

impl<T> Since<T> {
    fn at(&self, version: usize) -> Option<&T> {
        (self.version <= version).then_some(&self.what)
    }
}

/// An API that several packages provide. Each provider provides the API from one version on.
struct SharedApi {
    api: Api,
    providers: Vec<usize>,
}

/// The required versions of another package. They are close to the version of the package itself.
struct Range {
    package: usize,
    below: usize,
    above: usize,
}

impl Range {
    /// Returns the required range for the bundle with this index.
    fn around(&self, version: usize) -> String {
        let lowest = woven_version(version.saturating_sub(self.below));
        let highest = woven_version(version + self.above);
        format!(">={lowest} <={highest}")
    }
}

fn ranges(at: usize, packages: usize, rng: &mut Rng) -> Vec<Since<Range>> {
    if rng.f64() >= WOVEN_NEED_PACKAGES {
        return Vec::new();
    }
    let others = (0..packages).filter(|other| *other != at);
    let count = rng.usize(1..=3);
    let needed = rng.choose_multiple(others, count).into_iter();
    let range = needed.map(|package| Since {
        version: rng.usize(0..WOVEN_VERSIONS),
        what: Range {
            package,
            below: rng.usize(MINORS..=2 * MINORS),
            above: rng.usize(0..=MINORS),
        },
    });
    range.collect()
}

fn shared_apis(packages: usize, rng: &mut Rng) -> Vec<SharedApi> {
    let shared = (0..packages / PACKAGES_A_SHARED_API).map(|number| {
        let count = rng.usize(2..=4);
        SharedApi {
            api: common_api(number),
            providers: rng.choose_multiple(0..packages, count),
        }
    });
    shared.collect()
}

/// Returns an API that the package at index `at` requires and does not provide.
fn needed_api(at: usize, names: &[String], shared: &[SharedApi], rng: &mut Rng) -> Api {
    let foreign = shared.iter().filter(|it| !it.providers.contains(&at));
    let foreign: Vec<_> = foreign.collect();
    match rng.choice(&foreign) {
        Some(shared) if rng.bool() => shared.api.clone(),
        _ => own_api(&names[other(at, names.len(), rng)]),
    }
}

/// Returns the index of a random package other than `at`.
fn other(at: usize, packages: usize, rng: &mut Rng) -> usize {
    (at + rng.usize(1..packages)) % packages
}

fn names(packages: usize) -> Vec<String> {
    (0..packages).map(|at| format!("ship-{at:04}")).collect()
}

fn woven_version(at: usize) -> String {
    format!("{}.{}.0", at / MINORS + 1, at % MINORS)
}

fn own_api(package: &str) -> Api {
    api(format!("{package}.example.test"))
}

fn common_api(number: usize) -> Api {
    api(format!("berth-{number}.example.test"))
}

fn api(group: String) -> Api {
    Api {
        group,
        kind: "Berth".to_owned(),
        version: "v1".to_owned(),
    }
}

fn bundle(package: &str, version: &str) -> Bundle {
    Bundle {
        name: format!("{package}.v{version}"),
        version: version.to_owned(),
        image: format!("registry.example/{package}:v{version}"),
        ..Bundle::default()
    }
}

/// Returns a catalog with packages of these names. `bundles` returns the bundles of a package, the
/// oldest first.
fn catalog(names: &[String], mut bundles: impl FnMut(usize, &str) -> Vec<Bundle>) -> Catalog {
    let packages = names.iter().enumerate().map(|(at, name)| {
        let bundles = bundles(at, name);
        let before = bundles.iter().map(|bundle| Some(bundle.name.clone()));
        let replaced = [None].into_iter().chain(before);
        let entries = bundles
            .iter()
            .zip(replaced)
            .map(|(bundle, replaces)| Entry {
                name: bundle.name.clone(),
                replaces,
                ..Entry::default()
            });
        let stable = Channel {
            name: "stable".to_owned(),
            entries: entries.collect(),
            deprecated: None,
        };
        Package {
            name: name.clone(),
            default_channel: Some(stable.name.clone()),
            channels: vec![stable],
            bundles,
            deprecated: None,
        }
    });
    Catalog {
        packages: packages.collect(),
    }
}
