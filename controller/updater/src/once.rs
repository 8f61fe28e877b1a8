//! A single round, for a CronJob and for CI.

use std::time::Duration;

use portolan_api::operator::UPDATER;
use portolan_core_generate::updater::{OperatorReport, Reason};
use portolan_runtime::{Replica, Start};
use thiserror::Error;
use tokio::time::timeout;

use crate::Flags;
use crate::catalogs::Resolver;
use crate::metrics::Metrics;
use crate::round::RoundReport;
use crate::serve::{lease, rounds};

/// The time to wait for the Lease of another updater. It is longer than the duration of a Lease
/// that is not renewed.
const LEASE: Duration = Duration::from_secs(30);

/// The error for a Lease that another updater holds.
#[derive(Debug, Error)]
#[error("another updater holds the Lease {0}; wait until it has stopped")]
struct LeaseHeld(String);

/// The result of a round, for users and scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundResult {
    /// The ConfigMap does not exist, so no Operator is updated.
    Off,
    /// The faults of the configuration.
    Invalid(Vec<String>),
    /// The state of each updated Operator, and the names without an Operator.
    Reported {
        /// By name.
        lines: Vec<OperatorLine>,
        /// The names in the configuration that match no Operator.
        absent: Vec<String>,
    },
    /// An object could not be read or written, for this reason.
    Failed(String),
}

/// The state of an Operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorLine {
    /// The name.
    pub name: String,
    /// The reason in CamelCase.
    pub reason: Reason,
    /// The reason in words.
    pub message: String,
}

/// Runs one round.
///
/// # Errors
/// Returns an error if there is no cluster, the URL of the resolver is invalid, or another updater
/// keeps the Lease.
pub async fn once(flags: &Flags) -> Result<RoundResult, Start> {
    let config = flags.access.config().await?;
    let settings = flags.config();
    let lease = lease(&settings).filter(|_| !flags.once.dry_run);
    let (replica, election) = Replica::elected(config, lease.as_ref())?;
    let (metrics, _) = Metrics::new();
    let mut rounds = rounds(&settings, &replica, Resolver::connect(flags)?, metrics)?;
    if flags.once.dry_run {
        rounds.writer = None;
    }
    if let Some(election) = &election {
        let leads = timeout(LEASE, election.leads()).await;
        let held = |_| Start::Lost(LeaseHeld(format!("{}/{UPDATER}", rounds.namespace)).into());
        leads.map_err(held)??;
    }
    let ran = match rounds.run().await {
        Ok(told) => ran(told),
        Err(failed) => RoundResult::Failed(failed.message()),
    };
    if let Some(election) = election {
        election.resign().await;
    }
    Ok(ran)
}

pub(crate) fn ran(told: RoundReport) -> RoundResult {
    if !told.refused.is_empty() {
        return RoundResult::Invalid(told.refused);
    }
    if !told.has_configuration {
        return RoundResult::Off;
    }
    if let Some(why) = told.silence() {
        return RoundResult::Failed(why);
    }
    let lines = told.outcome.said.into_iter().map(|(name, said)| {
        let OperatorReport { reason, message } = said;
        OperatorLine {
            name,
            reason,
            message,
        }
    });
    RoundResult::Reported {
        lines: lines.collect(),
        absent: told.outcome.absent,
    }
}
