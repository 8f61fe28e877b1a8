//! `portolan plan make`: creates a plan from manifests. kubectl can apply the plan, and a Git
//! repository can store it.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use portolan_api::plan::{Collisions, Disposition, MOST_REPLACES};
use portolan_core_install::{Flaw, Predecessors, Recipe, make};

use super::plan_ref::PlanFile;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Format, OBJECTS};
use crate::sources::{STDIN, Sources};

/// Create an InstallPlan from manifests, and print it with its Secrets and ResourceManifests.
///
/// The plan is named NAME-DIGEST: equal manifests result in the same plan, and different manifests
/// result in a plan with another name. Nothing is applied, and no cluster is contacted.
///
/// Manifests are assigned to stages by kind, and keep their order within a stage. The stages are
/// definitions (CRDs and Namespaces), settings (permissions, ConfigMaps, storage, and custom
/// resources of existing operators), workloads, registrations (webhooks and APIServices),
/// custom-resources (of kinds that the plan defines).
///
/// Install hooks of Helm and Argo CD, sync waves, change rules of kapp, and
/// `helm.sh/resource-policy: keep` are translated into stages, Jobs and lifecycle settings. An
/// annotation that has no equivalent in a plan is an error.
///
/// Secrets are printed before the plan, inside immutable Secrets to which the plan refers.
/// Manifests that would make the plan too large are printed as ResourceManifests. Use `kubectl
/// apply --server-side`: client-side apply has a smaller size limit.
///
/// If manifests have errors, all errors are reported at once, and no plan is printed.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the plan is printed";
        "portolan plan make ./ferry -n harbor | kubectl apply --server-side -f -",
        "kustomize build . | portolan plan make - --name ferry -n harbor --replaces ferry-0b5e1c2d",
        "portolan plan make ./ferry -n harbor -f deployed.yaml > next.yaml",
        "portolan plan make ./ferry ./pilot --name fleet -n harbor --replaces ferry-7087355c --replaces pilot-13d41c06",
        "portolan plan make ./ferry -n harbor --prune-safe --on-plan-deletion delete > repository/ferry.yaml"
    )
)]
pub(crate) struct PlanMakeArgs {
    /// Files and folders of manifests in YAML or JSON. Use - for standard input. The files of a
    /// folder are read in alphabetical order.
    #[arg(value_name = "DIR|FILE|-", required = true)]
    manifests: Vec<PathBuf>,

    /// Also read subfolders.
    #[arg(short = 'R', long)]
    recursive: bool,

    /// Name of the plan without its digest. Default: the name of the only folder or file.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Namespace of the plan. Also the namespace of manifests without a namespace, if their kind is
    /// known to be namespaced.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,

    /// ServiceAccount that applies the plan, in the namespace of the plan.
    #[arg(long, value_name = "NAME", default_value = "installer")]
    service_account: String,

    /// Name of the plan to replace, or `none`. Repeat the option to merge several plans.
    #[arg(long, value_name = "PLAN|none")]
    replaces: Vec<String>,

    /// File of the plan to replace, or `-`. If the plan in this file has the same manifests, this
    /// plan is printed unchanged, and still replaces the same plans.
    #[arg(
        short = 'f',
        long = "filename",
        value_name = "PLAN.yaml",
        conflicts_with = "replaces"
    )]
    before: Option<PathBuf>,

    /// Replace all existing plans of the same NAME, selected by label.
    ///
    /// The printed plan names no other plan, so you can keep the plan in a Git repository. A tool
    /// may delete the previous plan as soon as the new plan exists. Objects that belong to both
    /// plans are kept. Objects that belong only to the previous plan are deleted only while the
    /// previous plan exists. With `--on-plan-deletion delete`, the previous plan exists until the
    /// new plan is ready.
    #[arg(long, conflicts_with_all = ["replaces", "before"])]
    prune_safe: bool,

    /// What to do with the objects of the plan when the plan is deleted. Default: keep.
    #[arg(long, value_name = "WHAT")]
    on_plan_deletion: Option<Fate>,

    /// Action on existing objects that no plan created. Default: refuse.
    #[arg(long, value_name = "WHAT")]
    collisions: Option<Existing>,

    /// Print each manifest as a separate object, and print only references in the plan. Then a
    /// manifest that several versions share is stored only once.
    #[arg(long)]
    split: bool,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "yaml", value_parser = Format::among(OBJECTS))]
    output: Format,
}

