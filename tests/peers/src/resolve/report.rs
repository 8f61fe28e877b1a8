//! The measured values of both solvers, as lines of the table.

use super::ours::Outcome;
use super::{Course, HardProblem, World};
use crate::table::{Better, Row, Table, median, percentile};

/// The goals for the median: our solver must be faster by these factors, for small catalogs and for
/// other catalogs.
const MEDIAN_GOALS: (f64, f64) = (10.0, 20.0);
const SMALL: usize = 2_000;

/// The goal for the slowest requests: the 99th percentile of our solver must be better by this
/// factor.
const P99_GOAL: f64 = 4.0;

pub(super) fn compare(what: &str, courses: &[Course], table: &mut Table) {
    let requests = courses.first().map_or(0, |course| course.ours.len());
    table.comparison(
        format!("Resolve: {what}; {requests} requests a line"),
        "deppy",
    );
    for course in courses {
        let median_goal = match course.world.bundles() {
            ..=SMALL => MEDIAN_GOALS.0,
            _ => MEDIAN_GOALS.1,
        };
        row(course, "p50", 0.5, median_goal, table);
        row(course, "p99", 0.99, P99_GOAL, table);
    }
    let head = [
        "",
        "granted by deppy",
        "answered by deppy",
        "alike",
        "wanted",
    ];
    let title = format!("Answers: {what}");
    table.section(title, head.map(str::to_owned).to_vec());
    for course in courses {
        let requests = course.theirs.len();
        let answered = requests - course.unanswered;
        table.line(vec![
            named(course.world),
            format!("{} of {answered}", course.granted),
            format!("{answered} of {requests}"),
            format!("{} of {answered}", course.alike),
            "all".to_owned(),
        ]);
    }
}

fn row(course: &Course, name: &str, share: f64, goal: f64, table: &mut Table) {
    table.row(Row {
        what: format!("{}, {name}", named(course.world)),
        ours: percentile(&course.ours, share),
        theirs: percentile(&course.theirs, share),
        shown: time,
        better: Better::Less,
        goal: Some(goal),
    });
}

fn named(world: World) -> String {
    let requested = match world.requested {
        1 => "1 wish".to_owned(),
        many => format!("{many} wishes"),
    };
    format!("{} bundles, {requested}", world.bundles())
}

/// Compares the values for each size of a catalog with those for the next size.
pub(super) fn growth(courses: &[Course], table: &mut Table) {
    let sizes = courses
        .iter()
        .map(|it| format!("{} bundles", it.world.bundles()));
    let head = ["".to_owned()].into_iter().chain(sizes);
    table.section("Growth: packages in any version, p50", head.collect());
    let bundles = |course: &Course| course.world.bundles() as f64;
    let ours = |course: &Course| median(course.ours.iter().copied());
    let theirs = |course: &Course| median(course.theirs.iter().copied());
    table.line(grown("bundles", courses, bundles));
    table.line(grown("ours", courses, ours));
    table.line(grown("deppy", courses, theirs));
}

fn grown(what: &str, courses: &[Course], figure: impl Fn(&Course) -> f64) -> Vec<String> {
    let growth = courses
        .windows(2)
        .map(|pair| figure(&pair[1]) / figure(&pair[0]));
    let growth = growth.map(|factor| format!("{factor:.2}x"));
    let cells = [what.to_owned(), "1x".to_owned()].into_iter();
    cells.chain(growth).collect()
}

pub(super) fn alone(world: World, times: &[f64], table: &mut Table) {
    let title = format!("Resolve, ours alone: {}", named(world));
    table.section(title, ["", "ours", "wanted"].map(str::to_owned).to_vec());
    for (name, share, wanted) in [("p50", 0.5, "about 2 ms"), ("p99", 0.99, "")] {
        let figure = time(percentile(times, share));
        table.line(vec![name.to_owned(), figure, wanted.to_owned()]);
    }
}

pub(super) fn hard_problem(hard_problem: &HardProblem, table: &mut Table) {
    let HardProblem {
        holes,
        ours,
        theirs,
        patience,
    } = hard_problem;
    let title = format!(
        "Resolve, made to be hard: {} requirements, only {holes} fit",
        holes + 1
    );
    table.section(title, ["", "time", "answer"].map(str::to_owned).to_vec());
    let said = match ours.outcome {
        Outcome::Granted => "granted".to_owned(),
        Outcome::Refused => "refused".to_owned(),
        Outcome::GaveUp { steps } => format!("gave up after {steps} steps"),
    };
    let took = time(ours.took.as_secs_f64());
    table.line(vec!["ours".to_owned(), took, said]);
    let (took, said) = match theirs {
        Some(solved) if solved.is_granted => (solved.took, "granted"),
        Some(solved) => (solved.took, "refused"),
        None => (*patience, "none, and killed"),
    };
    let took = time(took.as_secs_f64());
    table.line(vec!["deppy".to_owned(), took, said.to_owned()]);
}

/// Formats a time. Times range from far below a millisecond to many seconds.
fn time(seconds: f64) -> String {
    format!("{:.2} ms", seconds * 1e3)
}
