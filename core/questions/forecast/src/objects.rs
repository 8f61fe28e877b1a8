//! Converts the objects of a namespace to a [`Namespace`].

#[cfg(test)]
mod tests;

use std::fmt::Display;
use std::str::FromStr;

use portolan_core_names::{BundleName, CatalogName};
use portolan_core_olm::{self as olm, ClusterServiceVersion, NamespaceObjects};

use crate::{Csv, Namespace, OperatorGroup, Subscription, Traits};

impl Namespace {
    /// Converts the objects of a namespace to a [`Namespace`]. If a Subscription names a catalog
    /// without a namespace, the catalog is expected in namespace `global`.
    ///
    /// # Errors
    ///
    /// Returns an error that names the object that cannot be read.
    pub fn of(objects: &NamespaceObjects<'_>, global: &str) -> Result<Self, String> {
        let subscriptions = objects.subscriptions.iter().map(|each| {
            let name = each.metadata.name.as_deref().unwrap_or_default();
            let subscription = subscription(name, each, global);
            subscription.map_err(|why| format!("Subscription {name}: {why}"))
        });
        let csvs = objects.csvs.iter().filter(|csv| !csv.is_copied());
        let csvs = csvs.map(|each| {
            let name = each.metadata.name.as_deref().unwrap_or_default();
            csv(name, each).map_err(|why| format!("ClusterServiceVersion {name}: {why}"))
        });
        let copies = objects.csvs.iter().filter(|csv| csv.is_copied());
        let copies = copies.map(|csv| &csv.metadata);
        let copies = copies.chain(objects.copies.iter().map(|copy| &copy.metadata));
        let groups = objects.operator_groups.iter();
        Ok(Self {
            name: objects.name.to_owned(),
            operator_groups: groups.map(|each| group(each)).collect(),
            subscriptions: subscriptions.collect::<Result<_, _>>()?,
            csvs: csvs.collect::<Result<_, _>>()?,
            copied: copies
                .filter_map(|metadata| BundleName::parse(metadata.name.as_deref()?).ok())
                .collect(),
        })
    }
}

fn group(group: &olm::OperatorGroup) -> OperatorGroup {
    OperatorGroup {
        excludes_global_catalogs: group.excludes_global_catalogs(),
        fails_forward: group.fails_forward(),
    }
}

fn subscription(
    name: &str,
    subscription: &olm::Subscription,
    global: &str,
) -> Result<Subscription, String> {
    let (spec, status) = (&subscription.spec, &subscription.status);
    let place = match spec.source_namespace.as_str() {
        "" => global,
        namespace => namespace,
    };
    Ok(Subscription {
        name: name.to_owned(),
        package: parsed("spec.name", &spec.package)?,
        channel: filled("spec.channel", &spec.channel)?,
        catalog: catalog(place, &spec.source)?,
        starting_csv: filled("spec.startingCSV", &spec.starting_csv)?,
        installed_csv: filled("status.installedCSV", &status.installed_csv)?,
        current_csv: filled("status.currentCSV", &status.current_csv)?,
        approval: spec.install_plan_approval.clone(),
        has_plan: status.install_plan_ref.is_some(),
        plan_failed: subscription.plan_failed(),
    })
}

fn catalog(namespace: &str, name: &str) -> Result<CatalogName, String> {
    let catalog = CatalogName::parse(&format!("{namespace}/{name}"));
    catalog.map_err(|why| format!("spec.source: {why}"))
}

fn csv(name: &str, csv: &ClusterServiceVersion) -> Result<Csv, String> {
    Ok(Csv {
        name: parsed("metadata.name", name)?,
        version: filled("spec.version", &csv.spec.version)?,
        replaces: filled("spec.replaces", &csv.spec.replaces)?,
        phase: csv.status.phase.clone(),
        traits: traits(csv)?,
    })
}

fn traits(csv: &ClusterServiceVersion) -> Result<Traits, String> {
    match csv.properties_text() {
        Some(text) if !text.is_empty() => {
            let traits = Traits::of_annotation(text);
            traits.map_err(|why| why.to_string())
        }
        Some(_) | None => Ok(Traits::of_spec(
            csv.owned().collect(),
            csv.required().collect(),
        )),
    }
}

fn parsed<T: FromStr>(field: &str, text: &str) -> Result<T, String>
where
    T::Err: Display,
{
    text.parse().map_err(|why| format!("{field}: {why}"))
}

fn filled<T: FromStr>(field: &str, text: &str) -> Result<Option<T>, String>
where
    T::Err: Display,
{
    match text {
        "" => Ok(None),
        text => parsed(field, text).map(Some),
    }
}
