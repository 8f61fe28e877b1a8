//! Tests of the comparison of two plans.

use portolan_api::plan::{InstallPlan, Record, Status};
use portolan_core_install::{
    Contents, Deletion, Difference, FieldChange, PlanVersion, deletion, difference,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, stage, with};

fn version(name: &str, spec: Value) -> PlanVersion {
    let mut all = json!({"serviceAccountName": "installer"});
    let fields = spec.as_object().cloned().unwrap_or_default();
    all.as_object_mut().expect("an object").extend(fields);
    let plan = InstallPlan::new(name, all.into());
    PlanVersion::read(&plan, &Contents::default()).expect("a plan")
}

fn of(name: &str, manifests: &[Value]) -> PlanVersion {
    version(name, json!({"stages": [stage("all", manifests)]}))
}

fn object(api_version: &str, kind: &str, name: &str, fields: Value) -> Value {
    let mut object = json!({
        "apiVersion": api_version, "kind": kind,
        "metadata": {"name": name, "namespace": "harbor"},
    });
    let fields = fields.as_object().cloned().unwrap_or_default();
    object.as_object_mut().expect("an object").extend(fields);
    object
}

fn describe(difference: &Difference) -> Vec<String> {
    let Difference {
        settings,
        added,
        changed,
        dropped,
        unchanged,
        not_compared,
    } = difference;
    let settings = settings
        .iter()
        .map(|change| format!("* {}", describe_change(change)));
    let added = added.iter().map(|object| format!("+ {object}"));
    let changed = changed.iter().flat_map(|changed| {
        let object = &changed.object;
        let fields = changed
            .fields
            .iter()
            .map(move |change| format!("~ {object} {}", describe_change(change)));
        let refused = changed.refused.iter();
        fields.chain(refused.map(move |why| format!("! {object} {why}")))
    });
    let dropped = dropped
        .iter()
        .map(|(object, fate)| format!("- {object} {fate}"));
    let told = settings.chain(added).chain(changed).chain(dropped);
    told.chain([format!("= {unchanged}")])
        .chain(not_compared.iter().cloned())
        .collect()
}

fn describe_change(change: &FieldChange) -> String {
    let none = || "-".to_owned();
    let before = change.before.clone().unwrap_or_else(none);
    let after = change.after.clone().unwrap_or_else(none);
    format!("{}: {before} > {after}", change.path)
}

fn describe_deletion(deletion: &Deletion) -> Vec<String> {
    let Deletion {
        deleted,
        kept,
        restored,
        lost,
        not_compared,
    } = deletion;
    let deleted = deleted.iter().map(|object| format!("- {object}"));
    let kept = kept
        .iter()
        .map(|(object, kept)| format!("= {object}: {kept}"));
    let restored = restored.iter().map(|object| format!("~ {object}"));
    let lost = lost
        .iter()
        .map(|(object, why)| format!("! {object}: {why}"));
    let told = deleted.chain(kept).chain(restored).chain(lost);
    told.chain(not_compared.iter().cloned()).collect()
}

#[test]
fn each_object_is_added_changed_dropped_or_unchanged() {
    let old = of(
        "a",
        &[config_map("same"), config_map("old"), config_map("other")],
    );
    let other = with(config_map("other"), "/data/key", json!("new"));
    let new = of("b", &[other, config_map("new"), config_map("same")]);
    assert_eq!(
        describe(&difference(Some(&old), &new)),
        [
            "+ ConfigMap harbor/new",
            r#"~ ConfigMap harbor/other .data.key: "value" > "new""#,
            "- ConfigMap harbor/old is deleted",
            "= 1",
        ]
    );
    assert!(difference(Some(&old), &old).is_empty());
    assert_eq!(
        describe(&difference(None, &of("a", &[config_map("a")]))),
        ["+ ConfigMap harbor/a", "= 0"]
    );
}

