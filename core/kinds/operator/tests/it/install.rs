//! Tests of the installation of one Operator.

mod crds;
mod plans;

use portolan_api::operator::{APPROVE, ConditionType, Remedy};
use portolan_core_operator::{CommonRoute, End, Installation};
use rstest::rstest;
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, move_to, wish};

#[test]
fn operator_without_version_is_installed_once() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let all = ["ferry has its finalizer", "make ferry-1", "let ferry-1 go"];
    assert_eq!(cluster.take_written(), all);
    let frozen = "False Frozen: the operator stays at 1.2.0, because spec.version is empty; to \
                  upgrade it, set a version or a range";
    assert_eq!(cluster.reported("ferry"), frozen);

    cluster.packages.get_mut("ferry").expect("it").push("1.3.0");
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(cluster.reported("ferry"), frozen);
    assert_eq!(cluster.status("ferry").versions.available, ["1.3.0"]);
    let upgrade = cluster
        .status("ferry")
        .condition(ConditionType::UpgradeAvailable);
    assert_eq!(upgrade.map(|it| &*it.status), Some("True"));
}

#[test]
fn operator_with_lost_status_keeps_its_version() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    cluster.take_written();
    let before = cluster.status("ferry").clone();
    cluster.operators.get_mut("ferry").expect("it").status = None;
    cluster.packages.get_mut("ferry").expect("it").push("1.3.0");
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    let after = cluster.status("ferry");
    assert_eq!((&after.bundle, &after.plan), (&before.bundle, &before.plan));
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn operator_is_upgraded_step_by_step_with_settle_time() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False UpToDate: the operator has the desired version 1.0.0"
    );
    cluster.put(
        "ferry",
        json!({"packageName": "ferry", "version": ">=1.0.0 <2.0.0"}),
    );
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False Settling: 1.0.0 must stay healthy until 1970-01-01T00:05:00Z before the next \
         version is installed"
    );
    let path = &cluster.status("ferry").path;
    let waits = path[0].waits_for.as_deref().unwrap_or_default();
    assert!(
        waits.starts_with("1.0.0 must stay healthy until "),
        "{waits}"
    );
    let path: Vec<_> = path.iter().map(|hop| &*hop.bundle).collect();
    assert_eq!(path, ["ferry.v1.1.0", "ferry.v1.2.0"]);
    assert_eq!(
        cluster.decide("ferry").until.map(|at| at.as_second()),
        Some(300)
    );

    cluster.wait(300);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    assert_eq!(
        cluster.status("ferry").versions.target.as_deref(),
        Some("1.2.0")
    );
    cluster.wait(299);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
    cluster.wait(1);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(
        cluster.reported("ferry"),
        "False UpToDate: the operator has the desired version 1.2.0"
    );
}

#[test]
fn unready_version_delays_the_next_version() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.sick.insert("ferry.v1.1.0".to_owned());
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False Settling: 1.1.0 must be healthy before the next version is installed: \
         MembersNotReady of ferry-2"
    );
    let ready = cluster
        .status("ferry")
        .condition(ConditionType::Ready)
        .expect("it");
    assert_eq!(
        ready.message,
        "ferry.v1.1.0 is installed but does not work: MembersNotReady of ferry-2"
    );
    cluster.sick.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// A user can replace a broken version by requesting another version.
#[test]
fn newer_request_replaces_an_unready_version() {
    let mut cluster = Cluster::with_ferry();
    cluster.sick.insert("ferry.v1.0.0".to_owned());
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.settle();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.1.0"}));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn no_hop_starts_while_a_bundle_on_the_route_is_unreadable() {
    let mut cluster = Cluster::with_ferry_installed();
    let refusal = "the image is gone".to_owned();
    cluster.refused.insert("ferry.v1.2.0".to_owned(), refusal);
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False BundleNotInstallable: ferry.v1.2.0: the image is gone"
    );
    cluster.refused.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// The resolver runs in another process, which can fail or return invalid results.
