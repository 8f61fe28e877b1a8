//! Tests of the differences between two versions of an operator.

use std::collections::BTreeSet;

use portolan_core_bundle::{
    Additions, Bundle, Manifest, Options, Release, Targets, applied, breaks, breaks_on_cluster,
    difference, images, manifest_images, migration, render,
};
use rstest::rstest;
use serde_json::{Value as Json, json};

use crate::kit::{CRD, CSV, ferry, titles};

fn texts<T: ToString>(all: &[T]) -> Vec<String> {
    all.iter().map(ToString::to_string).collect()
}

/// Returns a CRD with one version and this schema below `.spec`.
fn crd(spec: Json) -> Json {
    of_versions(&[("v1", true, true, spec)])
}

/// Returns a CRD with these versions: the name, whether it is served, whether it is the storage
/// version, and the schema of `.spec`.
fn of_versions(versions: &[(&str, bool, bool, Json)]) -> Json {
    let versions = versions.iter().map(|(name, served, storage, spec)| {
        let schema = json!({"type": "object", "properties": {"spec": spec}});
        json!({"name": name, "served": served, "storage": storage, "schema": {"openAPIV3Schema": schema}})
    });
    json!({
        "kind": "CustomResourceDefinition",
        "spec": {"scope": "Namespaced", "versions": versions.collect::<Vec<_>>()},
    })
}

/// After the apply, applying the same CRD again breaks nothing.
#[test]
fn applied_crd_keeps_stored_versions_and_unowned_fields() {
    let empty = json!({"type": "object"});
    let field = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let mut old = of_versions(&[
        ("v1alpha1", true, false, field.clone()),
        ("v1", true, true, field),
    ]);
    old["status"] = json!({"storedVersions": ["v1alpha1", "v1"]});
    old["spec"]["preserveUnknownFields"] = json!(true);
    let new = of_versions(&[
        ("v1", true, false, empty.clone()),
        ("v2", true, true, empty),
    ]);
    assert_ne!(breaks_on_cluster(&old, &new), []);
    let after = applied(&old, &new);
    assert_eq!(after["status"]["storedVersions"], json!(["v1", "v2"]));
    assert_eq!(after["spec"]["preserveUnknownFields"], json!(true));
    assert_eq!(breaks_on_cluster(&after, &new), []);
}

