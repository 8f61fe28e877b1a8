use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::assert_same;

fn entry(name: &str) -> Entry {
    Entry {
        name: name.into(),
        ..Entry::default()
    }
}

fn replacing(name: &str, replaced: &str) -> Entry {
    Entry {
        replaces: Some(replaced.into()),
        ..entry(name)
    }
}

fn bundle(package: &str, version: &str) -> Bundle {
    Bundle {
        name: format!("{package}.v{version}"),
        version: version.into(),
        image: format!("registry.example/{package}:v{version}"),
        ..Bundle::default()
    }
}

#[test]
fn a_line_is_a_catalog() {
    let skipping = Entry {
        skips: vec!["a.v1.0.0".into()],
        ..replacing("a.v2.0.0", "a.v1.1.0")
    };
    let stable = Channel {
        name: "stable".into(),
        entries: vec![
            entry("a.v1.0.0"),
            replacing("a.v1.1.0", "a.v1.0.0"),
            skipping,
        ],
        deprecated: None,
    };
    let package = Package {
        name: "a".into(),
        default_channel: Some("stable".into()),
        channels: vec![stable],
        bundles: ["1.0.0", "1.1.0", "2.0.0"]
            .map(|version| bundle("a", version))
            .into(),
        deprecated: None,
    };
    let actual = catalog("a: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 skips 1.0.0");
    assert_same!(
        actual,
        Catalog {
            packages: vec![package]
        }
    );
}

#[rstest]
#[case::clauses_may_end_a_chain(
    "a: 1 -> 2 -> 4 skips 3",
    "a: 1; 2 replaces 1; 4 replaces 2; 4 skips 3"
)]
#[case::blanks_do_not_matter("a:1->2;2 covers <2", "\n a : 1  -> 2 ;; 2 covers  <2 # old\n")]
#[case::a_bare_head_means_stable("a: 1 -> 2", "a/stable: 1 -> 2")]
#[case::heads_add_up("a[x, y]: 1 -> 2", "a/x: 1 -> 2; a/y: 1 -> 2; a[x,y]: 1")]
#[case::the_first_channel_is_the_default("a[x,y]: 1", "a[x,y]: 1; default x")]
#[case::quotes_keep_marks(
    "a: 1; package deprecated \"a: b; c # d\"",
    "a:\n1\npackage deprecated \"a: b; c # d\""
)]
fn the_same_catalog_twice(#[case] one: &str, #[case] other: &str) {
    assert_same!(catalog(one), catalog(other));
}

#[rstest]
#[case::several_heads("a: 1; 2", vec![entry("a.v1"), entry("a.v2")])]
#[case::a_cycle("a: 1 -> 2 -> 1", vec![replacing("a.v1", "a.v2"), replacing("a.v2", "a.v1")])]
#[case::itself("a: 1 -> 1", vec![replacing("a.v1", "a.v1")])]
#[case::an_absent_tail("a: 1 replaces 0", vec![replacing("a.v1", "a.v0")])]
#[case::a_stranded_entry("a: 0 -> 1; 2 skips 1", vec![
    entry("a.v0"),
    replacing("a.v1", "a.v0"),
    Entry { skips: vec!["a.v1".into()], ..entry("a.v2") },
])]
#[case::a_range("a: 1 covers >=0.1.0 <1.0.0 || 5.x", vec![
    Entry { skip_range: Some(">=0.1.0 <1.0.0 || 5.x".into()), ..entry("a.v1") },
])]
fn broken_and_odd_graphs(#[case] text: &str, #[case] entries: Vec<Entry>) {
    assert_same!(
        catalog(text).package("a").channel("stable").entries,
        entries
    );
}

#[test]
fn bundles_say_what_they_provide_and_require() {
    let api = |kind: &str| Api {
        group: "g.test".into(),
        kind: kind.into(),
        version: "v1".into(),
    };
    let actual = catalog(
        "a: 1.0.0 provides g.test/v1/One, g.test/v1/Two
         1.0.0 requires b >=1.0.0 <2.0.0
         1.0.0 requires g.test/v1/Three",
    );
    let range = ">=1.0.0 <2.0.0".to_string();
    let expected = Bundle {
        provides: vec![api("One"), api("Two")],
        requires: vec![
            Requirement::Package {
                name: "b".into(),
                range,
            },
            Requirement::Api(api("Three")),
        ],
        ..bundle("a", "1.0.0")
    };
    assert_same!(actual.package("a").bundles, vec![expected]);
    assert_same!(
        actual.package("a").channel("stable").entries,
        vec![entry("a.v1.0.0")]
    );
}

#[test]
fn bundles_and_entries_may_miss_each_other() {
    let actual = catalog("a: 1.0.0; 2.0.0 missing; 3.0.0 unlisted; a/empty:");
    let package = actual.package("a");
    assert_same!(
        package.channel("stable").entries,
        vec![entry("a.v1.0.0"), entry("a.v2.0.0")]
    );
    assert_same!(
        package.bundles,
        vec![bundle("a", "1.0.0"), bundle("a", "3.0.0")]
    );
    assert_same!(package.channel("empty").entries, Vec::<Entry>::new());
}

