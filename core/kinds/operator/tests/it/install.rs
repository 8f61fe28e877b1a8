//! One Operator.

use portolan_api::operator::{ACCEPT_BREAKS, APPROVE, ConditionType, Remedy};
use portolan_core_names::Gvk;
use portolan_core_operator::{Answer, End, Installation, Installer, Present, Route, Step, decide};
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, definition, move_to, wish};

#[test]
fn it_is_installed_once_where_no_version_is_wished() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let all = ["ferry has its finalizer", "make ferry-1", "let ferry-1 go"];
    assert_eq!(cluster.take_written(), all);
    let frozen = "False Frozen: it stays at 1.2.0, as spec.version is empty; write a version or a \
                  range to have it move";
    assert_eq!(cluster.said("ferry"), frozen);

    cluster.packages.get_mut("ferry").expect("it").push("1.3.0");
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(cluster.said("ferry"), frozen);
    assert_eq!(cluster.status("ferry").versions.available, ["1.3.0"]);
    let upgrade = cluster
        .status("ferry")
        .condition(ConditionType::UpgradeAvailable);
    assert_eq!(upgrade.map(|it| &*it.status), Some("True"));
}

#[test]
fn one_whose_status_is_lost_stays_where_it_is() {
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
fn it_goes_from_version_to_version_and_each_has_to_settle() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False UpToDate: it has 1.0.0, as is wanted"
    );
    cluster.put(
        "ferry",
        json!({"packageName": "ferry", "version": ">=1.0.0 <2.0.0"}),
    );
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False Settling: 1.0.0 has to be fine until 1970-01-01T00:05:00Z before the next version"
    );
    let path = &cluster.status("ferry").path;
    let waits = path[0].waits_for.as_deref().unwrap_or_default();
    assert!(waits.starts_with("1.0.0 has to be fine until "), "{waits}");
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
        cluster.said("ferry"),
        "False UpToDate: it has 1.2.0, as is wanted"
    );
}

#[test]
fn a_version_that_is_not_ready_holds_the_next_one_until_it_heals() {
    let mut cluster = Cluster::with_ferry_installed();
    cluster.sick.insert("ferry.v1.1.0".to_owned());
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    cluster.wait(10_000);
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False Settling: 1.1.0 has to be fine before the next version: MembersNotReady of ferry-2"
    );
    let ready = cluster
        .status("ferry")
        .condition(ConditionType::Ready)
        .expect("it");
    assert_eq!(
        ready.message,
        "ferry.v1.1.0 is installed, and does not work: MembersNotReady of ferry-2"
    );
    cluster.sick.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// A version that does not work is left by whoever writes another one.
