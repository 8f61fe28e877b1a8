//! The command `portolan-rig image`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::image::{CERTIFICATES, Program, Start};
use crate::say;

#[derive(Args)]
pub(super) struct Options {
    /// The program that cargo or Go has built. The image runs the program from /usr/local/bin
    program: PathBuf,
    /// Write the image into this file, as an OCI archive
    #[arg(long, value_name = "FILE", required_unless_present = "push")]
    output: Option<PathBuf>,
    /// The name of the image in the archive
    #[arg(
        long,
        value_name = "NAME:TAG",
        default_value = "localhost/image:latest"
    )]
    name: String,
    /// Push the image to a registry that listens without TLS
    #[arg(long, value_name = "HOST:PORT/REPOSITORY:TAG")]
    push: Option<String>,
    /// The certificates of public authorities
    #[arg(long, value_name = "FILE", default_value = CERTIFICATES)]
    certificates: PathBuf,
    /// Add the libraries of this machine to a program that is not static
    #[arg(long)]
    libraries: bool,
    /// Remove symbols and debugging information from the program, with the command strip
    #[arg(long)]
    strip: bool,
    /// Set an environment variable of the image
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    env: Vec<(String, String)>,
    /// Set a label of the image
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    label: Vec<(String, String)>,
}

/// Builds the image, and prints its digest.
pub(super) fn image(options: Options) -> Result<(), Failure> {
    let mut program = read(&options.program, options.libraries)?;
    if options.strip {
        program = program.stripped()?;
    }
    let start = Start {
        env: options.env,
        labels: options.label,
        ..Start::default()
    };
    let image = program
        .with_certificates(&options.certificates)
        .image(start)?;
    if let Some(file) = &options.output {
        image.write(&options.name, file)?;
        say!("{} is written to {}", options.name, file.display());
    }
    if let Some(reference) = &options.push {
        say!("pushed as {}", image.push(reference)?);
    }
    println!("{}", image.digest());
    Ok(())
}

fn read(path: &Path, has_libraries: bool) -> Result<Program, Failure> {
    if has_libraries {
        Program::with_libraries(path)
    } else {
        Program::fixed(path)
    }
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text
        .split_once('=')
        .ok_or_else(|| format!("{text:?} must be NAME=VALUE"))?;
    Ok((name.to_owned(), value.to_owned()))
}
