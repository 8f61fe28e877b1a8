//! Renders diagnoses as Markdown, for tickets and web pages.

use portolan_proto::diagnosis::v1::Cause;

use super::layout::{self, Entry};
use super::parts;
use super::row::DiagnosisRow;
use crate::print::markdown::{code, fence, prose};
use crate::print::{Detail, Table};

/// Returns a table of the operators, and a section for each operator.
pub(super) fn render(shown: &[DiagnosisRow<'_>]) -> String {
    let heading = parts::heading(shown);
    let table = Table::of(shown, Detail::Whole)
        .column("namespace", &|it| parts::operator(it.diagnosis).0.into())
        .column(&heading.to_lowercase(), &|it| {
            parts::name(it.diagnosis, heading).into()
        })
        .column("state", &|it| parts::word(it.diagnosis.state()).into())
        .column("cause", &|it| parts::fault(it.diagnosis).0.into())
        .column("at fault", &|it| parts::fault(it.diagnosis).1.into());
    let mut text = table.into_markdown(prose);
    for one in shown {
        section(&mut text, one);
    }
    let unknowns = parts::unknowns(shown);
    if !unknowns.is_empty() {
        text += "\n## Unknown\n\n";
    }
    for unknown in unknowns {
        text += &format!("- {}\n", prose(&unknown));
    }
    text
}

fn section(text: &mut String, shown: &DiagnosisRow<'_>) {
    let diagnosis = shown.diagnosis;
    let state = parts::word(diagnosis.state());
    let name = prose(&parts::located(diagnosis));
    *text += &format!("\n## {name}: {state}\n\n");
    if !diagnosis.headline.is_empty() {
        *text += &format!("Impact: {}\n\n", prose(&diagnosis.headline));
    }
    match (&diagnosis.cause, shown.same) {
        (Some(root), Some(same)) => {
            let same = prose(&parts::same(same));
            *text += &format!("- **{}**: {same}\n", root.code);
        }
        (Some(root), None) => cause(text, root, None, 0),
        (None, _) => {}
    }
    for misleading in parts::misleading(&diagnosis.meanwhile) {
        *text += &format!("- Ignore: {}\n", prose(&misleading));
    }
}

fn cause(text: &mut String, each: &Cause, above: Option<&Cause>, depth: usize) {
    let start = "  ".repeat(depth);
    *text += &format!("{start}- **{}**: {}\n", each.code, prose(&each.message));
    for entry in layout::entries(each, above, Detail::Whole) {
        add_entry(text, &start, &entry);
    }
    for below in &each.below {
        cause(text, below, Some(each), depth + 1);
    }
}

fn add_entry(text: &mut String, start: &str, entry: &Entry) {
    let is_raw = entry.label == "Evidence" || entry.label.starts_with(layout::QUOTE);
    let words = if is_raw {
        code(&entry.text)
    } else {
        prose(&entry.text)
    };
    *text += &format!("{start}  - {}: {words}\n", prose(&entry.label));
    if !entry.script.is_empty() {
        *text += "\n";
        block(text, start, &entry.script);
    }
    for (label, note) in &entry.notes {
        *text += &format!("{start}    - {label}: {}\n", prose(note));
    }
}

/// Adds a code block with the lines.
fn block(text: &mut String, start: &str, lines: &[String]) {
    let fence = fence(&lines.join("\n"));
    let begin = [format!("{fence}sh")];
    for line in begin.iter().chain(lines).chain([&fence]) {
        *text += &format!("{start}    {line}\n");
    }
}

#[cfg(test)]
mod tests {
    use portolan_proto::diagnosis::v1::{Evidence, OperatorDiagnosis};

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
        assert!(text.contains(": \\# \\<img>\n"), "{text}");
        // A fence of backticks must be longer than each run of backticks in the code.
        let code = text.lines().find(|line| line.contains("- Evidence: "));
        let code = code.expect("evidence");
        assert!(
            code.contains("Evidence: `` ") && code.ends_with(" ``"),
            "{code}"
        );
    }
}
