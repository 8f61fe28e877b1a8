//! The test rig as a command. See `portolan_rig`.

use std::process::ExitCode;

fn main() -> ExitCode {
    portolan_rig::main()
}
