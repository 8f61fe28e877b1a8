//! Tests that content outside the model can be read again from the file.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use portolan_core_catalog::raw::{self, Icon, ReadRaw};
use portolan_core_catalog::{Bundle, Catalog, CatalogPlace, Limits, Package, Property, Reading};
use portolan_kit::assert_same;
use proptest::prelude::{Strategy, any, proptest};
use rstest::rstest;

/// Returns a YAML file with one package and one bundle. `{manifest}` is replaced by base64.
fn yaml(manifest: &str) -> String {
    format!(
        r#"# The first document is what people see.
---
schema: olm.package
name: ferry
defaultChannel: stable
description: |
  Carries things across.

  On water.
icon:
  mediatype: image/svg+xml
  base64data: |-
    PHN2
    Zy8+
---
schema: olm.channel
package: ferry
name: stable
entries:
- name: ferry.v1.0.0
---
schema: olm.bundle
package: ferry
name: ferry.v1.0.0
image: registry.example/ferry:v1.0.0
properties:
- type: olm.package
  value: {{packageName: ferry, version: 1.0.0}}
- type: olm.test/quay
  value: {{width: 4.10, deep: true, berths: [7, "seven", null]}}
- type: olm.bundle.object
  value:
    data: {manifest}
- type: olm.csv.metadata
  value:
    displayName: Ferry
    keywords: [water]
"#
    )
}

/// Returns the same documents as JSON, one document per line.
fn json(manifest: &str) -> String {
    let icon = r#"{"base64data": "PHN2\nZy8+", "mediatype": "image/svg+xml"}"#;
    let quay = r#"{"width": 4.1, "berths": [7, "seven", null], "deep": true}"#;
    format!(
        r#"{{"schema": "olm.package", "name": "ferry", "defaultChannel": "stable", "description": "Carries things across.\n\nOn water.\n", "icon": {icon}}}
{{"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": [{{"name": "ferry.v1.0.0"}}]}}
{{"schema": "olm.bundle", "package": "ferry", "name": "ferry.v1.0.0", "image": "registry.example/ferry:v1.0.0", "properties": [{{"type": "olm.package", "value": {{"packageName": "ferry", "version": "1.0.0"}}}}, {{"type": "olm.test/quay", "value": {quay}}}, {{"type": "olm.bundle.object", "value": {{"data": "{manifest}"}}}}, {{"type": "olm.csv.metadata", "value": {{"displayName": "Ferry", "keywords": ["water"]}}}}]}}
"#
    )
}

fn package(file: &str) -> Package {
    let catalog = Catalog::of([Reading::of("ferry", file.as_bytes())]);
    assert_same!(catalog.faults, []);
    Package::clone(&catalog.packages["ferry"])
}

fn bundle(package: &Package) -> &Bundle {
    &package.bundles["ferry.v1.0.0"]
}

fn cut<'f>(file: &'f str, place: &CatalogPlace) -> &'f [u8] {
    &file.as_bytes()[place.offset as usize..(place.offset + place.length) as usize]
}

fn raw_bundle(file: &str) -> raw::Bundle {
    let package = package(file);
    let bundle = bundle(&package);
    let bytes = cut(file, &bundle.place);
    raw::Bundle::of(bytes, bundle, &Limits::default()).expect("the bundle must be the same")
}

/// Returns the fault of the manifest, with its line.
fn fault(file: &str) -> String {
    let raw = raw_bundle(file);
    assert_same!(raw.manifests, [""; 0]);
    raw.faults.iter().map(ToString::to_string).collect()
}

