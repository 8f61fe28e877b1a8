//! Tests packages without channels. OLM can neither install nor upgrade such packages.

use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading};
use portolan_kit::catalog;
use proptest::prelude::*;
use rstest::rstest;

use crate::tests::packages::{catalogs, installations, queries};
use crate::tests::{installed, package};
use crate::{Destination, Graph, Installed, PathAnswer, Query, Reason, Walk};

/// The shortest catalog that has a package without channels. Its default channel does not exist.
const SHORTEST: &str = r#"{"schema":"olm.package","name":"void","defaultChannel":"c"}"#;

fn shortest() -> Graph {
    let catalog = Catalog::of([Reading::of("c.json", SHORTEST.as_bytes())]);
    Graph::new(Arc::clone(&catalog.packages["void"]))
}

fn without_channels(mut catalog: catalog::Catalog) -> Graph {
    for package in &mut catalog.packages {
        package.channels.clear();
    }
    Graph::new(package(&catalog))
}

fn no_channels(package: &str) -> Vec<Reason> {
    let package = package.parse().expect("a name");
    vec![Reason::NoChannel { package }]
}

#[test]
fn reports_package_without_channels() {
    let listed = shortest().list_upgrades(&installed("1.0.0"), None);
    let listed = listed.expect("no channel is asked for");
    assert_eq!(listed.reasons, no_channels("void"));
    assert_eq!((listed.successors, listed.recommended), (vec![], None));
}

#[rstest]
#[case::to_the_head(Destination::Head)]
#[case::to_the_newest_patch(Destination::NewestPatch)]
#[case::path_to_a_version(Destination::Version("2.0.0".parse().expect("a version")))]
#[case::path_to_a_range(Destination::Range(">=2.0.0".parse().expect("a range")))]
fn path_in_package_without_channels_is_blocked(#[case] to: Destination) {
    for walk in [Walk::Catalog, Walk::OlmV0] {
        let query = Query {
            walk,
            ..Query::new(installed("1.0.0"), to.clone())
        };
        let answer = shortest()
            .find_path(&query)
            .expect("no channel is asked for");
        let PathAnswer::Blocked(blockage) = answer else {
            panic!("{walk:?} has a path: {answer:?}");
        };
        assert_eq!(blockage.reasons, no_channels("void"), "{walk:?}");
    }
}

proptest! {
    #[test]
    fn queries_about_a_package_without_channels_have_a_reason(
        catalog in catalogs(), query in queries(), installed in installations()
    ) {
        let graph = without_channels(catalog);
        let query = Query { channel: None, ..query };
        let answer = graph.find_path(&query).expect("no channel is asked for");
        match answer {
            PathAnswer::Reached(path) => prop_assert!(false, "there is a path: {path:?}"),
            PathAnswer::Blocked(blockage) => prop_assert_eq!(blockage.reasons, no_channels("a")),
            PathAnswer::AlreadyThere(Installed { .. }) => {
                prop_assert!(query.destination.may_mean_installed());
            }
        }
        let listed = graph.list_upgrades(&installed, None).expect("no channel is asked for");
        prop_assert_eq!(listed.reasons, no_channels("a"));
        prop_assert!(listed.unreachable.iter().all(|it| it.blockage.reasons == no_channels("a")));
        prop_assert_eq!(graph.updates(None).count(), 0);
        prop_assert!(graph.heads().is_empty());
        prop_assert!(graph.list_upgrades(&installed, Some(&crate::tests::channel("fast"))).is_err());
    }
}
