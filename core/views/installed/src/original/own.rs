//! Reads Operators of `operators.operatorframework.io`, and the ClusterServiceVersions that are
//! stored with their plans.

use std::collections::BTreeMap;
use std::sync::Arc;

use kube_core::{Expression, Selector};
use portolan_api::operator::{CONTENT, CSV, ConditionType, OPERATOR, Reason, Status};
use portolan_api::plan::{ResourceManifest, Stored};
use portolan_core_install::{digest, opened};
use serde_json::{Map, Value, json};

use super::{Csv, Targets, Unreadable, key, labels, parse, shared, text};
use crate::label::label_value;
use crate::operator::Origin;
use crate::sanitized::{TARGETS, annotation};
use crate::uid::uid;
use crate::{Key, Operator};

/// The phase of an operator that works.
const SUCCEEDED: &str = "Succeeded";
/// The phase of an operator that is being installed.
const INSTALLING: &str = "Installing";
/// The phase of an operator whose installation has failed.
const FAILED: &str = "Failed";
/// The phase of an operator that is being deleted.
const DELETING: &str = "Deleting";

/// The Operator of an operator that is installed without OLM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnOperator {
    /// The name. An Operator is cluster-scoped.
    pub name: Arc<str>,
    /// The uid. Empty if it is missing, as for an object in a file.
    pub uid: Arc<str>,
    /// The creation timestamp as text.
    pub created: Arc<str>,
    /// The labels.
    pub labels: BTreeMap<String, String>,
    /// The package.
    pub package: Arc<str>,
    /// The version that is installed or being installed.
    pub target: Arc<str>,
    /// The phase, as OLM would report it.
    pub phase: &'static str,
    /// The reason for the phase, for users.
    pub message: Arc<str>,
    /// The ResourceManifest that contains the installed ClusterServiceVersion. None if nothing is
    /// installed, or if an older version of Portolan has installed the operator.
    pub csv: Option<Key>,
}

/// A ResourceManifest with the ClusterServiceVersion of an installed plan. The
/// ClusterServiceVersion has the form in which OLM would create it in the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCsv {
    /// The namespace and name of the ResourceManifest.
    pub key: Key,
    json: Arc<str>,
}

/// An operator that is installed without OLM: its Operator and its ClusterServiceVersion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Planned {
    pub(crate) own: Arc<OwnOperator>,
    pub(crate) csv: Arc<Csv>,
    pub(crate) targets: Targets,
}

// === impl OwnOperator ===

impl OwnOperator {
    /// Reads an Operator from a JSON object.
    ///
    /// # Errors
    /// Returns an error if the object has no name.
    pub fn of(object: &Map<String, Value>) -> Result<Self, Unreadable> {
        let name = text(object, "metadata", "name").ok_or(Unreadable::Unnamed("name"))?;
        let status = object.get("status").cloned().unwrap_or_default();
        // An invalid status counts as empty.
        let status: Status = serde_json::from_value(status).unwrap_or_default();
        let (phase, message) = if text(object, "metadata", "deletionTimestamp").is_some() {
            (DELETING, "")
        } else {
            phase(&status)
        };
        let plan = status.plan.as_ref();
        let csv = plan.and_then(|plan| {
            let name = plan.cluster_service_version.as_deref()?;
            Some(Key::new(&plan.namespace, name))
        });
        Ok(Self {
            name: name.into(),
            uid: shared(object, "metadata", "uid"),
            created: shared(object, "metadata", "creationTimestamp"),
            labels: labels(object),
            package: shared(object, "spec", "packageName"),
            target: status.versions.target.as_deref().unwrap_or_default().into(),
            phase,
            message: message.into(),
            csv,
        })
    }

