//! Creates the files with which users install a program of a release: the krew manifest and the
//! install script.

use std::fmt::Write as _;

use super::{Places, Release, ReleaseFile, text};
use crate::failure::Failure;

const KREW: &str = "deploy/krew/portolan.yaml";
const SCRIPT: &str = "deploy/install.sh";

/// Returns the krew manifest of the kubectl plugin. It refers to the archives for all platforms.
pub(super) fn krew(
    release: &Release,
    places: &Places,
    files: &[ReleaseFile],
) -> Result<ReleaseFile, Failure> {
    let mut platforms = String::new();
    for (platform, _) in &release.programs {
        let name = format!("{}.tar.gz", release.archive_name(*platform));
        let archive = files.iter().find(|file| file.name == name);
        let digest = archive.map(ReleaseFile::digest).unwrap_or_default();
        let program = platform.file_name();
        let plugin = program.replace("portolan", "kubectl-portolan");
        let _ = write!(
            platforms,
            "    - selector:\n        matchLabels:\n          os: {}\n          arch: {}\n      \
             uri: \"{}/{name}\"\n      sha256: \"{digest}\"\n      bin: {plugin}\n      files:\n        \
             - from: \"*/{program}\"\n          to: {plugin}\n        - from: \"*/LICENSE\"\n          \
             to: .\n",
            platform.os, platform.arch, places.downloads,
        );
    }
    let content = filled(release, places, KREW)?.replace("    @PLATFORMS@\n", &platforms);
    whole("portolan.yaml", content)
}

/// Returns the script that installs the program on Linux and macOS.
pub(super) fn script(release: &Release, places: &Places) -> Result<ReleaseFile, Failure> {
    whole("install.sh", filled(release, places, SCRIPT)?)
}

/// Returns a file of the repository in which the placeholders are replaced by the version and the
/// URLs of this release.
fn filled(release: &Release, places: &Places, file: &str) -> Result<String, Failure> {
    let content = text(&release.root.join(file))?;
    Ok(content
        .replace("@VERSION@", &release.version)
        .replace("@DOWNLOADS@", &places.downloads)
        .replace("@HOMEPAGE@", &places.homepage))
}

/// Returns the file, or an error if it still contains a placeholder.
fn whole(name: &str, content: String) -> Result<ReleaseFile, Failure> {
    let words = content.split(|letter: char| !(letter == '@' || letter.is_ascii_uppercase()));
    let is_mark = |word: &&str| word.len() > 2 && word.starts_with('@') && word.ends_with('@');
    match words.clone().find(is_mark) {
        Some(mark) => Err(Failure::Release {
            why: format!("nothing replaces {mark} in {name}"),
        }),
        None => Ok(ReleaseFile::new(name, content)),
    }
}
