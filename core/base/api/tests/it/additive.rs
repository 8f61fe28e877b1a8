//! Tests that CRDs change only in compatible ways, so that stored objects and users' manifests
//! remain valid. The baseline is the last released schema. After a change that only adds to the
//! schema, `PORTOLAN_WRITE_BASELINE=1 cargo test -p portolan-api --test it -- additive` updates the
//! baseline. It does not accept a schema that removes something.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::{env, fs};

use portolan_api::manifests;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

/// The limits that a new schema may raise but not lower.
const MOST: [&str; 4] = ["maxItems", "maxLength", "maxProperties", "maximum"];
/// The limits that a new schema may lower but not raise.
const LEAST: [&str; 4] = ["minItems", "minLength", "minProperties", "minimum"];
/// The keywords that must not change.
const FIXED: [&str; 6] = [
    "default",
    "format",
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
];

/// Returns one sentence for each change with which the new CRD may reject objects that the old CRD
/// accepts.
fn losses(old: &Value, new: &Value) -> Vec<String> {
    let mut all = Vec::new();
    for at in ["group", "scope"] {
        if old["spec"][at] != new["spec"][at] {
            all.push(format!("{at} is another one"));
        }
    }
    for at in ["kind", "plural"] {
        if old["spec"]["names"][at] != new["spec"]["names"][at] {
            all.push(format!("the {at} is another one"));
        }
    }
    for before in list(&old["spec"]["versions"]) {
        let name = before["name"].as_str().expect("a name");
        let mut versions = list(&new["spec"]["versions"]).iter();
        match versions.find(|version| version["name"] == before["name"]) {
            Some(after) => version(name, before, after, &mut all),
            None => all.push(format!("{name} is gone")),
        }
    }
    all
}

fn version(name: &str, before: &Value, after: &Value, all: &mut Vec<String>) {
    for at in ["served", "storage", "subresources"] {
        if before[at] != after[at] {
            all.push(format!("{name}: {at} is another one"));
        }
    }
    let [before, after] = [before, after].map(|version| &version["schema"]["openAPIV3Schema"]);
    schema(name, before, after, all);
}

fn schema(at: &str, old: &Value, new: &Value, all: &mut Vec<String>) {
    for key in FIXED {
        if old[key] != new[key] {
            all.push(format!("{at}: {key} is another one"));
        }
    }
    bounds(at, old, new, all);
    let pattern = &new["pattern"];
    if !pattern.is_null() && *pattern != old["pattern"] {
        all.push(format!("{at}: the pattern is another one"));
    }
    let preserve = "x-kubernetes-preserve-unknown-fields";
    if old[preserve] == true && new[preserve] != true {
        all.push(format!("{at} keeps no fields that are not known"));
    }
    for required in news(&old["required"], &new["required"]) {
        all.push(format!("{at} has to have {required} now"));
    }
    if !new["enum"].is_null() {
        let none = old["enum"]
            .is_null()
            .then(|| format!("{at} is one of few words now"));
        all.extend(none);
        let gone = news(&new["enum"], &old["enum"]).into_iter();
        all.extend(gone.map(|word| format!("{at}: the word {word} is gone")));
    }
    let rules = |schema: &Value| -> BTreeSet<String> {
        let rules = list(&schema["x-kubernetes-validations"]).iter();
        rules.map(|rule| rule["rule"].to_string()).collect()
    };
    let new_rules = rules(new);
    let added = new_rules
        .difference(&rules(old))
        .cloned()
        .collect::<Vec<_>>();
    let old_rules = rules(old);
    let is_looser = |rule: &str| old_rules.iter().any(|old| is_looser(rule, old));
    let added = added.iter().filter(|rule| !is_looser(rule));
    let is_new_field = |rule: &str| is_of_new_field(rule, old, new);
    for rule in added.filter(|rule| !is_new_field(rule) && !was_bound(rule, old)) {
        all.push(format!("{at} has a rule that it had not: {rule}"));
    }
    below(at, old, new, all);
}

/// Returns true if the rule has all alternatives of the old rule, and may have more.
fn is_looser(rule: &str, old: &str) -> bool {
    let alternatives = |rule: &str| -> BTreeSet<String> {
        let all = rule.trim_matches('"').split(" || ");
        all.map(str::to_owned).collect()
    };
    alternatives(old).is_subset(&alternatives(rule))
}

