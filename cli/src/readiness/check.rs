//! `portolan readiness --check`: compares the steps of a plan with the cluster, and shows the steps
//! that are not done.

use std::fs;
use std::io;
use std::path::Path;

use portolan_api::inventory::{InstalledOperator, Inventory};
use portolan_core_route::readiness::When;
use portolan_world::AnyWorld;
use serde::Serialize;

use super::plan::{PlannedStep, PlannedSteps, STEPS};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::markdown::{code, prose};
use crate::print::{Detail, Format, Page, Render, Span};
use crate::subscribed;

/// The steps of a plan, and the state of each step.
#[derive(Debug, Serialize)]
pub(super) struct Progress {
    from: String,
    to: String,
    steps: Vec<CheckedStep>,
    /// The objects that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
}

#[derive(Debug, Serialize)]
struct CheckedStep {
    state: StepState,
    #[serde(flatten)]
    step: PlannedStep,
}

/// The state of a step, compared with the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum StepState {
    Done,
    Left,
    /// The operator was not found. It may exist, because some objects could not be read.
    Unknown,
}

/// Reads the steps that `--plan` has written into a folder.
pub(super) fn read(folder: &Path) -> Result<PlannedSteps, Failure> {
    let place = folder.join(STEPS);
    let act = || format!("cannot read {} (--check)", place.display());
    let text = match fs::read_to_string(&place) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound && folder.is_dir() => {
            return Err(Failure::usage(format!(
                "folder {} (--check) was not written by readiness --plan: it has no {STEPS}",
                folder.display()
            )));
        }
        Err(error) => return Err(Failure::refused_to(act(), &error)),
    };
    serde_json::from_str(&text).map_err(|error| Failure::refused_to(act(), &error))
}

/// Compares the steps with the installed operators of a world.
pub(super) async fn check(world: &AnyWorld, planned: PlannedSteps) -> Progress {
    let inventory = subscribed::inventory(world, "").await;
    let steps = planned.steps.into_iter().map(|step| CheckedStep {
        state: state(&step, &inventory),
        step,
    });
    Progress {
        from: planned.from,
        to: planned.to,
        steps: steps.collect(),
        unread: inventory.gaps().iter().map(ToString::to_string).collect(),
    }
}

fn state(step: &PlannedStep, inventory: &Inventory) -> StepState {
    let mut operators = inventory.operators().iter();
    let found =
        operators.find(|it| it.manager.as_str() == step.manager && located(it) == step.operator);
    match found {
        Some(operator) if step.goal.is_reached_by(operator) => StepState::Done,
        Some(_) => StepState::Left,
        None if inventory.gaps().is_empty() => StepState::Done,
        None => StepState::Unknown,
    }
}

/// Returns the operator as NAMESPACE/NAME.
fn located(operator: &InstalledOperator) -> String {
    match &operator.subscription {
        Some(key) => key.to_string(),
        None => operator.object.key().to_string(),
    }
}

// === impl Progress ===

impl Progress {
    fn count(&self, state: StepState) -> usize {
        self.steps.iter().filter(|step| step.state == state).count()
    }

    fn headline(&self) -> String {
        let (all, left) = (self.steps.len(), self.count(StepState::Left));
        let unknown = match self.count(StepState::Unknown) {
            0 => String::new(),
            unknown => format!(", {unknown} unknown"),
        };
        format!(
            "Steps left from {} to {}: {left} of {all}{unknown}.",
            self.from, self.to
        )
    }

    /// Returns the steps for this phase of the upgrade that are not done.
    fn open(&self, when: When) -> Vec<&CheckedStep> {
        let steps = self.steps.iter();
        let steps = steps.filter(|it| it.step.when == when && it.state != StepState::Done);
        steps.collect()
    }
}

impl Render for Progress {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        let headline = self.headline();
        page.line([match self.exit() {
            Exit::Answered => Span::good(headline),
            Exit::No | Exit::Unknown | Exit::BadInput => Span::warning(headline),
        }]);
        for when in When::ALL {
            let open = self.open(when);
            if open.is_empty() {
                continue;
            }
            page.section(when.heading());
            for CheckedStep { step, .. } in open {
                let PlannedStep {
                    number,
                    operator,
                    message,
                    who,
                    command,
                    ..
                } = step;
                page.below([format!("{number}. {operator}: {message}").into()]);
                page.indented(2, [format!("who: {who}").into()]);
                if !command.is_empty() {
                    page.indented(2, [command.into()]);
                }
            }
        }
        for gap in &self.unread {
            page.text_line(gap);
        }
        page
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        let mut text = format!("# {}\n\n", prose(&self.headline()));
        for CheckedStep { state, step } in &self.steps {
            let mark = match state {
                StepState::Done => "x",
                StepState::Left | StepState::Unknown => " ",
            };
            let (operator, message) = (prose(&step.operator), prose(&step.message));
            text += &format!("- [{mark}] **{operator}**: {message}");
            if !step.command.is_empty() && *state != StepState::Done {
                text += &format!(" {}", code(&step.command));
            }
            text.push('\n');
        }
        Ok(text)
    }

    fn exit(&self) -> Exit {
        let is_in_doubt = !self.unread.is_empty() || self.count(StepState::Unknown) > 0;
        Exit::no_if(self.count(StepState::Left) > 0).unless_in_doubt(is_in_doubt)
    }
}
