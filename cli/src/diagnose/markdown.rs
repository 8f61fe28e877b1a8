//! All diagnoses, for a ticket or a page.

use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};

use super::{parts, steps};
use crate::print::{Detail, Table};

/// A table, and a section for each operator.
pub(super) fn render(shown: &[&OperatorDiagnosis]) -> String {
    let table = Table::of(shown, Detail::Whole)
        .column("namespace", &|it| parts::operator(it).0.into())
        .column("operator", &|it| parts::operator(it).1.into())
        .column("state", &|it| parts::word(it.state()).into())
        .column("cause", &|it| parts::guilt(it).0.into())
        .column("guilty", &|it| parts::guilt(it).1.into());
    let mut text = table.into_markdown(cell);
    for diagnosis in shown {
        section(&mut text, diagnosis);
    }
    text
}

fn section(text: &mut String, diagnosis: &OperatorDiagnosis) {
    let (namespace, operator) = parts::operator(diagnosis);
    let state = parts::word(diagnosis.state());
    *text += &format!("\n## {namespace}/{operator}: {state}\n\n");
    if let Some(root) = &diagnosis.cause {
        cause(text, (diagnosis, root), 0);
    }
    if let Some(misleading) = parts::misleading(&diagnosis.meanwhile) {
        *text += &format!("- Ignore: {misleading}\n");
    }
    for unknown in &diagnosis.unknowns {
        *text += &format!("- Not known: {unknown}\n");
    }
}

fn cause(text: &mut String, (diagnosis, each): (&OperatorDiagnosis, &Cause), depth: usize) {
    let start = "  ".repeat(depth);
    *text += &format!("{start}- **{}**: {}\n", each.code, each.message);
    for fix in parts::fixes(each) {
        let risk = match fix.risk.as_str() {
            "" => String::new(),
            risk => format!(" Risk: {risk}"),
        };
        *text += &format!("{start}  - {}{risk}\n\n", fix.message);
        code(text, &start, &parts::change(fix));
    }
    if let Some(who) = parts::external(each) {
        *text += &format!("{start}  - Who must act: {who}\n");
    }
    for step in steps::steps(diagnosis, each) {
        *text += &format!("{start}  - {}\n\n", step.why);
        code(text, &start, &[step.command]);
    }
    for evidence in &each.evidence {
        let evidence = parts::evidence(evidence);
        *text += &format!("{start}  - Evidence: `{evidence}`\n");
    }
    for below in &each.below {
        cause(text, (diagnosis, below), depth + 1);
    }
}

/// Lines that a person copies, below what is said of them.
fn code(text: &mut String, start: &str, lines: &[String]) {
    let fence = |mark: &str| vec![mark.to_owned()];
    for line in [fence("```sh"), lines.to_vec(), fence("```")].concat() {
        *text += &format!("{start}    {line}\n");
    }
}

/// A bar would end a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}
