//! Tests of bundles and their properties.

use portolan_kit::assert_same;
use rstest::rstest;

use crate::lines::{PACKAGE, bundle, catalog, catalog_lines, channel, with_properties};

/// Returns the lines of bundle a.v1 and all faults, except faults that report only that the bundle
/// is missing.
fn bundle_lines(text: &str) -> Vec<String> {
    let follows = |line: &str| line.contains("has the entry a.v1");
    let lines = catalog_lines(&catalog(text));
    lines
        .into_iter()
        .filter(|line| line.starts_with("bundle") || line.starts_with('!') && !follows(line))
        .collect()
}

#[rstest]
#[case::apis_as_a_set(
    "- type: olm.gvk\n  value: {group: g.test, version: v1, kind: B}\n\
     - type: olm.gvk\n  value: {kind: A, version: v1, group: g.test}\n\
     - type: olm.gvk\n  value: {group: g.test, version: v1, kind: B, description: more}\n\
     - type: olm.gvk.required\n  value: {group: '', version: v1, kind: Secret}\n",
    &["bundle a.v1 1.0.0 provides g.test/v1/A provides g.test/v1/B requires /v1/Secret"]
)]
#[case::required_packages(
    "- type: olm.package.required\n  value: {packageName: c, versionRange: '>=1.2.3 <2.0.0-0'}\n\
     - type: olm.package.required\n  value: {packageName: b, versionRange: 0.5.0}\n",
    &["bundle a.v1 1.0.0 requires b \"0.5.0\" requires c \">=1.2.3 <2.0.0-0\""]
)]
#[case::a_required_package_in_no_range(
    "- type: olm.package.required\n  value: {packageName: b, versionRange: v0.1.0}\n",
    &[
        "bundle a.v1 1.0.0 requires never b \"v0.1.0\"",
        "! f:19: package a, bundle a.v1: `versionRange`: \"v0.1.0\" is not a version range: at \
         column 1, a version starts with a digit; write \"0.1.0\"; no version meets the \
         requirement",
    ]
)]
#[case::a_required_package_in_a_range_that_olm_refuses(
    "- type: olm.package.required\n  value: {packageName: b, versionRange: =1.0.0-next}\n",
    &[
        "bundle a.v1 1.0.0 requires never b \"=1.0.0-next\"",
        "! f:19: package a, bundle a.v1: `versionRange`: \"=1.0.0-next\": OLM misreads \"=1.0.0-next\": it treats the \"x\" as a wildcard",
    ]
)]
#[case::a_constraint_of_constraints(
    "- type: olm.constraint\n  value:\n    failureMessage: needs one\n    any:\n      \
         constraints:\n\
     \x20     - package: {packageName: b, versionRange: '>=1.0.0'}\n\
     \x20     - not: {constraints: [{cel: {rule: 'true'}}]}\n",
    &[
        "bundle a.v1 1.0.0 constraint \
             {\"any\":{\"constraints\":[{\"package\":{\"packageName\":\"b\",\
         \"versionRange\":\">=1.0.0\"}},{\"not\":{\"constraints\":[{\"cel\":{\"rule\":\
         \"true\"}}]}}]},\
         \"failureMessage\":\"needs one\"}",
    ]
)]
#[case::a_constraint_of_all_kinds(
    "- type: olm.constraint\n  value: {all: {constraints: [{gvk: {group: g.test, version: v1, \
     kind: K}}, {package: {packageName: b, versionRange: 1.0.0}}]}}\n",
    &[
        "bundle a.v1 1.0.0 constraint {\"all\":{\"constraints\":[{\"gvk\":{\"group\":\"g.test\",\
         \"kind\":\"K\",\"version\":\"v1\"}},{\"package\":{\"packageName\":\"b\",\
         \"versionRange\":\"1.0.0\"}}]}}",
    ]
)]
#[case::the_last_openshift_as_text_or_number(
    "- type: olm.maxOpenShiftVersion\n  value: 4.10\n",
    &["bundle a.v1 1.0.0 up to 4.10"]
)]
#[case::a_value_before_its_type(
    "- value: {group: g.test, version: v1, kind: A}\n  type: olm.gvk\n",
    &["bundle a.v1 1.0.0 provides g.test/v1/A"]
)]
#[case::a_prohibition("- type: olm.deprecated\n  value: {}\n", &["bundle a.v1 1.0.0 prohibited"])]
#[case::properties_of_older_registries_and_unknown_properties(
    "- {type: olm.channel, value: {channelName: x, priority: 1}}\n\
     - {type: olm.skips, value: a.v0}\n- {type: olm.skipRange, value: '<1.0.0'}\n\
     - {type: custom, value: [1, two, null]}\n- {type: other, value: text}\n",
    &["bundle a.v1 1.0.0 says custom [1,\"two\",null] says olm.channel {\"channelName\":\"x\",\
       \"priority\":1} says olm.skipRange \"<1.0.0\" says olm.skips \"a.v0\" says other \"text\""]
)]
#[case::the_same_property_twice(
    "- {type: custom, value: 1}\n- {type: custom, value: 1}\n- {type: custom, value: 0}\n",
    &["bundle a.v1 1.0.0 says custom 0 says custom 1"]
)]
#[case::properties_that_no_rule_reads(
    "- {type: olm.csv.metadata, value: {displayName: A}}\n\
     - {type: olm.bundle.object, value: {data: e30=}}\n",
    &["bundle a.v1 1.0.0 with objects"]
)]
#[case::a_constraint_that_cannot_be_read(
    "- type: olm.constraint\n  value: {any: {constraints: [{cel: {rule: properties}}]}}\n",
    &[
        "bundle a.v1 1.0.0 constraint {\"any\":{\"constraints\":[{\"cel\":{\"rule\":\"properties\"}}]}}",
        "! f:19: package a, bundle a.v1: `olm.constraint`: in `any`, number 1: the rule must be \
         true or false; nothing fulfills the constraint",
    ]
)]
#[case::a_second_olm_package(
    "- type: olm.package\n  value: {packageName: a, version: 1.0.0}\n",
    &["! f:16: package a, bundle a.v1: `properties`: there are 2 olm.package properties; exactly \
     one is required"]
)]
#[case::a_property_without_type(
    "- value: 1\n",
    &["! f:18: package a, bundle a.v1: a property has no `type`"]
)]
#[case::a_property_without_value(
    "- type: custom\n",
    &["! f:18: package a, bundle a.v1: a property has no `value`"]
)]
#[case::an_api_without_kind(
    "- type: olm.gvk\n  value: {group: g.test, version: v1}\n",
    &["! f:19: package a, bundle a.v1: an API has no `kind`"]
)]
#[case::an_api_that_is_a_text(
    "- type: olm.gvk\n  value: g.test/v1/A\n",
    &["! f:19: package a, bundle a.v1: `an API` is the text \"g.test/v1/A\"; expected an object"]
)]
fn reads_properties_of_a_bundle(#[case] properties: &str, #[case] expected: &[&str]) {
    assert_same!(bundle_lines(&with_properties(properties)), expected);
}

