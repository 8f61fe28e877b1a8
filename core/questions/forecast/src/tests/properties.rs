//! Tests properties that hold for all namespaces.

use proptest::prelude::*;

use super::{World, subscription, world};
use crate::{End, Traits, Unreadable};

/// Generates a namespace with some Subscriptions. Its catalog contains three packages that depend
/// on each other.
fn worlds() -> impl Strategy<Value = World> {
    let needs = prop::sample::select(vec![
        "",
        "; a: 1.1.0 requires b >=1.1.0",
        "; a: 1.0.0 requires g.test/v1/Kind",
        "; b: 1.1.0 requires a <1.1.0",
    ]);
    let gives = prop::sample::select(vec![
        "",
        "; b: 1.0.0 provides g.test/v1/Kind; c: 1.0.0 provides g.test/v1/Kind",
        "; c/fast: 1.1.0 provides g.test/v1/Kind",
    ]);
    let subscribed = prop::sample::subsequence(
        vec![
            "a",
            "b/stable",
            "c name=c1",
            "c/fast name=c2",
            "a start=a.v1.0.0 name=a2",
            "d",
        ],
        1..4,
    );
    let installed = prop::sample::subsequence(vec!["a.v1.0.0", "b.v1.0.0", "c.v1.0.0"], 0..3);
    (needs, gives, subscribed, installed, any::<bool>()).prop_map(
        |(needs, gives, subscribed, installed, is_referenced)| {
            let text = "a: 1.0.0 -> 1.1.0; b: 1.0.0 -> 1.1.0; c[stable, fast]: 1.0.0";
            let mut built = world(&format!("{text}{needs}{gives}"))
                .and("ns/two", 1, "b: 1.0.0 -> 1.2.0 provides g.test/v1/Kind")
                .installed(&installed.join(" "));
            for text in subscribed {
                let mut wanted = subscription(text);
                let package = wanted.package.as_str();
                let own = installed.iter().find(|csv| csv.starts_with(package));
                if let (true, Some(own)) = (is_referenced, own) {
                    wanted.installed_csv = own.parse().ok();
                    wanted.current_csv = own.parse().ok();
                }
                built.namespace.subscriptions.push(wanted);
            }
            built
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn order_of_input_has_no_effect(world in worlds(), turn in 0..6_usize) {
        let mut turned = world.clone();
        turned.catalogs.reverse();
        turned.namespace.subscriptions.reverse();
        let csvs = &mut turned.namespace.csvs;
        let by = turn % csvs.len().max(1);
        csvs.rotate_left(by);
        prop_assert_eq!(turned.forecast(), world.forecast());
    }

    /// Every pass installs each bundle only once, and at most one bundle of each package.
    #[test]
    fn each_pass_installs_at_most_one_bundle_of_each_package(world in worlds()) {
        for pass in world.forecast().passes {
            let mut packages: Vec<_> = pass.installs.iter().map(|each| &each.package).collect();
            let all = packages.len();
            packages.sort();
            packages.dedup();
            prop_assert!(all > 0);
            prop_assert_eq!(packages.len(), all);
        }
    }

    #[test]
    fn forecast_for_a_small_cluster_terminates(world in worlds()) {
        let end = world.forecast().end;
        let is_open = matches!(end, End::Endless | End::GaveUp { .. } | End::Circles { .. });
        prop_assert!(!is_open);
    }
}

#[test]
fn parses_all_properties_of_an_annotation() {
    let traits = Traits::of_annotation(
        r#"{"properties": [
            {"type": "olm.package", "value": {"packageName": "a", "version": "1.0.0"}},
            {"type": "olm.gvk", "value": {"group": "g.test", "kind": "Kind", "version": "v1"}},
            {"type": "olm.package.required", "value": {"packageName": "b", "versionRange": "1.x"}},
            {"type": "olm.gvk.required", "value": {"group": "", "kind": "Pod", "version": "v1"}},
            {"type": "olm.constraint", "value": {"cel": {"rule": "true"}}},
            {"type": "olm.deprecated", "value": {}},
            {"type": "else", "value": 1}]}"#,
    )
    .expect("the annotation must be read");
    let requires: Vec<_> = traits
        .requires
        .each()
        .map(|each| each.to_string())
        .collect();
    assert_eq!(
        requires,
        ["package b \"1.x\"", "API v1/Pod", "the rule \"true\""]
    );
    let provides: Vec<_> = traits.provides.iter().map(ToString::to_string).collect();
    assert_eq!(provides, ["g.test/v1/Kind"]);
    assert_eq!(traits.package.as_ref().map(AsRef::as_ref), Some("a"));
    assert!(traits.is_prohibited && traits.is_annotated);
    assert_eq!(traits.properties.len(), 7);
    assert_eq!(Traits::of_annotation("[]"), Err(Unreadable));
    assert_eq!(
        Traits::of_annotation(r#"{"properties": [{"value": 1}]}"#),
        Err(Unreadable)
    );
}
