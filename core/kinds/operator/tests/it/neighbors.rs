//! Tests of other installations of the same package.

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
        csv: None,
    }
}

#[rstest]
#[case::installed_by_olm(
    Installer::Olm,
    "False InstalledByOlm: OLM installed ClusterServiceVersion olm/ferry.v1.0.0; the Operator \
     installs nothing while this object exists; to adopt the installation of OLM: portolan adopt \
     ferry --dry-run"
)]
#[case::installed_by_a_cluster_extension(
    Installer::ClusterExtension,
    "False InstalledByClusterExtension: ClusterServiceVersion olm/ferry.v1.0.0 already installs \
     the package; the Operator installs nothing while this object exists"
)]
fn package_of_another_installer_is_left_unchanged(#[case] by: Installer, #[case] said: &str) {
    let mut cluster = Cluster::with_ferry();
    cluster.present.push(present(by));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.reported("ferry"), said);
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.present.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn operator_stops_if_olm_installs_the_package_later() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.present.push(present(Installer::Olm));
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert!(
        cluster
            .reported("ferry")
            .starts_with("False AlsoInstalledByOlm: ")
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn older_of_two_operators_is_active() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.put("another", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("another"),
        "False Duplicate: the older Operator ferry is for the same package; delete one of the two \
         Operators"
    );
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn operator_condition_can_block_upgrades() {
    let mut cluster = Cluster::with_ferry();
    cluster.conditions.are_served = true;
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    let manifests = cluster.plans["ferry-1"].to_string();
    assert!(manifests.contains(r#""name":"OPERATOR_CONDITION_NAME","value":"ferry.v1.0.0""#));
    for kind in ["OperatorCondition", "Role", "RoleBinding"] {
        assert!(
            manifests.contains(&format!(r#""kind":"{kind}""#)),
            "{manifests}"
        );
    }
    cluster.take_written();

    let why = "the operator says that it migrates";
    let condition = "harbor/ferry.v1.0.0".to_owned();
    cluster.conditions.not_upgradeable = [(condition, why.to_owned())].into();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        format!("False NotUpgradeable: {why}")
    );
    assert_eq!(cluster.take_written(), [""; 0]);

    cluster.conditions.not_upgradeable.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn no_operator_condition_is_created_without_its_crd() {
    let cluster = Cluster::with_ferry_installed();
    let plan = cluster.plans["ferry-1"].to_string();
    assert!(!plan.contains("OperatorCondition") && !plan.contains("OPERATOR_CONDITION"));
}

#[test]
fn operator_being_installed_by_olm_satisfies_nothing_yet() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut present = present(Installer::ClusterExtension);
    present.installs = Installation {
        package: "rope".to_owned(),
        ..Installation::default()
    };
    cluster.present.push(present);
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// The catalog now has another image for the bundle that is installed.
#[test]
fn installed_bundle_is_not_reinstalled_from_another_image() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.digests.insert("ferry.v1.0.0".to_owned(), "1");
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False BundleChanged: ferry.v1.0.0 is installed from sha256:0, but catalog demo now has \
         another image with this name: sha256:1; the installed version is kept; choose another \
         version"
    );
    let watching = json!({
        "packageName": "ferry", "version": "1.0.0", "settleSeconds": 0, "watchNamespaces": ["pier"],
    });
    cluster.put("ferry", watching);
    cluster.settle();
    assert!(
        cluster
            .reported("ferry")
            .starts_with("False BundleChanged: ")
    );
    assert_eq!(cluster.take_written(), [""; 0]);

    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}