#[rstest]
#[case::yaml(yaml)]
#[case::json(json)]
fn properties_and_manifests_are_returned_as_canonical_json(#[case] write: fn(&str) -> String) {
    let manifest = STANDARD.encode(r#"{ "kind": "Deployment", "apiVersion": "apps/v1" }"#);
    let property = |kind: &str, value: &str| Property {
        kind: kind.into(),
        value: value.into(),
    };
    let expected = raw::Bundle {
        properties: vec![
            property(
                "olm.package",
                r#"{"packageName":"ferry","version":"1.0.0"}"#,
            ),
            property(
                "olm.test/quay",
                r#"{"berths":[7,"seven",null],"deep":true,"width":4.1}"#,
            ),
        ],
        csv_metadata: Some(r#"{"displayName":"Ferry","keywords":["water"]}"#.to_owned()),
        manifests: vec![r#"{"apiVersion":"apps/v1","kind":"Deployment"}"#.to_owned()],
        faults: vec![],
    };
    assert_same!(raw_bundle(&write(&manifest)), expected);
}

#[rstest]
#[case::yaml(yaml)]
#[case::json(json)]
fn description_and_icon_are_returned(#[case] write: fn(&str) -> String) {
    let file = write("e30=");
    let package = package(&file);
    let bytes = cut(&file, &package.place);
    let expected = raw::Package {
        description: Some("Carries things across.\n\nOn water.\n".to_owned()),
        icon: Some(Icon {
            media_type: "image/svg+xml".to_owned(),
            bytes: b"<svg/>".to_vec(),
        }),
        faults: vec![],
    };
    let read = raw::Package::of(bytes, &package, &Limits::default());
    assert_same!(read, Ok(expected));
}

#[test]
fn manifest_in_yaml_is_read() {
    let manifest = STANDARD.encode("\nkind: Deployment\nmetadata: {name: on}\n");
    let expected = [r#"{"kind":"Deployment","metadata":{"name":true}}"#];
    assert_same!(raw_bundle(&yaml(&manifest)).manifests, expected);
}

#[test]
fn invalid_manifest_is_omitted_with_a_fault() {
    let start = "ferry:33: package ferry, bundle ferry.v1.0.0: ";
    for (manifest, why) in [
        ("e3", "`data`: not base64: "),
        ("''", "olm.bundle.object has no `data`"),
        (&STANDARD.encode("{"), "not JSON: "),
        (&STANDARD.encode("a: b: c"), "not YAML: "),
        (
            &STANDARD.encode([0xc3, 0x28]),
            "not YAML: there are bytes that are not UTF-8",
        ),
        (&STANDARD.encode("# nothing"), "there is nothing"),
    ] {
        let fault = fault(&yaml(manifest));
        let fault_text = fault.strip_prefix(start).expect(&fault);
        assert!(fault_text.starts_with(why), "{manifest}: {fault_text}");
    }
}

#[test]
fn invalid_icon_is_a_fault_but_the_description_is_read() {
    let file = yaml("e30=").replace("    Zy8+\n", "    *\n");
    let package = package(&file);
    let bytes = cut(&file, &package.place);
    let read =
        raw::Package::of(bytes, &package, &Limits::default()).expect("the unchanged package");
    assert_eq!(read.icon, None);
    assert!(read.description.is_some());
    assert_eq!(read.faults.len(), 1, "{:?}", read.faults);
    let fault_text = read.faults[0].to_string();
    assert!(
        fault_text.starts_with("ferry:13: package ferry: `base64data`: not base64: "),
        "{fault_text}"
    );
}

/// Each case changes one value of the document.
#[rstest]
#[case::name("name: ferry.v1", "name: ferry.v2")]
#[case::version("version: 1.0.0", "version: 1.0.1")]
#[case::image("ferry:v1.0.0", "ferry:v1.0.1")]
#[case::display("displayName: Ferry", "displayName: Furry")]
#[case::schema("olm.bundle\n", "olm.bungle\n")]
#[case::broken("- type: olm.package", "- {{{: olm.package")]
fn changed_bundle_is_not_returned(#[case] was: &str, #[case] is: &str) {
    let file = yaml("e30=");
    let package = package(&file);
    let bundle = bundle(&package);
    let bytes = String::from_utf8(cut(&file, &bundle.place).to_vec()).unwrap();
    assert!(bytes.contains(was));
    let changed = bytes.replace(was, is);
    let read = raw::Bundle::of(changed.as_bytes(), bundle, &Limits::default());
    match read {
        Err(ReadRaw::Changed(place)) => assert_eq!(place, bundle.place),
        Err(ReadRaw::Broken(fault)) => assert!(is.contains("{{{"), "{fault}"),
        Ok(raw) => panic!("{raw:?} must not be returned for another bundle"),
    }
}

#[rstest]
#[case::name("name: ferry", "name: wherry")]
#[case::channel("defaultChannel: stable", "defaultChannel: staple")]
#[case::description("On water", "By water")]
#[case::icon("svg+xml", "svg+xm")]
fn changed_package_is_not_returned(#[case] was: &str, #[case] is: &str) {
    let file = yaml("e30=");
    let package = package(&file);
    let bytes = String::from_utf8(cut(&file, &package.place).to_vec()).unwrap();
    assert!(bytes.contains(was));
    let read = raw::Package::of(
        bytes.replace(was, is).as_bytes(),
        &package,
        &Limits::default(),
    );
    assert_same!(read, Err(ReadRaw::Changed(package.place.clone())));
}

#[rstest]
#[case::bytes(Limits { document: 100, ..Limits::default() }, "a document of more bytes than 100")]
#[case::values(Limits { values: 10, ..Limits::default() }, "a document of more values than 10")]
#[case::depth(Limits { depth: 3, ..Limits::default() }, "values nested deeper than 3")]
fn raw_reader_enforces_document_limits(#[case] limits: Limits, #[case] why: &str) {
    let file = yaml("e30=");
    let package = package(&file);
    let bundle = bundle(&package);
    match raw::Bundle::of(cut(&file, &bundle.place), bundle, &limits) {
        Err(ReadRaw::Broken(fault)) => {
            let fault_text = fault.defect.to_string();
            assert!(fault_text.starts_with(why), "{fault_text}");
        }
        other => panic!("{other:?} must not be returned beyond the limits"),
    }
}

#[test]
fn manifest_beyond_the_limits_is_a_fault() {
    let manifest = STANDARD.encode(format!("[{}]", "0,".repeat(5000) + "0"));
    let file = json(&manifest);
    let package = package(&file);
    let bundle = bundle(&package);
    let limits = Limits {
        values: 1000,
        ..Limits::default()
    };
    let raw = raw::Bundle::of(cut(&file, &bundle.place), bundle, &limits)
        .expect("the document itself is small");
    assert_same!(raw.manifests, [""; 0]);
    let fault_text = raw.faults[0].defect.to_string();
    assert!(
        fault_text.starts_with("a document of more values than 1000"),
        "{fault_text}"
    );
}

proptest! {
    /// A document with random bytes is never read as another bundle.
    #[test]
    fn random_bytes_are_never_returned_as_another_bundle(
        at in any::<proptest::sample::Index>(),
        noise in proptest::collection::vec(any::<u8>().prop_map(|byte| byte & 0x7f), 1..20),
        is_json in any::<bool>(),
    ) {
        let file = if is_json { json("e30=") } else { yaml("e30=") };
        let package = package(&file);
        let bundle = bundle(&package);
        let mut bytes = cut(&file, &bundle.place).to_vec();
        let at = at.index(bytes.len());
        let end = (at + noise.len()).min(bytes.len());
        bytes.splice(at..end, noise);
        if raw::Bundle::of(&bytes, bundle, &Limits::default()).is_ok() {
            // A text that begins with a bracket is read as JSON if possible, and otherwise as YAML.
            // This separator makes it YAML.
            let marked = [b"---\n", bytes.as_slice()].concat();
            let read = Catalog::of([
                Reading::of("ferry", b"{\"schema\":\"olm.package\",\"name\":\"ferry\"}"),
                Reading::of("as-it-is", &bytes),
                Reading::of("as-yaml", &marked),
            ]);
            let mut again = Bundle::clone(&read.packages["ferry"].bundles["ferry.v1.0.0"]);
            again.place = bundle.place.clone();
            assert_eq!(&again, bundle);
        }
    }
}
