//! `portolan plan diff`: shows the changes that a plan makes, or the effects of deleting a plan.

mod live;
mod page;

use std::collections::BTreeSet;
use std::path::Path;

use clap::Parser;
use portolan_api::plan::{InstallPlan, Intent};
use portolan_core_install::{ManifestFault, PlanVersion, Succession, deletion, difference};
use portolan_core_olm::State;

use self::page::{DeletionDocument, DifferenceDocument};
use super::facts::{PlanArgs, Plans, version};
use super::plan_ref::{PlanFile, PlanRef};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Format, TEXT_OR_JSON};

/// Show what an InstallPlan changes: objects that are added, removed and changed, field by field.
///
/// Compares the manifests of two plans, not the objects of a cluster. Values of Secrets are hidden.
/// Objects that the new plan does not contain are listed as deleted or kept, with the reason.
/// Changes of immutable fields are reported.
///
/// With --live the plan is compared with the objects of the cluster instead. Each object to write
/// is sent to the API server as a server-side dry run, with the permissions of the current user.
///
/// Without --against the plan is compared with the plan that it replaces, or with all plans that it
/// merges. Two files are compared without a cluster, unless an option selects a cluster.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  nothing changes",
        "1  an object changes; with --delete: an object is deleted; with --live: an object changes \
         or conflicts";
        "portolan plan diff next.yaml",
        "portolan plan diff next.yaml --against deployed.yaml",
        "portolan plan make ./ferry -n harbor -f deployed.yaml | portolan plan diff - --against deployed.yaml",
        "portolan plan diff ferry-13d41c06 -n harbor --against ferry-7087355c",
        "portolan plan diff ferry-13d41c06 -n harbor --delete",
        "portolan plan diff next.yaml --live",
        "portolan plan diff ferry-13d41c06 -n harbor --live"
    )
)]
pub(crate) struct PlanDiffArgs {
    /// New plan: a file with its Secrets and ResourceManifests, `-`, or the name of an existing
    /// plan.
    #[arg(value_name = "FILE|NAME")]
    plan: PlanRef,

    /// Old plan: a file, `-`, or the name of an existing plan. Repeat the option for each plan of a
    /// merge.
    #[arg(long, value_name = "FILE|NAME")]
    against: Vec<PlanRef>,

    /// Show which objects are deleted with the plan, which objects the previous plan restores, and
    /// which objects cannot be restored.
    #[arg(long)]
    delete: bool,

    /// Compare the plan with the cluster, and show what applying the plan would create, change and
    /// delete now.
    #[arg(long, conflicts_with_all = ["against", "delete"])]
    live: bool,

    /// Namespace of the plans.
    #[arg(short, long, value_name = "NAMESPACE")]
    #[arg(default_value = "", hide_default_value = true)]
    namespace: String,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(TEXT_OR_JSON))]
    output: Format,

    #[command(flatten)]
    facts: PlanArgs,
}

/// The plans that are compared.
struct Pair {
    /// The old plans, newest first. There are several old plans if the new plan merges them.
    old: Vec<PlanVersion>,
    new: PlanVersion,
}

// === impl PlanDiffArgs ===