/// Each case has two schemas, and the breaks that are reported in each direction.
#[rstest]
#[case::nothing(json!({"type": "object"}), json!({"type": "object"}), &[], &[])]
#[case::a_field(
    json!({"properties": {"a": {"properties": {"b": {}}}}}),
    json!({"properties": {}}),
    &["v1: .spec.a: existingFieldRemoval: the field is gone"],
    &[]
)]
#[case::a_field_with_a_dot(
    json!({"properties": {"a.b": {}}}),
    json!({"properties": {}}),
    &["v1: .spec.a.b: existingFieldRemoval: the field is gone"],
    &[]
)]
#[case::a_field_of_items(
    json!({"items": {"properties": {"a": {}}}}),
    json!({"items": {}}),
    &["v1: .spec[].a: existingFieldRemoval: the field is gone"],
    &[]
)]
#[case::a_required_field(
    json!({"required": ["a"]}),
    json!({"required": ["a", "b", "c"]}),
    &["v1: .spec: required: newly required: b, c"],
    &[]
)]
#[case::a_type(
    json!({"type": "string"}),
    json!({"type": "integer"}),
    &["v1: .spec: type: string becomes integer"],
    &["v1: .spec: type: integer becomes string"]
)]
#[case::no_type(
    json!({"type": "string"}),
    json!({}),
    &["v1: .spec: type: string becomes none"],
    &["v1: .spec: type: none becomes string"]
)]
#[case::a_default(
    json!({}),
    json!({"default": 1}),
    &["v1: .spec: default: none becomes 1"],
    &["v1: .spec: default: 1 becomes none"]
)]
#[case::a_default_that_is_empty(
    json!({}),
    json!({"default": ""}),
    &["v1: .spec: default: none becomes \"\""],
    &["v1: .spec: default: \"\" becomes none"]
)]
#[case::an_enum(
    json!({}),
    json!({"enum": ["a", "b"]}),
    &["v1: .spec: enum: only these values are left: a, b"],
    &[]
)]
#[case::a_value_of_an_enum(
    json!({"enum": ["a", "b"]}),
    json!({"enum": ["b"]}),
    &["v1: .spec: enum: values are gone: a"],
    &[]
)]
#[case::maximum(
    json!({"maximum": 2}), json!({"maximum": 1}),
    &["v1: .spec: maximum: lowered from 2 to 1"], &[]
)]
#[case::no_maximum(
    json!({}), json!({"maximum": 1}),
    &["v1: .spec: maximum: 1 is a bound where there was none"], &[]
)]
#[case::max_length(
    json!({"maxLength": 2}), json!({"maxLength": 1}),
    &["v1: .spec: maxLength: lowered from 2 to 1"], &[]
)]
#[case::max_items(
    json!({"maxItems": 2}), json!({"maxItems": 1}),
    &["v1: .spec: maxItems: lowered from 2 to 1"], &[]
)]
#[case::max_properties(
    json!({"maxProperties": 2}), json!({"maxProperties": 1}),
    &["v1: .spec: maxProperties: lowered from 2 to 1"], &[]
)]
#[case::minimum(
    json!({"minimum": 1.5}), json!({"minimum": 2}),
    &["v1: .spec: minimum: raised from 1.5 to 2"], &[]
)]
#[case::no_minimum(
    json!({}), json!({"minimum": 1}),
    &["v1: .spec: minimum: 1 is a bound where there was none"], &[]
)]
#[case::min_length(
    json!({"minLength": 1}), json!({"minLength": 2}),
    &["v1: .spec: minLength: raised from 1 to 2"], &[]
)]
#[case::min_items(
    json!({"minItems": 1}), json!({"minItems": 2}),
    &["v1: .spec: minItems: raised from 1 to 2"], &[]
)]
#[case::min_properties(
    json!({"minProperties": 1}), json!({"minProperties": 2}),
    &["v1: .spec: minProperties: raised from 1 to 2"], &[]
)]
#[case::a_pattern(
    json!({}), json!({"pattern": "^a$"}),
    &["v1: .spec: pattern: none becomes ^a$"],
    &["v1: .spec: pattern: ^a$ becomes none"]
)]
#[case::null(
    json!({"nullable": true}), json!({"nullable": false}),
    &["v1: .spec: nullable: null is no longer allowed"],
    &["v1: .spec: nullable: null is allowed now, which readers may not expect"]
)]
#[case::one_of(
    json!({}), json!({"oneOf": [{"required": ["a"]}]}),
    &["v1: .spec: oneOf: exactly one of several schemas must fit now"],
    &[]
)]
#[case::a_branch_of_one_of(
    json!({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}), json!({"oneOf": [{"required": ["b"]}]}),
    &["v1: .spec: oneOf: 1 of its 2 branches are gone"],
    &[]
)]
#[case::descriptions(json!({"description": "a", "title": "a"}), json!({"description": "b"}), &[], &[])]
#[case::unhandled_keywords(
    json!({}), json!({"format": "int32"}),
    &["v1: .spec: unhandled: format: none becomes int32"],
    &["v1: .spec: unhandled: format: int32 becomes none"]
)]
#[case::the_values_of_a_map(
    json!({"additionalProperties": {"type": "string"}}), json!({"additionalProperties": {"type": "integer"}}),
    &["v1: .spec[*]: type: string becomes integer"],
    &["v1: .spec[*]: type: integer becomes string"]
)]
#[case::no_map_any_more(
    json!({"additionalProperties": {"type": "string"}}), json!({}),
    &["v1: .spec[*]: existingFieldRemoval: the field is gone"],
    &["v1: .spec: unhandled: additionalProperties: none becomes {\"type\":\"string\"}"]
)]
#[case::all_at_once(
    json!({"type": "string", "maxLength": 9}), json!({"type": "integer", "maxLength": 5, "nullable": true}),
    &[
        "v1: .spec: type: string becomes integer",
        "v1: .spec: nullable: null is allowed now, which readers may not expect",
        "v1: .spec: maxLength: lowered from 9 to 5",
    ],
    &["v1: .spec: type: integer becomes string", "v1: .spec: nullable: null is no longer allowed"]
)]
fn reports_schema_changes(
    #[case] old: Json,
    #[case] new: Json,
    #[case] there: &[&str],
    #[case] back: &[&str],
) {
    let (old, new) = (crd(old), crd(new));
    assert_eq!(texts(&breaks(&old, &new)), there);
    assert_eq!(texts(&breaks(&new, &old)), back);
}