    /// Returns the operator with this stored ClusterServiceVersion. Returns None if the
    /// ClusterServiceVersion does not belong to the Operator, or is invalid.
    pub(crate) fn with(self: &Arc<Self>, stored: &StoredCsv) -> Option<Planned> {
        let mut csv = parse(&stored.json).ok()?;
        let name = text(&csv, "metadata", "name")?.to_owned();
        let metadata = csv.get_mut("metadata")?.as_object_mut()?;
        if !self.uid.is_empty() {
            // Each version of the operator gets a different uid, as in OLM.
            metadata.insert("uid".to_owned(), uid(&self.uid, &name).into());
        }
        if !self.created.is_empty() {
            metadata.insert("creationTimestamp".to_owned(), (*self.created).into());
        }
        let status = json!({"phase": self.phase, "message": &*self.message});
        csv.insert("status".to_owned(), status);
        // Portolan sets this annotation when it renders the bundle. OLM never processes the object,
        // so OLM does not change the annotation.
        let targets = annotation(&csv, TARGETS).map(|names| Targets::named(names.split(',')));
        Some(Planned {
            own: Arc::clone(self),
            targets: targets.unwrap_or_else(Targets::none),
            csv: Csv::of(csv).ok()?.into(),
        })
    }
}

/// Returns the phase of an operator, with a message for users.
fn phase(status: &Status) -> (&'static str, &str) {
    let ready = status.condition(ConditionType::Ready);
    let message = ready.map_or("", |ready| &ready.message);
    if ready.is_some_and(|ready| ready.status == "True") {
        return (SUCCEEDED, message);
    }
    let failed = [
        Reason::InstallFailed,
        Reason::Reverting,
        Reason::DeletionBlocked,
    ];
    let is_failed = |reason: &str| failed.iter().any(|it| it.as_str() == reason);
    let installing = status.condition(ConditionType::Installing);
    match installing.filter(|installing| is_failed(&installing.reason)) {
        Some(installing) => (FAILED, &installing.message),
        None => (INSTALLING, message),
    }
}

// === impl StoredCsv ===

impl StoredCsv {
    /// Returns the selector of the ResourceManifests that contain a ClusterServiceVersion. There
    /// are few such objects, but each may have a size of one megabyte.
    pub fn selector() -> Selector {
        Expression::Equal(CONTENT.name().to_owned(), CSV.to_owned()).into()
    }

    /// Reads a ResourceManifest from a JSON object.
    ///
    /// # Errors
    /// Returns an error if the ResourceManifest contains no ClusterServiceVersion, or if its digest
    /// is wrong.
    pub fn of(object: &Map<String, Value>) -> Result<Self, Unreadable> {
        let written = ResourceManifest {
            spec: object.get("spec").cloned().unwrap_or_default().into(),
            ..ResourceManifest::default()
        };
        let no = |why: String| Unreadable::NoCsv(why);
        let stored = Stored::parse(&written).map_err(|refusals| no(refusals.to_string()))?;
        let csv = opened(stored.body).map_err(no)?;
        if digest(&csv) != stored.digest {
            return Err(no("its content does not match its digest".to_owned()));
        }
        let (Some("ClusterServiceVersion"), Value::Object(fields)) = (csv["kind"].as_str(), &csv)
        else {
            return Err(no("it contains another object".to_owned()));
        };
        super::key(fields)?;
        Ok(Self {
            key: key(object)?,
            json: csv.to_string().into(),
        })
    }
}

// === impl Planned ===

impl Planned {
    /// Returns the name of the ClusterServiceVersion, and the namespace in which the operator is
    /// installed.
    pub(crate) fn key(&self) -> &Key {
        &self.csv.key
    }

    /// Returns the operator as its Installed objects show it. It has no Subscription.
    pub(crate) fn shown(&self) -> Operator {
        let Self { own, csv, .. } = self;
        let mut labels = own.labels.clone();
        labels.extend(crate::label::labels(csv, None));
        labels.insert(OPERATOR.name().to_owned(), label_value(&own.name));
        Operator {
            csv: Arc::clone(csv),
            origin: Origin::Cluster,
            subscription: None,
            package: Arc::clone(&own.package),
            target: Arc::clone(&own.target),
            replaced_by: None,
            labels,
        }
    }
}
