//! The messages between a test and its supervisor, one per line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A process to run. Its output is written to `logs/<name>.log`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// Variables in addition to the few that every process of a rig has.
    pub(crate) env: Vec<(String, String)>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    Start(Process),
    Kill { name: String },
    Terminate { name: String },
    Freeze { name: String },
    Thaw { name: String },
    Look,
    EndOf { name: String },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// The first message.
    Claimed {
        folder: PathBuf,
        first_port: u16,
    },
    Done,
    /// The response to `Look` and `EndOf`: a process exited without a stop order.
    Ended {
        name: String,
        status: String,
    },
    Refused {
        message: String,
    },
}