#[rstest]
#[case::no_head("1.0.0", "line 1, column 1: a statement stands before the first head")]
#[case::an_unknown_clause(
    "a: 1\n   2 skipz 1",
    "line 2, column 6: `skipz` is no clause; there are"
)]
#[case::nothing_after_an_arrow("a: 1 ->", "line 1, column 8: a version after `->` is wanted here")]
#[case::nothing_to_skip("a: 1 skips", "line 1, column 11: a version is wanted here")]
#[case::no_range("a: 1 requires b", "a range of versions is wanted here")]
#[case::no_api("a: 1 provides g/v1", "`g/v1` is no API, which is group/version/Kind")]
#[case::two_replaced("a: 1 -> 3; 2 -> 3", "column 17: 3 replaces a.v1 already")]
#[case::too_much("a: 1 replaces 0 2", "column 17: `2` is left over")]
#[case::no_quotes("a: 1 deprecated old", "column 17: a message in quotes is wanted here")]
#[case::half_a_quote("a: 1 deprecated \"old; 2", "a message in quotes is wanted here")]
#[case::an_open_list("a[x: 1", "a head lacks its `]`")]
#[case::no_channel("a/: 1", "a head names a package and channels, like `a/fast:`")]
#[case::a_chain_missing("a: 1 -> 2 missing", "it is said of a single version, not of a chain")]
fn a_misreading_points_at_its_place(#[case] text: &str, #[case] expected: &str) {
    let misreading = text
        .parse::<Catalog>()
        .expect_err("the text must not be a catalog");
    let message = misreading.to_string();
    assert!(
        message.contains(expected),
        "{message:?} must contain {expected:?}"
    );
}

#[test]
#[should_panic(expected = "catalog text, line 1, column 6: `jumps` is no clause")]
fn a_misread_catalog_panics() {
    catalog("a: 1 jumps 2");
}

