//! Tests which content affects which digest.

use portolan_core_catalog::{Catalog, Reading};
use portolan_kit::assert_same;
use proptest::prelude::*;
use rstest::rstest;

use crate::lines::with_properties;

const SHOP: &str =
    "a[stable, fast]: 1.0.0 -> 1.1.0 -> 2.0.0 covers >=1.0.0 <2.0.0; 2.0.0 skips 1.0.0
    2.0.0 provides g.test/v1/A; 2.0.0 requires b >=1.0.0; package deprecated \"old\"
    b: 1.0.0; 1.1.0 replaces 1.0.0; 1.0.0 deprecated \"worse\"";

/// Returns the documents of the catalog `SHOP`, each as one line of JSON.
fn documents() -> Vec<String> {
    let text = portolan_kit::catalog(SHOP).to_json_lines();
    text.lines().map(str::to_owned).collect()
}

proptest! {
    /// The order of documents and their distribution over files do not affect the digest.
    #[test]
    fn digest_does_not_depend_on_order_and_files(
        documents in Just(documents()).prop_shuffle(),
        files in prop::collection::vec(0..4_usize, 32),
    ) {
        let mut texts = vec![String::new(); 4];
        for (document, file) in documents.iter().zip(&files) {
            texts[*file] += document;
        }
        let shuffled = texts.iter().enumerate();
        let shuffled = shuffled.map(|(at, text)| Reading::of(&at.to_string(), text.as_bytes()));
        let shuffled = Catalog::of(shuffled.collect::<Vec<_>>());
        let yaml = portolan_kit::catalog(SHOP).to_yaml();
        let catalog = Catalog::of([Reading::of("f", yaml.as_bytes())]);
        prop_assert_eq!(&shuffled.faults, &[]);
        prop_assert_eq!(shuffled.digest, catalog.digest);
        prop_assert_eq!(shuffled.display_digest, catalog.display_digest);
    }
}

const SOME: &str = "- type: olm.gvk\n  value: {group: g, version: v1, kind: K}\n\
                    - type: olm.package.required\n  value: {packageName: b, versionRange: 1.2.x}\n\
                    - type: tide\n  value: {low: 1, high: 4.5}\n\
                    - type: olm.constraint\n  value: {cel: {rule: 'true'}}\n\
                    - type: olm.csv.metadata\n  value: {displayName: A, minKubeVersion: 1.20.0}\n";

/// Each case changes the text, and names the digests that change: content, display.
#[rstest]
#[case::a_version("version: 1.0.0", "version: 1.0.1", (true, false))]
#[case::build_metadata("version: 1.0.0", "version: 1.0.0+1", (true, false))]
#[case::the_default_channel("defaultChannel: s", "defaultChannel: t", (true, false))]
#[case::an_api("kind: K", "kind: L", (true, false))]
#[case::a_required_range("1.2.x", "1.3.x", (true, false))]
#[case::a_rule("rule: 'true'", "rule: 'false'", (true, false))]
#[case::a_property_that_rules_may_read("high: 4.5", "high: 5.5", (true, false))]
#[case::another_type_of_it("type: tide", "type: moon", (true, false))]
#[case::a_prohibition("- type: tide", "- {type: olm.deprecated, value: {}}\n- type: tide", (true, false))]
#[case::another_order_of_keys("{low: 1, high: 4.5}", "{high: 4.5, low: 1}", (false, false))]
#[case::another_spelling_of_a_range("1.2.x", "'>=1.2.0 <1.3.0'", (false, false))]
#[case::an_edge("- name: a.v1", "- {name: a.v1, replaces: a.v0}", (true, false))]
#[case::the_display_name("displayName: A", "displayName: B", (false, true))]
#[case::the_kubernetes_it_runs_on("1.20.0", "1.21.0", (false, true))]
#[case::an_image("r.test/a:1", "r.test/a:2", (false, true))]
#[case::a_description("name: a\n", "name: a\ndescription: more\n", (false, true))]
#[case::an_icon("name: a\n", "name: a\nicon: {base64data: aGFyYm9y}\n", (false, true))]
#[case::a_comment("name: a\n", "# more\nname: a\n", (false, false))]
#[case::an_unknown_key("name: a\n", "name: a\ncolor: red\n", (false, false))]
fn changed_text_changes_digests(
    #[case] part: &str,
    #[case] instead: &str,
    #[case] expected: (bool, bool),
) {
    let text = with_properties(SOME);
    let changed = text.replacen(part, instead, 1);
    assert_ne!(text, changed, "the text must contain the part");
    let [before, after] =
        [text, changed].map(|text| Catalog::of([Reading::of("f", text.as_bytes())]));
    let changes = (
        before.digest != after.digest,
        before.display_digest != after.display_digest,
    );
    assert_eq!(changes, expected);
}

#[test]
fn unchanged_packages_are_shared() {
    let read = |text: &str| {
        let shop = portolan_kit::catalog(text).packages;
        let files = shop.into_iter().map(|package| {
            let name = package.name.clone();
            let one = portolan_kit::Catalog {
                packages: vec![package],
            };
            Reading::of(&name, one.to_yaml().as_bytes())
        });
        Catalog::of(files.collect::<Vec<_>>())
    };
    let older = read("a: 1.0.0\nb: 1.0.0");
    let mut newer = read("a: 1.0.0\nb: 1.0.0 -> 1.1.0");
    let unshared = newer.clone();
    newer.share(&older);
    assert_same!(newer, unshared);
    let is_shared =
        |name: &str| std::sync::Arc::ptr_eq(&newer.packages[name], &older.packages[name]);
    assert!(is_shared("a") && !is_shared("b"));
}

#[test]
fn file_whose_name_sorts_first_wins_a_conflict() {
    let file = |name: &str, channel: &str| {
        let text =
            with_properties("").replace("defaultChannel: s", &format!("defaultChannel: {channel}"));
        Reading::of(name, text.as_bytes())
    };
    let (one, two) = (file("1", "s"), file("2", "t"));
    let forth = Catalog::of([&one, &two]);
    assert_same!(forth, Catalog::of([&two, &one]));
    assert_eq!(
        forth.packages["a"]
            .default_channel
            .as_ref()
            .map(|c| c.as_str()),
        Some("s")
    );
}
