//! Asks the services.

use portolan_api::Intent;
use portolan_decide::{Answers, Observed, Outcome, Target};
use portolan_shell::client::ConnectTo;

/// The services.
#[derive(Debug)]
pub(crate) struct Services;

/// What may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Topic {
    /// A namespace.
    Namespace(String),
    /// A catalog, as `namespace/name`.
    Catalog(String),
    /// Anything.
    Everything,
}

/// The services as they are reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Addresses {
    pub(crate) resolver: String,
    pub(crate) health: String,
    pub(crate) approval: String,
}

impl Services {
    pub(crate) fn connect(_addresses: &Addresses) -> Result<Self, ConnectTo> {
        Ok(Self)
    }

    pub(crate) async fn still_allowed(&self, _target: &Target) -> Result<(), Outcome> {
        Ok(())
    }

    pub(crate) async fn ask(&self, _intent: Option<&Intent>, _observed: &Observed) -> Answers {
        Answers::default()
    }

    pub(crate) async fn changed(&self) -> Vec<Topic> {
        std::future::pending().await
    }
}
