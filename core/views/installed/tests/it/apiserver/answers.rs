//! Tests of responses with Installed objects in each format.

use portolan_core_installed::COLUMNS;
use portolan_core_installed::apiserver::{Form, Listing, Question, Readable, Request};
use rstest::rstest;
use serde_json::{Value, json};

use crate::apiserver::world::{ALL, HARBOR, PARTIAL, TABLE, answered, body, harbor};

const VERSION: &str = "clusterserviceversions:8,namespaces:5,operatorgroups:6,operators:0,resourcemanifests:0,subscriptions:7";
/// The version just before the change that created the object.
const BEFORE: &str = "clusterserviceversions:7,namespaces:5,operatorgroups:6,operators:0,resourcemanifests:0,subscriptions:7";

fn metadata(namespace: &str, uid: &str) -> Value {
    json!({
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "labels": {
            "operators.coreos.com/csv": "ferry.v1.0.0", "operators.coreos.com/sub": "ferry",
            "ships": "yes",
        },
        "name": "ferry.v1.0.0", "namespace": namespace, "resourceVersion": BEFORE, "uid": uid,
    })
}

/// Returns the uid of the Installed in this namespace.
fn uid(namespace: &str) -> String {
    let index = harbor();
    let found = index.snapshot().get(namespace, "ferry.v1.0.0");
    found.expect("an Installed").uid()
}

fn partial(namespace: &str) -> Value {
    json!({
        "apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata",
        "metadata": metadata(namespace, &uid(namespace)),
    })
}

fn whole(namespace: &str) -> Value {
    json!({
        "apiVersion": "packages.operators.coreos.com/v2alpha1", "kind": "Installed",
        "metadata": metadata(namespace, &uid(namespace)),
        "status": {
            "clusterServiceVersion": {
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
                "metadata": {
                    "name": "ferry.v1.0.0", "namespace": "olm", "uid": "u1",
                    "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"ships": "yes"},
                },
                "spec": {"version": "1.0.0"}, "status": {"phase": "Succeeded"},
            },
            "subscription": {
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
                "metadata": {"name": "ferry", "namespace": "olm"},
                "spec": {
                    "name": "ferry-package", "channel": "stable",
                    "config": {"env": [{"name": "TOKEN"}]},
                },
                "status": {"installedCSV": "ferry.v1.0.0", "currentCSV": "ferry.v1.1.0"},
            },
        },
    })
}

fn row(object: Option<Value>) -> Value {
    let mut row = json!({"cells": [
        "ferry.v1.0.0", "olm", "stable", "1.0.0", "ferry.v1.1.0", "Succeeded", "ferry-package",
        "ferry", "<none>",
    ]});
    if let Some(object) = object {
        row["object"] = object;
    }
    row
}

fn list(items: &[Value]) -> Value {
    json!({
        "kind": "InstalledList", "apiVersion": "packages.operators.coreos.com/v2alpha1",
        "metadata": {"resourceVersion": VERSION}, "items": items,
    })
}

fn table(rows: &[Value], version: &str) -> Value {
    json!({
        "kind": "Table", "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": version}, "columnDefinitions": COLUMNS, "rows": rows,
    })
}

#[rstest]
#[case::single_object(&format!("{HARBOR}/ferry.v1.0.0"), &[], whole("harbor"))]
#[case::single_object_with_an_escaped_name(&format!("{HARBOR}/ferry%2Ev1.0.0"), &["*/*"], whole("harbor"))]
#[case::its_metadata(&format!("{HARBOR}/ferry.v1.0.0"), &[PARTIAL], partial("harbor"))]
#[case::its_row(&format!("{HARBOR}/ferry.v1.0.0"), &[TABLE], table(&[row(Some(partial("harbor")))], BEFORE))]
#[case::a_namespace(HARBOR, &["application/json"], list(&[whole("harbor")]))]
#[case::all(ALL, &[], list(&[whole("harbor"), whole("olm")]))]
#[case::with_a_slash(&format!("{ALL}/"), &[], list(&[whole("harbor"), whole("olm")]))]
#[case::by_a_label(&format!("{HARBOR}?labelSelector=ships%3Dyes"), &[], list(&[whole("harbor")]))]
#[case::by_another(&format!("{HARBOR}?labelSelector=ships%21%3Dyes"), &[], list(&[]))]
#[case::by_a_field(&format!("{ALL}?fieldSelector=metadata.namespace%3Dolm"), &[], list(&[whole("olm")]))]
#[case::of_an_empty_namespace("/apis/packages.operators.coreos.com/v2alpha1/namespaces/sea/installed", &[], list(&[]))]
#[case::rows(HARBOR, &[TABLE], table(&[row(Some(partial("harbor")))], VERSION))]
#[case::rows_with_all(&format!("{HARBOR}?includeObject=Object"), &[TABLE], table(&[row(Some(whole("harbor")))], VERSION))]
#[case::rows_alone(&format!("{HARBOR}?includeObject=None"), &[TABLE], table(&[row(None)], VERSION))]
fn returns_the_requested_form(
    #[case] target: &str,
    #[case] accept: &[&str],
    #[case] expected: Value,
) {
    assert_eq!(body(&harbor(), target, accept), expected);
}

#[test]
fn metadata_only_list_has_its_own_kind() {
    let expected = json!({
        "kind": "PartialObjectMetadataList", "apiVersion": "meta.k8s.io/v1",
        "metadata": {"resourceVersion": VERSION}, "items": [partial("harbor"), partial("olm")],
    });
    let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    assert_eq!(body(&harbor(), ALL, &[accept]), expected);
}

#[test]
fn long_list_is_returned_in_pages() {
    let index = harbor();
    let first = body(&index, &format!("{ALL}?limit=1"), &[]);
    assert_eq!(first["items"], json!([whole("harbor")]));
    assert_eq!(first["metadata"]["remainingItemCount"], 1);
    let token = first["metadata"]["continue"].as_str().expect("a token");
    let last = body(&index, &format!("{ALL}?limit=1&continue={token}"), &[]);
    assert_eq!(last, list(&[whole("olm")]));
}

#[test]
fn values_of_a_subscription_are_visible_only_to_its_readers() {
    let index = harbor();
    let request = Request::parse("GET", HARBOR, "").expect("a request");
    let Ok(Question::List { options, form, .. }) = Question::of(&request, []) else {
        panic!("expected a list");
    };
    let page = || {
        index
            .snapshot()
            .page(Some("harbor"), &options.filter, None, 1)
    };
    let asked = Readable::asked(&page().items, form);
    assert_eq!(asked, ["olm".into()].into());
    assert!(Readable::asked(&page().items, Form::Partial).is_empty());
    let text_for = |readable| Listing::of_page(page(), "1", form, readable).into_text();
    assert!(text_for(Readable::In(asked)).contains(r#""value":"secret""#));
    assert!(text_for(Readable::All).contains(r#""value":"secret""#));
    assert!(!text_for(Readable::In(["harbor".into()].into())).contains("secret"));
    assert!(!text_for(Readable::None).contains("secret"));
}

#[test]
fn head_returns_the_same_as_get() {
    let index = harbor();
    let [head, rest] = ["HEAD", "GET"].map(|method| answered(&index, method, HARBOR, &[]));
    assert_eq!(head, rest);
}
