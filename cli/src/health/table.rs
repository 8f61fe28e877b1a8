//! Renders operators and catalogs as tables.

use portolan_proto::health::v1::verdict::State;
use portolan_proto::health::v1::{Catalog, Fact, Operator, Probe, probe};

use super::Everything;
use super::judged::{self, Judged};
use crate::print::words::{NONE, or_none};
use crate::print::{Detail, Page, Span, Table};

/// The maximum number of reasons for each operator if several operators are shown.
const AT_A_GLANCE: usize = 3;

/// The states that are explained below the table. The most severe state comes first.
const WORSE: [State; 3] = [State::No, State::NotYet, State::Unspecified];

/// Renders a table of operators and a table of catalogs. The rows are sorted by name, so that users
/// can compare outputs. The problems come last, because the end of a long output stays visible in a
/// terminal.
///
/// The rows of `--watch` have other columns: see `watch/screen.rs`.
pub(super) fn render(everything: &Everything, detail: Detail) -> Page {
    let mut page = Page::default();
    let Everything {
        operators,
        catalogs,
        ..
    } = everything;
    if !operators.is_empty() {
        list_operators(&mut page, operators, detail);
    }
    if !catalogs.is_empty() {
        page.part();
        list_catalogs(&mut page, catalogs, detail);
    }
    print_summary(&mut page, everything);
    let judged: Vec<_> = everything.verdicts().collect();
    for state in WORSE {
        for judged in judged.iter().filter(|judged| judged.state == state) {
            print_reasons(&mut page, *judged, detail);
        }
    }
    if detail == Detail::Whole {
        list_remarks(&mut page, &judged);
    }
    page
}

fn list_operators(page: &mut Page, operators: &[Operator], detail: Detail) {
    page.table(
        Table::of(operators, detail)
            .text("NAMESPACE", &|operator| Judged::from(operator).namespace)
            .text("NAME", &|operator| Judged::from(operator).name)
            .column("MANAGER", &|operator| manager(operator).into())
            .text("PACKAGE", &|operator| &operator.package)
            .text("BUNDLE", &|operator| judged::bundle(operator))
            .wide_text("VERSION", &|operator| &operator.version)
            .wide_text("PHASE", &|operator| &operator.phase)
            .wide_text("CATALOG", &|operator| &operator.catalog)
            .column("HEALTH", &|operator| {
                judged::state(Judged::from(operator).state)
            })
            .text("REASON", &|operator| Judged::from(operator).code())
            .wide_text("MESSAGE", &|operator| Judged::from(operator).message()),
    );
}

/// Returns the manager of the operator. This is the OperatorPolicy if a policy manages the
/// Subscription, and otherwise the installer.
fn manager(operator: &Operator) -> String {
    match operator.policy.as_str() {
        "" => judged::manager(operator).to_owned(),
        policy => format!("OperatorPolicy {policy}"),
    }
}

fn list_catalogs(page: &mut Page, catalogs: &[Catalog], detail: Detail) {
    let probe = |catalog: &Catalog| catalog.probe.clone().unwrap_or_default();
    page.table(
        Table::of(catalogs, detail)
            .text("NAMESPACE", &|catalog| Judged::from(catalog).namespace)
            .text("CATALOG", &|catalog| Judged::from(catalog).name)
            .text("CONNECTION", &|catalog| &catalog.connection_state)
            .column("PACKAGES", &|catalog| packages(&probe(catalog)).into())
            .wide("ADDRESS", &|catalog| {
                or_none(&probe(catalog).address).into()
            })
            .wide("PROBE", &|catalog| outcome(probe(catalog).outcome()).into())
            .wide("ANSWERED", &|catalog| {
                or_none(&probe(catalog).answered).into()
            })
            .column("HEALTH", &|catalog| {
                judged::state(Judged::from(catalog).state)
            })
            .text("REASON", &|catalog| Judged::from(catalog).code())
            .wide_text("MESSAGE", &|catalog| Judged::from(catalog).message()),
    );
}

/// Returns the number of packages in a registry, if the registry has responded.
pub(super) fn packages(probe: &Probe) -> String {
    match probe.outcome() {
        probe::Outcome::Answered => probe.packages.to_string(),
        probe::Outcome::Unspecified
        | probe::Outcome::NotProbed
        | probe::Outcome::Pending
        | probe::Outcome::Failed => NONE.to_owned(),
    }
}

/// Returns the outcome of a probe of a registry as one word.
pub(super) fn outcome(outcome: probe::Outcome) -> &'static str {
    match outcome {
        probe::Outcome::Unspecified => "unknown",
        probe::Outcome::NotProbed => "not asked",
        probe::Outcome::Pending => "pending",
        probe::Outcome::Answered => "answered",
        probe::Outcome::Failed => "failed",
    }
}

/// Prints the number of operators and catalogs in each state. Prints nothing if all of them are
/// healthy.
fn print_summary(page: &mut Page, everything: &Everything) {
    if everything
        .verdicts()
        .all(|judged| judged.state == State::Yes)
    {
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
    let counted = counted.map(|(number, word)| format!("{number} {word}"));
    counted.collect::<Vec<_>>().join(", ") + "."
}

/// Prints the reasons of an unhealthy row.
fn print_reasons(page: &mut Page, judged: Judged<'_>, detail: Detail) {
    page.part();
    let title = Span::heading(format!("{}:", judged.title()));
    page.line([title, judged::state(judged.state)]);
    let all = judged.reasons.len();
    let shown = match detail {
        // If only one reason were omitted, the line about the omission would need the same space.
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
    let remarks = judged.iter().flat_map(|judged| {
        let mut remarks = Vec::new();
        gather_remarks(judged.facts, &mut remarks);
        let title = judged.title();
        let line = move |fact: &Fact| format!("{title}: {}: {}", fact.code, fact.message);
        remarks.into_iter().map(line)
    });
    page.list("Remarks:", remarks);
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
