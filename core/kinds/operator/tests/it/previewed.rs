//! Tests of unsafe CRD changes that a preview reports before a user requests the version.

use std::collections::BTreeMap;

use portolan_core_operator::{
    Acceptance, CrdAsk, CrdComparison, CrdFacts, OnCluster, UnsafeUpdate, UpgradePath,
    compare_crds, definitions,
};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, wish};

const NAMES: [&str; 3] = ["ferry.v1.0.0", "ferry.v1.1.0", "ferry.v1.2.0"];

/// Returns the CRDs of three bundles. Version 1.1.0 lacks the field `b`, and version 1.2.0 lacks
/// the field `a`.
fn bundles() -> BTreeMap<String, Result<Vec<Value>, String>> {
    let fields: [&[&str]; 3] = [&["a", "b", "c"], &["a", "c"], &["c"]];
    let bundles = NAMES.into_iter().zip(fields);
    bundles
        .map(|(name, fields)| (name.to_owned(), Ok(vec![definition(fields)])))
        .collect()
}

fn path(safety: Value) -> UpgradePath {
    let mut cluster = Cluster::with_ferry();
    let mut spec = wish("ferry", "1.2.0");
    spec["crdUpgradeSafety"] = safety;
    cluster.put("ferry", spec);
    UpgradePath {
        installed: Some(NAMES[0].to_owned()),
        bundles: NAMES[1..].iter().map(|it| (*it).to_owned()).collect(),
        acceptance: Acceptance::of(&cluster.operators["ferry"]),
    }
}

fn compared(path: &UpgradePath, on_cluster: OnCluster) -> CrdComparison {
    compared_bundles(path, bundles(), on_cluster)
}

fn compared_bundles(
    path: &UpgradePath,
    bundles: BTreeMap<String, Result<Vec<Value>, String>>,
    on_cluster: OnCluster,
) -> CrdComparison {
    let known = CrdFacts {
        bundles,
        on_cluster: Some(on_cluster),
    };
    compare_crds(path, &known).expect("all is known")
}

/// Returns the CRD as a cluster dump contains it, without schemas.
fn dumped() -> Value {
    let mut dumped = definition(&[]);
    dumped["spec"]["versions"][0]["schema"] = Value::Null;
    dumped["status"] = json!({"storedVersions": ["v1alpha1", "v1"]});
    dumped
}

/// Returns the check that found each change.
fn checks(comparison: &CrdComparison) -> Vec<&str> {
    let changes = comparison.unsafe_updates.iter().flat_map(|it| &it.changes);
    changes.map(|it| it.check.as_str()).collect()
}

/// Returns the bundle of each waiting update, with the field paths of its changes.
fn describe(comparison: &CrdComparison) -> Vec<String> {
    let updates = comparison.unsafe_updates.iter();
    let updates = updates.map(|update| {
        let paths = update.changes.iter().map(|it| it.path.as_str());
        format!("{} {}", update.bundle, paths.collect::<Vec<_>>().join(" "))
    });
    updates.collect()
}

const BOTH: [&str; 2] = ["ferry.v1.1.0 .spec.b", "ferry.v1.2.0 .spec.a"];

#[rstest]
#[case::nothing(json!({}), &BOTH)]
#[case::one_bundle(json!({"acceptBundles": ["ferry.v1.1.0"]}), &BOTH[1..])]
#[case::a_check(json!({"acceptChecks": ["existingFieldRemoval"]}), &[])]
#[case::another_check(json!({"acceptChecks": ["type"]}), &BOTH)]
fn compares_each_update_with_the_previous_one(#[case] safety: Value, #[case] waits: &[&str]) {
    let comparison = compared(&path(safety), OnCluster::NotRead);
    assert_eq!(describe(&comparison), waits);
    assert_eq!(comparison.not_compared, None);
}

/// The preview must list exactly the changes that the controller will refuse.
#[test]
fn preview_names_the_changes_that_the_operator_waits_for() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.there = vec![definition(&["a", "b", "c"])];
    for (name, definitions) in bundles() {
        let definition = definitions.expect("a CRD").remove(0);
        cluster.definitions.insert(name, definition);
    }
    let path = path(json!({}));
    let previewed = compared(&path, OnCluster::All(cluster.there.clone()));
    assert_eq!(describe(&previewed), BOTH);
    let mut accepted = Vec::new();
    for update in &previewed.unsafe_updates {
        let mut spec = wish("ferry", "1.2.0");
        spec["crdUpgradeSafety"] = json!({"acceptBundles": accepted});
        cluster.put("ferry", spec);
        cluster.settle();
        let status = cluster.status("ferry");
        assert_eq!(status.unsafe_changes, update.changes);
        assert_eq!(status.path[0].bundle, update.bundle);
        accepted.push(update.bundle.clone());
        let applied = cluster.definitions[&update.bundle].clone();
        cluster.there = vec![applied];
    }
}

