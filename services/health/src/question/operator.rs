//! The requests about the health of operators.

use std::sync::Arc;

use portolan_core_health::{Kind, Manager, Object, Operator};
use portolan_core_names::text::some;

use super::{NAMED, Page, PageRequest, RequestError, meant, within};
use crate::snapshot::Snapshot;

/// The request for the health of one operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GetOperator {
    /// The namespace. None searches all namespaces.
    pub(crate) namespace: Option<String>,
    pub(crate) handle: Handle,
}

/// The name that identifies an operator in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Handle {
    /// Any name of the operator, such as its Subscription, its ClusterServiceVersion or its
    /// package.
    Name(String),
    Csv(String),
    Subscription(String),
    Package(String),
    /// The name of the object with which this manager installs the operator. The manager is another
    /// one than OLM v0.
    Managed(Manager, String),
}

/// The request for the health of all operators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListOperators {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
    pub(crate) page: PageRequest,
}

// === impl GetOperator ===

impl GetOperator {
    pub(crate) fn ask<'a>(
        &self,
        snapshot: &'a Snapshot,
    ) -> Result<&'a Arc<Operator>, RequestError> {
        if let Some(namespace) = &self.namespace
            && self.handle.is_cluster_scoped()
        {
            return Err(self.not_in(namespace));
        }
        let found = self.fitting(snapshot, self.namespace.as_deref());
        match found.as_slice() {
            [only] => Ok(only),
            [] => match snapshot.hidden_operators(&self.handle, self.namespace.as_deref()) {
                Some(why) => Err(RequestError::Unseen(why)),
                None => Err(self.unknown(snapshot)),
            },
            several => Err(self.several(several)),
        }
    }

    fn fitting<'a>(
        &self,
        snapshot: &'a Snapshot,
        namespace: Option<&str>,
    ) -> Vec<&'a Arc<Operator>> {
        let residents = snapshot.residents(namespace);
        residents
            .filter(|operator| self.handle.fits(operator))
            .collect()
    }

    /// Returns the error for a cluster-scoped operator in a request for one namespace. Such a
    /// request never returns cluster-scoped operators.
    fn not_in(&self, namespace: &str) -> RequestError {
        let (what, name) = (self.handle.what(), self.handle.name());
        RequestError::Field {
            field: "namespace",
            message: format!("{what} {name} is cluster-scoped; omit namespace {namespace}"),
        }
    }

    fn unknown(&self, snapshot: &Snapshot) -> RequestError {
        let namespace = self.namespace.as_deref();
        let name = self.handle.name();
        let hint = match self.fitting(snapshot, None).as_slice() {
            [] => {
                let residents = snapshot.residents(namespace);
                meant(
                    name,
                    residents.flat_map(|operator| self.handle.names(operator)),
                )
            }
            elsewhere => format!("; there is {}", some(NAMED, subjects(elsewhere))),
        };
        let what = self.handle.what();
        RequestError::UnknownOperator {
            name: name.to_owned(),
            message: format!("there is no {what} {name}{}{hint}", within(namespace)),
        }
    }

    /// Returns the error for a name that several operators have. A request for one namespace gets a
    /// message with this namespace. A request for all namespaces gets a message with the namespace
    /// of each operator.
    fn several(&self, found: &[&Arc<Operator>]) -> RequestError {
        let namespaces = found.iter().map(|operator| &operator.subject.namespace);
        let is_one = namespaces.clone().min() == namespaces.max();
        let way_out = match (is_one, &self.handle) {
            (false, _) => "select one namespace",
            (true, Handle::Name(_)) => "select the kind: csv, subscription or package",
            (
                true,
                Handle::Csv(_) | Handle::Subscription(_) | Handle::Package(_) | Handle::Managed(..),
            ) => "set a name",
        };
        let (name, all) = (self.handle.name(), some(NAMED, subjects(found)));
        RequestError::Field {
            field: self.handle.field(),
            message: format!("{name} matches {all}; {way_out}"),
        }
    }
}

fn subjects(operators: &[&Arc<Operator>]) -> Vec<String> {
    let subjects = operators.iter().map(|operator| {
        let Object {
            namespace, name, ..
        } = &operator.subject;
        match operator.manager {
            Manager::Olm => format!("{namespace}/{name}"),
            Manager::Operator | Manager::ClusterExtension | Manager::Install | Manager::Plan => {
                operator.subject.to_string()
            }
        }
    });
    subjects.collect()
}

