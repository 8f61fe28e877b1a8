//! Records on which objects outside of the managed namespace each policy depends.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_world::Key;

/// An object outside of the namespace that a policy manages. The policy depends on the object,
/// which may not exist.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Link {
    /// A CatalogSource with this key.
    Catalog(Key),
    /// Every CatalogSource, because the policy names no catalog.
    AnyCatalog,
    /// A CRD with this name.
    Crd(Arc<str>),
    /// The CRDs with OLM's label for an operator.
    Component(String),
    /// The ClusterServiceVersions that own a CRD, in all namespaces.
    Owners(Arc<str>),
    /// The Subscriptions in all namespaces that were created for a policy. Contains the uid of the
    /// policy.
    Made(String),
}

/// The links of all policies, indexed by policy and by link.
#[derive(Debug, Default)]
pub(super) struct Links {
    of: BTreeMap<Key, BTreeSet<Link>>,
    to: BTreeMap<Link, BTreeSet<Key>>,
}

impl Links {
    /// Replaces the links of a policy.
    pub(super) fn put(&mut self, policy: &Key, links: BTreeSet<Link>) {
        let before = if links.is_empty() {
            self.of.remove(policy)
        } else {
            self.of.insert(policy.clone(), links.clone())
        };
        let before = before.unwrap_or_default();
        for link in before.difference(&links) {
            if let Some(policies) = self.to.get_mut(link) {
                policies.remove(policy);
                if policies.is_empty() {
                    self.to.remove(link);
                }
            }
        }
        for link in links.difference(&before) {
            let policies = self.to.entry(link.clone()).or_default();
            policies.insert(policy.clone());
        }
    }

    /// Returns the policies that have this link.
    pub(super) fn to(&self, link: &Link) -> impl Iterator<Item = &Key> + use<'_> {
        self.to.get(link).into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policy_depends_only_on_its_last_links() {
        let (a, b) = (Key::new("west", "a"), Key::new("west", "b"));
        let component = |name: &str| Link::Component(name.to_owned());
        let mut links = Links::default();
        let to = |links: &Links, name| links.to(&component(name)).cloned().collect::<Vec<_>>();
        links.put(&a, [component("x"), component("y")].into());
        links.put(&b, [component("y")].into());
        assert_eq!(to(&links, "y"), [a.clone(), b.clone()]);
        links.put(&a, [component("x")].into());
        assert_eq!(
            [to(&links, "x"), to(&links, "y")],
            [[a.clone()], [b.clone()]]
        );
        links.put(&a, BTreeSet::new());
        links.put(&b, BTreeSet::new());
        assert!(links.of.is_empty() && links.to.is_empty());
    }
}
