//! All InstallPlans, for people.

use portolan_proto::approval::v1::verdict::State;
use portolan_proto::approval::v1::{Bundle, Fix, Review, Standing};
use portolan_proto::basis::v1::Reason;

use super::reviewed::{self, is_finished, names, object, place};
use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

/// The states that are told in sentences, the worst first.
const WORSE: [State; 3] = [State::No, State::NotYet, State::Unspecified];

/// A row a bundle; below them, why a plan is not allowed and what would allow it, where the eye is
/// when many rows have gone by.
pub(super) fn render(
    reviews: &[Review],
    policies: &[Standing],
    remarks: &[Reason],
    detail: Detail,
) -> Page {
    let shown: Vec<_> = match detail {
        Detail::Usual => reviews
            .iter()
            .filter(|review| !is_finished(review))
            .collect(),
        Detail::Whole => reviews.iter().collect(),
    };
    let mut page = Page::default();
    if !shown.is_empty() {
        list(&mut page, &shown, detail);
    }
    for state in WORSE {
        let such = shown
            .iter()
            .filter(|review| reviewed::state(review.verdict.as_ref()) == state);
        such.filter(|review| !is_finished(review))
            .for_each(|review| tell(&mut page, review));
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
    let rows = reviews.iter().flat_map(|review| rows(review));
    match detail {
        Detail::Usual => page.table(
            [
                "NAMESPACE",
                "PLAN",
                "VERDICT",
                "BUNDLE",
                "REPLACES",
                "ALLOWED",
                "BY",
            ],
            rows.map(
                |[namespace, plan, _, _, word, bundle, replaces, _, each, by]| {
                    [namespace, plan, word, bundle, replaces, each, by]
                },
            )
            .collect(),
        ),
        Detail::Whole => page.table(
            [
                "NAMESPACE",
                "PLAN",
                "PHASE",
                "APPROVED",
                "VERDICT",
                "BUNDLE",
                "REPLACES",
                "CATALOG",
                "ALLOWED",
                "BY",
            ],
            rows.collect(),
        ),
    }
}

/// The plan stands before its first bundle only.
fn rows(review: &Review) -> Vec<[Span; 10]> {
    let (namespace, name) = names(review);
    let approved = if review.approved { "yes" } else { "no" };
    let head = [
        or_none(namespace).into(),
        name.into(),
        or_none(&review.phase).into(),
        approved.into(),
        reviewed::word(review.verdict.as_ref()),
    ];
    let mut bundles = review.bundles.iter().map(bundle);
    let first = bundles
        .next()
        .unwrap_or_else(|| std::array::from_fn(|_| words::NONE.into()));
    let mut rows = vec![joined(head, first)];
    rows.extend(bundles.map(|bundle| joined(std::array::from_fn(|_| "".into()), bundle)));
    rows
}

fn bundle(bundle: &Bundle) -> [Span; 5] {
    let by = bundle.allowances.iter();
    let mut by: Vec<_> = by.map(|by| place(object(by.policy.as_ref()))).collect();
    by.dedup();
    [
        (&*bundle.name).into(),
        or_none(&bundle.replaces).into(),
        or_none(&bundle.catalog).into(),
        reviewed::word(bundle.verdict.as_ref()),
        words::names(&by, Detail::Usual).into(),
    ]
}

fn joined(head: [Span; 5], tail: [Span; 5]) -> [Span; 10] {
    let [a, b, c, d, e] = head;
    let [f, g, h, i, j] = tail;
    [a, b, c, d, e, f, g, h, i, j]
}

fn tell(page: &mut Page, review: &Review) {
    page.part();
    let title = Span::heading(place(names(review)) + ":");
    page.line([title, reviewed::word(review.verdict.as_ref())]);
    for reason in reviewed::reasons(review.verdict.as_ref()) {
        let code = format!("{}:", reason.code);
        page.below([code.into(), Span::plain(&reason.message)]);
    }
    let fixes = review
        .bundles
        .iter()
        .filter_map(|bundle| bundle.fixes.first());
    let mut told: Vec<&Fix> = Vec::new();
    for fix in fixes {
        if !told.contains(&fix) {
            page.below([Span::heading("To allow it:"), Span::plain(&fix.message)]);
            told.push(fix);
        }
    }
}

/// What is worth knowing besides, once: much of it is the same for all plans of a namespace.
fn remark<'a>(page: &mut Page, remarks: impl Iterator<Item = &'a Reason>) {
    let mut told: Vec<&str> = Vec::new();
    for remark in remarks {
        if !told.contains(&&*remark.message) {
            if told.is_empty() {
                page.part();
            }
            let code = format!("{}:", remark.code);
            page.line([code.into(), Span::plain(&remark.message)]);
            told.push(&remark.message);
        }
    }
}

pub(super) fn list_policies(page: &mut Page, policies: &[Standing], detail: Detail) {
    page.table(
        [
            "POLICY",
            "PACKAGE",
            "ALLOWS",
            "UPDATES",
            "DEPENDENCIES",
            "WHY NOT",
        ],
        policies
            .iter()
            .map(|policy| standing(policy, detail))
            .collect(),
    );
}

fn standing(policy: &Standing, detail: Detail) -> [Span; 6] {
    let yes = |is_so: bool| if is_so { "yes" } else { "no" };
    let withheld = policy.withheld.as_ref();
    let why = withheld.map_or(words::NONE.to_owned(), |reason| {
        format!("{}: {}", reason.code, reason.message)
    });
    let allows = withheld.is_none();
    [
        place(object(policy.policy.as_ref())).into(),
        (&*policy.package).into(),
        words::names(&policy.consents, detail).into(),
        yes(allows && policy.allows_updates).into(),
        yes(allows && policy.allows_dependencies).into(),
        why.into(),
    ]
}