#[rstest]
#[case::resolver_is_unavailable(
    "ferry",
    "1.0.0",
    "an upgrade path leads to ferry.v1.0.0, which is a lower version"
)]
#[case::version_is_beyond_the_range(
    "ferry",
    "1.2.0",
    "an upgrade path leads to ferry.v1.2.0, which is not allowed"
)]
#[case::version_is_missing("ferry", "new", "ferry.vnew has no version")]
fn impossible_upgrade_is_reported(#[case] package: &str, #[case] version: &str, #[case] why: &str) {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to(package, version)]],
        ends: vec![End {
            package: package.to_owned(),
            ..End::default()
        }],
    }]);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        format!("False ResolverUnavailable: the answer of the resolver is not plausible: {why}")
    );
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn bundle_with_another_name_is_not_installed() {
    let mut cluster = Cluster::with_ferry_installed();
    let other = Installation {
        package: "rope".to_owned(),
        bundle: "rope.v1.0.0".to_owned(),
        version: "1.0.0".to_owned(),
        ..Installation::default()
    };
    cluster.others.insert("ferry.v1.1.0".to_owned(), other);
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False ResolverUnavailable: the answer of the resolver is not plausible: expected \
         ferry.v1.1.0 of ferry in version 1.1.0, found rope.v1.0.0 of rope in version 1.0.0"
    );
    cluster.others.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// A tag can later refer to another image. A digest identifies the image that the author of the
/// catalog has checked.
#[test]
fn bundle_from_an_unexpected_image_is_not_installed() {
    let mut cluster = Cluster::with_ferry_installed();
    let named = "registry.test/ferry.v1.1.0@sha256:1".to_owned();
    cluster.named.insert("ferry.v1.1.0".to_owned(), named);
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.reported("ferry"),
        "False ResolverUnavailable: the answer of the resolver is not plausible: the catalog \
         lists ferry.v1.1.0 with image registry.test/ferry.v1.1.0@sha256:1, but the files of this \
         bundle come from registry.test/ferry.v1.1.0@sha256:0"
    );
    let tagged = "registry.test/ferry:1.1.0".to_owned();
    cluster.named.insert("ferry.v1.1.0".to_owned(), tagged);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// The controller reports an invalid config before it reads the bundle.
#[test]
fn invalid_config_is_reported_with_its_field() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut spec = wish("ferry", "1.1.0");
    spec["config"] = json!({"env": [{"name": 1}], "tolerations": "all"});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False SpecInvalid: spec.config: `env[0].name` is the number 1, not a string; `tolerations` is \
         the text \"all\", not a list"
    );
    let mut spec = wish("ferry", "1.1.0");
    spec["config"] = json!({"environment": []});
    cluster.put("ferry", spec);
    cluster.settle();
    let told = "False SpecInvalid: spec.config: there is no field `environment`";
    assert_eq!(cluster.reported("ferry"), told);
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn manual_approval_is_required_for_each_version() {
    let mut cluster = Cluster::with_ferry();
    let spec = json!({
        "packageName": "ferry", "version": "1.0.0", "approval": "Manual", "settleSeconds": 0,
    });
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False ApprovalRequired: ferry.v1.0.0 must be approved: kubectl annotate --overwrite \
         operators.operators.operatorframework.io ferry operators.portolan.dev/approve=ferry.v1.0.0"
    );
    let remedy = Remedy {
        message: "ferry.v1.0.0 must be approved".to_owned(),
        command: "kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
                  operators.portolan.dev/approve=ferry.v1.0.0"
            .to_owned(),
    };
    assert_eq!(cluster.status("ferry").remedy, Some(remedy));
    assert_eq!(cluster.installed("ferry"), None);
    cluster.annotate("ferry", APPROVE, "ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), None);
    cluster.annotate("ferry", APPROVE, "ferry.v1.0.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert_eq!(cluster.status("ferry").remedy, None);
}

#[test]
fn changed_options_cause_a_hop_to_the_same_version() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry", "settleSeconds": 0}));
    cluster.settle();
    cluster.take_written();
    let spec = json!({"packageName": "ferry", "settleSeconds": 0, "watchNamespaces": ["harbor"]});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(
        cluster.plans["ferry-2"]["spec"]["replaces"],
        json!([{"name": "ferry-1"}])
    );
}

#[test]
fn errors_are_reported_and_installed_version_is_kept() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    cluster.take_written();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "~1.2"}));
    cluster.settle();
    assert!(
        cluster
            .reported("ferry")
            .starts_with("False SpecInvalid: spec.version is refused: ")
    );
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.put("rope", json!({"packageName": "rope"}));
    cluster.settle();
    assert_eq!(
        cluster.reported("rope"),
        "False PackageNotFound: no catalog has the package rope"
    );
}