#[test]
fn reports_added_and_removed_schema() {
    let with = crd(json!({}));
    let mut without = with.clone();
    without["spec"]["versions"][0]["schema"].take();
    assert_eq!(
        texts(&breaks(&with, &without)),
        ["v1: unhandled: the schema is gone"]
    );
    assert_eq!(
        texts(&breaks(&without, &with)),
        ["v1: unhandled: there is a schema where there was none"]
    );
}

#[test]
fn reports_changed_scope_as_breaking() {
    let old = crd(json!({}));
    let mut new = old.clone();
    new["spec"]["scope"] = "Cluster".into();
    assert_eq!(
        texts(&breaks(&old, &new)),
        ["scope: Namespaced becomes Cluster"]
    );
    assert_eq!(
        texts(&breaks(&new, &old)),
        ["scope: Cluster becomes Namespaced"]
    );
}

#[test]
fn reports_removed_storage_version() {
    let any = json!({});
    let mut old = of_versions(&[
        ("v1", true, false, any.clone()),
        ("v2", true, true, any.clone()),
    ]);
    let new = of_versions(&[
        ("v2", true, true, any.clone()),
        ("v3", true, false, any.clone()),
    ]);
    assert_eq!(texts(&breaks(&old, &new)), Vec::<String>::new());
    assert_eq!(migration(&old, &new), None);

    // The status of the CRD on the cluster lists the earlier storage versions.
    old["status"] = json!({"storedVersions": ["v1", "v2"]});
    assert_eq!(
        texts(&breaks(&old, &new)),
        ["storedVersionRemoval: objects are stored in version v1, which is dropped"]
    );
    assert_eq!(
        migration(&old, &new)
            .map(|migration| migration.to_string())
            .as_deref(),
        Some(
            "store version v2, rewrite every object once, and then remove v1 from \
             `status.storedVersions`"
        )
    );

    let newest = of_versions(&[("v3", true, true, any)]);
    assert_eq!(
        migration(&old, &newest)
            .map(|migration| migration.to_string())
            .as_deref(),
        Some(
            "no version is in both CRDs, so objects stored in v1, v2 cannot be kept; first \
             upgrade to a version of the operator whose CRD has both"
        )
    );
}

/// An API server removes and adds fields when it stores a CRD.
#[test]
fn crd_in_the_cluster_equals_its_manifest() {
    let metadata = json!({"name": "ships.ferry.example"});
    let names = json!({"kind": "Ship", "plural": "ships"});
    let whole = |spec: Json| {
        let mut crd = crd(spec);
        crd["apiVersion"] = json!("apiextensions.k8s.io/v1");
        crd["metadata"] = metadata.clone();
        crd["spec"]["group"] = json!("ferry.example");
        crd["spec"]["names"] = names.clone();
        crd
    };
    let field = json!({"type": "number", "default": false, "maximum": 3.0});
    let mut written = field.clone();
    for (key, value) in [
        ("nullable", json!(false)),
        ("exclusiveMaximum", json!(false)),
        ("required", json!([])),
        ("properties", json!({})),
        ("x-unknown", json!("lost")),
        ("maximum", json!(3)),
    ] {
        written[key] = value;
    }
    let written = whole(json!({"type": "object", "properties": {"nullable": written}}));
    let mut stored = whole(json!({"type": "object", "properties": {"nullable": field}}));
    stored["spec"]["conversion"] = json!({"strategy": "None"});
    stored["status"] = json!({"storedVersions": ["v1"]});
    assert_eq!(texts(&breaks_on_cluster(&stored, &written)), [""; 0]);
    let lost = breaks_on_cluster(&stored, &whole(json!({"type": "object"})));
    assert_eq!(
        texts(&lost),
        ["v1: .spec.nullable: existingFieldRemoval: the field is gone"]
    );

    // A CRD in a dump has no schemas.
    stored["spec"]["versions"][0]["schema"] = Json::Null;
    assert_eq!(texts(&breaks_on_cluster(&stored, &written)), [""; 0]);
    stored["spec"]["preserveUnknownFields"] = json!(true);
    assert_eq!(
        texts(&breaks_on_cluster(&stored, &written)),
        ["v1: unhandled: there is a schema where there was none"]
    );
}

