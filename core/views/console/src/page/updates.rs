//! The page about automatic updates.

use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::part::{link, long, note, or_none, part_or_reason, section, state, table};
use crate::place::ConsolePage;
use crate::view::{Origin, Updated, Updates};

/// Renders the operators that are updated automatically, with their status.
pub fn updates(frame: &Frame, page: &Updates) -> String {
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
            part_or_reason(operators, |all| table_of(all)),
        ),
    ];
    frame.page(&ConsolePage::Updates, "Updates", content)
}

fn table_of(all: &[Updated]) -> Element {
    if all.is_empty() {
        return note("There are no Operators of Portolan.");
    }
    let rows = all.iter().map(|it| {
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
    let columns = [
        "Operator",
        "Installed",
        "Wanted",
        "State",
        "Reason",
        "Message",
    ];
    table("Operators of Portolan", &columns, rows)
}
