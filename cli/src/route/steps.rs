//! Renders the answer as text.

use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::resolver::v1::route::{Blocked, Move, Step, Suggestion};
use portolan_proto::resolver::v1::{Deprecation, InstalledOperator, PlanRouteResponse, Route};

use super::lifted;
use crate::print::{Detail, Page, Span, words};

pub(super) fn render(
    answer: &PlanRouteResponse,
    staying: &[InstalledOperator],
    detail: Detail,
) -> Page {
    let mut page = Page::default();
    let shown: Vec<_> = answer.routes.iter().filter(|it| has_content(it)).collect();
    for route in &shown {
        if shown.len() > 1 {
            page.section(format!("Route of {}:", names(route, detail)));
        }
        list_route(&mut page, route, detail);
        print_unnamed(&mut page, route, staying);
    }
    if shown.is_empty() {
        page.text_line("Every operator has its required version; no upgrade is needed.");
    }
    words::list_deprecations(&mut page, &deprecations(answer));
    page
}

fn has_content(route: &Route) -> bool {
    let is_blocked = route.ends.iter().any(|end| end.blocked.is_some());
    !route.steps.is_empty() || is_blocked || !route.only_single.is_empty()
}

/// Returns the names of the operators on a route. If there are several routes, the names are the
/// heading of the route.
fn names(route: &Route, detail: Detail) -> String {
    let moves = route.steps.iter().flat_map(|step| &step.moves);
    let moving: Vec<_> = moves.map(|made| &made.package).collect();
    let ends = route.ends.iter();
    let ends = ends.filter(|end| end.blocked.is_some() || moving.contains(&&end.package));
    let packages: Vec<_> = ends.map(|end| &end.package).collect();
    words::names(&packages, detail)
}

fn list_route(page: &mut Page, route: &Route, detail: Detail) {
    for (at, step) in (1..).zip(&route.steps) {
        list_step(page, at, step, detail);
    }
    if !route.only_single.is_empty() {
        page.line([Span::warning(format!(
            "The operators {} may need to be upgraded together, but only upgrades of single operators were tried.",
            words::names(&route.only_single, Detail::Whole)
        ))]);
    }
    if route.states > 0 {
        page.line([Span::warning(format!(
            "The search stopped after {}, and a better route may exist; increase --states.",
            words::count(route.states as usize, "state")
        ))]);
    }
    for blocked in route.ends.iter().filter_map(|end| end.blocked.as_ref()) {
        page.block(&with_flags(blocked));
    }
}

/// Prints a step. Each move has its own line. Moves that are made together have the same number.
fn list_step(page: &mut Page, number: usize, step: &Step, detail: Detail) {
    let number = format!("{number}.");
    match step.moves.as_slice() {
        [alone] => page.line([vec![Span::plain(number)], line(alone, detail)].concat()),
        together => {
            page.line([Span::plain(number), Span::plain("together:")]);
            for made in together {
                page.below([vec![Span::plain("-")], line(made, detail)].concat());
            }
        }
    }
}

fn line(made: &Move, detail: Detail) -> Vec<Span> {
    let what = match made.from.as_str() {
        "" => format!("install {}", made.to),
        from => format!("{from} -> {}", made.to),
    };
    let via = match detail {
        Detail::Whole if !made.via.is_empty() => format!("via {}", words::via(made.via())),
        Detail::Usual | Detail::Whole => String::new(),
    };
    let notes = words::notes([
        (made.r#unsafe, "unsafe: not an upgrade of the update graph"),
        (made.downgrade, "downgrade"),
        (!made.deprecation.is_empty(), "deprecated"),
    ]);
    let mut line = vec![Span::plain(what)];
    line.extend((!via.is_empty()).then(|| Span::plain(via)));
    line.extend((!notes.is_empty()).then(|| Span::warning(format!("({notes})"))));
    line
}

/// Returns the tree of a Blockage, with the flags that carry out each suggestion.
fn with_flags(blocked: &Blocked) -> String {
    let lines = blocked.text.lines().map(|line| {
        let mut suggestions = blocked.suggestions.iter();
        let told = |one: &&Suggestion| line.ends_with(&format!(" help: {}", one.message));
        match suggestions.find(told).map(typed) {
            Some(typed) if !typed.is_empty() => format!("{line}: {typed}"),
            Some(_) | None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the flags that carry out a suggestion. Returns an empty text if there are no such flags.
fn typed(suggestion: &Suggestion) -> String {
    let Suggestion {
        package,
        version,
        overrides,
        ..
    } = suggestion;
    match (overrides, version.as_str()) {
        (Some(overrides), _) => lifted::flags(package, *overrides),
        (None, "") => String::new(),
        (None, version) => format!("{package}@{version}"),
    }
}

/// Prints a note about operators that block the route only because they have no requirement. If
/// there are several such operators, the user must add requirements for all of them.
fn print_unnamed(page: &mut Page, route: &Route, staying: &[InstalledOperator]) {
    let blocked = route.ends.iter().filter_map(|end| end.blocked.as_ref());
    let causes: Vec<_> = blocked.flat_map(|blocked| &blocked.causes).collect();
    let is_told = |name: &str| {
        let words = causes.iter().flat_map(|cause| cause.message.split(' '));
        let mut words = words.map(|word| word.trim_end_matches(','));
        words.any(|word| word == name)
    };
    let unnamed = staying.iter().filter(|one| is_told(&one.name));
    let packages: Vec<_> = unnamed.map(|one| &one.package).collect();
    if !packages.is_empty() {
        page.text_line(format!(
            "Operators without a requirement are not changed. To allow changes, add requirements for: {}.",
            words::names(&packages, Detail::Whole)
        ));
    }
}

/// Returns the deprecated bundles on the route.
fn deprecations(answer: &PlanRouteResponse) -> Vec<Deprecation> {
    let steps = answer.routes.iter().flat_map(|route| &route.steps);
    let moves = steps.flat_map(|step| &step.moves);
    let given_up = moves.filter(|made| !made.deprecation.is_empty());
    let deprecations = given_up.map(|made| Deprecation {
        object: Some(ObjectRef {
            kind: "Bundle".to_owned(),
            name: made.to.clone(),
            ..ObjectRef::default()
        }),
        message: made.deprecation.clone(),
    });
    deprecations.collect()
}