impl PlanDiffArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if self.live {
            return live::run(&self.facts, &self.plan, (&self.namespace, self.output)).await;
        }
        let Pair { old, new } = self.pair().await?;
        let wrong = new.faults.iter().filter(|fault| fault.state == State::No);
        let wrong: Vec<_> = wrong.map(ManifestFault::to_string).collect();
        if !wrong.is_empty() {
            wrong
                .iter()
                .for_each(|fault| print::error(&format!("{}: {fault}", new.name)));
            return Ok(Exit::BadInput);
        }
        if self.delete {
            if matches!(self.plan, PlanRef::Name(_)) && !new.status.has_begun() {
                print::warn(&format!(
                    "plan {} has not started and has no objects yet; the listed objects would be removed after the plan has created them",
                    new.name
                ));
            }
            let deletion = deletion(&new, &old);
            return self
                .output
                .show(&DeletionDocument::of(&new, &old, deletion));
        }
        let difference = difference(&old, &new);
        let exit = self
            .output
            .show(&DifferenceDocument::of(&new, &old, difference))?;
        for old in old.iter().filter(|old| !replaces(&new, old)) {
            print::warn(&format!(
                "plan {} does not replace {}; if both plans are applied, no objects are removed, \
                 and only one of the plans owns the common objects",
                new.name, old.name
            ));
        }
        Ok(exit)
    }

    async fn pair(&self) -> Result<Pair, Failure> {
        let is_stdin = |asked: &&PlanRef| **asked == PlanRef::File("-".into());
        let asked = [&self.plan].into_iter().chain(&self.against);
        if asked.filter(is_stdin).count() > 1 {
            return Err(Failure::usage(
                "standard input can contain only one plan; use a file for the other plan",
            ));
        }
        let files = self.against.iter().map(|asked| match asked {
            PlanRef::File(file) => Some(file.as_path()),
            PlanRef::Name(_) => None,
        });
        let files: Option<Vec<_>> = files.collect();
        let written = match &self.plan {
            PlanRef::File(file) => Some(PlanFile::within(file, &self.namespace)?),
            PlanRef::Name(_) => None,
        };
        match (&written, files) {
            _ if self.facts.is_given() => self.of_cluster(written).await,
            (Some(new), Some(files)) if !files.is_empty() || !has_predecessors(&new.plan) => {
                let old: Result<_, _> = files.into_iter().map(of_file).collect();
                Ok(Pair {
                    old: old?,
                    new: version(&new.plan, &new.contents)?,
                })
            }
            _ => self.of_cluster(written).await,
        }
    }

    async fn of_cluster(&self, written: Option<PlanFile>) -> Result<Pair, Failure> {
        let namespace = match &written {
            Some(written) => written.namespace()?,
            None => &self.namespace,
        };
        let plans = self.facts.read(namespace).await?;
        let is_written = written.is_some();
        let new = match written {
            Some(written) => written,
            None => {
                let PlanRef::Name(name) = &self.plan else {
                    return Err(Failure::usage("name a plan"));
                };
                PlanFile {
                    plan: (**plans.named(name)?).clone(),
                    contents: Default::default(),
                }
            }
        };
        let mut old = Vec::new();
        for asked in &self.against {
            old.push(match asked {
                PlanRef::File(file) => of_file(file)?,
                PlanRef::Name(name) => of_name(&plans, name).await?,
            });
        }
        if self.against.is_empty() {
            for name in self.before(&plans, &new.plan, is_written) {
                old.push(of_name(&plans, &name).await?);
            }
        }
        let new = plans.version(&new.plan, new.contents).await?;
        Ok(Pair { old, new })
    }

    /// Returns the names of the old plans. For the effects of a deletion, these are the plans that
    /// get back the objects of the deleted plan, and never the deleted plan.
    fn before(&self, plans: &Plans, plan: &InstallPlan, is_written: bool) -> Vec<String> {
        if !self.delete {
            return before(plans, plan, is_written);
        }
        let name = plan.metadata.name.as_deref().unwrap_or_default();
        let existing = plans.named(name).ok().filter(|_| is_written);
        before(plans, existing.map_or(plan, AsRef::as_ref), false)
    }
}

fn of_file(file: &Path) -> Result<PlanVersion, Failure> {
    let PlanFile { plan, contents } = PlanFile::read(file)?;
    version(&plan, &contents)
}

async fn of_name(plans: &Plans, name: &str) -> Result<PlanVersion, Failure> {
    let plan = plans.named(name)?;
    plans.version(plan, Default::default()).await
}

fn has_predecessors(plan: &InstallPlan) -> bool {
    Intent::parse(plan).is_ok_and(|intent| !intent.replaces.is_empty())
}

fn replaces(new: &PlanVersion, old: &PlanVersion) -> bool {
    let mut replaces = new.intent.replaces.iter();
    new.name == old.name || replaces.any(|one| one.matches(&old.name, &old.labels))
}

/// Returns the names of the old plans: the plans that this plan replaces, newest first. If a file
/// contains a plan that already exists, the old plan is the existing plan.
fn before(plans: &Plans, plan: &InstallPlan, is_written: bool) -> Vec<String> {
    let name = plan.metadata.name.as_deref().unwrap_or_default();
    let is_there = plans.all.iter().any(|(key, _)| *key.name == *name);
    if plan.metadata.uid.is_none() && is_written && is_there {
        return vec![name.to_owned()];
    }
    let Succession { predecessors, .. } = plans.succession(plan);
    let mut names: Vec<_> = predecessors.into_iter().map(|peer| peer.name).collect();
    // Omits a plan that another plan in the list has replaced.
    let replaced = names.iter().flat_map(|name| plans.replaced_by(plan, name));
    let replaced: BTreeSet<_> = replaced.collect();
    names.retain(|name| !replaced.contains(name));
    names
}
