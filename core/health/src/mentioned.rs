//! What must be looked at besides the objects of a namespace.

use std::collections::BTreeSet;

use crate::{Csv, Deployment, Kind, Object, Subscription};

/// The objects outside of a namespace that its ClusterServiceVersions and Subscriptions mention. No
/// others bear on its operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentioned {
    /// The names of CustomResourceDefinitions.
    pub definitions: BTreeSet<String>,
    /// The names of APIServices.
    pub served: BTreeSet<String>,
    /// The namespaces and names of CatalogSources.
    pub catalogs: BTreeSet<(String, String)>,
}

impl Mentioned {
    /// What these mention.
    pub fn by<'a>(
        csvs: impl IntoIterator<Item = &'a Csv>,
        subscriptions: impl IntoIterator<Item = &'a Subscription>,
    ) -> Self {
        let mut mentioned = Self::default();
        csvs.into_iter().for_each(|csv| mentioned.add(csv));
        for wish in subscriptions {
            let catalog = (wish.source_namespace.clone(), wish.source.clone());
            mentioned.catalogs.insert(catalog);
        }
        mentioned
    }

    fn add(&mut self, csv: &Csv) {
        let definitions = csv.owned.iter().chain(&csv.required);
        self.definitions
            .extend(definitions.map(|api| api.name.clone()));
        let served = csv.serves.iter().chain(&csv.needs_served);
        self.served.extend(served.map(|api| api.name.clone()));
        for row in &csv.requirements {
            if row.kind == Kind::CustomResourceDefinition.as_str() {
                self.definitions.insert(row.name.clone());
            } else if row.kind == Kind::ApiService.as_str() {
                self.served.insert(row.name.clone());
            }
        }
    }
}

impl Csv {
    /// Whether it brings or needs what an object of that name makes known.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let brought = self.owned.iter().chain(&self.serves);
        let mut apis = brought.chain(&self.required).chain(&self.needs_served);
        let mut rows = self.requirements.iter();
        apis.any(|api| api.name == name) || rows.any(|row| row.name == name)
    }
}

/// The Deployments that ClusterServiceVersions name and that are not fine, by namespace and name:
/// those below which a cause can be looked for. A Deployment that is not there has nothing below.
pub fn failing<'a>(
    csvs: impl IntoIterator<Item = &'a Csv>,
    deployments: impl IntoIterator<Item = &'a Deployment>,
) -> BTreeSet<Object> {
    let deployments: Vec<&Deployment> = deployments.into_iter().collect();
    let mut failing = BTreeSet::new();
    for csv in csvs {
        for wanted in &csv.deployments {
            let object = Object::new(
                Kind::Deployment,
                &csv.observed.object.namespace,
                &wanted.name,
            );
            let mut named = deployments
                .iter()
                .filter(|one| one.observed.object == object);
            if named.any(|one| !one.is_fine(wanted.replicas)) {
                failing.insert(object);
            }
        }
    }
    failing
}

#[cfg(test)]
mod tests;
