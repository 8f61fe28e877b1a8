//! Large catalogs of packages that need one another, random and yet the same for the same seed.
//!
//! Every package has one channel, `stable`, in which each bundle replaces the one before it. Which
//! packages are wished for is drawn apart, so that one catalog can be asked many things.
//!
//! | Catalog     | What is hard about it                                                      |
//! |-------------|----------------------------------------------------------------------------|
//! | [`sparse`]  | only its size: bundles that need some package, in whatever version         |
//! | [`woven`]   | ranges that move with the versions, APIs of which few can be on a cluster  |
//! | [`pigeons`] | everything: that its wishes exclude one another shows by trial alone       |
//!
//! ```
//! use portolan_kit::universe::{wishes, woven};
//!
//! let catalog = woven(100, 7);
//! assert_eq!(catalog, woven(100, 7));
//! assert_eq!(wishes(&catalog, 5, 1).len(), 5);
//! ```

#[cfg(test)]
mod tests;

use fastrand::Rng;

use crate::catalog::{Api, Bundle, Catalog, Channel, Entry, Package, Requirement};

/// Bundles of a [`woven`] package: four majors of five minors.
pub const WOVEN_VERSIONS: usize = MAJORS * MINORS;

const MAJORS: usize = 4;
const MINORS: usize = 5;

/// Which share of the bundles of a [`sparse`] catalog needs a package.
const SPARSE_NEEDS: f64 = 0.3;

/// Which shares of the packages of a [`woven`] catalog need packages and APIs.
const WOVEN_NEED_PACKAGES: f64 = 0.4;
const WOVEN_NEED_APIS: f64 = 0.3;

/// For how many packages of a [`woven`] catalog there is one API that several provide.
const PACKAGES_A_SHARED_API: usize = 10;

/// Packages of which three bundles in ten need one other package, in any version.
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

/// Packages of [`WOVEN_VERSIONS`] bundles, each with an API of its own. For every tenth package
/// there is an API that two to four packages provide, which can therefore not all be on a cluster.
/// Four packages in ten need one to three others, newer bundles newer ones; three in ten need an
/// API, every other of them a shared one. What a package needs begins with one of its bundles; the
/// older ones do without, and can be the way out.
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

/// One package more than there are APIs to go around: every bundle of a package provides another
/// of them, and all packages together are one too many. To be wished for all at once.
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

/// The names of that many packages of a catalog, all different.
///
/// # Panics
/// When the catalog has fewer.
pub fn wishes(catalog: &Catalog, count: usize, seed: u64) -> Vec<String> {
    let names = catalog.packages.iter().map(|package| package.name.clone());
    let wished = Rng::with_seed(seed).choose_multiple(names, count);
    assert_eq!(
        wished.len(),
        count,
        "the catalog must have that many packages"
    );
    wished
}

/// A value that holds from one version of a package on.
struct Since<T> {
    version: usize,
    what: T,
}

impl<T> Since<T> {
    fn at(&self, version: usize) -> Option<&T> {
        (self.version <= version).then_some(&self.what)
    }
}

/// An API that several packages provide.
struct SharedApi {
    api: Api,
    providers: Vec<usize>,
}

/// Which versions of a package another one needs: those near to its own.
struct Range {
    package: usize,
    below: usize,
    above: usize,
}

impl Range {
    /// The range that the bundle of that place among the versions has.
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

/// Returns an API that a package needs, which is never one that it provides.
fn needed_api(at: usize, names: &[String], shared: &[SharedApi], rng: &mut Rng) -> Api {
    let foreign = shared.iter().filter(|it| !it.providers.contains(&at));
    let foreign: Vec<_> = foreign.collect();
    match rng.choice(&foreign) {
        Some(shared) if rng.bool() => shared.api.clone(),
        _ => own_api(&names[other(at, names.len(), rng)]),
    }
}

/// Any package but this one.
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

/// The packages of those names; `bundles` says what a package has, the oldest first.
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