/// With server-side apply, an omitted field keeps its value.
#[rstest]
#[case::explicit(json!(true), json!(false), true)]
#[case::omitted(json!(true), Json::Null, false)]
#[case::kept(json!(true), json!(true), false)]
#[case::pruned_before(json!(false), json!(false), false)]
fn breaks_if_unknown_fields_are_no_longer_preserved(
    #[case] before: Json,
    #[case] after: Json,
    #[case] is_break: bool,
) {
    let of = |preserves: Json| {
        let mut crd = crd(json!({"type": "object"}));
        crd["spec"]["preserveUnknownFields"] = preserves;
        crd
    };
    let found = texts(&breaks_on_cluster(&of(before), &of(after)));
    let expected = "preserveUnknownFields: true becomes false: fields that are not in the schema are \
                    removed when an object is read or written";
    assert_eq!(found, Vec::from_iter(is_break.then_some(expected)));
}

/// Without a conversion webhook, an API server changes only the apiVersion of an object, and prunes
/// it.
#[test]
fn breaks_if_the_conversion_webhook_between_different_versions_is_removed() {
    let (size, count) = (
        json!({"properties": {"size": {}}}),
        json!({"properties": {"count": {}}}),
    );
    let of = |is_served, older: &Json| {
        of_versions(&[
            ("v1", true, true, count.clone()),
            ("v1beta1", is_served, false, older.clone()),
        ])
    };
    let converted = |mut crd: Json| {
        crd["spec"]["conversion"] = json!({"strategy": "Webhook"});
        crd
    };
    let reported = |old: &Json, new: &Json| texts(&breaks(old, new));
    let lost = [
        "conversion: the conversion webhook is removed, and the versions differ",
        "v1beta1 -> v1: .spec.size: existingFieldRemoval: the field is gone",
    ];
    let old = converted(of(true, &size));
    assert_eq!(reported(&old, &of(true, &size)), lost);
    assert_eq!(reported(&old, &old), [""; 0]);
    // Objects may be stored in a version that is no longer served.
    assert_eq!(reported(&old, &of(false, &size)), [""; 0]);
    let mut stored = old;
    stored["status"] = json!({"storedVersions": ["v1beta1", "v1"]});
    assert_eq!(reported(&stored, &of(false, &size)), lost);
    // If both versions have the same fields, objects lose nothing.
    let same = converted(of(true, &count));
    assert_eq!(reported(&same, &of(true, &count)), [""; 0]);
}

#[test]
fn objects_migrate_to_the_storage_version_of_the_new_crd() {
    let any = json!({});
    let old = of_versions(&[
        ("v1alpha1", true, true, any.clone()),
        ("v1beta1", true, false, any.clone()),
        ("v1", true, false, any.clone()),
    ]);
    let new = |stored| {
        of_versions(&[
            ("v1beta1", true, stored, any.clone()),
            ("v1", true, !stored, any.clone()),
        ])
    };
    let to = |new: &Json| migration(&old, new).and_then(|migration| migration.to);
    assert_eq!(to(&new(true)).as_deref(), Some("v1beta1"));
    assert_eq!(to(&new(false)).as_deref(), Some("v1"));
}

#[test]
fn versions_served_together_accept_the_same_objects() {
    let (narrow, wide) = (json!({"enum": ["a"]}), json!({"enum": ["a", "b"]}));
    let pair = |older: &Json, newer: &Json| {
        of_versions(&[
            ("v1", true, true, newer.clone()),
            ("v1beta1", true, false, older.clone()),
        ])
    };
    let agree = pair(&narrow, &narrow);
    let disagree = pair(&wide, &narrow);
    let reported = |old: &Json, new: &Json| texts(&breaks(old, new));
    let between = "v1beta1 -> v1: .spec: enum: values are gone: b";
    assert_eq!(reported(&agree, &disagree), [between]);
    // The old CRD already has this conflict.
    assert_eq!(reported(&disagree, &disagree), Vec::<String>::new());
    // The newer version may accept more objects than the older version.
    assert_eq!(
        reported(&agree, &pair(&narrow, &wide)),
        Vec::<String>::new()
    );

    let mut converted = disagree.clone();
    converted["spec"]["conversion"] = json!({"strategy": "Webhook"});
    assert_eq!(reported(&agree, &converted), Vec::<String>::new());

    let mut unserved = disagree;
    unserved["spec"]["versions"][1]["served"] = false.into();
    assert_eq!(reported(&agree, &unserved), Vec::<String>::new());

    // Only the new problem is reported, not the problem that the old CRD already has.
    let worse = pair(
        &json!({"enum": ["a", "b"], "type": "string"}),
        &json!({"enum": ["a"], "type": "integer"}),
    );
    let before = pair(
        &json!({"enum": ["a", "b"], "type": "string"}),
        &json!({"enum": ["a"], "type": "string"}),
    );
    assert_eq!(
        reported(&before, &worse),
        [
            "v1: .spec: type: string becomes integer",
            "v1beta1 -> v1: .spec: type: string becomes integer"
        ]
    );
}

