//! Renders the answer as text.

use portolan_proto::basis::v1::{ObjectRef, Reason};
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::choice::Outcome;
use portolan_proto::resolver::v1::solution::{Choice, Operator, change, optimality};
use portolan_proto::resolver::v1::{
    Conflict, Deprecation, ResolveResponse, Solution, Wish as WireRequirement,
};

use crate::print::{Detail, Page, Span, Table, words};
use crate::requirement;

/// A row for a requirement, or for an operator that another operator needs.
struct SolutionRow<'a> {
    requirement: String,
    /// The operator in the solution. None if the solution has no operator for the requirement.
    operator: Option<&'a Operator>,
    change: Span,
    why: String,
}

pub(super) fn render(answer: &ResolveResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    match &answer.answer {
        Some(Answer::Solution(solution)) => print_solution(&mut page, solution, detail),
        Some(Answer::Conflict(conflict)) => page.block(&conflict.text),
        Some(Answer::GaveUp(end)) => page.line([Span::warning(format!(
            "Unknown: the search reached its limit after {}; increase --steps.",
            steps(end.steps)
        ))]),
        None => page.text_line(words::UNKNOWN_ANSWER),
    }
    let unread = answer.unread.iter();
    page.lines(unread.map(|reason| of_catalog(reason, "was not used")));
    page
}

/// Returns a line about a catalog: its effect on the answer, and the reason.
pub(super) fn of_catalog(reason: &Reason, what: &str) -> [Span; 2] {
    let object = reason.object.as_ref();
    let name = object.map_or(words::NONE, |object| &object.name);
    let what = Span::warning(format!("catalog {name} {what}:"));
    [what, Span::plain(&reason.message)]
}

fn print_solution(page: &mut Page, solution: &Solution, detail: Detail) {
    page.line([headline(solution)]);
    page.part();
    let required = solution.choices.iter();
    let required = required.map(|choice| required_row(choice, solution));
    let extras = solution.operators.iter();
    let extras = extras.filter(|operator| operator.wishes.is_empty());
    let extras = extras.map(|operator| {
        let why = reasons(operator, solution, detail);
        SolutionRow::of(String::new(), operator, why)
    });
    let rows: Vec<_> = required.chain(extras).collect();
    page.table(
        Table::of(&rows, detail)
            .column("REQUIREMENT", &|row| Span::plain(&row.requirement))
            .column("CHOICE", &|row| match row.operator {
                Some(chosen) if chosen.deprecation.is_empty() => Span::plain(&chosen.name),
                Some(deprecated) => Span::warning(&deprecated.name),
                None => words::NONE.into(),
            })
            .wide_text("VERSION", &|row| row.chosen(|operator| &operator.version))
            .column("CHANGE", &|row| row.change.clone())
            .text("CATALOG", &|row| row.chosen(|operator| &operator.catalog))
            .text("CHANNEL", &|row| row.chosen(|operator| &operator.channel))
            .text("WHY", &|row| &row.why),
    );
    for conflict in refusals(solution) {
        page.part();
        page.block(&conflict.text);
    }
    for operator in &solution.operators {
        let conflict = operator.passed_over.as_ref();
        if let Some(conflict) = conflict.filter(|conflict| !conflict.causes.is_empty()) {
            page.section(format!(
                "No better bundle than {} is possible:",
                operator.name
            ));
            page.block(&conflict.text);
        }
    }
    words::list_deprecations(page, &deprecations(solution));
    let lacking = solution.lacking.iter().map(|lacking| {
        let requirement = lacking.requirement.clone().unwrap_or_default();
        format!("{} lacks {}", lacking.name, requirement.text)
    });
    page.list("Dependencies that are already missing:", lacking);
}

