//! Converts the objects of a scenario to the input of the forecast crate.

use portolan_core_catalog::Package;
use portolan_core_forecast::{self as olm_v0, Approval, Traits};
use portolan_core_health::{Csv, Item};
use portolan_core_names::{BundleName, Version};
use portolan_core_olm::Subscription;

use super::{HOME, Shop, Story};

pub(crate) fn namespace(story: &Story) -> olm_v0::Namespace {
    let all = &story.namespace;
    let groups = all.groups.objects.iter();
    let subscriptions = all.subscriptions.objects.iter();
    let csvs = all.csvs.objects.iter();
    olm_v0::Namespace {
        name: HOME.to_owned(),
        operator_groups: groups.map(|_| olm_v0::OperatorGroup::default()).collect(),
        subscriptions: subscriptions.map(|one| subscription(one, story)).collect(),
        csvs: csvs.map(|one| csv(one, story)).collect(),
        copied: all
            .copied
            .objects
            .iter()
            .filter_map(|name| bundle(name))
            .collect(),
    }
}

fn bundle(name: &str) -> Option<BundleName> {
    BundleName::parse(name).ok()
}

fn subscription(subscription: &Item<Subscription>, story: &Story) -> olm_v0::Subscription {
    let name = &subscription.observed.object.name;
    let catalog = format!(
        "{}/{}",
        subscription.spec.source_namespace, subscription.spec.source
    );
    let package = subscription
        .spec
        .package
        .parse()
        .expect("the package must parse");
    let catalog = catalog.parse().expect("the catalog must parse");
    olm_v0::Subscription {
        channel: subscription.spec.channel.parse().ok(),
        starting_csv: story.starts.get(name).and_then(|name| bundle(name)),
        installed_csv: bundle(&subscription.status.installed_csv),
        current_csv: bundle(&subscription.status.current_csv),
        approval: if story.manual.contains(name) {
            Approval::Manual
        } else {
            Approval::Automatic
        },
        has_plan: !subscription.plan().is_empty(),
        ..olm_v0::Subscription::new(name, package, catalog)
    }
}

fn csv(csv: &Csv, story: &Story) -> olm_v0::Csv {
    let name = &csv.observed.object.name;
    olm_v0::Csv {
        name: bundle(name).expect("the name must parse"),
        version: Version::parse(&csv.spec.version).ok(),
        replaces: bundle(&csv.spec.replaces),
        phase: csv.status.phase.clone(),
        traits: traits(name, &csv.package().unwrap_or_default(), story),
    }
}

/// Returns the properties and requirements of a bundle from a catalog of the scenario.
fn traits(name: &str, package: &str, story: &Story) -> Traits {
    let known = story.stalls.iter().filter_map(|stall| match &stall.shop {
        Shop::Known(catalog) | Shop::Stale(catalog, _) => Some(catalog),
        Shop::Unavailable(_) => None,
    });
    let mut packages = known.flat_map(|catalog| catalog.packages.values());
    let found = packages.find_map(|package: &std::sync::Arc<Package>| package.bundles.get(name));
    let Some(bundle) = found else {
        return Traits {
            package: package.parse().ok(),
            is_annotated: true,
            ..Traits::default()
        };
    };
    Traits {
        package: package.parse().ok(),
        provides: bundle.provides.clone(),
        requires: bundle.requires.clone(),
        is_prohibited: bundle.is_prohibited,
        properties: bundle.properties.clone(),
        is_annotated: true,
    }
}
