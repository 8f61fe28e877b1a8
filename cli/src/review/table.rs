//! Renders InstallPlans as a table.

use portolan_proto::approval::v1::verdict::State;
use portolan_proto::approval::v1::{Bundle, Fix, Review, Standing};
use portolan_proto::basis::v1::Reason;

use super::reviewed::{self, is_finished, names, object, place};
use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span, Table};

/// A row for a bundle. Only the first row of a plan contains the plan.
struct ReviewRow<'a> {
    plan: Option<&'a Review>,
    bundle: Option<&'a Bundle>,
}

/// The states that are explained below the table. The most severe state comes first.
const WORSE: [State; 3] = [State::No, State::NotYet, State::Unspecified];

/// Renders one row for each bundle. The reasons and remedies come last, because the end of a long
/// output stays visible in a terminal.
pub(super) fn render(
    reviews: &[Review],
    policies: &[Standing],
    remarks: &[Reason],
    detail: Detail,
) -> Page {
    let is_shown = |review: &&Review| detail == Detail::Whole || !is_finished(review);
    let shown: Vec<_> = reviews.iter().filter(is_shown).collect();
    let mut page = Page::default();
    if !shown.is_empty() {
        list(&mut page, &shown, detail);
    }
    for state in WORSE {
        for review in shown.iter().filter(|review| !is_finished(review)) {
            if reviewed::state(review.verdict.as_ref()) == state {
                print_review(&mut page, review);
            }
        }
    }
    let of_plans = shown.iter().flat_map(|review| &review.remarks);
    remark(&mut page, of_plans.chain(remarks));
    if !policies.is_empty() {
        page.part();
        list_policies(&mut page, policies, detail);
    }
    page
}

fn list(page: &mut Page, reviews: &[&Review], detail: Detail) {
    let rows: Vec<_> = reviews.iter().flat_map(|review| rows(review)).collect();
    page.table(
        Table::of(&rows, detail)
            .column("NAMESPACE", &|row| {
                row.plan(|it| or_none(names(it).0).into())
            })
            .column("PLAN", &|row| row.plan(|it| names(it).1.into()))
            .wide("PHASE", &|row| row.plan(|it| or_none(&it.phase).into()))
            .wide("APPROVED", &|row| row.plan(|it| yes_or_no(it.approved)))
            .column("VERDICT", &|row| {
                row.plan(|it| reviewed::word(it.verdict.as_ref()))
            })
            .text("BUNDLE", &|row| row.bundle.map_or("", |it| &it.name))
            .text("REPLACES", &|row| row.bundle.map_or("", |it| &it.replaces))
            .wide_text("CATALOG", &|row| row.bundle.map_or("", |it| &it.catalog))
            .column("ALLOWED", &|row| match row.bundle {
                Some(bundle) => reviewed::word(bundle.verdict.as_ref()),
                None => words::NONE.into(),
            })
            .column("BY", &|row| {
                let by = row.bundle.iter().flat_map(|bundle| &bundle.allowances);
                let mut by: Vec<_> = by.map(|by| place(object(by.policy.as_ref()))).collect();
                by.dedup();
                words::names(&by, Detail::Usual).into()
            }),
    );
}

/// Returns a row for each bundle of a plan, or one row if the plan has no bundles.
fn rows(review: &Review) -> Vec<ReviewRow<'_>> {
    let (plan, mut bundles) = (Some(review), review.bundles.iter());
    let bundle = bundles.next();
    let first = std::iter::once(ReviewRow { plan, bundle });
    let others = bundles.map(|bundle| ReviewRow {
        plan: None,
        bundle: Some(bundle),
    });
    first.chain(others).collect()
}

// === impl ReviewRow ===

impl ReviewRow<'_> {
    fn plan(&self, cell: impl Fn(&Review) -> Span) -> Span {
        self.plan.map_or_else(Span::default, cell)
    }
}

fn yes_or_no(is_so: bool) -> Span {
    if is_so { "yes" } else { "no" }.into()
}

fn print_review(page: &mut Page, review: &Review) {
    page.part();
    let title = Span::heading(place(names(review)) + ":");
    page.line([title, reviewed::word(review.verdict.as_ref())]);
    for reason in reviewed::reasons(review.verdict.as_ref()) {
        let code = format!("{}:", reason.code);
        page.below([code.into(), Span::plain(&reason.message)]);
    }
    let bundles = review.bundles.iter();
    let fixes = bundles.filter_map(|bundle| bundle.fixes.first());
    let mut told: Vec<&Fix> = Vec::new();
    for fix in fixes {
        if !told.contains(&fix) {
            page.below([
                Span::heading("To allow this bundle:"),
                Span::plain(&fix.message),
            ]);
            told.push(fix);
        }
    }
}

/// Prints remarks without duplicates, because all plans of a namespace often have the same remark.
fn remark<'a>(page: &mut Page, remarks: impl Iterator<Item = &'a Reason>) {
    let mut told: Vec<&str> = Vec::new();
    page.lines(remarks.filter_map(|remark| {
        let is_told = told.contains(&&*remark.message);
        told.push(&remark.message);
        let code = format!("{}:", remark.code);
        (!is_told).then(|| [code.into(), Span::plain(&remark.message)])
    }));
}

pub(super) fn list_policies(page: &mut Page, policies: &[Standing], detail: Detail) {
    let allows = |policy: &Standing, it: bool| yes_or_no(policy.withheld.is_none() && it);
    page.table(
        Table::of(policies, detail)
            .column("POLICY", &|policy| {
                place(object(policy.policy.as_ref())).into()
            })
            .column("PACKAGE", &|policy| Span::plain(&policy.package))
            .column("ALLOWS", &|policy| {
                words::names(&policy.consents, detail).into()
            })
            .column("UPDATES", &|policy| allows(policy, policy.allows_updates))
            .column("DEPENDENCIES", &|policy| {
                allows(policy, policy.allows_dependencies)
            })
            .column("WHY NOT", &|policy| match &policy.withheld {
                Some(reason) => format!("{}: {}", reason.code, reason.message).into(),
                None => words::NONE.into(),
            }),
    );
}