#[test]
fn a_newer_wish_overrules_a_version_that_is_not_ready() {
    let mut cluster = Cluster::with_ferry();
    cluster.sick.insert("ferry.v1.0.0".to_owned());
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.settle();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.1.0"}));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn nothing_begins_while_a_bundle_on_the_way_cannot_be_read() {
    let mut cluster = Cluster::with_ferry_installed();
    let refusal = "the image is gone".to_owned();
    cluster.refused.insert("ferry.v1.2.0".to_owned(), refusal);
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        "False BundleRefused: ferry.v1.2.0: the image is gone"
    );
    cluster.refused.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn what_objects_would_lose_is_accepted_first() {
    let mut cluster = Cluster::with_ferry_installed();
    defines(&mut cluster, &[("1.0.0", &["a", "b"]), ("1.1.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        "False DefinitionUnsafe: ferry.v1.0.0 -> ferry.v1.1.0: objects may lose something: \
         ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string -> none); if that is meant: kubectl annotate \
         --overwrite operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks=ferry.v1.1.0"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.1.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// Gives versions of ferry CRDs with these fields.
fn defines(cluster: &mut Cluster, versions: &[(&str, &[&str])]) {
    for (version, fields) in versions {
        let bundle = format!("ferry.v{version}");
        cluster.definitions.insert(bundle, definition(fields));
    }
    cluster.carry_out();
}

/// An uninstalled operator leaves its CRD: custom resources keep what the next one lacks.
#[test]
fn crd_on_the_cluster_counts_where_nothing_is_installed() {
    let mut cluster = Cluster::with_ferry();
    cluster.there = vec![definition(&["a", "b"])];
    defines(&mut cluster, &[("1.0.0", &["a"]), ("1.1.0", &["a", "b"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        "False DefinitionUnsafe: nothing -> ferry.v1.0.0: objects may lose something: \
         ships.ferry.example: v1: .spec.b: existingFieldRemoval: the field is gone (type string -> none); if that is meant: \
         kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks=ferry.v1.0.0"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.0.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
}

/// OLM deletes no CRD, and marks each as its own.
#[test]
fn crd_left_by_olm_is_taken_over_once_no_csv_provides_its_kind() {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    cluster.there = vec![there];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    let api = Gvk {
        group: "ferry.example".to_owned(),
        version: "v1".to_owned(),
        kind: "Ship".to_owned(),
    };
    cluster.present.push(Present {
        object: "ClusterServiceVersion olm/tug.v1.0.0".to_owned(),
        by: Installer::Olm,
        installs: Installation {
            package: "tug".to_owned(),
            bundle: "tug.v1.0.0".to_owned(),
            provides: [api].into(),
            ..Installation::default()
        },
        csv: None,
    });
    cluster.put(
        "ferry",
        json!({"packageName": "ferry", "approval": "Manual"}),
    );
    cluster.settle();
    let collisions = |cluster: &Cluster| cluster.plans["ferry-1"]["spec"]["collisions"].clone();
    assert_eq!(collisions(&cluster), "IfUnowned");
    cluster.present.clear();
    cluster.settle();
    assert_eq!(collisions(&cluster), "Adopt");
    cluster.annotate("ferry", APPROVE, "ferry.v1.2.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[rstest]
#[case::helm(json!({"annotations": {"meta.helm.sh/release-name": "ferry"}}))]
#[case::argo_cd(json!({"annotations": {"argocd.argoproj.io/tracking-id": "ferry"}}))]
#[case::flux(json!({"labels": {"kustomize.toolkit.fluxcd.io/name": "ferry"}}))]
#[case::cluster_extension(json!({"labels": {"olm.operatorframework.io/owner-name": "ferry"}}))]
#[case::controller(json!({"ownerReferences": [{"kind": "Dock", "name": "a", "controller": true}]}))]
#[case::plan(json!({"managedFields": [{"manager": "plans.portolan.dev/u-other"}]}))]
fn crd_of_another_owner_is_not_taken_over_because_of_the_label_of_olm(#[case] metadata: Value) {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    for (key, value) in metadata.as_object().expect("metadata") {
        there["metadata"][key] = value.clone();
    }
    there["metadata"]["labels"]["olm.managed"] = json!("true");
    cluster.there = vec![there];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.plans["ferry-1"]["spec"]["collisions"], "IfUnowned");
}

/// No watch follows CRDs.
#[test]
fn crd_on_the_cluster_is_read_again_until_it_is_repaired() {
    let mut cluster = Cluster::with_ferry();
    cluster.there = vec![definition(&["a", "b"])];
    defines(&mut cluster, &[("1.0.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    let said = cluster.said("ferry");
    assert!(said.starts_with("False DefinitionUnsafe: "), "{said}");
    let until = |cluster: &Cluster| cluster.decide("ferry").until.map(|at| at.as_second());
    assert_eq!(until(&cluster), Some(60));
    cluster.there = vec![definition(&["a"])];
    cluster.wait(60);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert_eq!(until(&cluster), None);
}

#[rstest]
#[case::refused(Answer::Refused("forbidden".to_owned()), "PermissionMissing")]
#[case::unavailable(Answer::Unavailable("timeout".to_owned()), "DefinitionUnsafe")]
fn failed_read_of_a_crd_is_retried(#[case] answer: Answer<Vec<Value>>, #[case] reason: &str) {
    let mut cluster = Cluster::with_ferry();
    defines(&mut cluster, &[("1.0.0", &["a"])]);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    let (_, mut observed) = cluster.decide_by("ferry");
    assert!(!observed.live.is_empty(), "CRDs are read");
    for it in observed.live.values_mut() {
        *it = answer.clone();
    }
    let decision = decide(&observed);
    let installing = decision.status.condition(ConditionType::Installing);
    assert_eq!(installing.map(|it| &*it.reason), Some(reason));
    assert_eq!(decision.until.map(|at| at.as_second()), Some(60));
}

#[test]
fn other_objects_on_the_cluster_are_not_taken_over_with_a_crd_left_by_olm() {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["metadata"]["labels"] = json!({"olm.managed": "true"});
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": "ferry", "namespace": "harbor"},
    });
    cluster.there = vec![there, deployment];
    cluster
        .definitions
        .insert("ferry.v1.2.0".to_owned(), definition(&["a"]));
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(cluster.plans["ferry-1"]["spec"]["collisions"], "IfUnowned");
}

#[test]
fn owned_objects_are_reported_with_the_command_that_takes_them_over() {
    let mut cluster = Cluster::with_ferry();
    let owned = json!({"type": "Applied", "status": "False", "reason": "FieldsOwned",
        "message": "1 object: its fields belong to kubectl", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    cluster.collisions.insert("ferry.v1.2.0".to_owned(), owned);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False PlanInvalid: ferry.v1.2.0 cannot be applied: 1 object: its fields belong to kubectl; to \
         take them over with their fields: kubectl -n portolan patch installplans.plans.portolan.dev \
         ferry-1 --type=merge -p '{\"spec\":{\"collisions\":\"Adopt\"}}'"
    );
    let remedy = cluster.status("ferry").remedy.clone().expect("a remedy");
    assert!(
        remedy
            .command
            .ends_with("'{\"spec\":{\"collisions\":\"Adopt\"}}'")
    );
}

/// A kind that the API server does not serve ends the wait with a reason, until it is served.
#[test]
fn kind_that_is_not_served_is_reported_until_it_is_served() {
    let mut cluster = Cluster::with_ferry();
    let unserved = json!({"type": "Valid", "status": "Unknown", "reason": "KindNotServed",
        "message": "Monitor harbor/a is of the kind Monitor.watch.example, which nobody serves",
        "lastTransitionTime": "2026-01-01T00:00:00Z"});
    cluster.verdicts.insert("ferry.v1.2.0".to_owned(), unserved);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False PlanInvalid: ferry.v1.2.0 cannot be applied: Monitor harbor/a is of the kind \
         Monitor.watch.example, which nobody serves"
    );
    cluster.verdicts.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// The deadline and the readiness rules of an Operator are those of the plans that are made of it.
#[test]
fn deadline_and_readiness_rules_reach_the_plan() {
    let mut cluster = Cluster::with_ferry();
    let rule = json!({"kind": "Ship.ferry.example", "cel": "self.status.phase == 'Sailing'"});
    let mut spec = json!({
        "packageName": "ferry", "version": "1.2.0", "approval": "Manual",
        "progressDeadlineSeconds": 1200, "readiness": [rule],
    });
    cluster.put("ferry", spec.clone());
    cluster.settle();
    let stages = |cluster: &Cluster| {
        let stages = cluster.plans["ferry-1"]["spec"]["stages"].as_array();
        stages.expect("stages").clone()
    };
    for stage in stages(&cluster) {
        assert_eq!(stage["deadlineSeconds"], json!(1200));
        assert_eq!(stage.get("ready"), None, "no stage has a Ship");
    }
    // A plan that has not begun is made again for another deadline.
    spec["progressDeadlineSeconds"] = json!(60);
    cluster.put("ferry", spec);
    cluster.settle();
    for stage in stages(&cluster) {
        assert_eq!(stage["deadlineSeconds"], json!(60));
    }
}

/// Version after version, each with a Secret of its own.
#[rstest]
#[case::default(json!(null), &["ferry-3", "ferry-4", "ferry-5"])]
#[case::two(json!(2), &["ferry-3", "ferry-4", "ferry-5"])]
#[case::one(json!(1), &["ferry-4", "ferry-5"])]
#[case::many(json!(9), &["ferry-1", "ferry-2", "ferry-3", "ferry-4", "ferry-5"])]
fn keeps_replaced_plans_up_to_the_limit_with_their_secrets(
    #[case] limit: Value,
    #[case] expected: &[&str],
) {
    let versions = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    let mut cluster = Cluster::new();
    cluster
        .packages
        .insert("ferry".to_owned(), versions.to_vec());
    for version in versions {
        cluster.more = vec![json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "ferry", "name": "door"},
            "stringData": {"key": version},
        })];
        let mut spec = wish("ferry", version);
        spec["settleSeconds"] = json!(0);
        spec["revisionHistoryLimit"] = limit.clone();
        cluster.put("ferry", spec);
        cluster.settle();
        assert_eq!(cluster.installed("ferry"), Some(version));
    }
    let plans: Vec<_> = cluster.plans.keys().map(String::as_str).collect();
    assert_eq!(plans, expected);
    let secrets = cluster.beside.iter().filter(|(kind, _)| kind == "Secret");
    assert_eq!(secrets.count(), expected.len());
    let referenced = cluster.plans.values().flat_map(|plan| {
        let resources = plan.pointer("/spec/stages/1/resources");
        resources.and_then(Value::as_array).into_iter().flatten()
    });
    let referenced = referenced.filter_map(|resource| resource["ref"]["secret"].as_str());
    for name in referenced {
        let secret = ("Secret".to_owned(), name.to_owned());
        assert!(cluster.beside.contains(&secret), "{name} is there");
    }
}

/// The same CRD, or one with more fields, loses nothing. The API server adds fields of its own.
#[rstest]
#[case("1.0.0", &["a"])]
#[case("1.1.0", &["a", "b"])]
fn crd_that_keeps_all_fields_is_installed_without_a_question(
    #[case] version: &str,
    #[case] fields: &[&str],
) {
    let mut cluster = Cluster::with_ferry();
    let mut there = definition(&["a"]);
    there["status"] =
        json!({"storedVersions": ["v1"], "acceptedNames": {"plural": "ships", "kind": "Ship"}});
    there["spec"]["conversion"] = json!({"strategy": "None"});
    there["spec"]["names"]["listKind"] = json!("ShipList");
    cluster.there = vec![there];
    let mut new = definition(fields);
    let written =
        &mut new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    written["nullable"] = json!(false);
    written["required"] = json!([]);
    cluster.definitions.insert(format!("ferry.v{version}"), new);
    cluster.put("ferry", wish("ferry", version));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some(version));
}

/// What was stored once and never migrated, no bundle knows: the cluster does.
#[test]
fn a_version_that_the_cluster_stores_objects_in_does_not_go_unnoticed() {
    let definition = |versions: &[&str]| {
        let versions = versions.iter().map(|name| json!({"name": name}));
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"},
            "spec": {"versions": versions.collect::<Vec<_>>()},
        })
    };
    let mut there = definition(&["v1alpha1", "v1"]);
    there["status"]["storedVersions"] = json!(["v1alpha1", "v1"]);
    let mut cluster = Cluster::with_ferry();
    cluster.more = vec![definition(&["v1alpha1", "v1"])];
    cluster.there = vec![there];
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));

    cluster.more = vec![definition(&["v1"])];
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.take_written();
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        "False DefinitionUnsafe: ferry.v1.0.0 -> ferry.v1.1.0: objects may lose something: \
         ships.ferry.example: storedVersionRemoval: objects are stored in version v1alpha1, which is \
         dropped; to keep them, store version v1, write every object once, then \
         take v1alpha1 out of `status.storedVersions`; if that is meant: kubectl annotate --overwrite operators.operators.operatorframework.io ferry \
         operators.portolan.dev/accept-breaks=ferry.v1.1.0"
    );
    cluster.there[0]["status"]["storedVersions"] = json!(["v1"]);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// A definition that is there already may have come from anywhere.
#[test]
fn a_definition_that_was_there_before_loses_nothing_either() {
    let definition = |version: &str| {
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": "ships.ferry.example"}, "spec": {"versions": [{"name": version}]},
        })
    };
    let mut there = definition("v1alpha1");
    there["status"]["storedVersions"] = json!(["v1alpha1"]);
    let mut cluster = Cluster::with_ferry();
    cluster.more = vec![definition("v1")];
    cluster.there = vec![there];
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    let said = cluster.said("ferry");
    assert!(
        said.starts_with("False DefinitionUnsafe: nothing -> ferry.v1.0.0: "),
        "{said}"
    );
    cluster.annotate("ferry", ACCEPT_BREAKS, "ferry.v1.0.0");
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
}