#[test]
fn cluster_crds_take_precedence_over_crds_of_the_installed_bundle() {
    let on_cluster = OnCluster::All(vec![definition(&["a", "c", "d"])]);
    let comparison = compared(&path(json!({})), on_cluster);
    assert_eq!(
        describe(&comparison),
        ["ferry.v1.1.0 .spec.d", "ferry.v1.2.0 .spec.a"]
    );
    let deleted = compared(&path(json!({})), OnCluster::All(Vec::new()));
    assert_eq!(describe(&deleted), ["ferry.v1.2.0 .spec.a"]);
}

/// A cluster dump contains the versions and the stored versions of CRDs, but not their schemas.
#[test]
fn missing_schemas_of_a_dump_come_from_installed_bundle() {
    let comparison = compared(&path(json!({})), OnCluster::Part(vec![dumped()]));
    assert_eq!(
        checks(&comparison),
        [
            "storedVersionRemoval",
            "existingFieldRemoval",
            "existingFieldRemoval"
        ]
    );
    assert_eq!(comparison.not_compared, None);
}

const NO_SCHEMAS: &str = "the dump lacks the schemas of CRDs: ships.ferry.example";

/// The comparison covers the stored versions of the first update, but not its fields.
#[rstest]
#[case::nothing_is_installed(OnCluster::Part, None)]
#[case::nothing_is_installed_and_the_dump_is_complete(OnCluster::All, None)]
#[case::the_installed_bundle_has_no_crd(OnCluster::Part, Some(NAMES[0].to_owned()))]
fn reports_schemas_missing_in_dump_and_bundle(
    #[case] on_cluster: fn(Vec<Value>) -> OnCluster,
    #[case] installed: Option<String>,
) {
    let path = UpgradePath {
        installed,
        ..path(json!({}))
    };
    let mut bundles = bundles();
    bundles.insert(NAMES[0].to_owned(), Ok(Vec::new()));
    let comparison = compared_bundles(&path, bundles, on_cluster(vec![dumped()]));
    assert_eq!(
        checks(&comparison),
        ["storedVersionRemoval", "existingFieldRemoval"]
    );
    assert_eq!(comparison.not_compared.as_deref(), Some(NO_SCHEMAS));
}

#[test]
fn reports_version_missing_in_the_installed_bundle() {
    let mut dumped = dumped();
    let versions = dumped["spec"]["versions"].as_array_mut();
    let second = json!({"name": "v2", "served": true, "storage": false, "schema": null});
    versions.expect("versions").push(second);
    let comparison = compared(&path(json!({})), OnCluster::Part(vec![dumped]));
    assert_eq!(comparison.not_compared.as_deref(), Some(NO_SCHEMAS));
}

/// If a user cannot list all CRDs, the dump of this user omits some of them.
#[test]
fn reports_crds_missing_in_dump_and_bundle() {
    let lacked = "the dump lacks CRDs that the cluster may have: ships.ferry.example";
    let new = UpgradePath {
        installed: None,
        ..path(json!({}))
    };
    let comparison = compared(&new, OnCluster::Part(Vec::new()));
    assert_eq!(describe(&comparison), &BOTH[1..]);
    assert_eq!(comparison.not_compared.as_deref(), Some(lacked));
    let comparison = compared(&new, OnCluster::All(Vec::new()));
    assert_eq!(describe(&comparison), &BOTH[1..]);
    assert_eq!(comparison.not_compared, None);

    // The result contains all reasons.
    let mut bundles = bundles();
    bundles.insert(NAMES[0].to_owned(), Ok(Vec::new()));
    bundles.insert(NAMES[2].to_owned(), Err("no registry".to_owned()));
    let comparison = compared_bundles(&path(json!({})), bundles, OnCluster::Part(Vec::new()));
    assert_eq!(describe(&comparison), [""; 0]);
    assert_eq!(
        comparison.not_compared,
        Some(format!("{lacked}; ferry.v1.2.0: no registry"))
    );
}

#[test]
fn crds_missing_in_a_dump_come_from_installed_bundle() {
    let comparison = compared(&path(json!({})), OnCluster::Part(Vec::new()));
    assert_eq!(describe(&comparison), BOTH);
    assert_eq!(comparison.not_compared, None);
}

/// The stored versions in the cluster stay unknown, because the cluster cannot be read.
#[test]
fn reports_unreadable_cluster_and_changes_from_the_installed_bundle() {
    let denied = OnCluster::Unreadable("forbidden".to_owned());
    let comparison = compared(&path(json!({})), denied);
    assert_eq!(describe(&comparison), BOTH);
    assert_eq!(
        comparison.not_compared.as_deref(),
        Some("cannot read the CRDs on the cluster: forbidden")
    );
}

