//! Requests to the API server that install objects with server-side apply.

use std::fmt;
use std::time::Duration;

use kube::api::PatchParams;
use kube::core::Status;
use portolan_shell::with_causes;
use tokio::time::timeout;

/// The field manager of the objects that `portolan install` applies.
pub const INSTALL_MANAGER: &str = "portolan-install";

/// The maximum time for a response of the API server.
const DEADLINE: Duration = Duration::from_secs(10);

/// The change that an apply makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplyChange {
    Created,
    Configured,
    Unchanged,
}

/// The reason why a request has not succeeded.
#[derive(Debug)]
pub(crate) enum NoResult {
    /// The API server rejects the request.
    Rejected(Box<Status>),
    /// The API server does not respond.
    Unanswered(String),
}

// === impl ApplyChange ===

/// Formats the change as the word that kubectl prints after the name of an object.
impl fmt::Display for ApplyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Created => "created",
            Self::Configured => "configured",
            Self::Unchanged => "unchanged",
        })
    }
}

/// Returns the parameters of an apply.
pub(crate) fn apply_params(is_dry_run: bool, forces: bool) -> PatchParams {
    PatchParams {
        field_manager: Some(INSTALL_MANAGER.to_owned()),
        dry_run: is_dry_run,
        force: forces,
        ..PatchParams::default()
    }
}

/// Waits for a response of the API server.
pub(crate) async fn answer<T>(
    request: impl Future<Output = kube::Result<T>>,
) -> Result<T, NoResult> {
    match timeout(DEADLINE, request).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(kube::Error::Api(status))) => Err(NoResult::Rejected(status)),
        Ok(Err(error)) => Err(NoResult::Unanswered(with_causes(&error))),
        Err(_) => Err(NoResult::Unanswered(format!(
            "the API server did not answer within {} s",
            DEADLINE.as_secs()
        ))),
    }
}
