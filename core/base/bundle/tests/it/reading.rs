//! Tests how files are parsed into bundles, and which faults are reported.

use portolan_core_bundle::{
    Bundle, BundleFault, Code, Folder, Limits, Options, Severity, Title, render,
};
use rstest::rstest;
use serde_json::{Value as Json, json};

use crate::kit::{ANNOTATIONS, CRD, CSV, Files, fault_lines, ferry};

const EXTRA: &str = "manifests/extra.yaml";

/// Returns the ConfigMap that an API server would receive.
fn config_map(text: &str) -> Json {
    let head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: extra\n";
    let bundle = ferry().plus(EXTRA, &format!("{head}{text}")).read();
    let manifests = render(&bundle, &Options::new("ns")).expect("manifests");
    let extra = manifests
        .into_iter()
        .find(|manifest| &*manifest.origin == EXTRA);
    extra.expect("the ConfigMap").object
}

#[rstest]
#[case::y("y", json!(true))]
#[case::no_of_yaml_1_1("No", json!(false))]
#[case::in_quotes("'no'", json!("no"))]
#[case::of_base_8("0644", json!(420))]
#[case::no_digit_of_base_8("08", json!(8))]
#[case::of_base_16("0x1F", json!(31))]
#[case::with_underscores("1_000", json!(1000))]
#[case::a_fraction_of_nothing("1.0", json!(1))]
#[case::an_exponent("1e3", json!(1000))]
#[case::a_negative_zero("-0", json!(0))]
#[case::minutes("1:30", json!("1:30"))]
#[case::a_date("2024-01-01", json!("2024-01-01"))]
#[case::an_odd_casing("tRUE", json!("tRUE"))]
#[case::a_tilde("~", json!(null))]
#[case::the_greatest("9223372036854775807", json!(9_223_372_036_854_775_807_i64))]
#[case::integer_above_the_maximum("9223372036854775808", json!(9_223_372_036_854_775_808_f64))]
#[case::an_unknown_tag("!ship 7", json!("7"))]
#[case::an_anchor("[&a 1, *a]", json!([1, 1]))]
#[case::a_merge("{<<: {a: 1, b: 2}, b: 3}", json!({"a": 1, "b": 3}))]
#[case::a_key_of_yaml_1_1("{on: 1}", json!({"true": 1}))]
#[case::a_number_as_a_key("{0644: 1}", json!({"420": 1}))]
#[case::a_comma_at_the_end("{a: 1,}", json!({"a": 1}))]
#[case::a_key_twice("{a: 1, a: 2}", json!({"a": 2}))]
fn parses_yaml_value_like_go(#[case] text: &str, #[case] expected: Json) {
    assert_eq!(config_map(&format!("data: {text}\n"))["data"], expected);
}

#[rstest]
#[case::crlf("\r\n")]
#[case::an_end_of_the_document("\n...\n")]
fn line_endings_are_ignored(#[case] end: &str) {
    assert_eq!(config_map(&format!("data: 1{end}"))["data"], json!(1));
}

#[test]
fn reads_manifest_in_json() {
    let text = "\u{feff}{\n\t\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\",\n\t\"metadata\": {\"name\": \"a\"}}";
    let bundle = ferry().plus(EXTRA, text).read();
    let manifests = render(&bundle, &Options::new("ns")).expect("manifests");
    let expected = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "namespace": "ns"},
    });
    assert!(manifests.iter().any(|manifest| manifest.object == expected));
}

#[rstest]
#[case::of_any_name(".gitkeep", "")]
#[case::with_comments_alone("README.md", "# Nothing\n---\n# here\n")]
fn file_without_objects_is_skipped(#[case] name: &str, #[case] text: &str) {
    let bundle = ferry().plus(&format!("manifests/{name}"), text).read();
    assert_eq!(bundle.warnings(), []);
}