#[rstest]
#[case::changed_value(json!({"a": 1}), json!({"a": 2}), &[".spec.a: 1 > 2"])]
#[case::added_field(json!({}), json!({"a": {"b": [1]}}), &[".spec.a: - > {\"b\":[1]}"])]
#[case::removed_field(json!({"a": "x"}), json!({}), &[".spec.a: \"x\" > -"])]
#[case::field_name_with_special_characters(
    json!({"a.b/c": 1}), json!({"a.b/c": 2}), &[".spec[\"a.b/c\"]: 1 > 2"]
)]
#[case::list_item_by_name(
    json!({"l": [{"name": "a", "x": 1}, {"name": "b", "x": 1}]}),
    json!({"l": [{"name": "b", "x": 2}, {"name": "c"}]}),
    &[
        ".spec.l[name=\"a\"]: {\"name\":\"a\",\"x\":1} > -",
        ".spec.l[name=\"b\"].x: 1 > 2",
        ".spec.l[name=\"c\"]: - > {\"name\":\"c\"}",
    ]
)]
#[case::reordered_list_items(
    json!({"l": [{"name": "a"}, {"name": "b"}]}), json!({"l": [{"name": "b"}, {"name": "a"}]}), &[]
)]
#[case::list_items_without_names(json!({"l": [1, 2]}), json!({"l": [1, 3, 4]}),
    &[".spec.l[1]: 2 > 3", ".spec.l[2]: - > 4"])]
#[case::list_items_with_the_same_name(
    json!({"l": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]}),
    json!({"l": [{"name": "a", "x": 1}]}),
    &[".spec.l[1]: {\"name\":\"a\",\"x\":2} > -"]
)]
#[case::list_that_was_empty(
    json!({"l": []}), json!({"l": [{"name": "a"}]}), &[".spec.l[name=\"a\"]: - > {\"name\":\"a\"}"]
)]
fn changed_fields_have_their_paths(
    #[case] old: Value,
    #[case] new: Value,
    #[case] expected: &[&str],
) {
    let ship = |spec: Value| object("ferry.example/v1", "Ship", "ursula", json!({"spec": spec}));
    let difference = difference(Some(&of("a", &[ship(old)])), &of("b", &[ship(new)]));
    let changed = difference.changed.first().expect("a change");
    let fields = changed.fields.iter().map(|change| {
        let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "-".to_owned());
        format!(
            "{}: {} > {}",
            change.path,
            text(&change.before),
            text(&change.after)
        )
    });
    assert_eq!(fields.collect::<Vec<_>>(), expected);
}

#[test]
fn secret_values_are_never_shown() {
    let secret = |password: &str, color: &str| {
        let mut secret = object(
            "v1",
            "Secret",
            "door",
            json!({"stringData": {"password": password}, "type": color}),
        );
        secret["metadata"]["annotations"] = json!({"note": password});
        secret["metadata"]["labels"] = json!({"color": color});
        secret
    };
    let old = of("a", &[secret("sesame", "red")]);
    let new = of("b", &[secret("simsim", "blue")]);
    assert_eq!(
        describe(&difference(Some(&old), &new)),
        [
            "~ Secret harbor/door .data.password: (hidden) > (hidden)",
            "~ Secret harbor/door .metadata.annotations.note: (hidden) > (hidden)",
            r#"~ Secret harbor/door .metadata.labels.color: "red" > "blue""#,
            r#"~ Secret harbor/door .type: "red" > "blue""#,
            "! Secret harbor/door .type never changes",
            "= 0",
        ]
    );
}

#[rstest]
#[case::selector("apps/v1", "Deployment", ".spec.selector", true)]
#[case::field_with_the_same_prefix("apps/v1", "Deployment", ".spec.selectors", false)]
#[case::pod_template("apps/v1", "Deployment", ".spec.template", false)]
#[case::job_template("batch/v1", "Job", ".spec.template", true)]
#[case::stateful_set_template("apps/v1", "StatefulSet", ".spec.template", false)]
#[case::stateful_set_volume_claims("apps/v1", "StatefulSet", ".spec.volumeClaimTemplates", true)]
#[case::role_reference("rbac.authorization.k8s.io/v1", "RoleBinding", ".roleRef", true)]
#[case::storage_size("v1", "PersistentVolumeClaim", ".spec.resources", false)]
#[case::storage_class("v1", "PersistentVolumeClaim", ".spec.storageClassName", true)]
#[case::immutable_data("v1", "ConfigMap", ".data", false)]
fn diff_reports_changes_that_the_api_server_refuses(
    #[case] api_version: &str,
    #[case] kind: &str,
    #[case] path: &str,
    #[case] is_refused: bool,
) {
    let with_value = |value: &str| {
        let names: Vec<_> = path.split('.').skip(1).collect();
        let value = names
            .iter()
            .rev()
            .fold(json!({"x": value}), |value, name| json!({*name: value}));
        of(
            value.to_string().as_str(),
            &[object(api_version, kind, "a", value)],
        )
    };
    let difference = difference(Some(&with_value("1")), &with_value("2"));
    let refused = &difference.changed[0].refused;
    assert_eq!(!refused.is_empty(), is_refused, "{refused:?}");
}

