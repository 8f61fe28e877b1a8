//! `portolan catalog`: the catalogs themselves, and what is wrong with them.

mod check;
mod list;

use clap::Subcommand;

use crate::exit::Said;
use crate::failure::Failure;

/// Show which catalogs there are, and check them.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(list::Command),
    Check(check::Command),
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Said, Failure> {
        match self {
            Self::List(command) => command.run().await,
            Self::Check(command) => command.run().await,
        }
    }
}
