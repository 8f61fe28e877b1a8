//! The answer for people.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::choice::Outcome;
use portolan_proto::resolver::v1::solution::{Choice, Operator, change, optimality};
use portolan_proto::resolver::v1::{Conflict, Deprecation, ResolveResponse, Solution, Wish};

use super::wish;
use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

pub(super) fn render(answer: &ResolveResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    match &answer.answer {
        Some(Answer::Solution(solution)) => solved(&mut page, solution, detail),
        Some(Answer::Conflict(conflict)) => page.block(&conflict.text),
        Some(Answer::GaveUp(end)) => page.line([Span::warning(format!(
            "Nobody knows: the search gave up after {}; --steps allows more.",
            steps(end.steps)
        ))]),
        None => page.say("The server knows an answer that this program does not; a newer one may."),
    }
    if !answer.unread.is_empty() {
        page.part();
    }
    for reason in &answer.unread {
        let name = reason
            .object
            .as_ref()
            .map_or(words::NONE, |object| &object.name);
        let what = Span::warning(format!("catalog {name} took no part:"));
        page.line([what, Span::plain(&reason.message)]);
    }
    page
}

fn solved(page: &mut Page, solution: &Solution, detail: Detail) {
    page.line([headline(solution)]);
    page.part();
    let wished = solution
        .choices
        .iter()
        .map(|choice| wished(choice, solution));
    let extras = solution.operators.iter();
    let extras = extras.filter(|operator| operator.wishes.is_empty());
    let extras =
        extras.map(|operator| row("".into(), operator, reasons(operator, solution, detail)));
    let rows = wished.chain(extras);
    match detail {
        Detail::Usual => page.table(
            ["WISH", "CHOICE", "CHANGE", "CATALOG", "CHANNEL", "WHY"],
            rows.map(without_version).collect(),
        ),
        Detail::Whole => page.table(
            [
                "WISH", "CHOICE", "VERSION", "CHANGE", "CATALOG", "CHANNEL", "WHY",
            ],
            rows.collect(),
        ),
    }
    for conflict in refused(solution) {
        page.part();
        page.block(&conflict.text);
    }
    for operator in &solution.operators {
        let conflict = operator.passed_over.as_ref();
        if let Some(conflict) = conflict.filter(|conflict| !conflict.causes.is_empty()) {
            page.section(format!("Nothing better than {}:", operator.name));
            page.block(&conflict.text);
        }
    }
    words::list_deprecations(page, &deprecations(solution));
    if !solution.lacking.is_empty() {
        page.section("Lacking already:");
    }
    for lacking in &solution.lacking {
        let requirement = lacking.requirement.clone().unwrap_or_default();
        page.below([format!("{} lacks {}", lacking.name, requirement.text).into()]);
    }
}

/// How good it is, and how much there is to do.
fn headline(solution: &Solution) -> Span {
    let number = |change| {
        let operators = solution.operators.iter();
        operators
            .filter(|operator| operator.change() == change)
            .count()
    };
    let deeds = [
        (number(change::Kind::Move), "to move"),
        (number(change::Kind::Install), "to install"),
    ];
    let deeds = deeds.iter().filter(|(number, _)| *number > 0);
    let deeds: Vec<_> = deeds
        .map(|(number, deed)| format!("{number} {deed}"))
        .collect();
    let deeds = match deeds.is_empty() {
        true => "nothing to do".to_owned(),
        false => deeds.join(", "),
    };
    match solution.optimality() {
        optimality::Kind::Best => Span::good(format!("The best solution: {deeds}.")),
        optimality::Kind::Unspecified => Span::plain(format!("A solution: {deeds}.")),
        optimality::Kind::NoSingleChangeBetters => Span::warning(format!(
            "A solution, perhaps not the best: {deeds}. No single change betters it; the search \
             gave up after {}, and --steps allows more.",
            steps(solution.steps)
        )),
    }
}

fn steps(number: u32) -> String {
    words::count(number as usize, "step")
}

