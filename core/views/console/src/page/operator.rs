//! The pages of operators: the list, one operator, and the diagnosis.

use super::listing;
use super::object::object_table;
use crate::frame::Frame;
use crate::list::{Choice, Row, found, results};
use crate::markup::{Element, Markup};
use crate::paging::{PageRows, Room};
use crate::part::{
    cause, compare, facts, graph_of_operator, link, long, more_rows, names, note, operator_link,
    operators as operator_table, or_none, part_or_reason, plans, section, sentences, state, table,
};
use crate::place::{Change, ConsolePage, Filter, FirstRow, Sort, Wanted};
use crate::view::{
    Cause, DiagnosedObject, Diagnoses, Event, Operator, OperatorPage, Origin, RouteHop, Seen,
    State, Versions,
};

/// The maximum number of events on a page. Older events rarely explain current problems.
const MOST_EVENTS: usize = 30;
/// The limits of the plans that change an operator.
const PLANS: Room = Room {
    rows: 50,
    bytes: 16_000,
};
/// The limits of the problems on a page.
const PROBLEMS: Room = Room {
    rows: 50,
    bytes: 44_000,
};

/// An operator or another object with a problem.
enum Problem<'a> {
    Operator(&'a Operator, Option<&'a Cause>),
    Object(&'a DiagnosedObject),
}

/// Renders the operators that match the filter. By default, the worst state comes first.
pub fn operators(frame: &Frame, filter: &Filter, all: &Seen<Vec<Operator>>) -> String {
    listing(
        frame,
        &ConsolePage::ALL_OPERATORS,
        "Operators",
        all,
        |all| {
            if all.is_empty() {
                return note("There are no operators.");
            }
            let mut found = found(filter, all);
            found.retain(|it| is_chosen(filter, it));
            found.sort_by(|one, other| compare(filter.sort, one, other));
            let count = (found.len(), all.len());
            let more = choices(filter, all);
            results(
                (ConsolePage::Operators, "operators"),
                filter,
                more,
                count,
                &found,
                |found| {
                    let caption = "Operators, in the selected order";
                    operator_table(caption, Some(filter), found, Room::LIST)
                },
            )
        },
    )
}

impl Row for Operator {
    fn state(&self) -> State {
        self.state
    }

    fn key(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }

    fn texts(&self) -> Vec<&str> {
        let Self {
            origin: _,
            namespace,
            name,
            package,
            bundle,
            version: _,
            next: _,
            wanted: _,
            window: _,
            catalog,
            channel,
            state: _,
            why,
        } = self;
        vec![namespace, name, package, bundle, catalog, channel, why]
    }
}

/// Returns true if the operator matches the namespace, the catalog and the manager of the filter.
fn is_chosen(filter: &Filter, operator: &Operator) -> bool {
    let is = |chosen: &str, text: &str| chosen.is_empty() || chosen == text;
    is(&filter.namespace, &operator.namespace)
        && is(&filter.catalog, &operator.catalog)
        && filter.manager.is_none_or(|it| it == operator.origin)
}

/// Returns the fields that only the filter form of operators has.
fn choices(filter: &Filter, all: &[Operator]) -> Vec<Choice> {
    let namespaces = all.iter().map(|it| it.namespace.as_str());
    let catalogs = all.iter().map(|it| it.catalog.as_str());
    let option = |value: &str, text: &str| (value.to_owned(), text.to_owned());
    vec![
        Choice::of_texts(
            ("namespace", "Namespace", "all namespaces"),
            namespaces,
            &filter.namespace,
        ),
        Choice::of_texts(
            ("catalog", "Catalog", "all catalogs"),
            catalogs,
            &filter.catalog,
        ),
        Choice {
            name: "manager",
            label: "Manager",
            all: Some("all managers"),
            options: Origin::ALL.map(|it| option(it.word(), it.title())).into(),
            has_more: false,
            chosen: filter.manager.map_or("", Origin::word).to_owned(),
        },
        Choice {
            name: "sort",
            label: "Order",
            all: None,
            options: Sort::ALL.map(|it| option(it.as_str(), it.title())).into(),
            has_more: false,
            chosen: filter.sort.as_str().to_owned(),
        },
    ]
}