#[rstest]
#[case::four_parts("0.1.0.1", "a version has three numbers, as in \"1.2.0\"; found 4")]
#[case::two_parts("'1.2'", "a version has three numbers, as in \"1.2.0\"; found 2")]
#[case::a_leading_v("v1.2.3", "a version starts with a digit; write \"1.2.3\"")]
#[case::a_leading_zero("01.1.1", "\"01\" has a leading zero; write \"1\"")]
#[case::a_leading_zero_in_the_prerelease("1.1.1-01", "\"01\" has a leading zero; write \"1\"")]
#[case::a_number_beyond_64_bits(
    "1.1.99999999999999999999",
    "\"99999999999999999999\" is greater than 18446744073709551615, the maximum"
)]
fn bundle_with_an_invalid_version_is_dropped(#[case] version: &str, #[case] why: &str) {
    let text = PACKAGE.to_owned() + &channel("- name: a.v1\n") + &bundle("a.v1", version, "");
    let lines = bundle_lines(&text);
    assert!(
        lines.len() == 1 && lines[0].starts_with("! f:17: package a, bundle a.v1: `version`: ")
    );
    assert!(lines[0].ends_with(why), "{lines:?}");
}

#[rstest]
#[case::missing(
    "olm.other",
    "{packageName: a, version: 1.0.0}",
    "f:16: package a, bundle a.v1: the bundle has no `olm.package property`"
)]
#[case::empty(
    "olm.package",
    "{packageName: a, version: ''}",
    "f:17: package a, bundle a.v1: olm.package has no `version`"
)]
#[case::of_another_package(
    "olm.package",
    "{packageName: b, version: 1.0.0}",
    "f:17: package a, bundle a.v1: `packageName`: the bundle belongs to a, but \"b\" is another package"
)]
fn bundle_without_olm_package_is_dropped(
    #[case] kind: &str,
    #[case] value: &str,
    #[case] expected: &str,
) {
    let text = with_properties("").replace("type: olm.package", &format!("type: {kind}"));
    let text = text.replace("{packageName: a, version: 1.0.0}", value);
    assert_same!(bundle_lines(&text), [format!("! {expected}")]);
}

