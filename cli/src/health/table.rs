//! All operators and catalogs, for people.

use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Catalog, Fact, Operator, Probe, probe};

use super::Everything;
use super::judged::{self, Judged};
use crate::print::words::{NONE, or_none};
use crate::print::{Detail, Page, Span};

/// How many reasons a person reads of one operator among many.
const AT_A_GLANCE: usize = 3;

/// The columns of an operator that is shown whole.
pub(super) const WIDE: [&str; 9] = [
    "NAMESPACE",
    "NAME",
    "PACKAGE",
    "CSV",
    "PHASE",
    "CATALOG",
    "HEALTH",
    "REASON",
    "MESSAGE",
];

/// The states that are told in sentences, the worst first.
const WORSE: [State; 3] = [State::No, State::NotYet, State::Unspecified];

/// Tables by name, so that two of them can be compared; what is wrong comes last, where the eye is
/// when hundreds of rows have gone by.
pub(super) fn render(everything: &Everything, detail: Detail) -> Page {
    let mut page = Page::default();
    let Everything {
        operators,
        catalogs,
    } = everything;
    if !operators.is_empty() {
        list_operators(&mut page, operators, detail);
    }
    if !catalogs.is_empty() {
        page.part();
        list_catalogs(&mut page, catalogs, detail);
    }
    sum_up(&mut page, everything);
    let judged: Vec<_> = everything.judged().collect();
    for state in WORSE {
        for judged in judged.iter().filter(|judged| judged.state == state) {
            tell(&mut page, *judged, detail);
        }
    }
    if detail == Detail::Whole {
        list_remarks(&mut page, &judged);
    }
    page
}

fn list_operators(page: &mut Page, operators: &[Operator], detail: Detail) {
    let operators = operators.iter();
    match detail {
        Detail::Usual => page.table(
            ["NAMESPACE", "NAME", "PACKAGE", "CSV", "HEALTH", "REASON"],
            operators.map(operator_row).collect(),
        ),
        Detail::Whole => page.table(WIDE, operators.map(wide_operator_row).collect()),
    }
}

fn operator_row(operator: &Operator) -> [Span; 6] {
    let [
        namespace,
        name,
        package,
        csv,
        _phase,
        _catalog,
        state,
        code,
        _message,
    ] = wide_operator_row(operator);
    [namespace, name, package, csv, state, code]
}

fn wide_operator_row(operator: &Operator) -> [Span; 9] {
    let judged = Judged::from(operator);
    [
        or_none(judged.namespace).into(),
        judged.name.into(),
        or_none(&operator.package).into(),
        or_none(&operator.csv).into(),
        or_none(&operator.phase).into(),
        or_none(&operator.catalog).into(),
        judged::state(judged.state),
        judged.code().into(),
        judged.message().into(),
    ]
}

fn list_catalogs(page: &mut Page, catalogs: &[Catalog], detail: Detail) {
    let catalogs = catalogs.iter();
    match detail {
        Detail::Usual => page.table(
            [
                "NAMESPACE",
                "CATALOG",
                "CONNECTION",
                "PACKAGES",
                "HEALTH",
                "REASON",
            ],
            catalogs.map(catalog_row).collect(),
        ),
        Detail::Whole => page.table(
            [
                "NAMESPACE",
                "CATALOG",
                "CONNECTION",
                "PACKAGES",
                "ADDRESS",
                "PROBE",
                "ANSWERED",
                "HEALTH",
                "REASON",
                "MESSAGE",
            ],
            catalogs.map(wide_catalog_row).collect(),
        ),
    }
}

fn catalog_row(catalog: &Catalog) -> [Span; 6] {
    let [
        namespace,
        name,
        connection,
        packages,
        _address,
        _probe,
        _answered,
        state,
        code,
        _message,
    ] = wide_catalog_row(catalog);
    [namespace, name, connection, packages, state, code]
}

