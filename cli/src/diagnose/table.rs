//! Renders diagnoses as a table.

use portolan_proto::diagnosis::v1::Cause;

use super::layout::{self, Entry};
use super::parts;
use super::row::DiagnosisRow;
use crate::print::words::NONE;
use crate::print::{Detail, Page, Span, Table};

/// Renders a table with one row for each operator, and then the problems and fixes. The problems
/// come last, because the end of a long output stays visible in a terminal. The operators in
/// `awaited` have only rows of the table.
pub(super) fn render(
    shown: &[DiagnosisRow<'_>],
    awaited: &[DiagnosisRow<'_>],
    detail: Detail,
) -> Page {
    let mut page = Page::default();
    if !shown.is_empty() {
        let heading = parts::heading(shown);
        let rows = [shown, awaited].concat();
        let table = Table::of(&rows, detail)
            .text("NAMESPACE", &|it| parts::operator(it.diagnosis).0)
            .column(heading, &|it| parts::name(it.diagnosis, heading).into())
            .column("STATE", &|it| parts::colored(it.diagnosis.state()))
            .text("CAUSE", &|it| parts::fault(it.diagnosis).0)
            .column("AT FAULT", &|it| match it.diagnosis.cause {
                Some(_) => parts::fault(it.diagnosis).1.into(),
                None => NONE.into(),
            });
        page.table(table);
    }
    for one in shown {
        block(&mut page, one, detail);
    }
    let unknowns = parts::unknowns(shown);
    if !unknowns.is_empty() {
        page.part();
        page.line([Span::heading("Unknown:")]);
        for unknown in unknowns {
            print_line(&mut page, 1, "", unknown);
        }
    }
    page
}

fn block(page: &mut Page, shown: &DiagnosisRow<'_>, detail: Detail) {
    let diagnosis = shown.diagnosis;
    if diagnosis.cause.is_none() && diagnosis.meanwhile.is_empty() {
        return;
    }
    page.part();
    page.line([
        Span::heading(format!("{}:", parts::located(diagnosis))),
        parts::colored(diagnosis.state()),
    ]);
    if !diagnosis.headline.is_empty() {
        print_line(page, 1, "Impact:", &diagnosis.headline);
    }
    if let Some(root) = &diagnosis.cause {
        match reference(shown, root).filter(|_| detail == Detail::Usual) {
            Some(told) => print_line(page, 1, format!("{}:", root.code), told),
            None => cause(page, root, None, (1, detail)),
        }
    }
    if shown.root.is_some() && detail == Detail::Usual {
        return;
    }
    if detail == Detail::Whole && !diagnosis.victims.is_empty() {
        let victims = diagnosis.victims.iter();
        let victims: Vec<_> = victims.map(|each| parts::object(Some(each))).collect();
        print_line(page, 1, "Affected:", victims.join(", "));
    }
    for misleading in parts::misleading(&diagnosis.meanwhile) {
        print_line(page, 1, "Ignore:", misleading);
    }
}

/// Returns a sentence that refers to an earlier block with the same cause. Returns None if there is
/// no such block.
fn reference(shown: &DiagnosisRow<'_>, cause: &Cause) -> Option<String> {
    let same = || shown.same.map(parts::same);
    let waits = shown.root.map(|root| {
        let at_fault = parts::at_fault(cause);
        format!(
            "{} waits for {at_fault}: see {} above.",
            parts::located(shown.diagnosis),
            parts::located(root)
        )
    });
    waits.or_else(same)
}

/// Prints a cause with its remedy, and the causes below it.
fn cause(page: &mut Page, each: &Cause, above: Option<&Cause>, (depth, detail): (usize, Detail)) {
    print_line(page, depth, format!("{}:", each.code), &each.message);
    for one in layout::entries(each, above, detail) {
        entry(page, &one, depth + 1);
    }
    for below in &each.below {
        cause(page, below, Some(each), (depth + 1, detail));
    }
}

fn entry(page: &mut Page, entry: &Entry, depth: usize) {
    print_line(page, depth, format!("{}:", entry.label), &entry.text);
    for line in &entry.script {
        print_line(page, depth + 1, "", line);
    }
    for (label, text) in &entry.notes {
        print_line(page, depth + 1, format!("{label}:"), text);
    }
}

fn print_line(page: &mut Page, depth: usize, label: impl AsRef<str>, text: impl AsRef<str>) {
    let spans = match label.as_ref() {
        "" => vec![Span::plain(text)],
        label if text.as_ref().is_empty() => vec![Span::heading(label)],
        label => vec![Span::heading(label), Span::plain(text)],
    };
    page.indented(depth, spans);
}

#[cfg(test)]
mod tests {
    use portolan_proto::basis::v1::ObjectRef;
    use portolan_proto::diagnosis::v1::OperatorDiagnosis;

    use super::*;

    fn diagnosis(name: &str) -> OperatorDiagnosis {
        OperatorDiagnosis {
            subject: Some(ObjectRef {
                kind: portolan_api::qualified::OPERATOR.to_owned(),
                name: name.to_owned(),
                ..ObjectRef::default()
            }),
            cause: Some(Cause::default()),
            ..OperatorDiagnosis::default()
        }
    }

    #[test]
    fn awaited_operator_is_only_a_row_of_the_table() {
        let (kelp, anchor) = (diagnosis("kelp"), diagnosis("anchor"));
        let (kelp, anchor) = (DiagnosisRow::of(&kelp), DiagnosisRow::of(&anchor));
        let text = render(&[kelp], &[anchor], Detail::Usual).into_text();
        assert_eq!(text.matches("anchor").count(), 1, "{text}");
        assert!(text.matches("kelp").count() > 1, "{text}");
    }
}