#[test]
fn two_bundles_with_the_same_version_are_both_offered_with_a_fault() {
    let text = PACKAGE.to_owned()
        + &channel("- name: a.v1\n- name: b.v1\n- name: c.v1\n")
        + &bundle("a.v1", "1.0.0", "")
        + &bundle("b.v1", "1.0.0", "")
        + &bundle("c.v1", "1.0.0+1", "");
    assert_same!(
        bundle_lines(&text),
        [
            "bundle a.v1 1.0.0",
            "bundle b.v1 1.0.0",
            "bundle c.v1 1.0.0+1",
            "! f:20: package a: several bundles have the version 1.0.0: a.v1, b.v1",
        ]
    );
}

#[test]
fn first_of_two_documents_of_the_same_bundle_wins() {
    let text = with_properties("") + &bundle("a.v1", "2.0.0", "");
    assert_same!(
        bundle_lines(&text),
        [
            "bundle a.v1 1.0.0",
            "! f:18: package a: bundle a.v1 appears twice in the catalog; the first one is used",
        ]
    );
}

#[test]
fn bundle_without_package_or_name_is_omitted() {
    let text = with_properties("")
        + "---\nschema: olm.bundle\nname: a.v2\n---\nschema: olm.bundle\npackage: a\nname: ''\n";
    assert_same!(
        bundle_lines(&text),
        [
            "bundle a.v1 1.0.0",
            "! f:19: olm.bundle has no `package`",
            "! f:24: package a, bundle : olm.bundle has no `name`",
        ]
    );
}

#[rstest]
#[case::named_for_it("a-v1.0.0-1", "1.0.0, release: '1'", &["bundle a-v1.0.0-1 1.0.0 release 1"])]
#[case::of_words("a-v1.0.0-2.hotfix", "1.0.0, release: 2.hotfix", &[
    "bundle a-v1.0.0-2.hotfix 1.0.0 release 2.hotfix"
])]
#[case::named_otherwise("a.v1.0.0", "1.0.0, release: '1'", &[
    "! f:3: package a, bundle a.v1.0.0: `name`: a bundle of release 1 must be named a-v1.0.0-1"
])]
#[case::with_build_metadata("a-v1.0.0-1", "1.0.0+2, release: '1'", &[
    "! f:1: package a, bundle a-v1.0.0-1: `version`: a version with a release cannot have build \
     metadata; remove the part after `+`"
])]
#[case::with_a_leading_zero("a-v1.0.0-01", "1.0.0, release: '01'", &[
    "! f:7: package a, bundle a-v1.0.0-01: `release`: \"01\" is not a release: at column 1, \"01\" \
     has a leading zero; write \"1\""
])]
fn release_of_a_bundle_is_parsed_as_expected(
    #[case] name: &str,
    #[case] version: &str,
    #[case] expected: &[&str],
) {
    let text = bundle(name, version, "").replace("---\n", "");
    let text = text + "---\nschema: olm.package\nname: a\ndefaultChannel: s\n";
    let missing = |line: &String| !line.contains("channel") && !line.ends_with("in no channel");
    let lines: Vec<_> = bundle_lines(&text).into_iter().filter(missing).collect();
    assert_same!(lines, expected);
}

/// A ClusterServiceVersion with the annotation `olm.substitutesFor`, in base64.
const SUBSTITUTE: &str = "eyJraW5kIjogIkNsdXN0ZXJTZXJ2aWNlVmVyc2lvbiIsICJtZXRhZGF0YSI6IHsiYW5ub3\
     RhdGlvbnMiOiB7Im9sbS5zdWJzdGl0dXRlc0ZvciI6ICJhLnYwIn19fQ==";