/// Returns true if the rule replaces the `minItems` of a list in the old schema, and adds an
/// alternative.
fn was_bound(rule: &str, old: &Value) -> bool {
    let fields = old["properties"].as_object().into_iter().flatten();
    let bound = fields.filter(|(_, field)| field["minItems"] == 1);
    let mut rules = bound.map(|(name, _)| format!("size(self.{name}) > 0 || "));
    rules.any(|start| rule.trim_matches('"').starts_with(&start))
}

/// Returns true if the rule only makes a new field immutable. No stored object has a new field.
fn is_of_new_field(rule: &str, old: &Value, new: &Value) -> bool {
    let fields = new["properties"].as_object().into_iter().flatten();
    let mut added = fields.filter(|(name, _)| old["properties"].get(*name).is_none());
    added.any(|(name, _)| {
        let (own, before) = (format!("self.{name}"), format!("oldSelf.{name}"));
        let same = format!("has({own}) == has({before}) && (!has({own}) || {own} == {before})");
        // The rules are compared as JSON, which escapes their text.
        let same = json!(same).to_string();
        rule == same
    })
}

fn bounds(at: &str, old: &Value, new: &Value, all: &mut Vec<String>) {
    let keys = MOST.map(|key| (key, 1.0)).into_iter();
    for (key, sign) in keys.chain(LEAST.map(|key| (key, -1.0))) {
        let Some(now) = new[key].as_f64() else {
            continue;
        };
        if old[key].as_f64().is_none_or(|was| sign * now < sign * was) {
            all.push(format!("{at}: {key} is {now}"));
        }
    }
}

fn below(at: &str, old: &Value, new: &Value, all: &mut Vec<String>) {
    for (name, before) in old["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        match new["properties"].get(name) {
            Some(after) => schema(&at, before, after, all),
            None => all.push(format!("{at} is gone")),
        }
    }
    for (key, mark) in [("items", "[]"), ("additionalProperties", "{}")] {
        match (&old[key], &new[key]) {
            (Value::Null, _) => {}
            (_, Value::Null) => all.push(format!("{at}{mark} is gone")),
            (before, after) => schema(&format!("{at}{mark}"), before, after, all),
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns the entries of the second list that are missing in the first list.
fn news(first: &Value, second: &Value) -> Vec<String> {
    let first = list(first);
    let news = list(second).iter().filter(|word| !first.contains(word));
    news.map(Value::to_string).collect()
}

fn baseline(file: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/baseline");
    folder.join(file)
}

#[test]
fn crd_changes_since_the_baseline_are_compatible() {
    let is_to_be_written = env::var_os("PORTOLAN_WRITE_BASELINE").is_some();
    for manifest in manifests().expect("manifests") {
        let path = baseline(&manifest.file);
        let Ok(text) = fs::read_to_string(&path) else {
            assert!(is_to_be_written, "{} is missing", path.display());
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, &manifest.text).expect("a file");
            continue;
        };
        let read = |text: &str| serde_saphyr::from_str::<Value>(text).expect("YAML");
        let losses = losses(&read(&text), &read(&manifest.text));
        assert_eq!(losses, Vec::<String>::new(), "{}", manifest.file);
        if is_to_be_written {
            fs::write(&path, &manifest.text).expect("a file");
        }
        let text = fs::read_to_string(&path).expect("a file");
        assert_eq!(
            text, manifest.text,
            "the CRD has additions; `just baseline-crds` makes it the new baseline"
        );
    }
}

/// Returns a CRD whose spec has this schema.
fn crd_with_spec_schema(spec: &Value) -> Value {
    json!({"spec": {
        "group": "ferry.example", "scope": "Namespaced",
        "names": {"kind": "Ship", "plural": "ships"},
        "versions": [{
            "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
            "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}},
        }],
    }})
}

fn ship() -> Value {
    json!({
        "type": "object",
        "required": ["name"],
        "properties": {
            "name": {"type": "string", "maxLength": 10, "minLength": 2, "pattern": "^a"},
            "state": {"type": "string", "enum": ["Moored", "Sailing"]},
            "crew": {"type": "array", "maxItems": 5, "items": {
                "type": "object", "x-kubernetes-preserve-unknown-fields": true,
                "properties": {"rank": {"type": "integer", "maximum": 3}},
            }},
            "flags": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    })
}

#[rstest]
#[case::nothing("/properties/name/description", json!("Its name."), &[])]
#[case::a_field("/properties/port", json!({"type": "string", "pattern": "^b"}), &[])]
#[case::a_higher_bound("/properties/name/maxLength", json!(11), &[])]
#[case::a_lower_bound("/properties/name/minLength", json!(1), &[])]
#[case::no_pattern("/properties/name/pattern", json!(null), &[])]
#[case::additional_enum_value("/properties/state/enum", json!(["Moored", "Sailing", "Sunk"]), &[])]
#[case::any_string_instead_of_an_enum("/properties/state/enum", json!(null), &[])]
#[case::less_required("/required", json!([]), &[])]
#[case::removed_field("/properties", json!({"name": ship()["properties"]["name"]}),
    &["v1.spec.crew is gone", "v1.spec.flags is gone", "v1.spec.state is gone"])]
