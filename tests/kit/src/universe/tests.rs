use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::{assert_same, catalog as of_text};

fn share(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

fn bundles(catalog: &Catalog) -> impl Iterator<Item = &Bundle> {
    catalog.packages.iter().flat_map(|package| &package.bundles)
}

/// Returns the packages and the APIs that a package requires.
fn needs(package: &Package) -> (BTreeSet<&str>, BTreeSet<&Api>) {
    let (mut packages, mut apis) = (BTreeSet::new(), BTreeSet::new());
    for requirement in package.bundles.iter().flat_map(|bundle| &bundle.requires) {
        match requirement {
            Requirement::Package { name, .. } => packages.insert(name.as_str()),
            Requirement::Api(api) => apis.insert(api),
        };
    }
    (packages, apis)
}

/// Returns the packages that provide each API.
fn providers(catalog: &Catalog) -> BTreeMap<&Api, BTreeSet<&str>> {
    let mut providers = BTreeMap::<_, BTreeSet<_>>::new();
    for package in &catalog.packages {
        for api in package.bundles.iter().flat_map(|bundle| &bundle.provides) {
            providers.entry(api).or_default().insert(&*package.name);
        }
    }
    providers
}

#[test]
fn seed_determines_catalog_and_requirements() {
    assert_same!(sparse(30, 10, 1), sparse(30, 10, 1));
    assert_same!(woven(30, 1), woven(30, 1));
    assert_ne!(sparse(30, 10, 1), sparse(30, 10, 2));
    assert_ne!(woven(30, 1), woven(30, 2));
    let catalog = sparse(30, 1, 1);
    assert_same!(
        requested_packages(&catalog, 10, 1),
        requested_packages(&catalog, 10, 1)
    );
    assert_ne!(
        requested_packages(&catalog, 10, 1),
        requested_packages(&catalog, 10, 2)
    );
}

#[test]
fn requirements_are_different_packages() {
    let catalog = sparse(30, 1, 1);
    let requested: BTreeSet<_> = requested_packages(&catalog, 30, 1).into_iter().collect();
    let all = catalog.packages.iter().map(|package| package.name.clone());
    assert_same!(requested, all.collect::<BTreeSet<_>>());
}

#[test]
#[should_panic(expected = "the catalog must have that many packages")]
fn panics_on_more_requirements_than_packages() {
    let _ = requested_packages(&sparse(3, 1, 1), 4, 1);
}

#[test]
fn three_of_ten_sparse_bundles_require_one_package() {
    let catalog = sparse(100, 50, 1);
    let needs: Vec<_> = bundles(&catalog).map(|it| it.requires.len()).collect();
    assert_eq!(needs.len(), 5_000);
    assert_eq!(needs.iter().max(), Some(&1));
    let needing = share(needs.iter().sum(), needs.len());
    assert!((0.28..0.32).contains(&needing), "{needing}");
}

#[test]
fn woven_packages_need_the_stated_shares() {
    let catalog = woven(500, 1);
    assert_eq!(bundles(&catalog).count(), 10_000);
    let needs: Vec<_> = catalog.packages.iter().map(needs).collect();
    let packages = |count| needs.iter().filter(|need| need.0.len() == count).count();
    let needing = share(packages(1) + packages(2) + packages(3), 500);
    assert!((0.35..0.45).contains(&needing), "{needing}");
    assert_eq!(packages(0) + packages(1) + packages(2) + packages(3), 500);
    assert!(packages(1) > 0 && packages(2) > 0 && packages(3) > 0);
    let needing = share(needs.iter().map(|need| need.1.len()).sum(), 500);
    assert!((0.25..0.35).contains(&needing), "{needing}");
}

#[test]
fn every_tenth_woven_api_has_two_to_four_providers() {
    let catalog = woven(500, 1);
    let providers = providers(&catalog);
    let counts = providers.values().map(BTreeSet::len);
    let shared: Vec<_> = counts.filter(|count| *count > 1).collect();
    assert_eq!((providers.len(), shared.len()), (550, 50));
    assert!(shared.iter().all(|count| (2..=4).contains(count)));
}

#[test]
fn no_package_requires_itself() {
    let catalogs = [sparse(20, 50, 1), woven(200, 1)];
    for catalog in &catalogs {
        let providers = providers(catalog);
        for package in &catalog.packages {
            let (packages, apis) = needs(package);
            assert!(!packages.contains(&*package.name));
            let mut own = apis
                .iter()
                .filter(|api| providers[**api].contains(&*package.name));
            assert_eq!(own.next(), None, "{}", package.name);
        }
    }
}

#[test]
fn each_bundle_of_a_channel_replaces_the_previous_bundle() {
    let written = of_text("ship-0000: 1.0.0 -> 1.1.0 -> 1.2.0").packages;
    assert_same!(sparse(2, 3, 5).packages[0].channels, written[0].channels);
}

#[test]
fn required_range_is_close_to_the_requiring_version() {
    let range = Range {
        package: 0,
        below: 2,
        above: 1,
    };
    assert_eq!(range.around(0), ">=1.0.0 <=1.1.0");
    assert_eq!(range.around(WOVEN_VERSIONS - 1), ">=4.2.0 <=5.0.0");
}

#[test]
fn pigeon_packages_outnumber_the_apis_by_one() {
    let written = of_text(
        "ship-0000: 1.0.0 -> 1.1.0
           1.0.0 provides berth-0.example.test/v1/Berth
           1.1.0 provides berth-1.example.test/v1/Berth
         ship-0001: 1.0.0 -> 1.1.0
           1.0.0 provides berth-0.example.test/v1/Berth
           1.1.0 provides berth-1.example.test/v1/Berth
         ship-0002: 1.0.0 -> 1.1.0
           1.0.0 provides berth-0.example.test/v1/Berth
           1.1.0 provides berth-1.example.test/v1/Berth",
    );
    assert_same!(pigeons(2), written);
}