// === impl Handle ===

impl Handle {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Name(name)
            | Self::Csv(name)
            | Self::Subscription(name)
            | Self::Package(name)
            | Self::Managed(_, name) => name,
        }
    }

    /// Returns true if the handle names an object of a cluster-scoped kind.
    fn is_cluster_scoped(&self) -> bool {
        match self {
            Self::Name(_) | Self::Csv(_) | Self::Subscription(_) | Self::Package(_) => false,
            Self::Managed(manager, _) => match manager {
                Manager::Operator | Manager::ClusterExtension | Manager::Install => true,
                Manager::Olm | Manager::Plan => false,
            },
        }
    }

    /// Returns the name of the request field that contains this handle.
    fn field(&self) -> &'static str {
        match self {
            Self::Name(_) => "name",
            Self::Csv(_) => "csv",
            Self::Subscription(_) => "subscription",
            Self::Package(_) => "package",
            Self::Managed(manager, _) => match manager {
                Manager::Operator => "operator",
                Manager::ClusterExtension => "cluster_extension",
                Manager::Install => "install",
                Manager::Plan => "install_plan",
                Manager::Olm => "name",
            },
        }
    }

    /// Returns the kind of name for messages, such as "package".
    fn what(&self) -> &'static str {
        match self {
            Self::Name(_) => "operator",
            Self::Csv(_) => "ClusterServiceVersion",
            Self::Subscription(_) => "Subscription",
            Self::Package(_) => "operator of package",
            Self::Managed(manager, _) => manager.as_str(),
        }
    }

    /// Returns the names of an operator to which this handle can refer.
    fn names<'a>(&self, operator: &'a Operator) -> Vec<&'a str> {
        let csvs = operator.csvs.iter().map(String::as_str);
        let other = (operator.manager != Manager::Olm).then_some(operator.subject.name.as_str());
        let is_wanted = operator.subject.kind == Kind::Subscription;
        let subscription = is_wanted.then_some(operator.subject.name.as_str());
        let package = operator.package.as_str();
        let names: Vec<_> = match self {
            Self::Name(_) => {
                let bundle = other.map(|_| operator.bundle.as_str());
                let names = csvs.chain(subscription).chain([package]);
                names.chain(other).chain(bundle).collect()
            }
            Self::Csv(_) => csvs.collect(),
            Self::Subscription(_) => subscription.into_iter().collect(),
            Self::Package(_) => vec![package],
            Self::Managed(manager, _) if *manager == operator.manager => {
                other.into_iter().collect()
            }
            Self::Managed(..) => Vec::new(),
        };
        names.into_iter().filter(|name| !name.is_empty()).collect()
    }

    fn fits(&self, operator: &Operator) -> bool {
        self.names(operator).contains(&self.name())
    }
}

// === impl ListOperators ===

impl ListOperators {
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<Page, RequestError> {
        snapshot.are_operators_seen(self.namespace.as_deref())?;
        let namespace = self.namespace.as_deref();
        let page = self.page.cut(snapshot.residents(namespace));
        Ok(Page {
            unread: snapshot.unseen.operators(namespace).cloned().collect(),
            ..page
        })
    }
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns an error if no operator was found and operators may exist that cannot be listed.
    /// Then an empty list would be wrong.
    pub(crate) fn are_operators_seen(&self, namespace: Option<&str>) -> Result<(), RequestError> {
        let hidden = self.unseen.operators(namespace).next();
        match hidden.filter(|_| self.residents(namespace).next().is_none()) {
            Some(why) => Err(RequestError::Unseen(format!(
                "operators cannot be listed: {why}"
            ))),
            None => Ok(()),
        }
    }

    /// Returns the reason why an operator that was not found may exist. Returns None if the
    /// operator certainly does not exist.
    fn hidden_operators(&self, handle: &Handle, namespace: Option<&str>) -> Option<String> {
        let unseen = &self.unseen;
        let why = match handle {
            Handle::Subscription(_) => unseen.subscriptions.as_ref(),
            Handle::Csv(_) => unseen.olm().next(),
            Handle::Managed(Manager::Plan, _) => unseen.plans.as_ref(),
            Handle::Managed(..) => unseen.cluster_scoped.first(),
            Handle::Name(_) | Handle::Package(_) => unseen.operators(namespace).next(),
        };
        why.map(|why| format!("operators cannot be read: {why}"))
    }
}
