//! The command of the test rig. The crate `portolan_rig` implements it.

use std::process::ExitCode;

fn main() -> ExitCode {
    portolan_rig::main()
}
