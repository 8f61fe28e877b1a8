//! Runs a single round, for a CronJob or CI.

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

/// The maximum time to wait for the Lease while another updater holds it. A Lease that is not
/// renewed expires earlier.
const LEASE: Duration = Duration::from_secs(30);

/// The error if another updater holds the Lease.
#[derive(Debug, Error)]
#[error("another updater holds the Lease {0}; wait until it has stopped")]
struct LeaseHeld(String);

/// The result of a round, for users and scripts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RoundResult {
    /// The ConfigMap does not exist, so no Operator is updated.
    Off,
    /// The configuration is invalid. Contains all its errors.
    Invalid(Vec<String>),
    /// The round succeeded.
    Reported {
        /// The state of each Operator that the updater manages, sorted by name.
        lines: Vec<OperatorLine>,
        /// The Operators in the configuration that do not exist.
        absent: Vec<String>,
    },
    /// The round failed for this reason.
    Failed(String),
}

/// The state of an Operator that the updater manages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorLine {
    /// The name of the Operator.
    pub name: String,
    /// The reason in CamelCase.
    pub reason: Reason,
    /// The reason as a sentence.
    pub message: String,
}

/// Runs one round.
///
/// # Errors
/// Returns an error if there is no cluster, the URL of the resolver is invalid, or another updater
/// holds the Lease for too long.
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
