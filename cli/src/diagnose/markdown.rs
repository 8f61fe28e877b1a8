//! All diagnoses, for a ticket or a page.

use std::fmt::Write as _;

use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};

use super::told;

/// A table, and a section for each operator.
pub(super) fn render(shown: &[&OperatorDiagnosis]) -> String {
    let mut text = String::from("| namespace | operator | state | cause | guilty |\n");
    text.push_str("|---|---|---|---|---|\n");
    for diagnosis in shown {
        let (namespace, operator) = told::operator(diagnosis);
        let (code, guilty) = match &diagnosis.cause {
            Some(cause) => (cause.code.as_str(), told::object(cause.guilty.as_ref())),
            None => ("", String::new()),
        };
        let state = told::word(diagnosis.state());
        let cells = [namespace, operator, state, code, &guilty].map(cell);
        line(&mut text, &format!("| {} |", cells.join(" | ")));
    }
    for diagnosis in shown {
        section(&mut text, diagnosis);
    }
    text
}

fn section(text: &mut String, diagnosis: &OperatorDiagnosis) {
    let (namespace, operator) = told::operator(diagnosis);
    let state = told::word(diagnosis.state());
    line(text, &format!("\n## {namespace}/{operator}: {state}\n"));
    if let Some(root) = &diagnosis.cause {
        cause(text, root, 0);
    }
    for saying in &diagnosis.meanwhile {
        let said = saying.said.as_ref().map(told::evidence).unwrap_or_default();
        let message = &saying.message;
        line(text, &format!("- OLM says meanwhile: {said}. {message}"));
    }
    for unknown in &diagnosis.unknowns {
        line(text, &format!("- Not known: {unknown}"));
    }
}

fn cause(text: &mut String, each: &Cause, depth: usize) {
    let start = "  ".repeat(depth);
    line(
        text,
        &format!("{start}- **{}**: {}", each.code, each.message),
    );
    for fix in told::fixes(each) {
        let risk = match fix.risk.as_str() {
            "" => String::new(),
            risk => format!(" Risk: {risk}"),
        };
        line(text, &format!("{start}  - {}{risk}\n", fix.message));
        line(text, &format!("{start}    ```sh"));
        for each in told::change(fix) {
            line(text, &format!("{start}    {each}"));
        }
        line(text, &format!("{start}    ```"));
    }
    if let Some(who) = told::external(each) {
        line(text, &format!("{start}  - Who must act: {who}"));
    }
    for evidence in &each.evidence {
        let evidence = told::evidence(evidence);
        line(text, &format!("{start}  - Evidence: `{evidence}`"));
    }
    for below in &each.below {
        cause(text, below, depth + 1);
    }
}

/// A bar would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn line(text: &mut String, line: &str) {
    // Nothing refuses to be written to memory.
    let _ = writeln!(text, "{line}");
}