#[test]
fn yaml_reads_as_people_write_it() {
    let text = "a[stable,fast]: 1.0.0
                a/fast: 1.0.0 -> 2.0.0 covers >=1.0.0 <2.0.0; 2.0.0 skips 1.1.0
                2.0.0 requires b >=1.0.0; 2.0.0 provides g.test/v1/One
                default fast; 1.0.0 deprecated \"use 2.0.0\"; package deprecated \"gone: soon\"
                b: 1.0.0";
    insta::assert_snapshot!(catalog(text).to_yaml(), @r#"
    ---
    schema: olm.package
    name: a
    defaultChannel: fast
    ---
    schema: olm.channel
    package: a
    name: stable
    entries:
    - name: a.v1.0.0
    ---
    schema: olm.channel
    package: a
    name: fast
    entries:
    - name: a.v1.0.0
    - name: a.v2.0.0
      replaces: a.v1.0.0
      skips:
      - a.v1.1.0
      skipRange: ">=1.0.0 <2.0.0"
    ---
    schema: olm.bundle
    package: a
    name: a.v1.0.0
    image: registry.example/a:v1.0.0
    properties:
    - type: olm.package
      value:
        packageName: a
        version: "1.0.0"
    ---
    schema: olm.bundle
    package: a
    name: a.v2.0.0
    image: registry.example/a:v2.0.0
    properties:
    - type: olm.package
      value:
        packageName: a
        version: "2.0.0"
    - type: olm.gvk
      value:
        group: g.test
        kind: One
        version: v1
    - type: olm.package.required
      value:
        packageName: b
        versionRange: ">=1.0.0"
    ---
    schema: olm.deprecations
    package: a
    entries:
    - reference:
        schema: olm.package
      message: "gone: soon"
    - reference:
        schema: olm.bundle
        name: a.v1.0.0
      message: use 2.0.0
    ---
    schema: olm.package
    name: b
    defaultChannel: stable
    ---
    schema: olm.channel
    package: b
    name: stable
    entries:
    - name: b.v1.0.0
    ---
    schema: olm.bundle
    package: b
    name: b.v1.0.0
    image: registry.example/b:v1.0.0
    properties:
    - type: olm.package
      value:
        packageName: b
        version: "1.0.0"
    "#);
}

#[test]
fn json_lines_are_the_documents() {
    let text = catalog("a: 1.0.0; package deprecated \"old\"").to_json_lines();
    let documents: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let expected = vec![
        json!({"schema": "olm.package", "name": "a", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": "a", "name": "stable",
            "entries": [{"name": "a.v1.0.0"}]}),
        json!({"schema": "olm.bundle", "package": "a", "name": "a.v1.0.0",
        "image": "registry.example/a:v1.0.0", "properties": [
            {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
        ]}),
        json!({"schema": "olm.deprecations", "package": "a", "entries": [
            {"reference": {"schema": "olm.package"}, "message": "old"},
        ]}),
    ];
    assert_same!(documents, expected);
}

#[test]
fn yaml_and_json_hold_the_same() {
    let catalog = catalog("a: 1.0.0 -> 2.0.0; 2.0.0 deprecated \"- no: 'yes' #1\"").installable();
    let yaml: Vec<Value> = serde_saphyr::from_multiple(&catalog.to_yaml()).unwrap();
    let json: Vec<Value> = catalog
        .to_json_lines()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_same!(json: yaml, json);
}

#[test]
fn a_written_catalog_is_a_folder_a_package() {
    let shop = catalog("a: 1.0.0; b: 1.0.0");
    let folder = shop.temp();
    let path = folder.to_path_buf();
    let both = ["a", "b"].map(|name| path.join(name).join("catalog.yaml"));
    let written: String = both
        .map(|file| std::fs::read_to_string(file).unwrap())
        .concat();
    assert_same!(written, shop.to_yaml());
    drop(folder);
    assert!(!path.exists(), "the folder must go with its value");
}

#[test]
fn installable_bundles_carry_their_manifests() {
    let shop = catalog("my-op: 1.0.0 -> 1.1.0; 1.1.0 requires g.test/v1/Two").installable();
    let bundle = shop.package("my-op").bundle("1.1.0");
    let own = Api {
        group: "my-op.example.test".into(),
        kind: "MyOp".into(),
        version: "v1".into(),
    };
    assert_same!(
        (&bundle.image, &bundle.provides),
        (&String::new(), &vec![own])
    );
    let csv = &bundle.objects[0];
    assert_same!(json: csv["spec"]["replaces"], "my-op.v1.0.0");
    let apis = &csv["spec"]["customresourcedefinitions"];
    assert_same!(json: apis["required"][0]["name"], "twos.g.test");
    assert_same!(json: bundle.objects[1]["metadata"]["name"], "myops.my-op.example.test");
    let deployment = &csv["spec"]["install"]["spec"]["deployments"][0];
    let labels = json!({"operator": "my-op", "app": "my-op.v1.1.0"});
    assert_same!(json: deployment["spec"]["template"]["metadata"]["labels"], labels);
}

#[test]
fn installable_objects_are_base64_json_properties() {
    let shop = catalog("a: 1.0.0").installable();
    let lines = shop.to_json_lines();
    let bundle: Value = serde_json::from_str(lines.lines().nth(2).unwrap()).unwrap();
    let objects = bundle["properties"].as_array().unwrap().iter();
    let objects: Vec<Value> = objects
        .filter(|property| property["type"] == "olm.bundle.object")
        .map(|property| {
            BASE64
                .decode(property["value"]["data"].as_str().unwrap())
                .unwrap()
        })
        .map(|json| serde_json::from_slice(&json).unwrap())
        .collect();
    assert_same!(json: objects, shop.package("a").bundle("1.0.0").objects);
}

#[test]
fn versions_of_a_kind_share_a_definition() {
    let text = "a: 1.0.0 provides g.test/v1alpha1/One, g.test/v1/One";
    let shop = catalog(text).installable();
    let objects = &shop.package("a").bundle("1.0.0").objects;
    let definition = objects
        .iter()
        .find(|object| object["metadata"]["name"] == "ones.g.test");
    let versions = &definition.expect("the kind must have a definition")["spec"]["versions"];
    let stored: Vec<_> = versions
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["storage"])
        .collect();
    assert_same!(json: stored, [false, true]);
}

#[test]
fn one_version_fails_when_told_to() {
    let healthy = catalog("a: 1.0.0 -> 1.1.0").installable();
    let failing = healthy.clone().with_pod_state("1.1.0", "crashloop");
    let bundle = |catalog: &Catalog, version: &str| catalog.package("a").bundle(version).clone();
    assert_same!(bundle(&failing, "1.0.0"), bundle(&healthy, "1.0.0"));
    let failing = bundle(&failing, "1.1.0");
    let spec = &failing.objects[0]["spec"]["install"]["spec"]["deployments"][0]["spec"];
    let annotations = json!({"rig.test/pod-state": "crashloop"});
    assert_same!(json: spec["template"]["metadata"]["annotations"], annotations);
    assert_same!(json: spec["progressDeadlineSeconds"], 20);
}

#[test]
#[should_panic(expected = "no installable bundle has the version \"1.0.0\"")]
fn only_installable_bundles_can_fail() {
    let _ = catalog("a: 1.0.0").with_pod_state("1.0.0", "crashloop");
}

#[test]
fn install_modes_are_chosen() {
    let shop = catalog("a: 1.0.0")
        .installable()
        .with_install_modes(&["MultiNamespace"]);
    let modes = &shop.package("a").bundle("1.0.0").objects[0]["spec"]["installModes"];
    let expected = json!([
        {"type": "OwnNamespace", "supported": false},
        {"type": "SingleNamespace", "supported": false},
        {"type": "MultiNamespace", "supported": true},
        {"type": "AllNamespaces", "supported": false},
    ]);
    assert_same!(json: modes, expected);
}
