//! Collects the state of the namespace that a policy manages, with all objects of operators in this
//! namespace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::Intent;
use portolan_core_olm::{
    COMPONENT, ClusterServiceVersion, CustomResourceDefinition, Subscription, component,
};
use portolan_core_operatorpolicy::NamespaceState;
use portolan_world::{Followed, Index, Key};

use super::kinds::Kinds;
use super::links::Link;
use super::operators::Operators;

/// The CRDs by the labels with which OLM assigns them to operators.
#[derive(Debug, Default)]
pub(super) struct Components {
    names: BTreeMap<String, BTreeSet<Key>>,
    labels: BTreeMap<Key, BTreeSet<String>>,
}

/// The namespace and the package that a policy manages.
#[derive(Debug, Clone, Copy)]
pub(super) struct PolicyTarget<'a> {
    pub(super) namespace: &'a str,
    pub(super) package: &'a str,
    /// The parsed spec of the policy. None if the policy is invalid.
    pub(super) intent: Option<&'a Intent>,
    /// True if the policy requires the removal of the operator.
    pub(super) removes: bool,
}

/// The objects from which the state is collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sources<'a> {
    pub(super) kinds: &'a Kinds,
    pub(super) operators: &'a Operators,
    pub(super) components: &'a Components,
    /// The CRDs that ClusterServiceVersions own, by the namespace of the ClusterServiceVersion.
    pub(super) owned: &'a Index<Arc<str>>,
}

// === impl Components ===

impl Components {
    /// Applies changed CRDs. Returns the previous and the current labels of these CRDs.
    pub(super) fn look(
        &mut self,
        crds: &Followed<CustomResourceDefinition>,
        keys: &[Key],
    ) -> BTreeSet<String> {
        let mut all = BTreeSet::new();
        for key in keys {
            let crd = crds.shared(key);
            let names = crd.into_iter();
            let names = names.flat_map(|it| COMPONENT.suffixes(&it.metadata));
            let is: BTreeSet<_> = names.map(str::to_owned).collect();
            let was = if is.is_empty() {
                self.labels.remove(key)
            } else {
                self.labels.insert(key.clone(), is.clone())
            };
            for label in was.iter().flatten() {
                if let Some(names) = self.names.get_mut(label) {
                    names.remove(key);
                    if names.is_empty() {
                        self.names.remove(label);
                    }
                }
            }
            for label in &is {
                let names = self.names.entry(label.clone()).or_default();
                names.insert(key.clone());
            }
            all.extend(was.into_iter().flatten().chain(is));
        }
        all
    }

    fn labeled(&self, label: &str) -> impl Iterator<Item = &Key> + use<'_> {
        self.names.get(label).into_iter().flatten()
    }
}

// === impl PolicyTarget ===

impl PolicyTarget<'_> {
    /// Returns the CatalogSources that the policy or its Subscriptions name.
    fn catalogs(self, subscriptions: &[Arc<Subscription>]) -> BTreeSet<Key> {
        let wanted = self.intent.and_then(catalog);
        let own = subscriptions.iter().map(|each| &each.spec);
        let own = own.filter(|spec| spec.package == self.package && !spec.source.is_empty());
        let named = own.map(|spec| Key::new(&spec.source_namespace, &spec.source));
        wanted.into_iter().chain(named).collect()
    }

    /// Returns true if a ClusterServiceVersion of the namespace belongs to the operator of the
    /// policy.
    fn has(
        self,
        csv: &ClusterServiceVersion,
        sources: Sources<'_>,
        subscriptions: &[Arc<Subscription>],
    ) -> bool {
        let name = csv.metadata.name.as_deref().unwrap_or_default();
        let package = sources.operators.package(&Key::new(self.namespace, name));
        let mut own = subscriptions
            .iter()
            .filter(|each| each.spec.package == self.package);
        package == Some(self.package)
            || own.any(|each| {
                [&each.status.installed_csv, &each.status.current_csv]
                    .into_iter()
                    .any(|named| named == name)
            })
    }
}