#[rstest]
#[case::without_substitution(
    "1.0.0+2",
    "- {type: olm.csv.metadata, value: {annotations: {x: y}}}\n",
    ""
)]
#[case::in_the_metadata(
    "1.0.0+2",
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.substitutesFor: a.v0\n",
    " release 2"
)]
#[case::no_release_but_metadata(
    "1.0.0+002",
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.substitutesFor: a.v0\n",
    ""
)]
#[case::no_build_metadata(
    "1.0.0",
    "- type: olm.csv.metadata\n  value:\n    annotations:\n      olm.substitutesFor: a.v0\n",
    ""
)]
#[case::in_a_manifest(
    "1.0.0+2",
    &format!("- type: olm.bundle.object\n  value:\n    data: {SUBSTITUTE}\n"),
    " release 2 with objects"
)]
#[case::in_no_manifest(
    "1.0.0+2",
    "- type: olm.bundle.object\n  value:\n    data: e30=\n",
    " with objects"
)]
#[case::in_an_invalid_manifest("1.0.0+2", "- type: olm.bundle.object\n  value:\n", " with objects")]
fn build_metadata_of_a_substituting_bundle_is_its_release(
    #[case] version: &str,
    #[case] properties: &str,
    #[case] expected: &str,
) {
    let text =
        with_properties(properties).replace("version: 1.0.0}", &format!("version: {version}}}"));
    assert_same!(
        bundle_lines(&text),
        [format!("bundle a.v1 {version}{expected}")]
    );
}

#[rstest]
#[case::none(
    "image: r.test/a:1\n", "", "",
    &["! f:11: package a, bundle a.v1: olm.bundle has no `image`"]
)]
#[case::only_manifests(
    "image: r.test/a:1\n", "image: ''\n", "- {type: olm.bundle.object, value: {data: e30=}}\n", &[]
)]
#[case::of_an_unknown_digest("r.test/a:1", "r.test/a@ssha256:01", "", &[
    "! f:14: package a, bundle a.v1: `image`: \"r.test/a@ssha256:01\": a digest must follow `@`: \
     `sha256:` and 64 hexadecimal digits"
])]
#[case::related_and_empty(
    "properties:\n", "relatedImages: [{name: x, image: ''}, {image: r.test/x}]\nproperties:\n", "",
    &[]
)]
#[case::related_with_a_scheme(
    "properties:\n", "relatedImages:\n- {name: x, image: 'oci://r.test/x'}\nproperties:\n", "", &[
    "! f:16: package a, bundle a.v1: `relatedImages`: \"oci://r.test/x\": an image reference has \
     no scheme; remove everything up to `://`"
])]
fn image_references_are_read_with_the_expected_faults(
    #[case] part: &str,
    #[case] instead: &str,
    #[case] properties: &str,
    #[case] faults: &[&str],
) {
    let lines = bundle_lines(&with_properties(properties).replace(part, instead));
    assert_same!(lines[1..], *faults);
}

#[test]
fn bundle_with_related_images_as_object_is_omitted() {
    let text = with_properties("").replace("image: r.test/a:1", "relatedImages: {}");
    let fault = "! f:14: package a, bundle a.v1: `relatedImages` is an object; expected a list";
    assert!(
        bundle_lines(&text).contains(&fault.to_owned()),
        "{:?}",
        bundle_lines(&text)
    );
}

#[test]
fn displayed_data_is_read_from_the_csv_metadata() {
    let text = with_properties(
        "- type: olm.csv.metadata\n  value:\n    annotations:\n      alm-examples: |-\n        \
             [{}]\n    \
         description: |\n      # A\n\n      long text\n    displayName: Alpha\n    \
         installModes:\n    - \
         supported: true\n      type: OwnNamespacejl\n    - supported: false\n      type: \
         AllNamespaces\n    links:\n    - name: x\n    minKubeVersion: 1.25.0\n",
    );
    let catalog = catalog(&text);
    let display = &catalog.packages["a"].bundles["a.v1"].display;
    let modes = display.install_modes.iter();
    let modes: Vec<_> = modes.map(|mode| (&*mode.name, mode.is_supported)).collect();
    assert_eq!(display.name.as_deref(), Some("Alpha"));
    assert_eq!(display.min_kube_version.as_deref(), Some("1.25.0"));
    assert_eq!(modes, [("AllNamespaces", false), ("OwnNamespacejl", true)]);
    assert_same!(catalog.faults, []);
}
