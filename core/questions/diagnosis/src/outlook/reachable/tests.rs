use portolan_core_forecast::{Forecast, Source, forecast};
use portolan_core_names::CatalogName;
use rstest::rstest;

use super::*;
use crate::tests::kit::{Shop, Story, harbor, read, resolved, shore};
use crate::tests::stories;

/// Returns the catalogs of a scenario whose content is known.
fn known(story: &Story) -> Vec<(CatalogName, &Catalog)> {
    let stalls = story.stalls.iter().filter_map(|stall| {
        let source = &stall.registry.source;
        let name = format!("{}/{}", source.namespace(), source.name());
        match &stall.shop {
            Shop::Known(catalog) | Shop::Stale(catalog, _) => Some((name.parse().ok()?, catalog)),
            Shop::Unavailable(_) => None,
        }
    });
    stalls.collect()
}

fn sources<'a>(names: &[(CatalogName, &Catalog)], content: &'a [Catalog]) -> Vec<Source<'a>> {
    let pairs = names.iter().zip(content);
    let sources = pairs.map(|((name, _), catalog)| Source {
        name: name.clone(),
        priority: 0,
        content: Ok(catalog),
    });
    sources.collect()
}

/// Returns a forecast with the complete catalogs, and a forecast with only the reachable packages.
fn both(story: &Story) -> (Forecast, Forecast) {
    let namespace = resolved::namespace(story);
    let known = known(story);
    let whole: Vec<Catalog> = known
        .iter()
        .map(|(_, catalog)| (*catalog).clone())
        .collect();
    let catalogs: Vec<&Catalog> = known.iter().map(|(_, catalog)| *catalog).collect();
    let kept = within_reach(&catalogs, &namespace);
    let of = |content: &[Catalog]| forecast(&namespace, &sources(&known, content), "olm");
    (of(&whole), of(&kept))
}

#[test]
fn unreachable_packages_do_not_change_the_forecast() {
    for (name, story) in stories::all() {
        let (whole, kept) = both(&story);
        assert_eq!(whole, kept, "{name}");
    }
}

const CHAIN: &str = "ferry: 1.0.0 requires dock >=1.0.0; dock: 1.0.0 requires g.test/v1/Tide
                     moon: 1.0.0 provides g.test/v1/Tide; tug: 1.0.0; buoy: 1.0.0";

#[rstest]
#[case::alone(shore(CHAIN).subscription("tug", "tug"), &["tug"])]
#[case::by_package_and_api(shore(CHAIN).subscription("ferry", "ferry"), &["dock", "ferry", "moon"])]
#[case::requirements_of_installed_bundles(
    shore(CHAIN).with("dock", "dock.v1.0.0"),
    &["dock", "moon"],
)]
#[case::one_package_if_none_is_reachable(shore(CHAIN).subscription("zeppelin", "zeppelin"), &["buoy"])]
fn keeps_reachable_packages(#[case] story: Story, #[case] names: &[&str]) {
    let namespace = resolved::namespace(&story);
    let catalog = read(CHAIN);
    let [kept] = within_reach(&[&catalog], &namespace)
        .try_into()
        .expect("there must be one");
    let found: Vec<&str> = kept.packages.keys().map(PackageName::as_str).collect();
    assert_eq!(found, names);
    let (whole, kept) = both(&story);
    assert_eq!(whole, kept);
}

#[test]
fn constraint_keeps_all_packages() {
    let rule = portolan_core_catalog::Constraint::parse(r#"{"cel": {"rule": "true"}}"#);
    let rule = std::sync::Arc::new(rule);
    let story = harbor().bundle("ferry.v2.0.0", |bundle| {
        bundle.requires.constraints.push(rule.clone());
    });
    let known = known(&story);
    let namespace = resolved::namespace(&story);
    let kept = within_reach(&[known[0].1], &namespace);
    assert_eq!(kept, [known[0].1.clone()]);
}
