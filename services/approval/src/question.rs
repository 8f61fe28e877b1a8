//! The requests of the approval service. Each request finds its objects in the Snapshot.

use std::sync::Arc;

use portolan_core_approval::consent::Move;
use portolan_core_approval::{Reason, Standing};
use portolan_core_names::nearest;
use portolan_core_names::text::some;
use portolan_scaffold::NotYet;
use thiserror::Error;

use crate::judges::ReviewUpgrade;
use crate::snapshot::{Located, Reviewed, Snapshot, UpgradeFacts};

/// The maximum number of InstallPlans that an error message names.
const NAMED: usize = 10;

/// The request for the review of one InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReviewPlan {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// The request for the reviews of all InstallPlans in a namespace, and for the policies that apply
/// to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReviewNamespace {
    pub(crate) namespace: String,
}

/// A request for all reviews and for their later changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The namespace. None for all namespaces.
    pub(crate) namespace: Option<String>,
}

/// A request to watch if operators may be upgraded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchUpgrades {
    pub(crate) asked: Vec<Move>,
}

/// The complete response about a namespace.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Whole {
    pub(crate) reviews: Vec<Located>,
    pub(crate) policies: Vec<Standing>,
    pub(crate) remarks: Vec<Reason>,
}

/// A request that cannot be processed with this Snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum RequestError {
    /// A field has an invalid value.
    #[error("{field}: {message}")]
    Field {
        /// The field of the request, such as `namespace`.
        field: &'static str,
        /// A description of the invalid value and of the valid values.
        message: String,
    },
    /// Objects have not been listed yet.
    #[error(transparent)]
    NotYet(#[from] NotYet),
    /// The InstallPlans cannot be listed. Contains the reason.
    #[error("InstallPlans cannot be listed: {0}")]
    Unseen(String),
    /// This process does not observe UpgradePolicies, so it cannot review upgrades.
    #[error("this server does not evaluate Policies; query `portolan serve approval`")]
    NoUpgrades,
    /// The InstallPlan does not exist. The message names the namespace that was searched.
    #[error("{message}")]
    UnknownPlan { name: String, message: String },
}

// === impl ReviewPlan ===

impl ReviewPlan {
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<Located, RequestError> {
        snapshot.reaches(&self.namespace)?;
        let found = snapshot.namespace(&self.namespace);
        let found = found.and_then(|(namespace, reviewed)| {
            let review = reviewed.review(&self.name)?.clone();
            let namespace = namespace.clone();
            Some(Located { namespace, review })
        });
        match found {
            Some(found) => Ok(found),
            None => {
                snapshot.are_plans_seen(&self.namespace)?;
                Err(self.unknown(snapshot))
            }
        }
    }

    fn unknown(&self, snapshot: &Snapshot) -> RequestError {
        let Self { namespace, name } = self;
        let elsewhere = snapshot.reviews().filter(|(_, it)| it.plan == *name);
        let elsewhere: Vec<_> = elsewhere
            .map(|(namespace, _)| format!("{namespace}/{name}"))
            .collect();
        let hint = match elsewhere.as_slice() {
            [] => self.near(snapshot),
            elsewhere => format!("; there is {}", some(NAMED, elsewhere)),
        };
        RequestError::UnknownPlan {
            name: name.clone(),
            message: format!("there is no InstallPlan {name} in namespace {namespace}{hint}"),
        }
    }

    /// Returns a hint for the error message: the InstallPlan with a similar name, or some
    /// InstallPlans of the namespace.
    fn near(&self, snapshot: &Snapshot) -> String {
        let reviewed = snapshot.namespace(&self.namespace).map(|(_, it)| it);
        let plans = reviewed.into_iter().flat_map(|reviewed| &reviewed.reviews);
        let mut plans: Vec<_> = plans.map(|review| review.plan.clone()).collect();
        plans.sort();
        match nearest(&self.name, plans.iter()) {
            Some(near) => format!("; did you mean {near}?"),
            None if plans.is_empty() => String::new(),
            None => format!("; there is {}", some(NAMED, &plans)),
        }
    }
}

// === impl ReviewNamespace ===

impl ReviewNamespace {
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<Whole, RequestError> {
        snapshot.reaches(&self.namespace)?;
        snapshot.are_plans_seen(&self.namespace)?;
        let found = snapshot.namespace(&self.namespace);
        let Reviewed {
            reviews,
            policies,
            remarks,
        } = found
            .map(|(_, reviewed)| Reviewed::clone(reviewed))
            .unwrap_or_default();
        let namespace: Arc<str> = self.namespace.as_str().into();
        let located = |review| Located {
            namespace: namespace.clone(),
            review,
        };
        let mut policies: Vec<_> = policies
            .into_iter()
            .chain(snapshot.unplaced.to_vec())
            .collect();
        policies.sort_by(|a, b| a.id.cmp(&b.id));
        Ok(Whole {
            reviews: reviews.into_iter().map(located).collect(),
            policies,
            remarks: [remarks, snapshot.missing.to_vec()].concat(),
        })
    }
}

// === impl ReviewUpgrade ===

impl ReviewUpgrade {
    /// Returns the facts for reviewing upgrades.
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<Arc<UpgradeFacts>, RequestError> {
        snapshot.upgrades.clone().ok_or(RequestError::NoUpgrades)
    }
}

// === impl WatchUpgrades ===

impl WatchUpgrades {
    /// Returns an error if the watch cannot start.
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<(), RequestError> {
        let facts = snapshot.upgrades.as_ref();
        facts.map(|_| ()).ok_or(RequestError::NoUpgrades)
    }
}

// === impl Watch ===

impl Watch {
    /// Returns an error if the watch cannot start. The watch must not start with an incomplete
    /// list. A client that has received InstallPlans from another server would consider the missing
    /// InstallPlans deleted.
    pub(crate) fn ask(&self, snapshot: &Snapshot) -> Result<(), RequestError> {
        if let Some(namespace) = &self.namespace {
            snapshot.reaches(namespace)?;
        }
        match &snapshot.unseen {
            Some(why) if snapshot.reviews().next().is_none() => {
                Err(RequestError::Unseen(why.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }
}

// === impl Snapshot ===

impl Snapshot {
    /// Returns an error if the namespace is not observed, because an empty response would be wrong.
    fn reaches(&self, namespace: &str) -> Result<(), RequestError> {
        match self.only.as_deref() {
            Some(only) if only != namespace => Err(RequestError::Field {
                field: "namespace",
                message: format!("this server observes only namespace {only}, not {namespace}"),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Returns an error if no InstallPlan was listed and InstallPlans may exist that cannot be
    /// listed.
    fn are_plans_seen(&self, namespace: &str) -> Result<(), RequestError> {
        let reviewed = self.namespace(namespace);
        let has_some = reviewed.is_some_and(|(_, reviewed)| !reviewed.reviews.is_empty());
        match &self.unseen {
            Some(why) if !has_some => Err(RequestError::Unseen(why.clone())),
            Some(_) | None => Ok(()),
        }
    }
}
