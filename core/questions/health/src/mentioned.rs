//! Finds the objects outside of a namespace that must be read to judge its operators.

use std::collections::BTreeSet;

use portolan_core_olm::Subscription;

use crate::{Csv, Item, Kind, Object, Workload};

/// The objects outside of a namespace to which its ClusterServiceVersions and Subscriptions refer.
/// Other objects outside of the namespace do not affect its operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentioned {
    /// The names of CustomResourceDefinitions.
    pub crds: BTreeSet<String>,
    /// The names of APIServices.
    pub served: BTreeSet<String>,
    /// The namespaces and names of CatalogSources.
    pub catalogs: BTreeSet<(String, String)>,
}

impl Mentioned {
    /// Returns the objects to which these ClusterServiceVersions and Subscriptions refer.
    pub fn by<'a>(
        csvs: impl IntoIterator<Item = &'a Csv>,
        subscriptions: impl IntoIterator<Item = &'a Item<Subscription>>,
    ) -> Self {
        let mut mentioned = Self::default();
        csvs.into_iter().for_each(|csv| mentioned.add(csv));
        let specs = subscriptions.into_iter().map(|one| &one.spec);
        let catalogs = specs.map(|spec| (spec.source_namespace.clone(), spec.source.clone()));
        mentioned.catalogs.extend(catalogs);
        mentioned
    }

    fn add(&mut self, csv: &Csv) {
        let (custom, served) = (&csv.spec.custom_resources, &csv.spec.served);
        let crds = custom.owned.iter().chain(&custom.required);
        self.crds.extend(crds.map(|api| api.name.clone()));
        let served = served.owned.iter().chain(&served.required);
        self.served.extend(served.map(|api| api.api_service()));
        for row in &csv.status.requirements {
            if row.kind == Kind::CustomResourceDefinition.as_str() {
                self.crds.insert(row.name.clone());
            } else if row.kind == Kind::ApiService.as_str() {
                self.served.insert(row.name.clone());
            }
        }
    }
}

/// Returns the unhealthy Deployments of ClusterServiceVersions, sorted by namespace and name. The
/// caller must read their Pods, which may show the cause. Omits missing Deployments, because they
/// have no Pods.
pub fn failing<'a>(
    csvs: impl IntoIterator<Item = &'a Csv>,
    deployments: impl IntoIterator<Item = &'a Workload>,
) -> BTreeSet<Object> {
    let deployments: Vec<&Workload> = deployments.into_iter().collect();
    let mut failing = BTreeSet::new();
    for csv in csvs {
        for wanted in csv.deployments() {
            let object = Object::new(Kind::Deployment, csv.namespace(), &wanted.name);
            let mut named = deployments
                .iter()
                .filter(|one| one.observed.object == object);
            if named.any(|one| !one.is_fine(wanted.replicas())) {
                failing.insert(object);
            }
        }
    }
    failing
}

#[cfg(test)]
mod tests;
