//! Installs Portolan's CRDs with server-side apply.
//!
//! A CRD in the cluster is not replaced if it would lose versions or fields, or if it belongs to
//! another program.

mod decide;
#[cfg(test)]
mod tests;

use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::Patch;
use kube::core::Status;
use kube::runtime::wait::await_condition;
use kube::{Api, Client};
use portolan_core_names::text::listed;
use portolan_shell::with_causes;
use thiserror::Error;
use tokio::time::timeout;

pub use self::decide::CrdRefusal;
use self::decide::{CrdState, managers, refusal, standing};
use crate::server_side_apply::{ApplyChange, NoResult, answer, apply_params};

/// Applies CRDs to a cluster.
#[derive(Clone)]
pub struct CrdInstaller {
    crds: Api<CustomResourceDefinition>,
    is_dry_run: bool,
    forces: bool,
}

/// An applied CRD.
#[derive(Debug, Clone, PartialEq)]
pub struct AppliedCrd {
    pub crd: CustomResourceDefinition,
    pub change: ApplyChange,
}

/// The reason why a CRD was not installed.
#[derive(Debug, Error)]
pub enum CrdNotInstalled {
    /// The CRD in the cluster must not be replaced.
    #[error(transparent)]
    Refused(#[from] CrdRefusal),
    /// Other field managers own fields of the CRD with other values.
    #[error(
        "{managers} owns fields with other values; change the CRD there, or run the command with \
         --force-conflicts"
    )]
    Conflict { managers: String },
    /// Another client changed the CRD after it was read.
    #[error("the CRD was changed in the meantime; run the command again")]
    Changed,
    /// The API server rejects the request.
    #[error("{}", .0.message)]
    Rejected(Box<Status>),
    /// Another CRD already uses the names of the CRD.
    #[error("the API server rejects the names of the CRD: {0}")]
    NamesNotAccepted(String),
    /// The API server did not serve the CRD in time.
    #[error("the CRD is not established after {} s", .0.as_secs())]
    NotEstablished(Duration),
    /// The API server does not respond.
    #[error("{0}")]
    Unanswered(String),
}

// === impl CrdInstaller ===

impl CrdInstaller {
    /// Creates an installer. With `is_dry_run`, the API server stores nothing.
    pub fn new(client: Client, is_dry_run: bool) -> Self {
        Self {
            crds: Api::all(client),
            is_dry_run,
            forces: false,
        }
    }

    /// Sets if an apply takes over fields that other field managers own with other values.
    pub fn forcing(self, forces: bool) -> Self {
        Self { forces, ..self }
    }

    /// Applies a CRD, unless the CRD in the cluster must not be replaced.
    ///
    /// # Errors
    /// Returns an error if the CRD is not applied.
    pub async fn apply(
        &self,
        crd: &CustomResourceDefinition,
    ) -> Result<AppliedCrd, CrdNotInstalled> {
        let name = crd.metadata.name.as_deref().unwrap_or_default();
        let live = answer(self.crds.get_opt(name)).await?;
        if let Some(refusal) = live.as_ref().and_then(|live| refusal(crd, live)) {
            return Err(refusal.into());
        }
        let mut manifest = crd.clone();
        // The apply fails if the CRD has changed since it was read.
        let version = live
            .as_ref()
            .and_then(|live| live.metadata.resource_version.clone());
        manifest.metadata.resource_version = version;
        let params = apply_params(self.is_dry_run, self.forces);
        let patch = Patch::Apply(&manifest);
        let applied = answer(self.crds.patch(name, &params, &patch)).await;
        let applied = applied.map_err(|reason| conflict(reason, live.as_ref()))?;
        let change = match &live {
            None => ApplyChange::Created,
            Some(live) if live.spec == applied.spec => ApplyChange::Unchanged,
            Some(_) => ApplyChange::Configured,
        };
        Ok(AppliedCrd {
            crd: applied,
            change,
        })
    }

    /// Waits until the API server serves the CRD.
    ///
    /// # Errors
    /// Returns an error if the API server rejects the names of the CRD, or does not serve it in
    /// time.
    pub async fn until_established(
        &self,
        name: &str,
        longest: Duration,
    ) -> Result<(), CrdNotInstalled> {
        let is_decided =
            |crd: Option<&CustomResourceDefinition>| crd.is_some_and(|crd| standing(crd).is_some());
        let waiting = await_condition(self.crds.clone(), name, is_decided);
        let found = match timeout(longest, waiting).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => return Err(CrdNotInstalled::Unanswered(with_causes(&error))),
            Err(_) => return Err(CrdNotInstalled::NotEstablished(longest)),
        };
        match found.as_ref().and_then(standing) {
            Some(CrdState::NamesNotAccepted(why)) => Err(CrdNotInstalled::NamesNotAccepted(why)),
            Some(CrdState::Established) => Ok(()),
            None => Err(CrdNotInstalled::NotEstablished(longest)),
        }
    }
}

/// Returns true if the API server serves a CRD.
pub(crate) fn is_established(crd: &CustomResourceDefinition) -> bool {
    standing(crd) == Some(CrdState::Established)
}

// The client does not implement `Debug`.
impl std::fmt::Debug for CrdInstaller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CrdInstaller").finish_non_exhaustive()
    }
}

// === impl CrdNotInstalled ===

impl CrdNotInstalled {
    /// Returns true if the API server did not respond, so that the outcome is unknown.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unanswered(_) => true,
            Self::Refused(_)
            | Self::Conflict { .. }
            | Self::Changed
            | Self::Rejected(_)
            | Self::NamesNotAccepted(_)
            | Self::NotEstablished(_) => false,
        }
    }
}

impl From<NoResult> for CrdNotInstalled {
    fn from(reason: NoResult) -> Self {
        match reason {
            NoResult::Rejected(status) => Self::Rejected(status),
            NoResult::Unanswered(why) => Self::Unanswered(why),
        }
    }
}

/// Converts the error of an apply. For a conflict, adds the names of the field managers of the CRD
/// in the cluster.
fn conflict(reason: NoResult, live: Option<&CustomResourceDefinition>) -> CrdNotInstalled {
    let status = match reason {
        NoResult::Rejected(status) if status.code == 409 => status,
        other => return other.into(),
    };
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let mut reasons = causes.map(|cause| cause.reason.as_str());
    match live {
        Some(live) if reasons.any(|reason| reason == "FieldManagerConflict") => {
            let managers = listed(managers(live));
            CrdNotInstalled::Conflict { managers }
        }
        _ => CrdNotInstalled::Changed,
    }
}