/// Removing a label from a selector changes the selector. Removing a whole field may only restore
/// its default value, so it is not reported.
#[rstest]
#[case::selector_label(json!({"spec": {"selector": {"matchLabels": {"a": "b"}}}}), true)]
#[case::field_with_a_default(json!({"spec": {"podManagementPolicy": "OrderedReady"}}), false)]
fn diff_reports_removed_values_that_are_immutable(#[case] fields: Value, #[case] is_refused: bool) {
    let rest = json!({"spec": {"selector": {"matchLabels": {}}}});
    let of = |name: &str, fields: Value| of(name, &[object("apps/v1", "StatefulSet", "a", fields)]);
    let mut all = rest.clone();
    all["spec"]
        .as_object_mut()
        .expect("an object")
        .extend(fields["spec"].as_object().expect("an object").clone());
    let difference = difference(Some(&of("a", all)), &of("b", rest));
    let refused = &difference.changed[0].refused;
    assert_eq!(!refused.is_empty(), is_refused, "{refused:?}");
}

#[rstest]
#[case::by_default(json!({}), false)]
#[case::resource_allows_recreation(json!({"lifecycle": {"onImmutable": "Recreate"}}), true)]
fn immutable_object_is_recreated_if_configured(#[case] says: Value, #[case] is_made_again: bool) {
    let with_role = |name: &str| {
        let role = json!({"roleRef": {"kind": "Role", "name": name}});
        let mut resource = says.clone();
        resource["manifest"] = object("rbac.authorization.k8s.io/v1", "RoleBinding", "a", role);
        version(
            name,
            json!({"stages": [{"name": "all", "resources": [resource]}]}),
        )
    };
    let (old, new) = (with_role("a"), with_role("b"));
    assert_eq!(
        difference(Some(&old), &new).changed[0].is_made_again,
        is_made_again
    );
    assert_eq!(deletion(&new, Some(&old)).lost.is_empty(), is_made_again);
}

fn definition(versions: &[&str]) -> Value {
    let versions = versions.iter().enumerate();
    let versions =
        versions.map(|(at, name)| json!({"name": name, "served": true, "storage": at == 0}));
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "ships.ferry.example"},
        "spec": {
            "group": "ferry.example", "scope": "Namespaced", "names": {"kind": "Ship", "plural": "ships"},
            "versions": versions.collect::<Vec<_>>(),
        },
    })
}

