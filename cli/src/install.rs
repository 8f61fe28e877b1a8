//! `portolan install`: installs the CRDs that controllers need.

mod crds;

use std::ffi::OsString;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::program_name::ProgramName;

/// Install CRDs of Portolan on a cluster. Use `create` to install operators.
#[derive(Debug, Subcommand)]
pub(crate) enum InstallCommand {
    Crds(crds::InstallCrdsArgs),

    /// Any other word, such as the name of an operator.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

// === impl InstallCommand ===

impl InstallCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Crds(command) => command.run().await,
            Self::Other(words) => Err(not_installed(&words)),
        }
    }
}

/// Returns the error for a word other than `crds`, which names the commands that install operators.
fn not_installed(words: &[OsString]) -> Failure {
    let program = ProgramName::now();
    let program = program.typed();
    let word = words.first().map(|word| word.to_string_lossy());
    let word = word.unwrap_or_default();
    Failure::usage(format!(
        "`install` has only the subcommand `crds`, not {word:?}; to install an operator: {program} create {word}"
    ))
}