/// Who knows the catalogs is another process.
#[rstest]
#[case::down("ferry", "1.0.0", "a way leads down to ferry.v1.0.0")]
#[case::beyond(
    "ferry",
    "1.2.0",
    "a way leads to ferry.v1.2.0, which is beyond what is wanted"
)]
#[case::no_version("ferry", "new", "ferry.vnew has no version")]
fn a_way_that_cannot_be_is_not_gone(
    #[case] package: &str,
    #[case] version: &str,
    #[case] why: &str,
) {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    cluster.take_written();
    cluster.routes = Some(vec![Route {
        steps: vec![vec![move_to(package, version)]],
        ends: vec![End {
            package: package.to_owned(),
            ..End::default()
        }],
    }]);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        format!("False CatalogsUnknown: what is told of the catalogs cannot be so: {why}")
    );
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn a_bundle_that_is_another_one_is_not_installed() {
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
        cluster.said("ferry"),
        "False CatalogsUnknown: what is told of the catalogs cannot be so: for ferry.v1.1.0 of ferry in \
         version 1.1.0 there is rope.v1.0.0 of rope in version 1.0.0"
    );
    cluster.others.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// A tag may move; a digest is what the catalog's author has seen.
#[test]
fn a_bundle_from_another_image_than_its_catalog_names_is_not_installed() {
    let mut cluster = Cluster::with_ferry_installed();
    let named = "registry.test/ferry.v1.1.0@sha256:1".to_owned();
    cluster.named.insert("ferry.v1.1.0".to_owned(), named);
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
    assert_eq!(
        cluster.said("ferry"),
        "False CatalogsUnknown: what is told of the catalogs cannot be so: the catalog has ferry.v1.1.0 in \
         registry.test/ferry.v1.1.0@sha256:1, and its files come from registry.test/ferry.v1.1.0@sha256:0"
    );
    let tagged = "registry.test/ferry:1.1.0".to_owned();
    cluster.named.insert("ferry.v1.1.0".to_owned(), tagged);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

/// A config is wrong in itself, whatever bundle it is for.
#[test]
fn a_config_that_cannot_be_read_is_told_with_its_field() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut spec = wish("ferry", "1.1.0");
    spec["config"] = json!({"env": [{"name": 1}], "tolerations": "all"});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False SpecInvalid: spec.config: `env[0].name` is the number 1, not a string; `tolerations` is \
         the text \"all\", not a list"
    );
    let mut spec = wish("ferry", "1.1.0");
    spec["config"] = json!({"environment": []});
    cluster.put("ferry", spec);
    cluster.settle();
    let told = "False SpecInvalid: spec.config: there is no field `environment`";
    assert_eq!(cluster.said("ferry"), told);
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.1.0"));
}

