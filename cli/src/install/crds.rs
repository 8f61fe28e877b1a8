//! `portolan install crds`: applies the CRDs of Portolan.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use portolan_api::crds;
use portolan_controller::{AppliedCrd, CrdInstaller, CrdNotInstalled};
use portolan_core_names::nearest;
use portolan_core_names::text::listed;
use portolan_world::Access;
use serde_json::Value;

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Format, words};

/// The resource name of CRDs in the output of kubectl.
const RESOURCE: &str = "customresourcedefinition.apiextensions.k8s.io";

/// Install the CRDs of Portolan on a cluster, or upgrade them.
///
/// Uses server-side apply with the field manager portolan-install, and waits until the CRDs are
/// established. CRDs of other programs and newer CRDs are not changed. The folder `deploy` contains
/// the permissions and the Deployments of Portolan. `portolan up --enforce` runs the controllers
/// without these objects.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  all CRDs are established; with --dry-run: they can be applied",
        "1  a CRD is not installed; each such CRD is listed with the reason";
        "portolan install crds",
        "portolan install crds --dry-run",
        "portolan install crds installplans resourcemanifests --context staging",
        "portolan install crds --dry-run -o yaml"
    )
)]
pub(crate) struct InstallCrdsArgs {
    /// CRDs to install, by name or plural. Default: all.
    #[arg(value_name = "NAME")]
    crds: Vec<String>,

    /// Send a server-side dry run, and change nothing.
    #[arg(long)]
    dry_run: bool,

    /// Output format. Default: a line for each CRD.
    #[arg(short, long, value_name = "FORM")]
    output: Option<CrdFormat>,

    /// Overwrite fields that other field managers, such as Helm, have set to other values.
    #[arg(long)]
    force_conflicts: bool,

    /// Maximum time in seconds until all CRDs are established.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    timeout: u32,

    #[command(flatten)]
    access: Access,
}

/// The forms in which CRDs are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CrdFormat {
    /// The CRDs as YAML.
    Yaml,
    /// The names of the CRDs, as kubectl get -o name prints them.
    Name,
}

// === impl InstallCrdsArgs ===

impl InstallCrdsArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let chosen = chosen(&self.crds)?;
        let client = self.access.client().await.map_err(Failure::refused)?;
        let installer = CrdInstaller::new(client, self.dry_run).forcing(self.force_conflicts);
        let (mut applied, mut exit) = (BTreeMap::new(), Exit::Answered);
        let mut all = crds();
        all.retain(|name, _| chosen.contains(name));
        for (name, crd) in all {
            match installer.apply(&crd).await {
                Ok(crd) => drop(applied.insert(name, crd)),
                Err(error) => exit = report(&name, error)?,
            }
        }
        self.print(&applied)?;
        if self.dry_run {
            return Ok(exit);
        }
        let longest = Duration::from_secs(self.timeout.into());
        for name in applied.keys() {
            if let Err(error) = installer.until_established(name, longest).await {
                exit = report(name, error)?;
            }
        }
        Ok(exit)
    }

    fn print(&self, applied: &BTreeMap<String, AppliedCrd>) -> Result<(), Failure> {
        let dry = if self.dry_run { " (dry run)" } else { "" };
        let lines = applied.iter().map(|(name, it)| match self.output {
            Some(CrdFormat::Name) => format!("{RESOURCE}/{name}\n"),
            Some(CrdFormat::Yaml) | None => {
                format!("{RESOURCE}/{name} {}{dry}\n", it.change)
            }
        });
        if self.output != Some(CrdFormat::Yaml) {
            return print::text(&lines.collect::<String>());
        }
        let objects = applied.values().map(|it| printed(it, self.dry_run));
        let objects = objects.collect::<Result<Vec<Value>, _>>()?;
        let objects: Vec<_> = objects.iter().collect();
        print::text(&print::objects(Format::Yaml, &objects)?)
    }
}

/// Returns the names of the CRDs that the arguments select.
fn chosen(words: &[String]) -> Result<BTreeSet<String>, Failure> {
    let known: Vec<String> = crds().into_keys().collect();
    if words.is_empty() {
        return Ok(known.into_iter().collect());
    }
    let is_meant = |name: &str, word: &str| {
        let plural = name.split_once('.').map_or(name, |(plural, _)| plural);
        name == word || plural == word
    };
    let found = words.iter().map(|word| {
        let mut all = known.iter();
        let found = all.find(|name| is_meant(name, word)).cloned();
        found.ok_or_else(|| unknown(word, &known))
    });
    found.collect()
}

fn unknown(word: &str, known: &[String]) -> Failure {
    let plurals = known.iter().filter_map(|name| name.split('.').next());
    let plurals: Vec<_> = plurals.map(str::to_owned).collect();
    let near = nearest(word, known.iter().chain(&plurals));
    Failure::usage(format!(
        "Portolan has no CRD {word:?}{}; the CRDs of Portolan are {}",
        words::did_you_mean(near),
        listed(known)
    ))
}

/// Prints the reason why a CRD is not installed, and returns the exit code. Returns an error if the
/// API server does not respond.
pub(super) fn report(name: &str, error: CrdNotInstalled) -> Result<Exit, Failure> {
    if error.is_unknown() {
        return Err(Failure::failed(error));
    }
    print::error(&format!("CRD {name} is not installed: {error}"));
    Ok(Exit::No)
}

/// Returns a CRD without its managed fields. For a dry run, also removes the fields that the API
/// server generated, so that users can apply the output.
fn printed(applied: &AppliedCrd, is_dry_run: bool) -> Result<Value, Failure> {
    let mut crd = serde_json::to_value(&applied.crd).map_err(Failure::failed)?;
    let generated = ["creationTimestamp", "generation", "resourceVersion", "uid"];
    if let Some(metadata) = crd["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        metadata.retain(|key, _| !is_dry_run || !generated.contains(&key.as_str()));
    }
    if let Some(crd) = crd.as_object_mut().filter(|_| is_dry_run) {
        crd.remove("status");
    }
    Ok(crd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_crds_by_name_and_plural() {
        let words = ["operators", "installs.operators.coreos.com"].map(str::to_owned);
        let expected = [
            "installs.operators.coreos.com",
            "operators.operators.operatorframework.io",
        ];
        let found = chosen(&words).expect("both exist");
        assert_eq!(found, expected.map(str::to_owned).into());
        assert_eq!(chosen(&[]).expect("all"), crds().into_keys().collect());
    }

    #[test]
    fn rejects_crd_of_olm() {
        let word = "operators.operators.coreos.com".to_owned();
        let failure = chosen(&[word]).expect_err("it belongs to OLM");
        let message = failure.message();
        assert!(
            message.starts_with("Portolan has no CRD \"operators.operators.coreos.com\""),
            "{message}"
        );
    }
}