/// Renders the page of an operator.
pub fn operator(frame: &Frame, page: &OperatorPage) -> String {
    let OperatorPage {
        operator,
        facts: stands_on,
        cause: root,
        versions,
        way,
        graph: package,
        plans: all,
        tables,
        events,
    } = page;
    let health = if stands_on.is_empty() {
        note("Nothing was checked.")
    } else {
        facts(stands_on)
    };
    let content = [
        Element::new("div")
            .with(identity(operator))
            .with(preview_link(operator)),
        section("What is wrong", part_or_reason(root, root_cause)),
        section(
            "Versions",
            part_or_reason(versions, |it| of_versions(operator, it)),
        ),
        section(
            "Where it goes",
            part_or_reason(way, |hops| of_way(operator, hops)),
        ),
        section(
            "Update graph",
            part_or_reason(package, |it| graph_of_operator(operator, it)),
        ),
        section("Health", health),
        section(
            "Plans",
            part_or_reason(all, |all| {
                let all: Vec<_> = all.iter().collect();
                if all.is_empty() {
                    note("No plan changes it.")
                } else {
                    let (table, span) = plans("Plans that change it", &all, (FirstRow::TOP, PLANS));
                    let more = more_rows(span, &ConsolePage::ALL_PLANS);
                    Element::new("div").with(table).with(more)
                }
            }),
        ),
    ];
    let tables = tables.iter().map(object_table);
    let warnings = section(
        "Warnings of its namespace",
        part_or_reason(events, |all| of_events(all)),
    );
    let content: Vec<_> = content
        .into_iter()
        .chain(tables)
        .chain([warnings])
        .collect();
    frame.page(&ConsolePage::ALL_OPERATORS, &operator.name, content)
}

/// Renders the link to a preview. For an Operator of Portolan, this is the preview of an upgrade.
/// For other operators, this is the preview of the management by Portolan. Returns None if the
/// package is unknown.
fn preview_link(operator: &Operator) -> Option<Element> {
    let (change, name, text) = match operator.origin {
        Origin::Portolan => (Change::Upgrade, &operator.name, "Preview an upgrade"),
        Origin::Olm | Origin::OlmV1 => (
            Change::Add,
            &operator.package,
            "Preview the management by Portolan",
        ),
    };
    let place = ConsolePage::Preview(Wanted {
        change,
        operator: name.clone(),
        ..Wanted::default()
    });
    (!name.is_empty()).then(|| Element::new("p").with(link(&place, text)))
}

/// Renders the diagnosis of each operator and object with a problem: the causes and the remedies. Operators are first,
/// the worst of them at the top.
pub fn diagnose(frame: &Frame, first: FirstRow, all: &Seen<Diagnoses>) -> String {
    let content = part_or_reason(all, |all| {
        let operators = all.operators.iter();
        let operators = operators.filter(|(it, root)| root.is_some() || it.state != State::Well);
        let mut operators: Vec<_> = operators.collect();
        operators.sort_by_key(|(it, _)| it.state);
        let operators = operators.into_iter();
        let operators = operators.map(|(it, root)| Problem::Operator(it, root.as_ref()));
        let others = all.others.iter().filter(|it| it.state != State::Well);
        let problems: Vec<_> = operators.chain(others.map(Problem::Object)).collect();
        if problems.is_empty() {
            return note("All operators are well.");
        }
        let shown = PageRows::of(&problems, first, PROBLEMS, |problem| {
            Markup::of(match problem {
                Problem::Operator(it, root) => ill_operator(it, *root),
                Problem::Object(it) => ill_object(it),
            })
        });
        let count = note(&format!("{} objects have problems.", problems.len()));
        Element::new("div")
            .with(count)
            .each(shown.rows)
            .with(shown.span.navigation(ConsolePage::Diagnose))
    });
    let section = ConsolePage::Diagnose(FirstRow::TOP);
    frame.page(&section, "Diagnose", content)
}

fn ill_operator(it: &Operator, root: Option<&Cause>) -> Element {
    // Without a diagnosed cause, show the problem that the operator reports.
    let why = match root {
        Some(root) => Markup::of(cause(root)),
        None => {
            let said = Element::new("p").with(state(it.state)).with(" ");
            Markup::of(said.with(long(&it.why)))
        }
    };
    Element::new("section")
        .with(Element::new("h2").with(operator_link(it)))
        .with(note(&format!("Namespace {}", or_none(&it.namespace))))
        .with(why)
}

fn ill_object(it: &DiagnosedObject) -> Element {
    let title = match it.name.as_str() {
        "" => format!("All objects of kind {}", it.kind),
        name => format!("{} {name}", it.kind),
    };
    let title = match &it.page {
        Some(page) => Markup::of(link(&ConsolePage::Object(page.clone()), &title)),
        None => Markup::of(title.as_str()),
    };
    let title = Element::new("h2").with(title);
    let place = (!it.namespace.is_empty()).then(|| note(&format!("Namespace {}", it.namespace)));
    let why = match &it.cause {
        Some(root) => Markup::of(cause(root)),
        None => Markup::of(Element::new("p").with(state(it.state))),
    };
    Element::new("section").with(title).with(place).with(why)
}

