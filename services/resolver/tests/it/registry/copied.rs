//! Tests of copying the content of a registry to files.

use std::collections::BTreeSet;

use portolan_kit::TempFolder;
use portolan_resolver::source::registry::Dialer;
use portolan_resolver::source::{Copied, Location, SourceAccess, read_folder};

use crate::registry::fake::{Fake, row};

const CSV: &str = r#"{"spec": {"displayName": "A", "minKubeVersion": "1.99.0"}}"#;

#[tokio::test]
async fn copy_equals_the_registry_and_has_details_of_named_packages() {
    let mut fake = Fake::of([row("a", "1.0.0"), row("a", "1.1.0"), row("b", "1.0.0")]);
    for bundle in ["a.v1.0.0", "a.v1.1.0"] {
        fake.csvs.insert(bundle.to_owned(), CSV.to_owned());
    }
    let asked = fake.asked.clone();
    let running = fake.run();
    let registry = running.connect().await.read().await.expect("a catalog");

    let folder = TempFolder::empty();
    let location = Location::Registry(running.address.clone());
    let packages = BTreeSet::from(["a".parse().expect("a name")]);
    let reach = SourceAccess::default();
    let copied = location
        .copy((&reach, &Dialer::default()), packages, &folder)
        .await;
    assert_eq!(copied.expect("a copy"), Copied::Listed);
    let copy = read_folder(&folder).expect("a catalog");

    assert_eq!(copy.digest, registry.digest);
    assert_eq!(copy.faults, []);
    let bundles = copy
        .packages
        .values()
        .flat_map(|package| package.bundles.values());
    let least: Vec<_> = bundles
        .map(|bundle| {
            (
                bundle.name.as_str(),
                bundle.display.min_kube_version.as_deref(),
            )
        })
        .collect();
    let all = Some("1.99.0");
    assert_eq!(
        least,
        [("a.v1.0.0", all), ("a.v1.1.0", all), ("b.v1.0.0", None)]
    );
    let mut asked = asked.lock().expect("no panic").bundles.clone();
    asked.sort();
    assert_eq!(asked, ["a/s/a.v1.0.0", "a/s/a.v1.1.0"]);
}

#[tokio::test]
async fn unreachable_registry_leaves_no_file() {
    let mut running = Fake::of([row("a", "1.0.0")]).run();
    let location = Location::Registry(running.address.clone());
    running.kill();
    let folder = TempFolder::empty();
    let reach = SourceAccess::default();
    let copied = location
        .copy((&reach, &Dialer::default()), BTreeSet::new(), &folder)
        .await;
    let error = copied.expect_err("the server is stopped");
    assert!(error.to_string().contains("connect"), "{error}");
    let files = std::fs::read_dir(&*folder).expect("a folder").count();
    assert_eq!(files, 0);
}