#[test]
fn names_and_types_of_authors_are_escaped() {
    let mut bundles = bundles();
    let definitions = bundles.values_mut().flatten().flatten();
    for definition in definitions {
        definition["metadata"]["name"] = json!("ships\nwarning: forged");
        let field = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b/type";
        if let Some(written) = definition.pointer_mut(field) {
            *written = json!("string\nwarning: forged");
        }
    }
    let comparison = compared_bundles(&path(json!({})), bundles, OnCluster::NotRead);
    let lines: Vec<_> = comparison
        .unsafe_updates
        .iter()
        .flat_map(UnsafeUpdate::lines)
        .collect();
    assert_eq!(
        lines,
        [
            r"ships\u{a}warning: forged: v1: .spec.b: existingFieldRemoval: the field is gone (type string\u{a}warning: forged -> none)",
            r"ships\u{a}warning: forged: v1: .spec.a: existingFieldRemoval: the field is gone (type string -> none)",
        ]
    );
}

#[test]
fn compares_existing_crds_of_other_owners_before_an_installation() {
    let new = UpgradePath {
        installed: None,
        bundles: vec![NAMES[2].to_owned()],
        ..path(json!({}))
    };
    let left = compared(&new, OnCluster::All(vec![definition(&["a", "c"])]));
    assert_eq!(describe(&left), ["ferry.v1.2.0 .spec.a"]);
    assert_eq!(compared(&new, OnCluster::NotRead), CrdComparison::default());
    let denied = compared(&new, OnCluster::Unreadable("forbidden".to_owned()));
    assert_eq!(
        denied.not_compared.as_deref(),
        Some("cannot read the CRDs on the cluster: forbidden")
    );
}

/// The comparison includes the updates up to the unreadable bundle.
#[rstest]
#[case::first_bundle(NAMES[1], &[])]
#[case::last_bundle(NAMES[2], &BOTH[..1])]
#[case::installed_bundle(NAMES[0], &[])]
fn reports_unreadable_bundle(#[case] unread: &str, #[case] waits: &[&str]) {
    let mut known = CrdFacts {
        bundles: bundles(),
        on_cluster: Some(OnCluster::NotRead),
    };
    let why = Err("no registry".to_owned());
    known.bundles.insert(unread.to_owned(), why);
    let comparison = compare_crds(&path(json!({})), &known).expect("all is known");
    assert_eq!(describe(&comparison), waits);
    assert_eq!(
        comparison.not_compared,
        Some(format!("{unread}: no registry"))
    );
}

#[test]
fn installed_bundle_is_read_only_if_cluster_crds_are_unknown() {
    let path = path(json!({}));
    let mut known = CrdFacts::default();
    let mut asked = Vec::new();
    while let Err(ask) = compare_crds(&path, &known) {
        asked.push(ask.clone());
        match ask {
            CrdAsk::Bundle(name) => {
                let all = bundles();
                known.bundles.insert(name.clone(), all[&name].clone());
            }
            CrdAsk::OnCluster(_) => {
                let there = vec![definition(&["a", "b", "c"])];
                known.on_cluster = Some(OnCluster::All(there));
            }
        }
    }
    let names = ["ships.ferry.example".to_owned()];
    assert_eq!(
        asked,
        [
            CrdAsk::Bundle(NAMES[1].to_owned()),
            CrdAsk::Bundle(NAMES[2].to_owned()),
            CrdAsk::OnCluster(names.into()),
        ]
    );
}

#[test]
fn remedy_names_checks_only_if_they_can_be_accepted() {
    let mut comparison = compared(&path(json!({})), OnCluster::NotRead);
    let update = &mut comparison.unsafe_updates[0];
    assert_eq!(
        update.remedy("ferry"),
        "to accept this, add ferry.v1.1.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry, or \
         existingFieldRemoval to acceptChecks"
    );
    update.changes[0].check = "unhandled".to_owned();
    assert_eq!(
        update.remedy("ferry"),
        "to accept this, add ferry.v1.1.0 to spec.crdUpgradeSafety.acceptBundles of Operator ferry"
    );
    update.changes[0].check = "scope".to_owned();
    assert_eq!(
        update.remedy("ferry"),
        "the API server refuses this change, so ferry.v1.1.0 cannot be accepted"
    );
}

#[test]
fn reports_unsupported_api_version_of_a_crd() {
    let mut old = definition(&["a"]);
    old["apiVersion"] = json!("apiextensions.k8s.io/v1beta1");
    let why = definitions(vec![json!({"kind": "Service"}), old]).expect_err("a reason");
    assert!(why.contains("v1beta1"), "{why}");
}
