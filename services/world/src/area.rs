//! The part of a kind's objects that a caller needs.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};

use kube::core::{Expression, Selector, SelectorExt as _};

/// Selects objects of a kind by namespace, labels and name. Each criterion is optional. Two areas
/// with the same label requirements are equal, even if the order of the requirements differs.
///
/// For cluster-scoped kinds, the namespace is ignored.
///
/// ```
/// use kube::core::{Expression, Selector};
/// use portolan_world::Area;
///
/// let ferry: Selector = Expression::Equal("app".into(), "ferry".into()).into();
/// let area = Area::namespace("harbor").with_labels(ferry);
/// assert_eq!(area.to_string(), "harbor, app=ferry");
/// assert_eq!(Area::default(), Area::everywhere());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Area {
    namespace: Option<String>,
    labels: BTreeSet<Expression>,
    name: Option<String>,
}

impl Area {
    /// Returns the area that contains all objects.
    pub fn everywhere() -> Self {
        Self::default()
    }

    /// Creates the area of one namespace. As in Kubernetes, an empty name means all namespaces.
    pub fn namespace(name: &str) -> Self {
        Self {
            namespace: (!name.is_empty()).then(|| name.to_owned()),
            labels: BTreeSet::new(),
            name: None,
        }
    }

    /// Limits the area to the object with this name. An empty name means all objects.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        let name = (!name.is_empty()).then(|| name.to_owned());
        Self { name, ..self }
    }

    /// Limits the area to the objects that the selector matches.
    #[must_use]
    pub fn with_labels(mut self, selector: Selector) -> Self {
        self.labels.extend(selector);
        self
    }

    /// Limits the area to this namespace, if the area contains all namespaces.
    pub(crate) fn or_namespace(self, namespace: &str) -> Self {
        let namespace = self.namespace.unwrap_or_else(|| namespace.to_owned());
        Self {
            namespace: Some(namespace),
            ..self
        }
    }

    /// Returns the area for a cluster-scoped kind.
    pub(crate) fn without_namespace(self) -> Self {
        Self {
            namespace: None,
            ..self
        }
    }

    pub(crate) fn in_namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    /// Returns the label selector of the area.
    pub(crate) fn labels(&self) -> Selector {
        self.labels.iter().cloned().collect()
    }

    /// Returns the field selector for the name of the area. Returns None if the area has no name.
    pub(crate) fn fields(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        Some(format!("metadata.name={name}"))
    }

    /// Returns true if an object with this name and these labels is in the area.
    pub(crate) fn has(
        &self,
        (namespace, name): (Option<&str>, Option<&str>),
        labels: &BTreeMap<String, String>,
    ) -> bool {
        let is_there = self.namespace.is_none() || self.namespace.as_deref() == namespace;
        let is_named = self.name.is_none() || self.name.as_deref() == name;
        is_there && is_named && self.labels.iter().all(|each| each.matches(labels))
    }
}

/// Hashes the printed form, because label expressions do not implement `Hash`. Equal areas have
/// equal printed forms.
impl Hash for Area {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

impl fmt::Display for Area {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            namespace,
            labels,
            name,
        } = self;
        f.write_str(namespace.as_deref().unwrap_or("everywhere"))?;
        name.iter()
            .try_for_each(|name| write!(f, ", named {name}"))?;
        labels.iter().try_for_each(|each| write!(f, ", {each}"))
    }
}