/// What became of a wish.
fn wished(choice: &Choice, solution: &Solution) -> [Span; 7] {
    let wish = choice.wish.clone().unwrap_or_default();
    let text = Span::plain(wish::text(&wish));
    let granted = |at: &u32| solution.operators.get(usize::try_from(*at).ok()?);
    let (change, why) = match &choice.outcome {
        Some(Outcome::Granted(at)) => match granted(at) {
            Some(operator) => return row(text, operator, merit(operator, &wish)),
            None => (Span::warning("unknown"), words::NONE.to_owned()),
        },
        Some(Outcome::Refused(conflict)) => (Span::error("refused"), codes(conflict)),
        Some(Outcome::GaveUp(_)) => (Span::warning("unknown"), "the search gave up".to_owned()),
        None => (Span::warning("unknown"), words::NONE.to_owned()),
    };
    let none = || Span::plain(words::NONE);
    [text, none(), none(), change, none(), none(), why.into()]
}

fn row(wish: Span, operator: &Operator, why: String) -> [Span; 7] {
    let name = match operator.deprecation.is_empty() {
        true => Span::plain(&operator.name),
        false => Span::warning(&operator.name),
    };
    [
        wish,
        name,
        or_none(&operator.version).into(),
        change(operator),
        or_none(&operator.catalog).into(),
        or_none(&operator.channel).into(),
        why.into(),
    ]
}

fn without_version([wish, name, _, change, catalog, channel, why]: [Span; 7]) -> [Span; 6] {
    [wish, name, change, catalog, channel, why]
}

fn change(operator: &Operator) -> Span {
    match operator.change() {
        change::Kind::Unspecified => Span::warning("unknown"),
        change::Kind::Install => "install".into(),
        change::Kind::Move => {
            let hops = words::count(operator.hops as usize, "hop");
            format!("move from {} in {hops}", operator.from).into()
        }
        change::Kind::Stay => "stays".into(),
    }
}

/// Why it was chosen for the wish.
fn merit(operator: &Operator, wish: &Wish) -> String {
    let Operator {
        channel,
        head,
        default_channel,
        passed_over,
        ..
    } = operator;
    let is_told = passed_over
        .as_ref()
        .is_some_and(|conflict| !conflict.causes.is_empty());
    match (operator.change(), head) {
        (change::Kind::Stay, _) if is_told => "no other bundle will do".to_owned(),
        (change::Kind::Stay, _) => "nothing better was found".to_owned(),
        (_, true) if *default_channel && wish.channel.is_empty() => {
            "head of the default channel".to_owned()
        }
        (_, true) => format!("head of {channel}"),
        (_, false) => format!("the head of {channel} will not do"),
    }
}

/// Who needs it, and for what.
fn reasons(operator: &Operator, solution: &Solution, detail: Detail) -> String {
    let others = solution.operators.iter();
    let others = others.filter(|other| other.name != operator.name);
    let reasons = others.flat_map(|other| {
        let needs = other.needs.iter().filter(|need| need.by == operator.name);
        needs.map(|need| {
            let requirement = need.requirement.clone().unwrap_or_default();
            format!("{} requires {}", other.name, requirement.text)
        })
    });
    let mut reasons: Vec<_> = reasons.collect();
    let all = reasons.len();
    if detail == Detail::Usual {
        reasons.truncate(1);
    }
    let left_out = match all - reasons.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    or_none(&reasons.join("; ")).to_owned() + &left_out
}

fn refused(solution: &Solution) -> impl Iterator<Item = &Conflict> {
    solution
        .choices
        .iter()
        .filter_map(|choice| match &choice.outcome {
            Some(Outcome::Refused(conflict)) => Some(conflict),
            Some(Outcome::Granted(_) | Outcome::GaveUp(_)) | None => None,
        })
}

/// What stands in the way, in words for a search engine; the tree says it in sentences.
fn codes(conflict: &Conflict) -> String {
    let reasons = conflict
        .causes
        .iter()
        .filter_map(|cause| cause.reason.as_ref());
    let mut codes: Vec<_> = reasons.map(|reason| reason.code.as_str()).collect();
    codes.retain(|code| *code != "Wish");
    codes.dedup();
    or_none(&codes.join(", ")).to_owned()
}

fn deprecations(solution: &Solution) -> Vec<Deprecation> {
    let given_up = solution.operators.iter();
    let given_up = given_up.filter(|operator| !operator.deprecation.is_empty());
    let deprecations = given_up.map(|operator| Deprecation {
        object: Some(ObjectRef {
            kind: "Bundle".to_owned(),
            name: operator.name.clone(),
            ..ObjectRef::default()
        }),
        message: operator.deprecation.clone(),
    });
    deprecations.collect()
}