// === impl Sources ===

impl<'a> Sources<'a> {
    /// Returns the first ClusterServiceVersion outside of the namespace `than` that owns a CRD.
    fn owner(self, crd: &Key, than: &str) -> Option<&'a Arc<ClusterServiceVersion>> {
        let mut namespaces = self.owned.speaking_of(&crd.name);
        let namespace = namespaces.find(|namespace| ***namespace != *than)?;
        let mut csvs = self.kinds.csvs.shared_within(namespace);
        csvs.find(|csv| owned(csv).any(|name| name == &*crd.name))
    }
}

/// Returns the names of the CRDs that a ClusterServiceVersion owns.
pub(super) fn owned(csv: &ClusterServiceVersion) -> impl Iterator<Item = &str> {
    let owned = csv.spec.custom_resources.owned.iter();
    owned.map(|resource| resource.name.as_str())
}

/// Returns the state of the namespace, and the links of the policy to objects outside of the
/// namespace.
pub(super) fn state(
    subject: PolicyTarget<'_>,
    sources: Sources<'_>,
) -> (NamespaceState, BTreeSet<Link>) {
    let PolicyTarget {
        namespace, package, ..
    } = subject;
    let kinds = sources.kinds;
    let subscriptions: Vec<_> = kinds
        .subscriptions
        .shared_within(namespace)
        .cloned()
        .collect();
    let csvs: Vec<_> = kinds.csvs.shared_within(namespace).cloned().collect();
    let elsewhere = sources.operators.elsewhere(package, namespace);
    let elsewhere = elsewhere.filter_map(|key| kinds.csvs.shared(key));
    let label = component(package, namespace);
    let own = csvs
        .iter()
        .filter(|csv| subject.has(csv, sources, &subscriptions));
    let owned = own.flat_map(|csv| owned(csv));
    let owned: BTreeSet<Key> = owned.map(|name| Key::new("", name)).collect();
    let labeled = sources.components.labeled(&label).cloned();
    let named: BTreeSet<Key> = owned.iter().cloned().chain(labeled).collect();
    let crds = named.iter().filter_map(|key| kinds.crds.shared(key));
    let owners = named.iter().filter_map(|key| sources.owner(key, namespace));
    let sources = subject.catalogs(&subscriptions);
    let catalogs = sources.iter().filter_map(|key| kinds.catalogs.shared(key));
    let state = NamespaceState {
        name: namespace.to_owned(),
        object: kinds.namespaces.shared(&Key::new("", namespace)).cloned(),
        groups: kinds.groups.shared_within(namespace).cloned().collect(),
        plans: kinds.plans.shared_within(namespace).cloned().collect(),
        elsewhere: elsewhere.cloned().collect(),
        owners: owners.cloned().collect(),
        crds: crds.cloned().collect(),
        catalogs: catalogs.cloned().collect(),
        instances: Vec::new(),
        subscriptions,
        csvs,
    };
    let mut links = catalog_links(sources);
    if subject.removes {
        links.extend(named.iter().map(|key| Link::Owners(key.name.clone())));
    }
    links.extend(owned.into_iter().map(|key| Link::Crd(key.name)));
    links.insert(Link::Component(label));
    (state, links)
}

/// Returns the links of a policy whose namespace is unknown.
pub(super) fn links_of(intent: Option<&Intent>) -> BTreeSet<Link> {
    catalog_links(intent.and_then(catalog).into_iter().collect())
}

fn catalog_links(named: BTreeSet<Key>) -> BTreeSet<Link> {
    if named.is_empty() {
        [Link::AnyCatalog].into()
    } else {
        named.into_iter().map(Link::Catalog).collect()
    }
}

/// Returns the CatalogSource that a policy names.
fn catalog(intent: &Intent) -> Option<Key> {
    let namespace = intent.subscription.source_namespace.as_ref()?;
    let name = intent.subscription.source.as_ref()?;
    Some(Key::new(namespace, name))
}
