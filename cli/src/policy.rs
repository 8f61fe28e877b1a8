//! `portolan policy`: commands about Policies of `operators.operatorframework.io`. These Policies
//! restrict when operators may be upgraded.

mod facts;
mod test;
mod windows;

use clap::Subcommand;

use crate::exit::Exit;
use crate::failure::Failure;

/// Test Policies of operators.operatorframework.io, which decide when operators may be upgraded.
///
/// These Policies are unrelated to the kind Policy of Open Cluster Management. For
/// OperatorPolicies, use `explain`.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    Test(test::PolicyTestArgs),
    Windows(windows::PolicyWindowsArgs),
}

// === impl PolicyCommand ===

impl PolicyCommand {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Test(command) => command.run().await,
            Self::Windows(command) => command.run().await,
        }
    }
}
