//! `portolan diagnose --apply`: runs the steps of a fix, one after the other.

mod kubectl;
mod walk;

use std::io::{self, IsTerminal as _};

use jiff::Timestamp;
use portolan_core_diagnosis::{KubectlRun, Runnable};
use portolan_proto::diagnosis::v1::operator_diagnosis::State;
use portolan_proto::diagnosis::v1::step::Action;
use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis, Procedure, Step};
use portolan_world::Access;

use self::kubectl::KubectlTerminal;
use self::walk::{Ended, FixStep, StepRun, walk};
use super::{layout, parts};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// Runs the fix of the only diagnosis that has a fix. Asks the user before each step.
///
/// # Errors
/// Returns an error before the first step if there is no terminal for the questions.
pub(super) async fn apply(
    diagnoses: &[OperatorDiagnosis],
    access: &Access,
    is_confirmed: bool,
) -> Result<Exit, Failure> {
    let Some((cause, fix)) = only_fix(diagnoses)? else {
        return Ok(without_fix(diagnoses));
    };
    let steps = planned(fix, Timestamp::now().as_second())?;
    if !is_confirmed && !io::stdin().is_terminal() {
        return Err(Failure::usage(
            "a confirmation of each step requires a terminal; to run all steps without confirmation, use --yes",
        ));
    }
    print::text(&introduction(cause, fix))?;
    let mut terminal = KubectlTerminal::new(access, is_confirmed);
    let ended = walk(&steps, &mut terminal).await?;
    print::note(&ended.message(steps.len()));
    Ok(Exit::no_if(ended != Ended::Done))
}

/// Returns the only cause that has a fix, with the fix. Returns an error if several diagnoses have
/// a fix.
fn only_fix(diagnoses: &[OperatorDiagnosis]) -> Result<Option<(&Cause, &Procedure)>, Failure> {
    let mut fixes = diagnoses.iter().filter_map(|each| {
        let cause = each.cause.as_ref()?;
        Some((each, cause, cause.remedy.as_ref()?.fix.as_ref()?))
    });
    match (fixes.next(), fixes.next()) {
        (None, _) => Ok(None),
        (Some((_, cause, fix)), None) => Ok(Some((cause, fix))),
        (Some((first, ..)), Some((second, ..))) => Err(Failure::usage(format!(
            "several objects have a fix; select one object, such as {} or {}",
            parts::located(first),
            parts::located(second)
        ))),
    }
}

/// Prints the reason why no fix is run, and returns the exit code.
fn without_fix(diagnoses: &[OperatorDiagnosis]) -> Exit {
    let is_well = diagnoses.iter().all(|each| each.state() == State::Well);
    let remedies = diagnoses.iter().filter_map(|each| each.cause.as_ref());
    let mut remedies = remedies.filter_map(|cause| cause.remedy.as_ref());
    let has_choice = remedies.any(|remedy| !remedy.decide.is_empty());
    print::note(match (is_well, has_choice) {
        (true, _) => "Nothing to fix: no problem was found.",
        (false, true) => {
            "Nothing is applied, because there are several fixes and a person must choose one fix. \
             Run the command without --apply to see the fixes."
        }
        (false, false) => {
            "Nothing is applied, because no command can fix this problem. Run the command without --apply to see the manual steps."
        }
    });
    Exit::no_if(!is_well)
}

/// Returns the steps of a fix, ready to run. Returns an error if a step requires a shell.
fn planned(fix: &Procedure, now: i64) -> Result<Vec<FixStep>, Failure> {
    fix.steps.iter().map(|step| ready(step, now)).collect()
}

fn ready(step: &Step, now: i64) -> Result<FixStep, Failure> {
    let run = match &step.action {
        Some(Action::Command(line)) => run(line, now),
        Some(Action::Manifest(manifest)) => Some(StepRun::Kubectl {
            run: KubectlRun::apply(),
            input: Some(manifest.clone()),
        }),
        None => None,
    };
    let text = step.script().join("\n");
    let run = run.ok_or_else(|| {
        Failure::usage(format!(
            "this step cannot be run automatically; run the command manually: {}: {text}",
            step.comment
        ))
    })?;
    Ok(FixStep {
        comment: step.comment.clone(),
        text,
        run,
    })
}

fn run(line: &str, now: i64) -> Option<StepRun> {
    Some(match Runnable::parse(line, now)? {
        Runnable::Kubectl(run) => StepRun::Kubectl { run, input: None },
        Runnable::Portolan(run) => StepRun::Portolan(run),
        Runnable::Pause(seconds) => StepRun::Pause(seconds),
    })
}

/// Returns the text that is printed before the first step.
fn introduction(cause: &Cause, fix: &Procedure) -> String {
    let mut lines = vec![cause.message.clone(), format!("Fix: {}", fix.title)];
    lines.extend(layout::notes(fix).map(|(label, text)| format!("{label}: {text}")));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests;