#[test]
fn kept_objects_have_a_reason() {
    let found = Status {
        record: Some(Record {
            found: [("1".to_owned(), "u-1".to_owned())].into(),
            ..Record::default()
        }),
        ..Status::default()
    };
    let stages = json!([{"name": "all", "resources": [
        {"manifest": config_map("a")},
        {"manifest": config_map("found")},
        {"manifest": definition(&["v1"])},
        {"manifest": config_map("kept"), "lifecycle": {"onRemoval": "Keep", "onPlanDeletion": "Keep"}},
        {
            "manifest": object("v1", "PersistentVolumeClaim", "log", json!({})),
            "lifecycle": {"onRemoval": "Delete"},
        },
    ]}]);
    let spec = json!({"stages": stages, "lifecycle": {"onPlanDeletion": "Delete"}});
    let mut old = version("a", spec.clone());
    old.status = found;
    let new = of("b", &[config_map("new")]);
    assert_eq!(
        describe(&difference(Some(&old), &new))[2..7],
        [
            "- ConfigMap harbor/a is deleted",
            "- ConfigMap harbor/found stays: the object existed before the plan",
            "- CustomResourceDefinition.apiextensions.k8s.io ships.ferry.example stays: a \
             CustomResourceDefinition is deleted only if its resource has lifecycle.onRemoval: \
             Delete",
            "- ConfigMap harbor/kept stays: its resource has lifecycle.onRemoval: Keep",
            "- PersistentVolumeClaim harbor/log is deleted",
        ]
    );
    assert_eq!(
        describe_deletion(&deletion(&old, None)),
        [
            "- PersistentVolumeClaim harbor/log",
            "- ConfigMap harbor/a",
            "= ConfigMap harbor/kept: its resource has lifecycle.onPlanDeletion: Keep",
            "= CustomResourceDefinition.apiextensions.k8s.io ships.ferry.example: a \
             CustomResourceDefinition is deleted only if its resource has lifecycle.onRemoval: \
             Delete",
            "= ConfigMap harbor/found: the object existed before the plan",
            "! PersistentVolumeClaim harbor/log: deleting the PersistentVolumeClaim also deletes \
             its data",
        ]
    );
    let kept = version("a", json!({"stages": spec["stages"]}));
    assert_eq!(
        describe_deletion(&deletion(&kept, None))
            .last()
            .map(String::as_str),
        Some("= ConfigMap harbor/a: lifecycle.onPlanDeletion of the plan is not Delete")
    );
}

#[test]
fn deletion_diff_shows_objects_that_the_previous_plan_takes_back() {
    let old = of(
        "a",
        &[
            definition(&["v1"]),
            config_map("same"),
            config_map("changed"),
        ],
    );
    let changed = with(config_map("changed"), "/data/key", json!("new"));
    let all = [
        definition(&["v2", "v3"]),
        config_map("same"),
        changed,
        config_map("new"),
    ];
    let spec = json!({"stages": [stage("all", &all)], "lifecycle": {"onPlanDeletion": "Delete"}});
    let new = version("b", spec);
    let crd = "CustomResourceDefinition.apiextensions.k8s.io ships.ferry.example";
    assert_eq!(
        describe_deletion(&deletion(&new, Some(&old))),
        [
            "- ConfigMap harbor/new".to_owned(),
            "= ConfigMap harbor/same: a also has the object".to_owned(),
            "~ ConfigMap harbor/changed".to_owned(),
            format!("~ {crd}"),
            format!(
                "! {crd}: objects may be stored in version v2, which the new manifest does not \
                 contain"
            ),
        ]
    );
}

/// If two plans refer to the same name, the content is the same, because it never changes.
#[test]
fn reports_unreadable_references_unless_they_are_the_same() {
    let with_refs = |name: &str, refs: &[&str]| {
        let resources: Vec<_> = refs
            .iter()
            .map(|name| json!({"ref": {"secret": name}}))
            .collect();
        version(
            name,
            json!({"stages": [{"name": "all", "resources": resources}]}),
        )
    };
    let (old, new) = (with_refs("a", &["s1", "s2"]), with_refs("b", &["s2", "s3"]));
    assert_eq!(
        describe(&difference(Some(&old), &new)),
        [
            "= 1",
            "a refers to Secret s1, which cannot be read here",
            "b refers to Secret s3, which cannot be read here",
        ]
    );
    assert_eq!(
        describe(&difference(None, &new))[1],
        "b refers to Secret s2 and Secret s3, which cannot be read here"
    );
}

/// Returns the value with these fields added.
fn more(mut value: Value, fields: Value) -> Value {
    let fields = fields.as_object().cloned().unwrap_or_default();
    value.as_object_mut().expect("an object").extend(fields);
    value
}

fn settings(old: Value, new: Value) -> Vec<String> {
    let all = stage("all", &[config_map("a"), config_map("b")]);
    let spec = json!({"stages": [all]});
    let old = version("a", more(spec.clone(), old));
    let difference = difference(Some(&old), &version("b", more(spec, new)));
    assert_eq!(difference.is_empty(), difference.settings.is_empty());
    difference.settings.iter().map(describe_change).collect()
}

/// Returns a spec with one stage. The stage has these fields and always the same two objects.
fn one_stage(fields: Value) -> Value {
    let all = stage("all", &[config_map("a"), config_map("b")]);
    json!({"stages": [more(all, fields)]})
}