/// A decision depends only on the state of the cluster. If a controller stops after any write, the
/// next controller reaches the same state.
#[test]
fn installation_has_same_result_after_a_stop_at_any_write() {
    let run = |stop: Option<usize>| {
        let mut cluster = Cluster::with_ferry();
        cluster.put("ferry", wish("ferry", "1.0.0"));
        cluster.settle();
        cluster.put("ferry", wish("ferry", "1.x"));
        if let Some(stop) = stop {
            for _ in 0..stop {
                cluster.carry_out();
                cluster.turn("ferry", 1);
            }
            // The controller stopped before it wrote the status.
            cluster.operators.get_mut("ferry").expect("it").status = None;
        }
        cluster.settle();
        (
            cluster.installed("ferry").map(str::to_owned),
            cluster.take_written(),
        )
    };
    let whole = run(None);
    for stop in 0..8 {
        assert_eq!(run(Some(stop)), whole, "stopped after {stop}");
    }
}

#[test]
fn version_missing_in_the_catalog_freezes_the_operator() {
    let mut cluster = Cluster::with_ferry();
    let spec = |version: &str| json!({"packageName": "ferry", "version": version});
    cluster.put("ferry", spec("9.0.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), None);
    // No version was installed yet, so the Operator installs the best version directly.
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));

    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", spec("1.0.0"));
    cluster.settle();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert!(cluster.reported("ferry").starts_with("False Frozen: "));
}

#[test]
fn the_status_names_the_version_of_the_controller() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let versions = &cluster.status("ferry").versions;
    assert_eq!(versions.controller.as_deref(), Some("0.1.0"));
}

#[test]
fn a_bundle_is_recorded_by_its_digest() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let bundle = cluster.status("ferry").bundle.clone().expect("a bundle");
    assert_eq!(bundle.image, "registry.test/ferry.v1.2.0@sha256:0");
    assert_eq!((&*bundle.name, &*bundle.catalog), ("ferry.v1.2.0", "demo"));
}

#[test]
fn operator_is_installed_with_its_service_account() {
    let mut cluster = Cluster::with_ferry();
    let account = json!({"namespace": "harbor-team", "name": "deployer"});
    let mut spec = wish("ferry", "1.0.0");
    spec["serviceAccount"] = account;
    cluster.put("ferry", spec);
    cluster.settle();
    let plan = &cluster.plans["ferry-1"];
    assert_eq!(plan["metadata"]["namespace"], "harbor-team");
    assert_eq!(plan["spec"]["serviceAccountName"], "deployer");
    let plan = cluster.status("ferry").plan.clone().expect("a plan");
    assert_eq!((&*plan.namespace, &*plan.name), ("harbor-team", "ferry-1"));
    cluster.delete("ferry");
    cluster.settle();
    assert_eq!(
        cluster.take_written().last().map(String::as_str),
        Some("ferry is gone")
    );
}

#[test]
fn changed_config_causes_a_hop_to_the_same_version() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut spec = wish("ferry", "1.0.0");
    spec["config"] = json!({"env": [{"name": "B", "value": "2"}], "annotations": {}});
    cluster.put("ferry", spec.clone());
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    // Only the order of the fields changes, which is no change of the config.
    spec["config"] = json!({"annotations": {}, "env": [{"value": "2", "name": "B"}]});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

/// A change of unrelated fields of the Operator is not a new request for a version.
#[test]
fn unready_version_is_kept_after_unrelated_changes() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.sick.insert("ferry.v1.1.0".to_owned());
    let mut spec = wish("ferry", "1.x");
    spec["approval"] = json!("Manual");
    cluster.put("ferry", spec.clone());
    cluster.settle();
    spec["approval"] = json!("Automatic");
    cluster.put("ferry", spec.clone());
    cluster.settle();
    spec["settleSeconds"] = json!(1);
    cluster.put("ferry", spec.clone());
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    assert_eq!(
        cluster.reported("ferry"),
        "False Settling: 1.1.0 must be healthy before the next version is installed: \
         MembersNotReady of ferry-2"
    );
    spec["version"] = json!("1.2.0");
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// The OperatorCondition of the operator stays valid while the node of the operator is drained.
#[test]
fn operator_that_refuses_upgrades_is_kept_while_unready() {
    let mut cluster = Cluster::with_ferry();
    cluster.conditions.are_served = true;
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.take_written();
    let why = "the operator says that it migrates";
    let condition = ("harbor/ferry.v1.0.0".to_owned(), why.to_owned());
    cluster.conditions.not_upgradeable = [condition].into();
    cluster.sick.insert("ferry.v1.0.0".to_owned());
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        format!("False NotUpgradeable: {why}")
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}
