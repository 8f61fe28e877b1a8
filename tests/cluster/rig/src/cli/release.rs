//! The command `portolan-rig release`.

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::release::{Places, Platform, Release};
use crate::say;

#[derive(Args)]
pub(super) struct Options {
    /// The program for a platform, such as linux-amd64=target/dist/portolan; can be repeated
    #[arg(
        long = "program",
        value_name = "PLATFORM=FILE",
        value_parser = program,
        required = true
    )]
    programs: Vec<(Platform, PathBuf)>,
    /// The folder for the files, which must be empty or new
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// The tag of the release, such as v0.2.0: an error unless it names the version of the workspace
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
    /// The root of the repository
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    root: PathBuf,
    /// The repository of the image, which the chart then uses by default
    #[arg(long, value_name = "REGISTRY/REPOSITORY")]
    image: Option<String>,
    /// The address of the folder with the files, for the manifest for krew and the install script
    #[arg(long, value_name = "URL", requires = "homepage")]
    downloads: Option<String>,
    /// The address of the project
    #[arg(long, value_name = "URL", requires = "downloads")]
    homepage: Option<String>,
    /// Push the image and the chart to a registry that listens without TLS, as REPOSITORY:VERSION
    /// and as charts/REPOSITORY:VERSION
    #[arg(long, value_name = "HOST:PORT")]
    push: Option<String>,
}

/// Writes the files of a release, and prints their sizes and digests.
pub(super) fn release(options: Options) -> Result<(), Failure> {
    let places = options.downloads.zip(options.homepage);
    let release = Release {
        root: options.root,
        version: version(options.tag)?,
        programs: options.programs,
        image: options.image,
        places: places.map(|(downloads, homepage)| Places {
            downloads,
            homepage,
        }),
    };
    fs::create_dir_all(&options.output).map_err(Failure::touch("create the folder"))?;
    for file in release.files()? {
        let path = options.output.join(&file.name);
        fs::write(&path, &file.content)
            .map_err(Failure::touch(format!("write {}", path.display())))?;
        println!(
            "{}  {:>11}  {}",
            file.digest(),
            file.content.len(),
            file.name
        );
    }
    if release.places.is_none() {
        say!("portolan.yaml and install.sh are left out: they need --downloads and --homepage");
    }
    let Some(registry) = options.push else {
        return Ok(());
    };
    let tag = &release.version;
    let image = release
        .images()?
        .push(&format!("{registry}/portolan:{tag}"))?;
    say!("pushed as {image}");
    let chart = release.chart_artifact()?;
    say!(
        "pushed as {}",
        chart.push(&format!("{registry}/charts/portolan:{tag}"))?
    );
    Ok(())
}

/// Returns the version of the workspace. Returns an error if the tag names another version.
fn version(tag: Option<String>) -> Result<String, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    match tag {
        Some(tag) if tag != format!("v{version}") => Err(Failure::Release {
            why: format!("the tag is {tag}, but Cargo.toml has the version {version}"),
        }),
        _ => Ok(version.to_owned()),
    }
}

fn program(text: &str) -> Result<(Platform, PathBuf), String> {
    let (platform, path) = text
        .split_once('=')
        .ok_or_else(|| format!("{text:?} must be PLATFORM=FILE"))?;
    Ok((platform.parse()?, path.into()))
}
