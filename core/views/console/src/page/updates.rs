//! The page about automatic updates.

use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::paging::Room;
use crate::part::{link, long, note, or_none, paged_table, part_or_reason, section, state};
use crate::place::{ConsolePage, FirstRow};
use crate::view::{Origin, Updated, Updates};

/// Renders the operators that are updated automatically, with their status.
pub fn updates(frame: &Frame, first: FirstRow, page: &Updates) -> String {
    let Updates {
        configuration,
        operators,
    } = page;
    let texts = |all: &Vec<(String, String)>| {
        let texts = all.iter().map(|(place, text)| {
            Element::new("div")
                .with(Element::new("p").with(long(place)))
                .with(Element::new("pre").with(long(text)))
        });
        Element::new("div").each(texts)
    };
    let content = [
        section("Automatic updates", part_or_reason(configuration, texts)),
        section(
            "How that goes",
            part_or_reason(operators, |all| table_of(all, first)),
        ),
    ];
    frame.page(&ConsolePage::Updates(FirstRow::TOP), "Updates", content)
}

fn table_of(all: &[Updated], first: FirstRow) -> Element {
    if all.is_empty() {
        return note("There are no Operators of Portolan.");
    }
    let columns = [
        "Operator",
        "Installed",
        "Wanted",
        "State",
        "Reason",
        "Message",
    ];
    let caption = "Operators of Portolan";
    let (table, span) = paged_table(caption, &columns, (all, first, Room::LIST), |it| {
        let place = ConsolePage::Operator {
            origin: Origin::Portolan,
            namespace: String::new(),
            name: it.name.clone(),
        };
        vec![
            Markup::of(link(&place, &it.name)),
            Markup::of(or_none(&it.version)),
            Markup::of(long(or_none(&it.wanted))),
            Markup::of(state(it.state)),
            Markup::of(long(or_none(&it.reason))),
            Markup::of(long(&it.message)),
        ]
    });
    Element::new("div")
        .with(table)
        .with(span.navigation(ConsolePage::Updates))
}
