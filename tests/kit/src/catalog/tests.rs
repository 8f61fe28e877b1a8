use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};

use super::*;
use crate::assert_same;

#[test]
fn yaml_has_the_usual_style() {
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
fn json_lines_contain_the_documents() {
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
fn yaml_and_json_have_the_same_content() {
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
fn written_catalog_has_a_folder_for_each_package() {
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
fn versions_of_a_kind_are_in_the_same_crd() {
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
fn selected_version_fails_in_the_rig() {
    let healthy = catalog("a: 1.0.0 -> 1.1.0").installable();
    let failing = healthy.clone().with_pod_state("1.1.0", "crash-looping");
    let bundle = |catalog: &Catalog, version: &str| catalog.package("a").bundle(version).clone();
    assert_same!(bundle(&failing, "1.0.0"), bundle(&healthy, "1.0.0"));
    let failing = bundle(&failing, "1.1.0");
    let spec = &failing.objects[0]["spec"]["install"]["spec"]["deployments"][0]["spec"];
    let annotations = json!({"rig.test/pod-state": "crash-looping"});
    assert_same!(json: spec["template"]["metadata"]["annotations"], annotations);
    assert_same!(json: spec["progressDeadlineSeconds"], 20);
}

#[test]
#[should_panic(expected = "no installable bundle has the version \"1.0.0\"")]
fn only_installable_bundles_can_fail() {
    let _ = catalog("a: 1.0.0").with_pod_state("1.0.0", "crash-looping");
}

#[test]
fn install_modes_can_be_selected() {
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

#[test]
fn added_property_follows_properties_of_the_text() {
    let shop = catalog("a: 1.0.0 requires b >=1.0.0");
    let lines = shop
        .with_property("a.v1.0.0", "x", json!({"y": 1}))
        .to_json_lines();
    let bundle = lines
        .lines()
        .next_back()
        .expect("the bundle must come last");
    let bundle: Value = serde_json::from_str(bundle).unwrap();
    let expected = json!([
        {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
        {"type": "olm.package.required", "value": {"packageName": "b", "versionRange": ">=1.0.0"}},
        {"type": "x", "value": {"y": 1}},
    ]);
    assert_same!(json: bundle["properties"], expected);
}
