//! Renders the pages. Each page is a function of its view.

mod catalog;
mod object;
mod operator;
mod policy;
mod preview;
mod readiness;
mod stranger;
mod updates;

use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::paging::Room;
use crate::part::{
    more_rows, operators as operator_table, part_or_reason, plans as plan_table, section, state,
};
use crate::place::{ConsolePage, Filter, FirstRow};
use crate::view::{CatalogRow, Operator, Overview, Plan, Seen, State};

pub use self::catalog::{bundle, catalog, catalogs, package, search};
pub use self::object::object;
pub use self::operator::{diagnose, operator, operators};
pub use self::policy::{installs, plans, policies};
pub use self::preview::{applied, preview};
pub use self::readiness::readiness;
pub use self::stranger::{login, refused};
pub use self::updates::updates;

/// The limits of the tables of the overview. Complete lists have their own pages.
const OPERATORS: Room = Room {
    rows: 80,
    bytes: 24_000,
};
const PLANS: Room = Room {
    rows: 30,
    bytes: 12_000,
};
const CATALOGS: Room = Room {
    rows: 50,
    bytes: 8_000,
};

/// Renders the overview page with the numbers of objects and the problems.
pub fn overview(frame: &Frame, overview: &Overview) -> String {
    let Overview {
        operators,
        catalogs,
        plans,
    } = overview;
    let content = [
        section(
            "Operators",
            part_or_reason(operators, |all| of_operators(all)),
        ),
        section(
            "Plans that wait",
            part_or_reason(plans, |all| of_plans(all)),
        ),
        section("Catalogs", part_or_reason(catalogs, |all| of_catalogs(all))),
    ];
    frame.page(&ConsolePage::Overview, "Overview", content)
}

fn of_operators(all: &[Operator]) -> Markup {
    let numbers = State::ALL.iter().map(|each| {
        let count = all.iter().filter(|it| it.state == *each).count();
        (*each, count)
    });
    let numbers = numbers.filter(|(_, count)| *count > 0);
    let numbers = numbers.map(|(each, count)| {
        let place = ConsolePage::Operators(Filter::of(each));
        let link = Element::new("a").href(place.href());
        let link = link.with(Element::new("b").with(count)).with(state(each));
        Element::new("li").with(link)
    });
    let numbers = Element::new("ul").class("numbers").each(numbers);
    let mut ill: Vec<_> = all.iter().filter(|it| it.state != State::Well).collect();
    ill.sort_by_key(|it| it.state);
    let rest = if all.is_empty() {
        crate::part::note("There are no operators.")
    } else if ill.is_empty() {
        crate::part::note("All operators are well.")
    } else {
        let caption = "Unhealthy operators, the most severe first";
        let (table, span) = operator_table(caption, None, &ill, OPERATORS);
        let more = more_rows(span, &ConsolePage::ALL_OPERATORS);
        Element::new("div").with(table).with(more)
    };
    Markup::of([numbers, rest])
}

fn of_plans(all: &[Plan]) -> Element {
    let waiting: Vec<_> = all.iter().filter(|it| it.state == State::Waiting).collect();
    if waiting.is_empty() {
        return crate::part::note("No plan waits.");
    }
    let room = (FirstRow::TOP, PLANS);
    let (table, span) = plan_table("Plans that wait for a person", &waiting, room);
    let list = ConsolePage::Plans(Filter::of(State::Waiting));
    Element::new("div").with(table).with(more_rows(span, &list))
}

fn of_catalogs(all: &[CatalogRow]) -> Element {
    let ill = all.iter().filter(|it| it.state != State::Well);
    let ill = ill.map(|it| {
        let place = ConsolePage::catalog(&it.name);
        let item = Element::new("li")
            .with(crate::part::link(&place, &it.name))
            .with(" ")
            .with(state(it.state))
            .with(" ")
            .with(crate::part::long(&it.why));
        Markup::of(item)
    });
    let count = ill.clone().count();
    let ill = CATALOGS.fitting(ill);
    let more = count - ill.len();
    let more = (more > 0).then(|| {
        let note = crate::part::note(&format!("And {more} more: "));
        note.with(crate::part::link(&ConsolePage::ALL_CATALOGS, "Show all"))
    });
    match (all.len(), ill.is_empty()) {
        (0, _) => crate::part::note("There are no catalogs."),
        (count, true) => {
            let packages: usize = all.iter().map(|it| it.packages).sum();
            crate::part::note(&format!(
                "All {count} catalogs can be read; they have {packages} packages."
            ))
        }
        (_, false) => Element::new("div")
            .with(Element::new("ul").each(ill))
            .with(more),
    }
}

/// Renders a page with a list. If the list is unavailable, renders the reason.
fn listing<T>(
    frame: &Frame,
    section: &ConsolePage,
    title: &str,
    all: &Seen<Vec<T>>,
    show: impl Fn(&[T]) -> Element,
) -> String {
    frame.page(section, title, part_or_reason(all, |all| show(all)))
}