#[case::a_field_of_a_list(
    "/properties/crew/items/properties", json!({}), &["v1.spec.crew[].rank is gone"]
)]
#[case::any_key("/properties/flags/additionalProperties", json!(null), &["v1.spec.flags{} is gone"])]
#[case::another_type(
    "/properties/flags/additionalProperties/type", json!("integer"),
    &["v1.spec.flags{}: type is another one"]
)]
#[case::more_required("/required", json!(["name", "crew"]), &["v1.spec has to have \"crew\" now"])]
#[case::a_tighter_bound(
    "/properties/crew/items/properties/rank/maximum", json!(2), &["v1.spec.crew[].rank: maximum is 2"]
)]
#[case::a_new_bound("/properties/state/maxLength", json!(9), &["v1.spec.state: maxLength is 9"])]
#[case::a_tighter_start("/properties/name/minLength", json!(3), &["v1.spec.name: minLength is 3"])]
#[case::another_pattern("/properties/name/pattern", json!("^b"), &["v1.spec.name: the pattern is another one"])]
#[case::removed_enum_value(
    "/properties/state/enum", json!(["Sailing"]), &["v1.spec.state: the word \"Moored\" is gone"]
)]
#[case::enum_instead_of_any_string("/properties/name/enum", json!(["ann"]), &["v1.spec.name is one of few words now"])]
#[case::a_rule(
    "/x-kubernetes-validations", json!([{"rule": "has(self.crew)"}]),
    &["v1.spec has a rule that it had not: \"has(self.crew)\""]
)]
#[case::fields_that_are_not_known(
    "/properties/crew/items/x-kubernetes-preserve-unknown-fields", json!(false),
    &["v1.spec.crew[] keeps no fields that are not known"]
)]
fn incompatible_schema_change_is_reported(
    #[case] at: &str,
    #[case] value: Value,
    #[case] expected: &[&str],
) {
    let mut changed = ship();
    let (parent, name) = at.rsplit_once('/').expect("a pointer");
    changed.pointer_mut(parent).expect("a place")[name] = value;
    assert_eq!(
        losses(
            &crd_with_spec_schema(&ship()),
            &crd_with_spec_schema(&changed)
        ),
        expected
    );
}

/// No stored object has a new field, so an immutable new field makes no object invalid.
#[test]
fn new_field_may_be_immutable() {
    let stays = |field: &str| {
        let rule = format!(
            "has(self.{field}) == has(oldSelf.{field}) && (!has(self.{field}) || self.{field} == \
             oldSelf.{field})"
        );
        json!([{"rule": rule}])
    };
    let mut changed = ship();
    changed["properties"]["port"] = json!({"type": "string"});
    changed["x-kubernetes-validations"] = stays("port");
    let losses = |changed: &Value| {
        losses(
            &crd_with_spec_schema(&ship()),
            &crd_with_spec_schema(changed),
        )
        .len()
    };
    assert_eq!(losses(&changed), 0);
    changed["x-kubernetes-validations"] = stays("state");
    assert_eq!(losses(&changed), 1);
}

#[rstest]
#[case::a_version("/spec/versions", json!([]), "v1 is gone")]
#[case::another_kind("/spec/names/kind", json!("Boat"), "the kind is another one")]
#[case::another_scope("/spec/scope", json!("Cluster"), "scope is another one")]
#[case::a_version_that_is_not_served("/spec/versions/0/served", json!(false), "v1: served is another one")]
fn incompatible_crd_change_is_reported(
    #[case] at: &str,
    #[case] value: Value,
    #[case] expected: &str,
) {
    let mut changed = crd_with_spec_schema(&ship());
    *changed.pointer_mut(at).expect("a place") = value;
    assert_eq!(losses(&crd_with_spec_schema(&ship()), &changed), [expected]);
}
