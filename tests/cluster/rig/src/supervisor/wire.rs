//! The messages between a test and its supervisor. Each message is one line.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A process to start. Its output is written to `logs/<name>.log`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    /// Additional environment variables. Each process of a rig also has a few other variables.
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
    /// The first message of the supervisor: the reserved folder and ports.
    Claimed {
        folder: PathBuf,
        first_port: u16,
    },
    Done,
    /// The response to `Look` and `EndOf` if a process has exited that the test did not kill.
    Ended {
        name: String,
        status: String,
    },
    Refused {
        message: String,
    },
}
