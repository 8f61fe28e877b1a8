//! Renders diagnoses as Markdown, for tickets and web pages.

use portolan_proto::diagnosis::v1::{Cause, OperatorDiagnosis};

use super::parts;
use super::row::DiagnosisRow;
use crate::print::markdown::{code, fence, prose};
use crate::print::{Detail, Table};

/// Returns a table, and a section for each operator.
pub(super) fn render(shown: &[DiagnosisRow<'_>]) -> String {
    let heading = parts::heading(shown);
    let table = Table::of(shown, Detail::Whole)
        .column("namespace", &|it| parts::operator(it.diagnosis).0.into())
        .column(&heading.to_lowercase(), &|it| {
            parts::name(it.diagnosis, heading).into()
        })
        .column("state", &|it| parts::word(it.diagnosis.state()).into())
        .column("cause", &|it| parts::guilt(it.diagnosis).0.into())
        .column("guilty", &|it| parts::guilt(it.diagnosis).1.into());
    let mut text = table.into_markdown(prose);
    for one in shown {
        section(&mut text, one.diagnosis);
    }
    text
}

fn section(text: &mut String, diagnosis: &OperatorDiagnosis) {
    let state = parts::word(diagnosis.state());
    let name = prose(&parts::located(diagnosis));
    *text += &format!("\n## {name}: {state}\n\n");
    if let Some(root) = &diagnosis.cause {
        cause(text, root, 0);
    }
    if let Some(misleading) = parts::misleading(&diagnosis.meanwhile) {
        *text += &format!("- Ignore: {}\n", prose(&misleading));
    }
    for unknown in &diagnosis.unknowns {
        *text += &format!("- Unknown: {}\n", prose(unknown));
    }
}

fn cause(text: &mut String, each: &Cause, depth: usize) {
    let start = "  ".repeat(depth);
    *text += &format!("{start}- **{}**: {}\n", each.code, prose(&each.message));
    for fix in parts::fixes(each) {
        let risk = match fix.risk.as_str() {
            "" => String::new(),
            risk => format!(" Risk: {}", prose(risk)),
        };
        *text += &format!("{start}  - {}{risk}\n\n", prose(&fix.message));
        block(text, &start, &parts::change(fix));
    }
    if let Some(who) = parts::external(each) {
        *text += &format!("{start}  - Who must act: {}\n", prose(who));
    }
    for step in &each.steps {
        *text += &format!("{start}  - {}:\n\n", prose(&step.message));
        block(text, &start, std::slice::from_ref(&step.command));
    }
    for evidence in &each.evidence {
        let evidence = code(&parts::evidence(evidence));
        *text += &format!("{start}  - Evidence: {evidence}\n");
    }
    for below in &each.below {
        cause(text, below, depth + 1);
    }
}

/// Adds a code block with lines to copy.
fn block(text: &mut String, start: &str, lines: &[String]) {
    let fence = fence(&lines.join("\n"));
    let begin = [format!("{fence}sh")];
    for line in begin.iter().chain(lines).chain([&fence]) {
        *text += &format!("{start}    {line}\n");
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::diagnosis::v1::Evidence;

    use super::super::row::in_order;
    use super::*;

    #[test]
    fn escapes_text_of_objects() {
        let evidence = Evidence {
            field: "status.message".to_owned(),
            value: "`<img>`".to_owned(),
            ..Evidence::default()
        };
        let diagnosis = OperatorDiagnosis {
            cause: Some(Cause {
                code: "PodFails".to_owned(),
                message: "![a](b) <img> @all".to_owned(),
                evidence: vec![evidence],
                ..Cause::default()
            }),
            unknowns: vec!["# <img>".to_owned()],
            ..OperatorDiagnosis::default()
        };
        let text = render(&in_order(&[&diagnosis]));
        let cause = "- **PodFails**: !\\[a\\](b) \\<img> \\@all\n";
        assert!(text.contains(cause), "{text}");
        assert!(text.contains("- Unknown: \\# \\<img>\n"), "{text}");
        // The fence is longer than any run of backticks inside.
        let code = text.lines().find(|line| line.contains("- Evidence: "));
        let code = code.expect("evidence");
        assert!(
            code.contains("Evidence: `` ") && code.ends_with(" ``"),
            "{code}"
        );
    }
}
