//! Reads OperatorGroups.

use std::collections::BTreeSet;
use std::sync::Arc;

use kube_core::{Expression, Selector};
use portolan_core_olm::{OperatorGroup, read_value};
use serde_json::{Map, Value};

use super::{Unreadable, key};
use crate::Key;

/// An OperatorGroup: the namespaces that the operators in its namespace watch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The namespace and name of the OperatorGroup.
    pub key: Key,
    /// The namespaces that the operators watch.
    pub targets: Targets,
}

/// The namespaces that an operator watches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// Every namespace.
    All,
    /// The namespaces with these names, if they exist.
    These(Arc<BTreeSet<Arc<str>>>),
    /// The namespaces whose labels match this selector.
    Labeled(Arc<Selector>),
}

// === impl Group ===

impl Group {
    /// Reads an OperatorGroup from a JSON object. The operators watch the namespaces in its status,
    /// which OLM writes. If the status is empty, uses the namespaces that OLM (v0.46) will read
    /// from the spec.
    ///
    /// # Errors
    /// Returns an error if the object has no name.
    pub fn of(object: Map<String, Value>) -> Result<Self, Unreadable> {
        let key = key(&object)?;
        let (group, _) = read_value::<OperatorGroup>(object.into())
            .map_err(|error| Unreadable::NoObject(error.to_string()))?;
        let targets = if group.status.namespaces.is_empty() {
            Targets::of_spec(&group)
        } else {
            Targets::named(group.status.namespaces.iter().map(String::as_str))
        };
        Ok(Self { key, targets })
    }
}

// === impl Targets ===

impl Targets {
    /// Returns targets without any namespace.
    pub fn none() -> Self {
        Self::These(Arc::default())
    }

    /// Returns targets with these namespaces. An empty name stands for all namespaces.
    pub fn named<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names: BTreeSet<Arc<str>> = names.into_iter().map(Arc::from).collect();
        if names.contains("") {
            Self::All
        } else {
            Self::These(names.into())
        }
    }

    fn of_spec(group: &OperatorGroup) -> Self {
        let names = &group.spec.target_namespaces;
        if !names.is_empty() {
            // OLM rejects an OperatorGroup with an empty name in its spec.
            let names = Self::named(names.iter().map(String::as_str));
            return if names == Self::All {
                Self::none()
            } else {
                names
            };
        }
        match group.spec.selector.clone() {
            Some(selector) if group.has_selector() => match Selector::try_from(selector) {
                Ok(selector) if is_sound(&selector) => Self::Labeled(selector.into()),
                Ok(_) | Err(_) => Self::none(),
            },
            Some(_) | None => Self::All,
        }
    }
}

/// Returns true if Kubernetes accepts the selector: `In` and `NotIn` must have at least one value.
fn is_sound(selector: &Selector) -> bool {
    selector.clone().into_iter().all(|each| match each {
        Expression::In(_, values) | Expression::NotIn(_, values) => !values.is_empty(),
        Expression::Equal(..)
        | Expression::NotEqual(..)
        | Expression::Exists(_)
        | Expression::DoesNotExist(_) => true,
    })
}
