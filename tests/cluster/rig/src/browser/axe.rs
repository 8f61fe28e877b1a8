//! Runs axe-core, which finds accessibility problems of a page.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use crate::cache;
use crate::failure::Failure;

/// The npm files that pin the versions of axe-core and its dependencies. The packages are
/// downloaded once, into the cache.
const PACKAGE: &str = include_str!("../../npm/package.json");
const LOCK: &str = include_str!("../../npm/package-lock.json");
const VERSION: &str = "4.14.1";

/// A JavaScript expression that runs all rules except experimental rules.
pub(super) const RUN: &str = "axe.run(document, {preload: false}).then(({violations}) => \
     violations.map(({id, help, nodes}) => ({id, help, places: nodes.map((it) => \
     `${it.html} ${it.failureSummary}`)})))";

/// An accessibility problem, and the HTML elements that have it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Finding {
    /// The id of the rule.
    pub id: String,
    /// The requirement of the rule, as a sentence.
    pub help: String,
    /// The elements with the problem, each with the reason.
    pub places: Vec<String>,
}

/// Returns the script that must be loaded into a page.
pub(super) fn script() -> Result<String, Failure> {
    let folder = cache::found_or_built(&format!("axe-core-{VERSION}"), fetch)?;
    let file = folder.join("node_modules/axe-core/axe.min.js");
    fs::read_to_string(&file).map_err(Failure::touch(format!("read {}", file.display())))
}

fn fetch(folder: &Path) -> Result<(), Failure> {
    for (name, text) in [("package.json", PACKAGE), ("package-lock.json", LOCK)] {
        fs::write(folder.join(name), text).map_err(Failure::touch("write the pins of npm"))?;
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-fund", "--no-audit"]);
    let done = npm.current_dir(folder).output();
    let done = done.map_err(|error| {
        let act = match error.kind() {
            ErrorKind::NotFound => "find npm, which fetches axe-core: install Node.js",
            _ => "run npm",
        };
        Failure::touch(act)(error)
    })?;
    if done.status.success() {
        return Ok(());
    }
    Err(Failure::Build {
        program: format!("axe-core {VERSION}"),
        message: String::from_utf8_lossy(&done.stderr).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axe_version_equals_the_pinned_version() {
        for pins in [PACKAGE, LOCK] {
            assert!(pins.contains(&format!("\"axe-core\": \"{VERSION}\"")));
        }
    }
}