/// Returns a spec with one object in each of two stages.
fn two_stages(names: [&str; 2]) -> Value {
    let stages = names.map(|name| stage(name, &[config_map(name)]));
    json!({"stages": stages})
}

fn resource(lifecycle: Value) -> Value {
    with(
        one_stage(json!({})),
        "/stages/0/resources/0/lifecycle",
        lifecycle,
    )
}

fn of_ships(rules: Value) -> Value {
    let ship = object("ferry.example/v1", "Ship", "one", json!({}));
    json!({"stages": [more(stage("ships", &[ship]), json!({"ready": rules}))]})
}

fn job(image: &str) -> Value {
    json!({"spec": {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}})
}

fn transformation(from: Value, fields: Value) -> Value {
    let any = json!({"apiVersion": "v1", "kind": "ConfigMap", "namespace": "harbor"});
    let one = json!({
        "from": [more(any.clone(), from)],
        "to": [more(any, json!({"name": "a"}))],
    });
    json!({"transformations": [more(one, fields)]})
}

#[rstest]
#[case::no_change(json!({}), json!({}), &[])]
#[case::explicit_default(
    json!({}), json!({"suspend": false, "collisions": "Refuse", "lifecycle": {"onDrift": "Report"}}), &[]
)]
#[case::replaced_plans(json!({}), json!({"replaces": [{"name": "x"}]}), &[])]
#[case::service_account(
    json!({}), json!({"serviceAccountName": "other"}), &[r#".serviceAccountName: "installer" > "other""#]
)]
#[case::plan_settings(
    json!({"abandonAfterSeconds": 60}),
    json!({
        "suspend": true, "collisions": "Adopt",
        "lifecycle": {"onDrift": "Seal", "onDeletion": "Recreate", "onPlanDeletion": "Delete"},
    }),
    &[
        ".abandonAfterSeconds: 60 > -",
        r#".collisions: "Refuse" > "Adopt""#,
        r#".lifecycle.onDeletion: "Report" > "Recreate""#,
        r#".lifecycle.onDrift: "Report" > "Seal""#,
        r#".lifecycle.onPlanDeletion: "Keep" > "Delete""#,
        ".suspend: false > true",
    ]
)]
#[case::stage_settings(
    one_stage(json!({})),
    one_stage(json!({"order": "Any", "waitFor": "Applied", "deadlineSeconds": 60})),
    &[
        r#".stages[name="all"].deadlineSeconds: 600 > 60"#,
        r#".stages[name="all"].order: "InOrder" > "Any""#,
        r#".stages[name="all"].waitFor: "Ready" > "Applied""#,
    ]
)]
#[case::readiness_rule(
    of_ships(json!([{"kind": "Ship.ferry.example", "cel": "self.a == 1"}])),
    of_ships(json!([{"kind": "Ship.ferry.example", "cel": "self.a == 2"}])),
    &[r#".stages[name="ships"].ready["Ship.ferry.example"]: "self.a == 1" > "self.a == 2""#]
)]
#[case::added_job(
    one_stage(json!({})),
    one_stage(json!({"jobs": [{"name": "move", "template": job("move:1")}]})),
    &[r#".stages[name="all"].jobs[name="move"]: - > {"name":"move","retries":0,"template":{"spec":{"template":{"spec":{"containers":[{"image":"move:1","name":"main"}]}}}}}"#]
)]
#[case::changed_job(
    one_stage(json!({"jobs": [{"name": "move", "retries": 1, "template": job("move:1")}]})),
    one_stage(json!({"jobs": [{"name": "move", "template": job("move:2")}]})),
    &[
        r#".stages[name="all"].jobs[name="move"].retries: 1 > 0"#,
        r#".stages[name="all"].jobs[name="move"].template.spec.template.spec.containers[name="main"].image: "move:1" > "move:2""#,
    ]
)]
#[case::reordered_jobs(
    one_stage(json!({"jobs": [{"name": "a", "template": job("a")}, {"name": "b", "template": job("b")}]})),
    one_stage(json!({"jobs": [{"name": "b", "template": job("b")}, {"name": "a", "template": job("a")}]})),
    &[r#".stages[name="all"].jobs: ["a","b"] > ["b","a"]"#]
)]
#[case::reordered_stages(
    two_stages(["a", "b"]), two_stages(["b", "a"]), &[r#".stages: ["a","b"] > ["b","a"]"#]
)]
#[case::resource_exception(
    resource(json!({"onDrift": "Revert", "ignore": ["/data"]})),
    resource(json!({"onRemoval": "Keep", "onImmutable": "Recreate"})),
    &[
        r#".resources["ConfigMap harbor/a"].lifecycle.ignore: ["/data"] > -"#,
        r#".resources["ConfigMap harbor/a"].lifecycle.onDrift: "Revert" > -"#,
        r#".resources["ConfigMap harbor/a"].lifecycle.onImmutable: "Fail" > "Recreate""#,
        r#".resources["ConfigMap harbor/a"].lifecycle.onRemoval: - > "Keep""#,
    ]
)]
#[case::transformation(
    transformation(json!({"name": "x"}), json!({})),
    transformation(json!({"labelSelector": {"matchLabels": {"app": "x"}}}), json!({"max": 3, "order": "Before"})),
    &[
        r#".transformations[0].from[0].labelSelector: - > {"matchLabels":{"app":"x"}}"#,
        r#".transformations[0].from[0].name: "x" > -"#,
        ".transformations[0].max: 20 > 3",
        r#".transformations[0].order: "After" > "Before""#,
    ]
)]
fn diff_reports_changed_settings_of_plans(
    #[case] old: Value,
    #[case] new: Value,
    #[case] told: &[&str],
) {
    assert_eq!(settings(old, new), told);
}

