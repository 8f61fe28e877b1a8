//! `portolan plan prune`: lists plans that are no longer needed. kubectl can delete them.

use clap::Parser;
use portolan_core_install::{Prunable, prunable};
use serde::Serialize;

use super::facts::PlanArgs;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{Detail, Format, OutputArgs, Page, Remark, Render, Table, words};

/// List InstallPlans that were replaced, and the objects that only these plans use.
///
/// The command deletes nothing. To delete the plans, pass the names to kubectl. The objects of the
/// plans stay in the cluster. The newest replaced plans of each lineage (a plan and its successors)
/// are not listed, so that you can roll back. Only plans that `plan make` created are listed.
///
/// Secrets and ResourceManifests are listed if `plan make` created them, and no remaining plan
/// refers to them.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the list is printed, even if it is empty";
        "portolan plan prune -n harbor",
        "portolan plan prune -n harbor --keep 5",
        "portolan plan prune -n harbor -o name | xargs -r kubectl -n harbor delete"
    )
)]
pub(crate) struct PlanPruneArgs {
    /// Number of replaced plans to keep for rollback in each lineage (a plan and its successors).
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    keep: usize,

    /// Namespace of the plans.
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: String,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: PlanArgs,
}

#[derive(Debug, Serialize)]
struct PrunableList {
    objects: Vec<PrunableDocument>,
    #[serde(skip)]
    namespace: String,
}

/// An object that the user can delete.
#[derive(Debug, Serialize)]
struct PrunableDocument {
    resource: &'static str,
    name: String,
}

// === impl PlanPruneArgs ===

impl PlanPruneArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let plans = self.facts.read(&self.namespace).await?;
        let plans: Vec<_> = plans.all.iter().map(|(_, plan)| &**plan).collect();
        let pruned = prunable(&plans, self.keep);
        let answer = PrunableList {
            objects: pruned.iter().map(PrunableDocument::of).collect(),
            namespace: self.namespace,
        };
        self.output.format.show(&answer)
    }
}

// === impl PrunableDocument ===

impl PrunableDocument {
    fn of(object: &Prunable) -> Self {
        Self {
            resource: object.resource(),
            name: object.name().to_owned(),
        }
    }
}

impl Render for PrunableList {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        if !self.objects.is_empty() {
            let table = Table::of(&self.objects, detail)
                .text("RESOURCE", &|object| object.resource)
                .text("NAME", &|object| object.name.as_str());
            page.table(table);
        }
        page
    }

    fn names(&self) -> Option<Vec<String>> {
        let names = self.objects.iter();
        let names = names.map(|it| format!("{}/{}", it.resource, it.name));
        Some(names.collect())
    }

    fn remark(&self, _: Format) -> Option<Remark> {
        let place = words::within(&self.namespace);
        let nothing = || Remark::Note(format!("No InstallPlans to prune{place}."));
        self.objects.is_empty().then(nothing)
    }
}
