//! Which of several replicas writes.

use kube::Client;
use thiserror::Error;

#[derive(Debug, Clone)]
pub(crate) struct Fence;

#[derive(Debug)]
pub(crate) struct Election;

#[derive(Debug)]
pub(crate) struct Seat;

#[derive(Debug, Default)]
pub(crate) struct Terms;

/// This process does not lead any more, and must end.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("this replica leads no more: {0}")]
pub struct Lost(String);

impl Fence {
    pub(crate) fn open() -> Self {
        Self
    }
}

impl Seat {
    pub(crate) fn of(_namespace: &str, _name: &str, _pod: &str) -> Self {
        Self
    }
}

impl Election {
    pub(crate) fn start(_client: Client, _seat: Seat, _terms: Terms) -> Self {
        Self
    }

    pub(crate) fn fence(&self) -> Fence {
        Fence
    }

    pub(crate) async fn leads(&self) -> Result<(), Lost> {
        Ok(())
    }

    pub(crate) async fn lost(&self) -> Lost {
        std::future::pending().await
    }

    pub(crate) async fn resign(self) {}
}