/// Returns a sentence about the solution: if it is the best solution, and the number of changes.
fn headline(solution: &Solution) -> Span {
    let number = |change| {
        let operators = solution.operators.iter();
        operators.filter(|each| each.change() == change).count()
    };
    let (moves, installs) = (number(change::Kind::Move), number(change::Kind::Install));
    let deeds = words::notes([
        (moves > 0, &format!("{moves} to move")),
        (installs > 0, &format!("{installs} to install")),
        (moves + installs == 0, "nothing to do"),
    ]);
    match solution.optimality() {
        optimality::Kind::Best => Span::good(format!("The best solution: {deeds}.")),
        optimality::Kind::Unspecified => Span::plain(format!("A solution: {deeds}.")),
        optimality::Kind::NoSingleChangeBetters => Span::warning(format!(
            "A solution, perhaps not the best: {deeds}. No single change improves the solution. The search stopped after {}; increase --steps.",
            steps(solution.steps)
        )),
    }
}

fn steps(number: u32) -> String {
    words::count(number as usize, "step")
}

/// Returns the row for a requirement.
fn required_row<'a>(choice: &Choice, solution: &'a Solution) -> SolutionRow<'a> {
    let requirement = choice.wish.clone().unwrap_or_default();
    let text = requirement::text(&requirement);
    let unknown = || Span::warning("unknown");
    let (change, why) = match &choice.outcome {
        Some(Outcome::Granted(at)) => match solution.operators.get(*at as usize) {
            Some(operator) => {
                return SolutionRow::of(text, operator, reason(operator, &requirement));
            }
            None => (unknown(), String::new()),
        },
        Some(Outcome::Refused(conflict)) => (Span::error("refused"), codes(conflict)),
        Some(Outcome::GaveUp(_)) => (unknown(), "the search reached its limit".to_owned()),
        None => (unknown(), String::new()),
    };
    SolutionRow {
        requirement: text,
        operator: None,
        change,
        why,
    }
}

// === impl SolutionRow ===

impl<'a> SolutionRow<'a> {
    fn of(requirement: String, operator: &'a Operator, why: String) -> Self {
        Self {
            requirement,
            operator: Some(operator),
            change: change(operator),
            why,
        }
    }

    /// Returns a property of the chosen operator. Returns an empty text if there is no operator.
    fn chosen(&self, field: impl Fn(&Operator) -> &str) -> &str {
        self.operator.map_or("", field)
    }
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

/// Returns the reason why the solution contains this operator for the requirement.
fn reason(operator: &Operator, requirement: &WireRequirement) -> String {
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
        (change::Kind::Stay, _) if is_told => "no other bundle can be used".to_owned(),
        (change::Kind::Stay, _) => "no upgrade was found".to_owned(),
        (_, true) if *default_channel && requirement.channel.is_empty() => {
            "head of the default channel".to_owned()
        }
        (_, true) => format!("head of {channel}"),
        (_, false) => format!("the head of {channel} cannot be used"),
    }
}

/// Returns the operators that need this operator, with the requirements that it satisfies.
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
    let reasons: Vec<_> = reasons.collect();
    match reasons.as_slice() {
        [first, _, ..] if detail == Detail::Usual => {
            format!("{first} and {} more", reasons.len() - 1)
        }
        reasons => reasons.join("; "),
    }
}

fn refusals(solution: &Solution) -> impl Iterator<Item = &Conflict> {
    let choices = solution.choices.iter();
    choices.filter_map(|choice| match &choice.outcome {
        Some(Outcome::Refused(conflict)) => Some(conflict),
        Some(Outcome::Granted(_) | Outcome::GaveUp(_)) | None => None,
    })
}

/// Returns the codes of all causes of a conflict. Users can search for a code. The tree shows only
/// sentences.
fn codes(conflict: &Conflict) -> String {
    let causes = conflict.causes.iter();
    let reasons = causes.filter_map(|cause| cause.reason.as_ref());
    let mut codes: Vec<_> = reasons.map(|reason| reason.code.as_str()).collect();
    codes.retain(|code| *code != "Wish");
    codes.dedup();
    codes.join(", ")
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