#[test]
fn kubernetes_lists_are_split_into_objects() {
    let list = "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: b}\n";
    let bundle = ferry().plus(EXTRA, list).read();
    let manifests = render(&bundle, &Options::new("ns")).expect("manifests");
    let of_file = manifests
        .iter()
        .filter(|manifest| &*manifest.origin == EXTRA);
    let names: Vec<_> = of_file
        .map(|manifest| Title(&manifest.identity()).to_string())
        .collect();
    assert_eq!(names, ["ConfigMap ns/a", "Secret ns/b"]);
}

#[test]
fn manifests_are_kept_byte_for_byte() {
    let odd = "# A comment\nkind:   ConfigMap\r\napiVersion: v1\nmetadata: {name: a}\n";
    let bundle = ferry()
        .plus(EXTRA, odd)
        .plus("tests/a.yaml", "kind: [")
        .read();
    assert_eq!(bundle.folder().file(EXTRA), Some(odd.as_bytes()));
    let files: Vec<_> = bundle.folder().files().map(|(path, _)| &**path).collect();
    assert_eq!(files, [EXTRA, CSV, CRD, ANNOTATIONS]);
}

#[test]
fn reads_package_version_and_install_modes() {
    let bundle = ferry().read();
    assert_eq!(bundle.package(), "ferry");
    assert_eq!(bundle.name(), "ferry.v1.0.0");
    assert_eq!(
        bundle.version().map(ToString::to_string).as_deref(),
        Some("1.0.0")
    );
    assert_eq!(bundle.suggested_namespace().as_deref(), Some("ferries"));
    assert_eq!(
        bundle.install_modes(),
        [
            "AllNamespaces",
            "MultiNamespace",
            "OwnNamespace",
            "SingleNamespace"
        ]
    );
}

#[test]
fn manifests_in_catalog_properties_form_a_bundle() {
    let objects = ferry()
        .texts()
        .into_iter()
        .filter(|(name, _)| name.starts_with("manifests/"));
    let objects = objects.map(|(_, text)| text.into_bytes());
    let folder = Folder::of_manifests("ferry", objects, &Limits::default()).expect("a folder");
    let bundle = Bundle::read(folder, &Limits::default()).expect("a bundle");
    assert_eq!((bundle.package(), bundle.name()), ("ferry", "ferry.v1.0.0"));
    assert_eq!(bundle.folder().files().count(), 3);
}

#[test]
fn reports_all_values_of_wrong_type_together() {
    let faults = ferry()
        .with(CSV, "replicas: 1", "replicas: \"1\"")
        .with(CSV, "displayName: Ferry", "displayName: 7")
        .with(CSV, "resources: [pods]", "resources: pods")
        .with(CRD, "scope: Namespaced", "scope: [Namespaced]")
        .plus(EXTRA, "kind: Secret\nmetadata:\n  labels: {a: 1, b: 2}\n")
        .try_read()
        .expect_err("no bundle");
    assert_eq!(
        fault_lines(&faults),
        "error: manifests/extra.yaml:3: `metadata.labels.a` is the number 1, not a string\n\
         error: manifests/extra.yaml:3: `metadata.labels.b` is the number 2, not a string\n\
         error: manifests/ferry.clusterserviceversion.yaml:10: `spec.displayName` is the number 7, not a string\n\
         error: manifests/ferry.clusterserviceversion.yaml:32: `spec.install.spec.permissions[0].rules[0].resources` \
         is the text \"pods\", not a list\n\
         error: manifests/ferry.clusterserviceversion.yaml:45: `spec.install.spec.deployments[0].spec.replicas` \
         is the text \"1\", not a whole number\n\
         error: manifests/ships.ferry.example.yaml:7: `spec.scope` is a list, not a string"
    );
}

#[rstest]
#[case::a_number("bundle.package.v1: ferry", "bundle.package.v1: 7", "7")]
#[case::in_another_case("bundle.package.v1: ferry", "Bundle.Package.V1: ferry", "ferry")]
fn package_name_is_always_read_as_a_string(
    #[case] from: &str,
    #[case] to: &str,
    #[case] expected: &str,
) {
    assert_eq!(
        ferry().with(ANNOTATIONS, from, to).read().package(),
        expected
    );
}

