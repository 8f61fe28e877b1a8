//! Formats the diagnoses of a story for snapshots.

use std::fmt::Write as _;

use super::Story;
use crate::{Cause, Change, Cure, Diagnosis, Evidence, Fix, Saying, State, Step, UnqueriedBundle};

// === impl Story ===

impl Story {
    /// Formats all diagnoses, except for healthy operators without remarks.
    pub(crate) fn tale(&self) -> String {
        self.diagnose().iter().map(tale).collect()
    }

    /// Returns the subject, state, code and guilty object of each operator.
    pub(crate) fn headlines(&self) -> Vec<String> {
        self.diagnose().iter().map(headline).collect()
    }
}

/// Formats `ferry: Stuck DeadEnd CatalogSource olm/shop`, followed by the causes below.
pub(crate) fn headline(diagnosis: &Diagnosis) -> String {
    let mut causes = diagnosis
        .causes()
        .map(|cause| format!("{} {}", cause.code.as_str(), cause.guilty));
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
        guilty,
        cure,
        steps,
        blocked_by,
        evidence,
        below,
    } = cause;
    let space = "  ".repeat(depth);
    let code = code.as_str();
    writeln!(text, "{space}{} {code}: {message}", state.as_str()).unwrap();
    writeln!(text, "{space}guilty: {guilty}").unwrap();
    match cure {
        Cure::Fixable(fixes) => fixes.iter().for_each(|fix| write_fix(fix, &space, text)),
        Cure::External(who) => writeln!(text, "{space}external: {who}").unwrap(),
        Cure::Time => writeln!(text, "{space}time heals it").unwrap(),
    }
    for Step {
        purpose,
        message: _,
        command,
    } in steps
    {
        writeln!(text, "{space}{}: $ {command}", purpose.as_str()).unwrap();
    }
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

fn write_fix(fix: &Fix, space: &str, text: &mut String) {
    let Fix {
        message,
        change,
        risk,
    } = fix;
    let change = match change {
        Change::Command(line) => format!("$ {line}"),
        Change::Manifest(manifest) => format!("apply {manifest}"),
    };
    writeln!(
        text,
        "{space}fix: {message}\n{space}  {change}\n{space}  risk: {risk}"
    )
    .unwrap();
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