fn rendered(bundle: &Bundle) -> Vec<Manifest> {
    let options = Options {
        targets: Targets::All,
        additions: Additions::default(),
        ..Options::new("ns")
    };
    render(bundle, &options).expect("manifests")
}

#[test]
fn upgrade_with_many_changes_reports_all_of_them() {
    let old = ferry()
        .plus(
            "manifests/extra.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: old}\n",
        )
        .read();
    let new = ferry()
        .with(
            CSV,
            "image: registry.example/ferry:1.0.0",
            "image: registry.example/ferry:1.1.0",
        )
        .with(CSV, "resources: [ships]", "resources: [ships, barges]")
        .with(CRD, "type: integer", "type: string")
        .and(
            CSV,
            "  relatedImages:\n  - {name: barge, image: registry.example/barge:1}\n",
        )
        .plus(
            "manifests/extra.yaml",
            "apiVersion: v1\nkind: Secret\nmetadata: {name: new}\n",
        )
        .read();
    let (before, after) = (rendered(&old), rendered(&new));
    let from = Release {
        bundle: &old,
        manifests: &before,
    };
    let to = Release {
        bundle: &new,
        manifests: &after,
    };
    let found = difference(from, to);
    assert_eq!(
        texts(&found.breaks["ships.ferry.example"]),
        ["v1: .spec.berths: type: integer becomes string"]
    );
    assert_eq!(
        texts(&found.grown),
        ["* barges of ferry.example in the cluster"]
    );
    assert_eq!(
        titles(&found.changed),
        [
            "CustomResourceDefinition ships.ferry.example",
            "Deployment ns/ferry-controller"
        ]
    );
    // The name of the ClusterRole contains a hash of its rules, so it changes with the rules.
    let kinds = |identities: &[portolan_core_names::ObjectRef]| {
        identities
            .iter()
            .map(|identity| identity.kind.kind.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        kinds(&found.added),
        ["Secret", "ClusterRole", "ClusterRoleBinding"]
    );
    assert_eq!(
        kinds(&found.removed),
        ["Secret", "ClusterRole", "ClusterRoleBinding"]
    );
    assert_eq!(
        found.images_added,
        ["registry.example/barge:1", "registry.example/ferry:1.1.0"]
    );
    assert_eq!(found.images_removed, ["registry.example/ferry:1.0.0"]);
    assert_eq!(difference(from, from), Default::default());
}

#[test]
fn lists_images_of_containers_and_related_images() {
    let bundle = ferry()
        .with(
            CSV,
            "                env:",
            "                env:\n                - {name: RELATED_IMAGE_A, value: a}\n                - {name: OTHER, value: b}",
        )
        .with(CSV, "              containers:", "              initContainers:\n              - {name: c, image: c}\n              containers:")
        .and(CSV, "  relatedImages:\n  - {name: d, image: d}\n")
        .read();
    let expected = ["a", "c", "d", "registry.example/ferry:1.0.0"].map(str::to_owned);
    assert_eq!(images(&bundle), BTreeSet::from(expected));
}

#[test]
fn lists_images_of_rendered_deployments() {
    let containers = json!([
        {"name": "a", "image": "a", "env": [{"name": "RELATED_IMAGE_B", "value": "b"}]},
        {"name": "none"},
    ]);
    let pod = json!({"containers": containers, "initContainers": [{"name": "c", "image": "c"}]});
    let deployment = json!({"kind": "Deployment", "spec": {"template": {"spec": pod}}});
    let other = json!({"kind": "ConfigMap", "data": {"image": "d"}});
    let expected = ["a", "b", "c"].map(str::to_owned);
    assert_eq!(
        manifest_images(&[deployment, other]),
        BTreeSet::from(expected)
    );
}