#[rstest]
#[case::a_leading_v("version: 1.0.0", "version: v1.0.0", Some("1.0.0"))]
#[case::missing("  version: 1.0.0\n", "", None)]
fn bundle_version_is_parsed(#[case] from: &str, #[case] to: &str, #[case] expected: Option<&str>) {
    let bundle = ferry().with(CSV, from, to).read();
    assert_eq!(
        bundle.version().map(ToString::to_string).as_deref(),
        expected
    );
}

const PROPERTIES: &str = "metadata/properties.yaml";

#[test]
fn properties_of_the_file_follow_those_of_the_annotation() {
    let annotation = r#"    olm.properties: '[{"type": "a", "value": {"z": "<", "b": 1.0}}]'"#;
    let bundle = ferry()
        .with(CSV, "    capabilities: Basic Install", annotation)
        .plus(
            PROPERTIES,
            "properties:\n- type: c\n  value: {z: 1.0, b: <}\n",
        )
        .read();
    let manifests = render(&bundle, &Options::new("ns")).expect("manifests");
    let deployment = manifests
        .iter()
        .find(|manifest| manifest.object["kind"] == "Deployment");
    let template = &deployment.expect("a deployment").object["spec"]["template"]["metadata"];
    assert_eq!(
        template["annotations"]["olm.properties"],
        r#"[{"type":"a","value":{"z":"\u003c","b":1.0}},{"type":"c","value":{"b":"\u003c","z":1}}]"#
    );
    let kinds: Vec<_> = bundle
        .properties()
        .iter()
        .map(|property| &*property.kind)
        .collect();
    assert_eq!(kinds, ["a", "c"]);
}

/// Each case has a change that makes the bundle unreadable, and the expected fault.
#[rstest]
#[case::no_annotations(
    ferry().without(ANNOTATIONS),
    "error: metadata/annotations.yaml: the file is missing"
)]
#[case::no_csv(
    ferry().without(CSV),
    "error: manifests: no ClusterServiceVersion"
)]
#[case::a_folder(
    ferry().plus("manifests/more/a.yaml", "kind: A"),
    "error: manifests/more/a.yaml: a bundle has no folders below `manifests`"
)]
#[case::no_yaml(
    ferry().plus(EXTRA, "kind: A\nb: [\n"),
    "error: manifests/extra.yaml:2: not YAML: unclosed bracket '['"
)]
#[case::a_number_that_json_has_not(
    ferry().plus(EXTRA, "kind: A\n\nb: .inf\n"),
    "error: manifests/extra.yaml:3: a value is .inf, which JSON cannot represent"
)]
#[case::no_kind(
    ferry().plus(EXTRA, "---\nkind: Secret\n---\napiVersion: v1\n"),
    "warning: manifests/extra.yaml:4: the file has a second document: OLM v1 reads it, OLM v0 \
     does not\n\
     error: manifests/extra.yaml:4: an object without `kind`"
)]
#[case::no_object(
    ferry().plus(EXTRA, "- a\n"),
    "error: manifests/extra.yaml:1: a list; expected an object with `kind`"
)]
#[case::a_number_as_an_env_value(
    ferry().with(CSV, "                - name: WATCH_NAMESPACE", "                - name: A\n                  value: 1\n                - name: WATCH_NAMESPACE"),
    "error: manifests/ferry.clusterserviceversion.yaml:61: \
     `spec.install.spec.deployments[0].spec.template.spec.containers[0].env[0].value` is the number 1, not a string"
)]
#[case::a_text_as_replicas(
    ferry().with(CSV, "replicas: 1", "replicas: \"1\""),
    "error: manifests/ferry.clusterserviceversion.yaml:45: \
     `spec.install.spec.deployments[0].spec.replicas` is the text \"1\", not a whole number"
)]
#[case::a_name_that_is_a_truth_value(
    ferry().with(CSV, "name: ferry.v1.0.0", "name: n"),
    "error: manifests/ferry.clusterserviceversion.yaml:4: `metadata.name` is the truth value false, not a string"
)]
#[case::an_invalid_label(
    ferry().plus(EXTRA, "kind: Secret\nmetadata:\n  labels:\n    a: true\n"),
    "error: manifests/extra.yaml:4: `metadata.labels.a` is the truth value true, not a string"
)]
#[case::metadata_that_is_a_text(
    ferry().plus(EXTRA, "kind: Secret\nmetadata: a\n"),
    "error: manifests/extra.yaml:2: `metadata` is the text \"a\", not an object"
)]
#[case::no_version(
    ferry().with(CSV, "version: 1.0.0", "version: 1.0.x"),
    "error: manifests/ferry.clusterserviceversion.yaml:9: `spec.version`: \"1.0.x\" is not a version: \
     at column 5, \"x\" is not a digit"
)]
#[case::a_version_that_is_a_number(
    ferry().with(CSV, "version: 1.0.0", "version: 1.0"),
    "error: manifests/ferry.clusterserviceversion.yaml:9: `spec.version` is the number 1, not a string"
)]
#[case::properties_that_are_no_list(
    ferry().with(CSV, "    capabilities: Basic Install", "    olm.properties: '{}'"),
    "error: manifests/ferry.clusterserviceversion.yaml:1: the annotation `olm.properties` is not \
     a list: \
     invalid type: map, expected a sequence at line 1 column 0"
)]
#[case::a_property_without_a_type(
    ferry().plus(PROPERTIES, "properties:\n- value: 1\n"),
    "error: metadata/properties.yaml:2: an entry has no `type`"
)]
#[case::a_type_in_a_definition(
    ferry().with(CRD, "scope: Namespaced", "scope: [Namespaced]"),
    "error: manifests/ships.ferry.example.yaml:7: `spec.scope` is a list, not a string"
)]
fn unreadable_bundle_is_rejected(#[case] files: Files, #[case] expected: &str) {
    let faults = files.try_read().expect_err("no bundle");
    assert_eq!(fault_lines(&faults), expected);
}

