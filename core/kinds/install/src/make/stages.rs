//! Builds the stages of a plan. They refer to the manifests that are stored beside the plan.

use serde_json::{Value, json};

use super::Flaw;
use super::annotations::{Turn, job};
use super::kinds::{Brought, MadeStage};
use super::reading::Read;
use super::stored::Store;

/// A stage under construction.
struct Filled {
    turn: Turn,
    /// The kind of the stage. None for a stage that has only Jobs.
    kind: Option<MadeStage>,
    resources: Vec<Value>,
    jobs: Vec<Value>,
    /// True if no later stage needs the objects of this stage to be ready.
    is_applied_enough: bool,
}

/// Returns the stages for the sorted manifests.
///
/// # Errors
///
/// Returns a flaw if a manifest cannot be stored.
pub(super) fn stages(
    all: &[Read],
    brought: &Brought,
    store: &mut Store<'_>,
) -> Result<Vec<Value>, Flaw> {
    let beside = store.beside(all);
    let mut stages: Vec<Filled> = Vec::new();
    for (read, lies_beside) in all.iter().zip(beside) {
        let turn = read.ordered.turn;
        // A manifest waits until all manifests with an earlier position are applied.
        if let Some(last) = stages.last_mut().filter(|last| last.turn < turn) {
            last.is_applied_enough = false;
        }
        if read.ordered.is_hook_job {
            let hook = job(&read.member);
            match stages.last_mut() {
                Some(last) => last.jobs.push(hook),
                None => stages.push(Filled::of(turn, None, hook)),
            }
            continue;
        }
        let mut resource = if lies_beside {
            json!({"ref": store.put(read)?})
        } else {
            json!({"manifest": read.member.manifest})
        };
        let lifecycle = read.ordered.lifecycle();
        if !lifecycle.is_null() {
            resource["lifecycle"] = lifecycle;
        }
        let kind = brought.stage(&read.member.identity.kind);
        match stages.last_mut() {
            Some(last) if (last.turn, last.kind) == (turn, Some(kind)) && last.jobs.is_empty() => {
                last.resources.push(resource);
            }
            Some(_) | None => stages.push(Filled::of(turn, Some(kind), resource)),
        }
    }
    Ok(stages.into_iter().map(Filled::written).collect())
}

impl Filled {
    fn of(turn: Turn, kind: Option<MadeStage>, first: Value) -> Self {
        let (resources, jobs) = match kind {
            Some(_) => (vec![first], Vec::new()),
            None => (Vec::new(), vec![first]),
        };
        Self {
            turn,
            kind,
            resources,
            jobs,
            is_applied_enough: true,
        }
    }

    fn written(self) -> Value {
        let name = self.kind.map_or("jobs", MadeStage::name);
        let name = format!("{}{name}", self.turn.prefix());
        let mut stage = json!({"name": name, "resources": self.resources});
        if self.kind == Some(MadeStage::Settings) && self.is_applied_enough {
            // A custom resource of this stage may become ready only after a workload of a later
            // stage runs.
            stage["waitFor"] = json!("Applied");
        }
        if !self.jobs.is_empty() {
            stage["jobs"] = self.jobs.into();
        }
        stage
    }
}
