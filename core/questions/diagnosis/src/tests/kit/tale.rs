//! Formats the diagnoses of a scenario for snapshots.

use std::fmt::Write as _;

use super::Story;
use crate::{
    Action, Cause, Confidence, Diagnosis, Evidence, Procedure, Quote, Remedy, Responsible, Saying,
    State, Step, UnqueriedBundle,
};

// === impl Story ===

impl Story {
    /// Formats the diagnoses of all operators. Omits healthy operators without further information.
    pub(crate) fn tale(&self) -> String {
        self.diagnose().iter().map(tale).collect()
    }

    /// Formats the name, state, codes and objects at fault of each operator.
    pub(crate) fn headlines(&self) -> Vec<String> {
        self.diagnose().iter().map(headline).collect()
    }
}

/// Formats a line such as `ferry: Stuck DeadEnd CatalogSource olm/shop`. Appends the causes below
/// the root cause.
pub(crate) fn headline(diagnosis: &Diagnosis) -> String {
    let mut causes = diagnosis
        .causes()
        .map(|cause| format!("{} {}", cause.code.as_str(), cause.at_fault));
    let causes: Vec<String> = causes.by_ref().collect();
    let name = &diagnosis.subject.object.name;
    let state = diagnosis.state.as_str();
    if causes.is_empty() {
        format!("{name}: {state}")
    } else {
        format!("{name}: {state} {}", causes.join(" > "))
    }
}

/// Formats a Diagnosis as text.
pub(crate) fn tale(diagnosis: &Diagnosis) -> String {
    let Diagnosis {
        subject,
        state,
        headline,
        cause,
        victims,
        meanwhile,
        unknowns,
        untold,
    } = diagnosis;
    let mut text = String::new();
    let is_plain =
        *state == State::Well && cause.is_none() && unknowns.is_empty() && untold.is_none();
    let package = &subject.package;
    let csv = match subject.csv.as_str() {
        "" => "nothing installed",
        csv => csv,
    };
    writeln!(
        text,
        "{} ({package}, {csv}): {}",
        subject.object,
        state.as_str()
    )
    .unwrap();
    if is_plain {
        return text;
    }
    writeln!(text, "  {headline}").unwrap();
    if let Some(cause) = cause {
        write_cause(cause, 1, &mut text);
    }
    for victim in victims {
        writeln!(text, "  victim: {victim}").unwrap();
    }
    for Saying { said, message } in meanwhile {
        writeln!(text, "  OLM says: {} ({message})", row(said)).unwrap();
    }
    for unknown in unknowns {
        writeln!(text, "  unknown: {unknown}").unwrap();
    }
    if let Some(UnqueriedBundle {
        catalog,
        package,
        bundle,
    }) = untold
    {
        writeln!(text, "  asks: {catalog} for {bundle} of {package}").unwrap();
    }
    text
}

fn write_cause(cause: &Cause, depth: usize, text: &mut String) {
    let Cause {
        code,
        state,
        message,
        quotes,
        at_fault,
        also_at_fault,
        responsible,
        confidence,
        remedy,
        blocked_by,
        evidence,
        below,
    } = cause;
    let space = "  ".repeat(depth);
    let code = code.as_str();
    writeln!(text, "{space}{} {code}: {message}", state.as_str()).unwrap();
    for Quote {
        source,
        text: quoted,
    } in quotes
    {
        writeln!(text, "{space}message from {source}: {quoted}").unwrap();
    }
    writeln!(text, "{space}at fault: {at_fault}").unwrap();
    for object in also_at_fault {
        writeln!(text, "{space}or: {object}").unwrap();
    }
    let Responsible { who, action } = responsible;
    match (who.as_str(), action.as_str()) {
        ("", _) => writeln!(text, "{space}time heals it").unwrap(),
        (who, "") => writeln!(text, "{space}who: {who}").unwrap(),
        (who, action) => writeln!(text, "{space}who: {who}: {action}").unwrap(),
    }
    let Confidence { certainty, reason } = confidence;
    writeln!(text, "{space}{}: {reason}", certainty.as_str()).unwrap();
    write_remedy(remedy, &space, text);
    if let Some(root) = blocked_by {
        writeln!(text, "{space}the trouble of {root}").unwrap();
    }
    for evidence in evidence {
        writeln!(text, "{space}- {}", row(evidence)).unwrap();
    }
    for below in below {
        write_cause(below, depth + 1, text);
    }
}

fn write_remedy(remedy: &Remedy, space: &str, text: &mut String) {
    let Remedy {
        look,
        fix,
        decide,
        later,
    } = remedy;
    for step in look {
        writeln!(text, "{space}look: {}", step.comment).unwrap();
        write_step(step, space, text);
    }
    let fix = fix.iter().map(|fix| ("fix", fix));
    let decide = decide.iter().map(|one| ("decide", one));
    let later = later.iter().map(|later| ("later", later));
    for (label, procedure) in fix.chain(decide).chain(later) {
        write_procedure(label, procedure, space, text);
    }
}

fn write_procedure(label: &str, procedure: &Procedure, space: &str, text: &mut String) {
    let Procedure {
        title,
        steps,
        deletes,
        keeps,
        risk,
    } = procedure;
    writeln!(text, "{space}{label}: {title}").unwrap();
    for step in steps {
        writeln!(text, "{space}  # {}", step.comment).unwrap();
        write_step(step, space, text);
    }
    for (label, note) in [("deletes", deletes), ("keeps", keeps), ("risk", risk)] {
        if !note.is_empty() {
            writeln!(text, "{space}  {label}: {note}").unwrap();
        }
    }
}

fn write_step(step: &Step, space: &str, text: &mut String) {
    match &step.action {
        Action::Command(line) => writeln!(text, "{space}  $ {line}").unwrap(),
        Action::Manifest(manifest) => writeln!(text, "{space}  apply {manifest}").unwrap(),
    }
}

fn row(evidence: &Evidence) -> String {
    let Evidence {
        object,
        field,
        value,
    } = evidence;
    match field.as_str() {
        "" => format!("{object} = {value}"),
        field => format!("{object} {field} = {value}"),
    }
}
