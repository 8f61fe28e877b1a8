//! `portolan install`: installs Portolan on a cluster.

mod crds;
mod profile;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub(crate) use self::profile::{CERTIFIED, NAMESPACE, Profile, manifests, reference};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::program_name::ProgramName;

/// Install Portolan on a cluster, or upgrade it.
///
/// The profile `look` only reads the cluster: it serves diagnoses, health and upgrades, and the
/// console. The profile `manage` also installs and upgrades operators. The command applies the
/// objects with server-side apply and creates certificates that are missing. If you change the
/// profile, objects that are missing from the new profile are deleted. Use `create` to install
/// operators.
#[derive(Debug, Parser)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = exit::after_help!(
        "0  all objects are applied; with --dry-run: they can be applied",
        "1  an object is not applied; each such object is listed with the reason";
        "portolan install --profile look --image registry.example/portolan:0.2.0",
        "portolan install --profile manage --dry-run",
        "portolan install --profile look -o yaml",
        "portolan install crds"
    )
)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    profile: profile::ProfileArgs,

    #[command(subcommand)]
    instead: Option<InstallCommand>,
}

#[derive(Debug, Subcommand)]
enum InstallCommand {
    Crds(crds::InstallCrdsArgs),

    /// Any other word, such as the name of an operator.
    #[command(external_subcommand)]
    Other(Vec<OsString>),
}

// === impl InstallArgs ===

impl InstallArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self.instead {
            Some(InstallCommand::Crds(command)) => command.run().await,
            Some(InstallCommand::Other(words)) => Err(not_installed(&words)),
            None => self.profile.run().await,
        }
    }
}

/// Returns the error for an unknown subcommand. The error suggests the command that installs an
/// operator, because the user may want to install one.
fn not_installed(words: &[OsString]) -> Failure {
    let program = ProgramName::now();
    let program = program.typed();
    let word = words.first().map(|word| word.to_string_lossy());
    let word = word.unwrap_or_default();
    Failure::usage(format!(
        "`install` has only the subcommand `crds`, not {word:?}; to install an operator: {program} create {word}"
    ))
}