/// The keyword with which the user specifies that the new plan replaces no plan.
const NONE: &str = "none";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Fate {
    /// Keep the objects.
    Keep,
    /// Delete the objects, except CustomResourceDefinitions, Namespaces and PersistentVolumeClaims.
    Delete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Existing {
    /// Do not change existing objects. The plan waits.
    Refuse,
    /// Adopt existing objects, unless a plan, a controller, Helm, Flux or OLM claims them.
    IfUnowned,
    /// Adopt existing objects, including fields of other field managers.
    Adopt,
}

// === impl PlanMakeArgs ===

impl PlanMakeArgs {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let recipe = self.recipe()?;
        let Sources { all, faults, .. } = Sources::read(&self.manifests, self.recursive)?;
        let manifests: Vec<_> = all.iter().map(|source| source.manifest.clone()).collect();
        let made = match make(&manifests, &recipe) {
            Ok(made) if faults.is_empty() => made,
            Ok(_) => {
                faults.iter().for_each(|fault| print::error(fault));
                return Ok(Exit::BadInput);
            }
            Err(flaws) => {
                faults.iter().for_each(|fault| print::error(fault));
                // Omits these errors if no manifest could be read. The errors about unreadable
                // documents already explain the problem.
                let flaws = flaws
                    .iter()
                    .filter(|_| !all.is_empty() || faults.is_empty());
                flaws.for_each(|Flaw { manifest, sentence }| match manifest {
                    Some(at) => print::error(&format!("{}: {sentence}", all[*at].place)),
                    None => print::error(sentence),
                });
                return Ok(Exit::BadInput);
            }
        };
        let objects: Vec<_> = made.objects().collect();
        print::text(&print::objects(self.output, &objects)?)?;
        Ok(Exit::Answered)
    }

    /// Returns the names of the plans that the new plan will replace.
    fn replaced_names(&self) -> Result<Vec<String>, Failure> {
        let names: Vec<_> = self.replaces.iter().filter(|name| *name != NONE).collect();
        if !names.is_empty() && names.len() < self.replaces.len() {
            return Err(Failure::usage(
                "--replaces none cannot be combined with other plans; give either `none` or names of plans",
            ));
        }
        if names.len() > MOST_REPLACES {
            return Err(Failure::usage(format!(
                "--replaces is given {} times; a plan replaces at most {MOST_REPLACES} plans",
                names.len()
            )));
        }
        Ok(names.into_iter().cloned().collect())
    }

    fn recipe(&self) -> Result<Recipe, Failure> {
        let predecessors = match (self.replaced_names()?, &self.before) {
            (names, _) if !names.is_empty() => Predecessors::Named(names),
            (_, Some(file)) => Predecessors::Read(Box::new(PlanFile::read(file)?.plan)),
            (_, None) if self.prune_safe => Predecessors::OfSameName,
            (_, None) => Predecessors::None,
        };
        Ok(Recipe {
            name: match &self.name {
                Some(name) => name.clone(),
                None => usual_name(&self.manifests)?,
            },
            namespace: self.namespace.clone(),
            service_account: self.service_account.clone(),
            predecessors,
            on_plan_deletion: self.on_plan_deletion.map(|fate| match fate {
                Fate::Keep => Disposition::Keep,
                Fate::Delete => Disposition::Delete,
            }),
            collisions: self.collisions.map(|existing| match existing {
                Existing::Refuse => Collisions::Refuse,
                Existing::IfUnowned => Collisions::IfUnowned,
                Existing::Adopt => Collisions::Adopt,
            }),
            is_split: self.split,
            heeds_annotations: true,
        })
    }
}

/// Returns the default name of the plan, which is the name of the only folder or file. Returns an
/// error if there are several.
fn usual_name(paths: &[PathBuf]) -> Result<String, Failure> {
    let unnamed = || Failure::usage("plan name missing; use --name, such as --name ferry");
    let [path] = paths else {
        return Err(unnamed());
    };
    if path == Path::new(STDIN) {
        return Err(unnamed());
    }
    // A path such as `.` has no name, so the path is resolved first.
    let path = path.canonicalize();
    let path = path.map_err(|error| {
        let act = format!("cannot read {}", paths[0].display());
        Failure::refused_to(act, &error)
    })?;
    let name = if path.is_dir() {
        path.file_name()
    } else {
        path.file_stem()
    };
    let name = name.and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(unnamed)
}
