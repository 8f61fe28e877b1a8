//! Renders diagnoses as a table.

use portolan_proto::diagnosis::v1::{Cause, Fix};

use super::parts;
use super::row::DiagnosisRow;
use crate::print::words::NONE;
use crate::print::{Detail, Page, Span, Table};

/// Renders a row for each operator, followed by problems and fixes: after many rows the end of the
/// output is visible.
pub(super) fn render(shown: &[DiagnosisRow<'_>], detail: Detail) -> Page {
    let mut page = Page::default();
    if !shown.is_empty() {
        let heading = parts::heading(shown);
        let table = Table::of(shown, detail)
            .text("NAMESPACE", &|it| parts::operator(it.diagnosis).0)
            .column(heading, &|it| parts::name(it.diagnosis, heading).into())
            .column("STATE", &|it| parts::colored(it.diagnosis.state()))
            .text("CAUSE", &|it| parts::guilt(it.diagnosis).0)
            .column("GUILTY", &|it| match it.diagnosis.cause {
                Some(_) => parts::guilt(it.diagnosis).1.into(),
                None => NONE.into(),
            });
        page.table(table);
    }
    for one in shown {
        block(&mut page, one, detail);
    }
    page
}

fn block(page: &mut Page, shown: &DiagnosisRow<'_>, detail: Detail) {
    let diagnosis = shown.diagnosis;
    let has_more = !diagnosis.meanwhile.is_empty() || !diagnosis.unknowns.is_empty();
    if diagnosis.cause.is_none() && !has_more {
        return;
    }
    page.part();
    page.line([
        Span::heading(format!("{}:", parts::located(diagnosis))),
        parts::colored(diagnosis.state()),
    ]);
    let root = shown.root.filter(|_| detail == Detail::Usual);
    if let (Some(root), Some(cause)) = (root, &diagnosis.cause) {
        let guilty = parts::object(cause.guilty.as_ref());
        let told = format!("It waits for {guilty}: see {} above.", parts::located(root));
        print_line(page, 1, format!("{}:", cause.code), told);
        return;
    }
    if let Some(root) = &diagnosis.cause {
        cause(page, root, 1, detail);
    }
    if detail == Detail::Whole && !diagnosis.victims.is_empty() {
        let victims = diagnosis.victims.iter();
        let victims: Vec<_> = victims.map(|each| parts::object(Some(each))).collect();
        print_line(page, 1, "Affected:", victims.join(", "));
    }
    if let Some(misleading) = parts::misleading(&diagnosis.meanwhile) {
        print_line(page, 1, "Ignore:", misleading);
    }
    for unknown in &diagnosis.unknowns {
        print_line(page, 1, "Unknown:", unknown);
    }
}

/// Prints a cause with its fix, and the operators that it affects below it.
fn cause(page: &mut Page, each: &Cause, depth: usize, detail: Detail) {
    print_line(page, depth, format!("{}:", each.code), &each.message);
    let fixes = parts::fixes(each);
    let shown = match detail {
        Detail::Usual => &fixes[..fixes.len().min(1)],
        Detail::Whole => fixes,
    };
    for each in shown {
        fix(page, each, depth + 1);
    }
    if let Some(who) = parts::external(each) {
        print_line(page, depth + 1, "Who must act:", who);
    }
    for step in &each.steps {
        print_line(page, depth + 1, format!("{}:", step.message), "");
        print_line(page, depth + 2, "", &step.command);
    }
    if detail == Detail::Whole {
        for evidence in &each.evidence {
            print_line(page, depth + 1, "Evidence:", parts::evidence(evidence));
        }
    }
    for below in &each.below {
        cause(page, below, depth + 1, detail);
    }
}

fn fix(page: &mut Page, fix: &Fix, depth: usize) {
    print_line(page, depth, "Fix:", &fix.message);
    for line in parts::change(fix) {
        print_line(page, depth + 1, "", line);
    }
    if !fix.risk.is_empty() {
        print_line(page, depth, "Risk:", &fix.risk);
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