/// The diff reports added and removed objects. If an object only moves to another stage, the diff
/// reports its new position.
#[test]
fn diff_reports_object_that_moves_to_another_stage() {
    let moved = |at: [&[Value]; 2]| {
        version(
            "a",
            json!({"stages": [stage("one", at[0]), stage("two", at[1])]}),
        )
    };
    let [a, b, c] = ["a", "b", "c"].map(config_map);
    let old = moved([&[a.clone(), b.clone()], std::slice::from_ref(&c)]);
    let new = moved([std::slice::from_ref(&a), std::slice::from_ref(&b)]);
    assert_eq!(
        describe(&difference(Some(&old), &new)),
        [
            r#"* .resources["ConfigMap harbor/b"].stage: "one" > "two""#,
            "- ConfigMap harbor/c is deleted",
            "= 2",
        ]
    );
    assert_eq!(difference(None, &new).settings, []);
}

/// If several old plans contain the same object, the new plan is compared with the first of them.
/// If one of the old plans deletes the object, the object is deleted.
#[test]
fn compares_a_plan_with_all_plans_that_it_merges() {
    let kept = json!({"manifest": config_map("both"), "lifecycle": {"onRemoval": "Keep"}});
    let stages = json!([{"name": "all", "resources": [kept, {"manifest": config_map("a")}]}]);
    let first = version("a", json!({"stages": stages}));
    let other = with(config_map("a"), "/data/key", json!("other"));
    let second = of("b", &[config_map("b"), other, config_map("both")]);
    let both = [&first, &second];
    let spec = json!({
        "stages": [stage("all", &["a", "b", "new"].map(config_map))],
        "collisions": "Adopt", "lifecycle": {"onPlanDeletion": "Delete"},
    });
    let new = version("c", spec);
    assert_eq!(
        describe(&difference(both, &new)),
        [
            r#"* .collisions of a: "Refuse" > "Adopt""#,
            r#"* .lifecycle.onPlanDeletion of a: "Keep" > "Delete""#,
            r#"* .collisions of b: "Refuse" > "Adopt""#,
            r#"* .lifecycle.onPlanDeletion of b: "Keep" > "Delete""#,
            "+ ConfigMap harbor/new",
            "- ConfigMap harbor/both is deleted",
            "= 2",
        ]
    );
    assert_eq!(
        describe_deletion(&deletion(&new, both)),
        [
            "- ConfigMap harbor/new",
            "= ConfigMap harbor/b: b also has the object",
            "= ConfigMap harbor/a: a also has the object",
        ]
    );
}