fn identity(operator: &Operator) -> Element {
    let Operator {
        origin,
        namespace,
        name: _,
        package,
        bundle,
        version,
        next,
        wanted,
        window,
        catalog,
        channel,
        state: is,
        why,
    } = operator;
    let installed_by = match origin {
        Origin::Olm => "OLM, for a Subscription",
        Origin::OlmV1 => "OLM v1, for a ClusterExtension",
        Origin::Portolan => "Portolan, for an Operator",
    };
    let package = if catalog.is_empty() || package.is_empty() {
        Markup::of(or_none(package))
    } else {
        Markup::of(link(&ConsolePage::package(catalog, package), package))
    };
    let of_catalog = if catalog.is_empty() {
        Markup::of(or_none(catalog))
    } else {
        Markup::of(link(&ConsolePage::catalog(catalog), catalog))
    };
    let how = Markup::of([
        Markup::of(state(*is)),
        Markup::of(" "),
        Markup::of(long(why)),
    ]);
    let lines = [
        ("State", how),
        ("Installed by", Markup::of(installed_by)),
        ("Namespace", Markup::of(or_none(namespace))),
        ("Package", package),
        ("Installed", Markup::of(or_none(bundle))),
        ("Version", Markup::of(or_none(version))),
        ("Next", Markup::of(long(or_none(next)))),
        ("Wanted", Markup::of(long(or_none(wanted)))),
        ("Window", Markup::of(long(or_none(window)))),
        ("Channel", Markup::of(or_none(channel))),
        ("Catalog", of_catalog),
    ];
    definitions(lines)
}

/// Renders a description list of terms.
pub(super) fn definitions<'a>(lines: impl IntoIterator<Item = (&'a str, Markup)>) -> Element {
    let lines = lines.into_iter().map(|(name, text)| {
        Markup::of([Element::new("dt").with(name), Element::new("dd").with(text)])
    });
    Element::new("dl").each(lines)
}

fn of_events(events: &[Event]) -> Element {
    if events.is_empty() {
        return note("There are none.");
    }
    let rows = events.iter().take(MOST_EVENTS).map(|it| {
        vec![
            Markup::of(or_none(&it.at)),
            Markup::of(long(&it.object)),
            Markup::of(long(&it.reason)),
            Markup::of(long(&it.message)),
        ]
    });
    let columns = ["Last seen", "Object", "Reason", "Message"];
    table("The newest first", &columns, rows)
}

pub(super) fn root_cause(root: &Option<Cause>) -> Element {
    match root {
        Some(root) => cause(root),
        None => note("No problems are known."),
    }
}

fn bundle(operator: &Operator, name: &str) -> Element {
    let place = ConsolePage::Bundle {
        catalog: operator.catalog.clone(),
        package: operator.package.clone(),
        name: name.to_owned(),
    };
    link(&place, name)
}

fn of_way(operator: &Operator, hops: &[RouteHop]) -> Element {
    if hops.is_empty() {
        return note("It is not being upgraded.");
    }
    let rows = hops.iter().map(|it| {
        vec![
            Markup::of(bundle(operator, &it.bundle)),
            Markup::of(or_none(&it.version)),
            sentences(&it.notes),
        ]
    });
    let columns = ["Bundle", "Version", "Note"];
    table("Hop by hop", &columns, rows)
}

fn of_versions(operator: &Operator, versions: &Versions) -> Markup {
    let Versions {
        recommended,
        next,
        blocked,
        reasons,
    } = versions;
    let bundle = |name: &str| bundle(operator, name);
    let next_rows = next.iter().map(|it| {
        let is_recommended = it.name == *recommended;
        let mut notes = Vec::new();
        notes.extend(is_recommended.then(|| "recommended".to_owned()));
        notes.extend(
            (!it.deprecation.is_empty()).then(|| format!("deprecated: {}", it.deprecation)),
        );
        vec![
            Markup::of(bundle(&it.name)),
            Markup::of(or_none(&it.version)),
            Markup::of(names(&it.channels)),
            sentences(&notes),
        ]
    });
    let next_table = if next.is_empty() {
        note("No update is permitted from what is installed.")
    } else {
        table(
            "Available updates",
            &["Bundle", "Version", "Channels", "Note"],
            next_rows,
        )
    };
    let why_not = blocked.iter().map(|it| {
        vec![
            Markup::of(bundle(&it.name)),
            Markup::of(or_none(&it.version)),
            Markup::of(Element::new("pre").with(long(&it.why))),
        ]
    });
    let why_not = (!blocked.is_empty()).then(|| {
        table(
            "Newer versions without an upgrade path",
            &["Bundle", "Version", "Why not"],
            why_not,
        )
    });
    let reasons = (!reasons.is_empty()).then(|| Element::new("p").with(sentences(reasons)));
    Markup::of([Some(next_table), reasons, why_not])
}
