//! `portolan man`: generates the man pages of all commands, for release archives.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::Parser;

use crate::cli;
use crate::exit::Exit;
use crate::failure::Failure;

/// Write the man page of each command to a folder.
///
/// The archives of a release contain these pages. For example, `man -l FOLDER/portolan-path.1`
/// shows the page of `path`.
#[derive(Debug, Parser)]
#[command(
    hide = true,
    after_help = "Exit codes:
  0  the pages are written
  3  the folder cannot be written"
)]
pub(crate) struct ManArgs {
    /// Folder for the pages. It is created if it does not exist.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

// === impl ManArgs ===

impl ManArgs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        self.write()
            .map_err(|error| Failure::failed_to("cannot write the man pages", &error))?;
        Ok(Exit::Answered)
    }

    fn write(&self) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        // Man pages contain the name of the program, and not the name of the plugin that the user
        // called.
        clap_mangen::generate_to(cli::program(), &self.folder)
    }
}
