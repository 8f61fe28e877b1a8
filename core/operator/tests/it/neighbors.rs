//! Others that have the package.

use portolan_core_operator::{Installation, Installer, Present};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, wish};

fn present(by: Installer) -> Present {
    Present {
        object: "ClusterServiceVersion olm/ferry.v1.0.0".to_owned(),
        by,
        installs: Installation {
            package: "ferry".to_owned(),
            bundle: "ferry.v1.0.0".to_owned(),
            version: "1.0.0".to_owned(),
            ..Installation::default()
        },
    }
}

#[rstest]
#[case::of_olm(
    Installer::Olm,
    "False InstalledByOlm: ClusterServiceVersion olm/ferry.v1.0.0 is there, which OLM installed; \
     nothing is done while it is"
)]
#[case::of_a_cluster_extension(
    Installer::ClusterExtension,
    "False InstalledByClusterExtension: ClusterServiceVersion olm/ferry.v1.0.0 has the package; \
     nothing is done while it has"
)]
fn nothing_is_done_where_others_have_it(#[case] by: Installer, #[case] said: &str) {
    let mut cluster = Cluster::with_ferry();
    cluster.present.push(present(by));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.said("ferry"), said);
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.present.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn one_that_comes_later_stops_it() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.present.push(present(Installer::Olm));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert!(
        cluster
            .said("ferry")
            .starts_with("False AlsoInstalledByOlm: ")
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn of_two_operators_the_older_works() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.put("another", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.said("another"),
        "False Duplicate: the Operator ferry has the package, and is older; delete one of them"
    );
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}