fn wide_catalog_row(catalog: &Catalog) -> [Span; 10] {
    let judged = Judged::from(catalog);
    let probe = catalog.probe.clone().unwrap_or_default();
    [
        or_none(judged.namespace).into(),
        judged.name.into(),
        or_none(&catalog.connection_state).into(),
        packages(&probe).into(),
        or_none(&probe.address).into(),
        outcome(probe.outcome()).into(),
        or_none(&probe.answered).into(),
        judged::state(judged.state),
        judged.code().into(),
        judged.message().into(),
    ]
}

/// How many packages a registry has, if it says so.
pub(super) fn packages(probe: &Probe) -> String {
    match probe.outcome() {
        probe::Outcome::Answered => probe.packages.to_string(),
        probe::Outcome::Unspecified
        | probe::Outcome::NotProbed
        | probe::Outcome::Pending
        | probe::Outcome::Failed => NONE.to_owned(),
    }
}

/// How far a question to a registry came, in a word.
pub(super) fn outcome(outcome: probe::Outcome) -> &'static str {
    match outcome {
        probe::Outcome::Unspecified => "unknown",
        probe::Outcome::NotProbed => "not asked",
        probe::Outcome::Pending => "pending",
        probe::Outcome::Answered => "answered",
        probe::Outcome::Failed => "failed",
    }
}

/// How many say what, where that is not the same for all.
fn sum_up(page: &mut Page, everything: &Everything) {
    if everything.judged().all(|judged| judged.state == State::Yes) {
        return;
    }
    let operators: Vec<_> = everything.operators.iter().map(Judged::from).collect();
    let catalogs: Vec<_> = everything.catalogs.iter().map(Judged::from).collect();
    let of = [("Operators:", operators), ("Catalogs:", catalogs)];
    page.part();
    let of = of.iter().filter(|(_, judged)| !judged.is_empty());
    let line = of.flat_map(|(what, judged)| [Span::heading(what), count(judged).into()]);
    page.line(line);
}

fn count(judged: &[Judged<'_>]) -> String {
    let known = [
        (State::No, "No"),
        (State::NotYet, "NotYet"),
        (State::Unspecified, "unknown"),
        (State::Yes, "Yes"),
    ];
    let number = |state| judged.iter().filter(|one| one.state == state).count();
    let counted = known.map(|(state, word)| (number(state), word));
    let counted = counted.iter().filter(|(number, _)| *number > 0);
    let counted: Vec<_> = counted
        .map(|(number, word)| format!("{number} {word}"))
        .collect();
    counted.join(", ") + "."
}

/// Why one is not well.
fn tell(page: &mut Page, judged: Judged<'_>, detail: Detail) {
    page.part();
    let title = Span::heading(format!("{}:", judged.title()));
    page.line([title, judged::state(judged.state)]);
    let all = judged.reasons.len();
    let shown = match detail {
        // To leave out a single one would save no line.
        Detail::Usual if all > AT_A_GLANCE + 1 => AT_A_GLANCE,
        Detail::Usual | Detail::Whole => all,
    };
    for reason in &judged.reasons[..shown] {
        page.below([format!("{}: {}", reason.code, reason.message).into()]);
    }
    if shown < all {
        page.below([format!("... and {} more (-o wide shows all)", all - shown).into()]);
    }
}

fn list_remarks(page: &mut Page, judged: &[Judged<'_>]) {
    let mut is_begun = false;
    for judged in judged {
        let mut remarks = Vec::new();
        gather_remarks(judged.facts, &mut remarks);
        if !remarks.is_empty() && !std::mem::replace(&mut is_begun, true) {
            page.section("Remarks:");
        }
        for fact in remarks {
            let text = format!("{}: {}", fact.code, fact.message);
            page.below([format!("{}:", judged.title()).into(), text.into()]);
        }
    }
}

fn gather_remarks<'a>(facts: &'a [Fact], found: &mut Vec<&'a Fact>) {
    for fact in facts {
        if fact.remark && fact.state() == State::Yes {
            found.push(fact);
        }
        gather_remarks(&fact.facts, found);
    }
}

#[cfg(test)]
mod tests;