/// Each case has a change with which the bundle can still be read, and the expected warning.
#[rstest]
#[case::a_key_twice(
    ferry().with(CSV, "  displayName: Ferry", "  displayName: Fairy\n  displayName: Ferry"),
    "manifests/ferry.clusterserviceversion.yaml:10: `displayName` appears twice in its object; \
     the last one is used"
)]
#[case::an_unknown_field(
    ferry().with(CSV, "replicas: 1", "replicas: 1\n          replicaz: 2"),
    "manifests/ferry.clusterserviceversion.yaml:46: a ClusterServiceVersion has no field \
     `spec.install.spec.deployments[0].spec.replicaz`, so it is dropped"
)]
#[case::a_field_in_another_case(
    ferry().with(CSV, "- apiGroups: [ferry.example]", "- apigroups: [ferry.example]"),
    "manifests/ferry.clusterserviceversion.yaml:37: a ClusterServiceVersion has no field \
     `spec.install.spec.clusterPermissions[0].rules[0].apigroups`, so it is dropped"
)]
#[case::a_field_in_a_definition(
    ferry().with(CRD, "    storage: true", "    storage: true\n    additionalPrinterColumns:\n    - JSONPath: .a"),
    "manifests/ships.ferry.example.yaml:18: a CustomResourceDefinition has no field \
     `spec.versions[0].additionalPrinterColumns[0].JSONPath`, so it is dropped"
)]
#[case::a_second_csv(
    ferry().plus("manifests/z.yaml", "kind: ClusterServiceVersion\n"),
    "manifests/z.yaml:1: a second ClusterServiceVersion replaces the one in \
     manifests/ferry.clusterserviceversion.yaml:1"
)]
#[case::dependencies_that_are_broken(
    ferry().plus("metadata/dependencies.yaml", "dependencies: 7\n"),
    "metadata/dependencies.yaml:1: `dependencies` is the number 7, not a list"
)]
fn bundle_with_a_minor_fault_is_accepted_with_a_warning(
    #[case] files: Files,
    #[case] expected: &str,
) {
    let bundle = files.read();
    assert_eq!(
        fault_lines(bundle.warnings()),
        format!("warning: {expected}")
    );
}

