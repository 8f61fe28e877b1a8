//! The flags of queries about upgrades: the time of the upgrade, and the defaults of the cluster.

use clap::Args;
use jiff::Timestamp;
use portolan_approval::{Broken, Unbound, terms};
use portolan_core_approval::consent::Terms;

/// The parameters of queries about upgrades.
#[derive(Debug, Args)]
pub(crate) struct UpgradeTermArgs {
    /// Time at which Policies are evaluated (RFC 3339). Default: now.
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<Timestamp>,

    /// The decision for an operator that no PolicyBinding names.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "allow")]
    unbound: Unbound,

    /// The effect of a PolicyBinding that names a missing object.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "ignore")]
    broken: Broken,
}

// === impl UpgradeTermArgs ===

impl UpgradeTermArgs {
    pub(crate) fn time(&self) -> Timestamp {
        self.at.unwrap_or_else(Timestamp::now)
    }

    pub(crate) fn terms(&self) -> Terms {
        terms(self.unbound, self.broken)
    }

    /// Returns the options for the approval service in this process.
    pub(crate) fn options(&self) -> portolan_approval::Options {
        portolan_approval::Options {
            at: self.at,
            upgrades: Some(self.terms()),
            ..portolan_approval::Options::default()
        }
    }
}

/// Returns the options for the approval service in this process if the user specified no flags.
pub(crate) fn default_approval() -> portolan_approval::Options {
    portolan_approval::Options {
        upgrades: Some(Terms::default()),
        ..portolan_approval::Options::default()
    }
}

/// Parses a timestamp from the command line.
pub(crate) fn time(text: &str) -> Result<Timestamp, String> {
    let time = text.parse();
    time.map_err(|_| "invalid time; use a form such as 2026-11-28T12:00:00Z".to_owned())
}
