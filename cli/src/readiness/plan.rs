//! `portolan readiness --plan`: writes the steps of a report into files.
//!
//! If a step sets fields of one object, a file for `kubectl apply --server-side` is written. Other
//! steps, such as an approval or a deletion, are commands in the README. `steps.json` contains the
//! goal of each step, which `--check` reads.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use portolan_core_route::readiness::When;
use serde::{Deserialize, Serialize};

use super::report::Report;
use super::step::{Step, StepGoal, when};
use crate::failure::Failure;
use crate::print::markdown::{code, prose};
use crate::print::{documents, one_line};

/// The name of the file with the goals of all steps.
pub(super) const STEPS: &str = "steps.json";

/// The maximum length of a file name, without its number and extension.
const LONGEST: usize = 80;

/// The steps that `steps.json` contains.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlannedSteps {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) steps: Vec<PlannedStep>,
}

/// A step in `steps.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PlannedStep {
    /// The number of the step. The first step has the number 1.
    pub(super) number: usize,
    #[serde(with = "when")]
    pub(super) when: When,
    pub(super) operator: String,
    /// The installer of the operator.
    pub(super) manager: String,
    pub(super) message: String,
    pub(super) who: String,
    /// The command that carries out the step. Empty if there is no such command.
    pub(super) command: String,
    /// The file that the command applies. Empty if the command applies no file.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) file: String,
    pub(super) goal: StepGoal,
}

/// Writes the steps of a report into a new folder or an empty folder. Returns the number of steps.
pub(super) fn write(folder: &Path, report: &Report) -> Result<usize, Failure> {
    must_be_empty(folder)?;
    let failed = |error: io::Error| {
        Failure::failed_to(
            format!("cannot write {} (--plan)", folder.display()),
            &error,
        )
    };
    fs::create_dir_all(folder).map_err(failed)?;
    let mut steps = Vec::new();
    let planned = report.steps().iter().filter(|step| is_planned(step));
    for (at, step) in planned.enumerate() {
        let planned = PlannedStep::of(at + 1, step);
        if let Some(manifest) = &step.manifest {
            let title = one_line(&format!("{}: {}", step.operator, step.message));
            let text = format!("# {title}\n{}", documents([manifest].into_iter())?);
            fs::write(folder.join(&planned.file), text).map_err(failed)?;
        }
        steps.push(planned);
    }
    let count = steps.len();
    let all = PlannedSteps {
        from: report.from().to_owned(),
        to: report.to().to_owned(),
        steps,
    };
    fs::write(folder.join("README.md"), readme(&all)).map_err(failed)?;
    let json = serde_json::to_string_pretty(&all).map_err(Failure::failed)?;
    fs::write(folder.join(STEPS), json + "\n").map_err(failed)?;
    Ok(count)
}

/// Returns an error if the folder contains files, because these files may be the steps of another
/// plan.
pub(super) fn must_be_empty(folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(Failure::usage(format!(
                "folder {} (--plan) is not empty; use a new folder",
                folder.display()
            ))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => {
            let act = format!("cannot read {} (--plan)", folder.display());
            Err(Failure::refused_to(act, &error))
        }
    }
}

/// Returns true if the step is an action, and is not done by a program without help.
fn is_planned(step: &Step) -> bool {
    let is_action = match step.when {
        When::Before | When::Blocks | When::Between | When::After => true,
        When::Note | When::NotChecked => false,
    };
    is_action && !step.is_detail
}

fn readme(all: &PlannedSteps) -> String {
    let mut text = format!(
        "# Steps from {} to {}\n\n",
        prose(&all.from),
        prose(&all.to)
    );
    text += "Do the steps in this order, and run the commands in this folder. A file sets fields of \
             one object. If the\nobject comes from Git, make the same change there, because its \
             tool reverts other changes. No step\ndeletes a CRD.\n";
    for when in When::ALL {
        let mut steps = all.steps.iter().filter(|step| step.when == when).peekable();
        if steps.peek().is_some() {
            let _ = write!(text, "\n## {}\n\n", when.heading());
        }
        for step in steps {
            let _ = writeln!(
                text,
                "{}. **{}**: {} Who: {}.",
                step.number,
                prose(&step.operator),
                prose(&step.message),
                prose(&step.who)
            );
            if !step.command.is_empty() {
                let _ = writeln!(text, "   {}", code(&step.command));
            }
        }
    }
    if all.steps.is_empty() {
        text += "\nNothing must be done.\n";
    }
    text += "\nRun `portolan readiness --check` with this folder after each step. The command \
             lists the steps that are not yet done.\n";
    text
}

// === impl PlannedStep ===

impl PlannedStep {
    fn of(number: usize, step: &Step) -> Self {
        let file = match &step.manifest {
            Some(_) => format!("{number:04}-{}.yaml", slug(&step.operator)),
            None => String::new(),
        };
        let command = match file.as_str() {
            "" => step.command.clone(),
            file => format!("kubectl apply --server-side -f {file}"),
        };
        Self {
            number,
            when: step.when,
            operator: step.operator.clone(),
            manager: step.manager.clone(),
            message: step.message.clone(),
            who: step.who.clone(),
            command,
            file,
            goal: step.goal.clone(),
        }
    }
}

/// Returns the name in a form that is valid in a file name.
fn slug(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let letters = name.chars().map(|c| if is_plain(c) { c } else { '-' });
    letters.take(LONGEST).collect()
}