/// In Go, every field may be null. A null counts as empty.
#[rstest]
#[case::a_text("displayName: Ferry", "displayName: null")]
#[case::a_list(
    "          resources: [pods]\n          verbs: [get, list]",
    "          resources: [pods]\n          verbs: null"
)]
#[case::an_object("        label:\n          app: ferry\n", "        label: null\n")]
#[case::a_number("replicas: 1", "replicas: null")]
fn null_is_the_empty_value(#[case] from: &str, #[case] to: &str) {
    assert_eq!(ferry().with(CSV, from, to).read().warnings(), []);
}

/// Go rejects a list where an object is expected. Code that serde derives would accept the list.
#[rstest]
#[case::metadata("metadata: []\nspec: {version: 1.0.0}")]
#[case::permissions(
    "metadata: {name: a.v1}\nspec: {install: {spec: {permissions: [[ferryman, []]]}}}"
)]
fn list_instead_of_object_is_rejected(#[case] text: &str) {
    let csv =
        format!("apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n{text}\n");
    let properties = "properties: [{type: olm.package, value: {packageName: a}}]\n";
    let files = ferry().without(CSV).plus(CSV, &csv);
    let read = files
        .plus("metadata/properties.yaml", properties)
        .try_read();
    let faults = read.expect_err("no bundle");
    assert!(
        fault_lines(&faults).contains("is a list, not an object"),
        "{}",
        fault_lines(&faults)
    );
}

/// An item of a list gets its version from the list only if the item has no version.
#[test]
fn list_items_inherit_only_missing_fields() {
    let list = "apiVersion: v1\nkind: ConfigMapList\nitems:\n- metadata: {name: a}\n\
                - apiVersion: v1\n  metadata: {name: b}\n";
    let bundle = ferry().plus(EXTRA, list).read();
    let manifests = render(&bundle, &Options::new("ferries")).expect("manifests");
    let names: Vec<_> = manifests
        .iter()
        .map(|one| Title(&one.identity()).to_string())
        .collect();
    for name in ["ConfigMap ferries/a", "ConfigMap ferries/b"] {
        assert!(names.iter().any(|it| it == name), "{names:?}");
    }
}

#[test]
fn rejects_deep_and_exponential_yaml() {
    let deep = format!("kind: A\na: {}{}\n", "[".repeat(200), "]".repeat(200));
    let faults = ferry()
        .plus(EXTRA, &deep)
        .try_read()
        .expect_err("no bundle");
    assert_eq!(faults.len(), 1, "{}", fault_lines(&faults));

    let laughs = "a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n".to_owned();
    let laughs = "bcdefg"
        .chars()
        .zip("abcdef".chars())
        .fold(laughs, |all, (key, below)| {
            let alias = format!("*{below}, ").repeat(10);
            format!("{all}{key}: &{key} [{alias}]\n")
        });
    let faults = ferry()
        .plus(EXTRA, &laughs)
        .try_read()
        .expect_err("no bundle");
    let codes: Vec<_> = faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [Code::TooMuch]);
}

#[test]
fn last_fault_contains_number_of_omitted_faults() {
    let fields: String = (0..5000).map(|at| format!("  field{at}: 1\n")).collect();
    let limits = Limits::default();
    let bundle = ferry().and(CSV, &fields).plus(EXTRA, "kind: [").try_read();
    let faults = bundle.expect_err("no bundle");
    // The last fault reports the number of the omitted faults.
    assert_eq!(faults.len(), limits.faults + 1);
    let last = faults.last().map(ToString::to_string);
    assert_eq!(
        last.as_deref(),
        Some("the bundle: 2 more faults are not listed")
    );
    // The error is kept, although there are more warnings than the limit.
    let errors = faults
        .iter()
        .filter(|fault: &&BundleFault| fault.severity == Severity::Error);
    assert_eq!(errors.count(), 1);
}
