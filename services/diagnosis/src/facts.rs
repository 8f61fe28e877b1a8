//! What OLM resolves a namespace from, from the objects that say it.

#[cfg(test)]
mod tests;

use portolan_core_forecast as olm_v0;
use portolan_core_names::{BundleName, CatalogName};
use portolan_core_olm::{Approval, ClusterServiceVersion, CopiedCsv, OperatorGroup, Subscription};

/// The objects of a namespace that OLM resolves it from.
#[derive(Debug, Default)]
pub(crate) struct Wishes<'a> {
    pub(crate) groups: Vec<&'a OperatorGroup>,
    pub(crate) subscriptions: Vec<(&'a str, &'a Subscription)>,
    pub(crate) csvs: Vec<(&'a str, &'a ClusterServiceVersion)>,
    pub(crate) copies: Vec<(&'a str, &'a CopiedCsv)>,
}

/// What OLM resolves, or the sentence that says which object it cannot be told from. Catalogs without
/// a namespace are in `global`.
pub(crate) fn resolved(
    name: &str,
    wishes: &Wishes<'_>,
    global: &str,
) -> Result<olm_v0::Namespace, String> {
    let subscriptions = wishes.subscriptions.iter().map(|(name, each)| {
        let subscription = subscription(name, each, global);
        subscription.map_err(|why| format!("Subscription {name}: {why}"))
    });
    let csvs = wishes.csvs.iter().filter(|(_, each)| !each.is_copied());
    let csvs = csvs.map(|(name, each)| {
        csv(name, each).map_err(|why| format!("ClusterServiceVersion {name}: {why}"))
    });
    let copies = wishes.csvs.iter().filter(|(_, each)| each.is_copied());
    let copies = copies.map(|(name, _)| name);
    let copied = wishes.copies.iter().map(|(name, _)| name).chain(copies);
    Ok(olm_v0::Namespace {
        name: name.to_owned(),
        operator_groups: wishes.groups.iter().map(|each| group(each)).collect(),
        subscriptions: subscriptions.collect::<Result<_, _>>()?,
        csvs: csvs.collect::<Result<_, _>>()?,
        copied: copied
            .filter_map(|name| BundleName::parse(name).ok())
            .collect(),
    })
}

fn group(group: &OperatorGroup) -> olm_v0::OperatorGroup {
    olm_v0::OperatorGroup {
        excludes_global_catalogs: group.excludes_global_catalogs(),
        fails_forward: group.fails_forward(),
    }
}

fn subscription(
    name: &str,
    subscription: &Subscription,
    global: &str,
) -> Result<olm_v0::Subscription, String> {
    let (spec, status) = (&subscription.spec, &subscription.status);
    let place = match spec.source_namespace.as_str() {
        "" => global,
        namespace => namespace,
    };
    Ok(olm_v0::Subscription {
        name: name.to_owned(),
        package: parsed("spec.name", &spec.package)?,
        channel: filled("spec.channel", &spec.channel)?,
        catalog: catalog(place, &spec.source)?,
        starting_csv: filled("spec.startingCSV", &spec.starting_csv)?,
        installed_csv: filled("status.installedCSV", &status.installed_csv)?,
        current_csv: filled("status.currentCSV", &status.current_csv)?,
        approval: match &spec.install_plan_approval {
            Approval::Manual => olm_v0::Approval::Manual,
            Approval::Automatic | Approval::Other(_) => olm_v0::Approval::Automatic,
        },
        has_plan: status.install_plan_ref.is_some(),
        plan_failed: subscription.plan_failed(),
    })
}

fn catalog(namespace: &str, name: &str) -> Result<CatalogName, String> {
    let catalog = CatalogName::parse(&format!("{namespace}/{name}"));
    catalog.map_err(|why| format!("spec.source: {why}"))
}

fn csv(name: &str, csv: &ClusterServiceVersion) -> Result<olm_v0::Csv, String> {
    Ok(olm_v0::Csv {
        name: parsed("metadata.name", name)?,
        version: filled("spec.version", &csv.spec.version)?,
        replaces: filled("spec.replaces", &csv.spec.replaces)?,
        phase: olm_v0::Phase::parse(&csv.status.phase.to_string()),
        traits: traits(csv)?,
    })
}

fn traits(csv: &ClusterServiceVersion) -> Result<olm_v0::Traits, String> {
    match csv.properties_text() {
        Some(text) if !text.is_empty() => {
            let traits = olm_v0::Traits::of_annotation(text);
            traits.map_err(|why| why.to_string())
        }
        Some(_) | None => Ok(olm_v0::Traits::of_spec(
            csv.owned().collect(),
            csv.required().collect(),
        )),
    }
}

fn parsed<T: std::str::FromStr>(field: &str, text: &str) -> Result<T, String>
where
    T::Err: std::fmt::Display,
{
    text.parse().map_err(|why| format!("{field}: {why}"))
}

fn filled<T: std::str::FromStr>(field: &str, text: &str) -> Result<Option<T>, String>
where
    T::Err: std::fmt::Display,
{
    match text {
        "" => Ok(None),
        text => parsed(field, text).map(Some),
    }
}