#[test]
fn somebody_has_to_allow_each_version() {
    let mut cluster = Cluster::with_ferry();
    let spec = json!({
        "packageName": "ferry", "version": "1.0.0", "approval": "Manual", "settleSeconds": 0,
    });
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False ApprovalRequired: somebody has to allow ferry.v1.0.0: kubectl annotate --overwrite \
         operators.operators.operatorframework.io ferry operators.portolan.dev/approve=ferry.v1.0.0"
    );
    let remedy = Remedy {
        message: "somebody has to allow ferry.v1.0.0".to_owned(),
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
fn a_plan_that_is_not_permitted_is_not_let_go() {
    let mut cluster = Cluster::with_ferry();
    let missing = json!({
        "type": "Permitted", "status": "False", "reason": "PermissionMissing",
        "message": "it lacks pods", "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    cluster.verdicts.insert("ferry.v1.2.0".to_owned(), missing);
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    assert_eq!(
        cluster.said("ferry"),
        "False PermissionMissing: ferry.v1.2.0 may not be applied: it lacks pods"
    );
    cluster.verdicts.clear();
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

#[test]
fn a_plan_that_nobody_wants_any_more_is_taken_back() {
    let mut cluster = Cluster::with_ferry();
    let spec =
        |version: &str| json!({"packageName": "ferry", "version": version, "approval": "Manual"});
    cluster.put("ferry", spec("1.0.0"));
    cluster.settle();
    cluster.take_written();
    cluster.put("ferry", spec("1.1.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1", "make ferry-1"]);
    cluster.put("ferry", spec("9.0.0"));
    cluster.settle();
    assert_eq!(cluster.take_written(), ["delete ferry-1"]);
    assert_eq!(
        cluster.said("ferry"),
        "False Unreachable: no version is in the range"
    );
}

#[test]
fn other_options_are_a_hop_to_the_same_version() {
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
fn two_plans_before_the_current_one_are_kept() {
    let mut cluster = Cluster::with_ferry();
    let versions = vec!["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"];
    cluster.packages.insert("ferry".to_owned(), versions);
    cluster.put("ferry", wish("ferry", "1.0.0"));
    cluster.settle();
    cluster.put("ferry", wish("ferry", "1.x"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.4.0"));
    let plans: Vec<_> = cluster.plans.keys().collect();
    assert_eq!(plans, ["ferry-3", "ferry-4", "ferry-5"]);
}

#[test]
fn what_is_wrong_is_told_and_what_is_installed_stays() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    cluster.take_written();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "~1.2"}));
    cluster.settle();
    assert!(
        cluster
            .said("ferry")
            .starts_with("False SpecInvalid: spec.version is refused: ")
    );
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
    assert_eq!(cluster.take_written(), [""; 0]);
    cluster.put("rope", json!({"packageName": "rope"}));
    cluster.settle();
    assert_eq!(
        cluster.said("rope"),
        "False PackageNotFound: no catalog has the package rope"
    );
}

/// What was decided is a function of what is there: whoever stops after any write is followed by one
/// that comes to the same end.
#[test]
fn stopped_after_any_write_it_comes_to_the_same_end() {
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
            // All that nobody wrote is lost.
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
fn a_version_that_is_taken_away_freezes_it() {
    let mut cluster = Cluster::with_ferry();
    let spec = |version: &str| json!({"packageName": "ferry", "version": version});
    cluster.put("ferry", spec("9.0.0"));
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), None);
    // Nothing was installed yet: the best one is.
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
    assert!(cluster.said("ferry").starts_with("False Frozen: "));
}

#[test]
fn plans_of_operators_put_right_what_others_change() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry"}));
    cluster.settle();
    let spec = &cluster.plans["ferry-1"]["spec"];
    assert_eq!(
        spec["lifecycle"],
        json!({"onPlanDeletion": "Delete", "onDrift": "Revert", "onDeletion": "Recreate"})
    );
    assert_eq!(spec["collisions"], json!("IfUnowned"));
    assert_eq!(spec["serviceAccountName"], json!("portolan-installer"));
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
fn it_is_installed_as_whom_it_names() {
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

/// Whoever may write plans in another namespace has no say in what is installed.
#[test]
fn plans_elsewhere_are_those_of_nobody() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut forged = cluster.plans["ferry-1"].clone();
    forged["metadata"]["namespace"] = json!("elsewhere");
    forged["metadata"]["name"] = json!("forged");
    let hop = forged["metadata"]["annotations"]["operators.portolan.dev/hop"].as_str();
    let hop = hop.expect("a hop").replace("1.0.0", "1.2.0");
    let hop = hop.replace(r#""number":1"#, r#""number":9"#);
    forged["metadata"]["annotations"]["operators.portolan.dev/hop"] = json!(hop);
    cluster.plans.insert("forged".to_owned(), forged);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.0.0"));
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn another_config_is_a_hop_to_the_same_version() {
    let mut cluster = Cluster::with_ferry_installed();
    let mut spec = wish("ferry", "1.0.0");
    spec["config"] = json!({"env": [{"name": "B", "value": "2"}], "annotations": {}});
    cluster.put("ferry", spec.clone());
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "let ferry-2 go"]);
    // The same in another order is the same.
    spec["config"] = json!({"annotations": {}, "env": [{"value": "2", "name": "B"}]});
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.take_written(), [""; 0]);
}

#[test]
fn what_a_bundle_is_lies_beside_its_plan_and_the_status_says_where() {
    let mut cluster = Cluster::with_ferry();
    cluster.put("ferry", json!({"packageName": "ferry", "version": "1.0.0"}));
    cluster.turn("ferry", 1);
    let decision = cluster.decide("ferry");
    let Some(Step::Create(objects)) = decision.steps.first() else {
        panic!("{decision:?}");
    };
    let [csv, plan] = &objects[..] else {
        panic!("{objects:?}");
    };
    let name = csv["metadata"]["name"].as_str().expect("a name");
    assert!(name.starts_with("ferry-"), "{name}");
    assert_eq!(csv["kind"], "ResourceManifest");
    assert_eq!(csv["metadata"]["namespace"], plan["metadata"]["namespace"]);
    assert_eq!(csv["metadata"]["ownerReferences"][0]["kind"], "Operator");
    let labels = json!({
        "operators.portolan.dev/content": "cluster-service-version",
        "operators.portolan.dev/operator": "ferry",
    });
    assert_eq!(csv["metadata"]["labels"], labels);
    let manifest = &csv["spec"]["manifest"];
    assert_eq!(manifest["metadata"]["name"], "ferry.v1.0.0");
    let stages = plan["spec"]["stages"].to_string();
    assert!(!stages.contains(name), "the plan does not install it");

    cluster.settle();
    let told = cluster.status("ferry").plan.as_ref();
    let told = told.and_then(|plan| plan.cluster_service_version.as_deref());
    assert_eq!(told, Some(name));
}

/// Who writes something else in the Operator has no other wish.
#[test]
fn one_that_is_not_ready_stays_whatever_else_is_written() {
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
        cluster.said("ferry"),
        "False Settling: 1.1.0 has to be fine before the next version: MembersNotReady of ferry-2"
    );
    spec["version"] = json!("1.2.0");
    cluster.put("ferry", spec);
    cluster.settle();
    assert_eq!(cluster.installed("ferry"), Some("1.2.0"));
}

/// A node that is drained does not end what an operator has said of itself.
#[test]
fn one_that_is_not_to_be_upgraded_stays_also_while_it_is_not_ready() {
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
        cluster.said("ferry"),
        format!("False NotUpgradeable: {why}")
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}
