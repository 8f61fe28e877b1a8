//! What a change would come to, before anybody makes it.

use portolan_core_markup::{Element, Markup};

use crate::frame::Frame;
use crate::part::{long, names, note, or_none, section, seen, sentences, table};
use crate::place::{Change, Place, Wanted};
use crate::view::{Preview, Seen, Step};

/// The form, and what the change would come to once somebody has said which.
pub fn preview(frame: &Frame, wanted: &Wanted, told: Option<&Seen<Preview>>) -> String {
    let told = told.map(|told| seen(told, outcome));
    let content = Element::new("div").with(form(wanted)).with(told);
    frame.page(&Place::Preview(Wanted::default()), "Preview", content)
}

fn outcome(told: &Preview) -> Element {
    let Preview {
        steps,
        errors,
        warnings,
        notes,
    } = told;
    if !errors.is_empty() {
        return section("It cannot be", sentences(errors));
    }
    let part = |title, all: &[String]| (!all.is_empty()).then(|| section(title, sentences(all)));
    let changes = if steps.is_empty() {
        note("Nothing would change.")
    } else {
        changes(steps)
    };
    Element::new("div")
        .with(section("What would change", changes))
        .with(part("Look at this before", warnings))
        .with(part("Besides what you asked for", notes))
        .with(commands(steps))
}

fn changes(steps: &[Step]) -> Element {
    let rows = steps.iter().map(|it| {
        let done = match (it.previous.is_empty(), it.version.is_empty()) {
            (_, true) => "goes",
            (true, false) => "is installed",
            (false, false) => "gets another version",
        };
        vec![
            Markup::of(it.name.as_str()),
            Markup::of(done),
            Markup::of(or_none(&it.previous)),
            Markup::of(or_none(&it.version)),
            Markup::of(names(&it.between)),
        ]
    });
    let columns = ["Operator", "What", "Now", "Then", "Over"];
    table("By name", &columns, rows)
}

fn commands(steps: &[Step]) -> Option<Element> {
    let commands = steps.iter().map(|it| it.command.as_str());
    let commands: Vec<_> = commands.filter(|it| !it.is_empty()).collect();
    let text = long(&commands.join("\n"));
    let content = [
        note("Nothing is written here. Whoever may change Operators types:"),
        Element::new("pre").with(text),
    ];
    (!commands.is_empty()).then(|| section("What would do it", content))
}

fn form(wanted: &Wanted) -> Element {
    let options = Change::ALL.into_iter().map(|each| {
        let text = match each {
            Change::Add => "Add an operator",
            Change::Upgrade => "Give an operator another version",
            Change::Delete => "Delete an operator",
        };
        let option = Element::new("option").attr("value", each.as_str());
        let option = option.attr_if(each == wanted.change, "selected", "");
        option.with(text)
    });
    let change = Element::new("select")
        .attr("id", "change")
        .attr("name", "change")
        .each(options);
    let field = |name: &'static str, value: &str| {
        Element::new("input")
            .attr("id", name)
            .attr("name", name)
            .attr("autocomplete", "off")
            .attr("value", value)
    };
    let label = |of: &'static str, text: &'static str| {
        let label = Element::new("label").attr("for", of);
        label.with(text)
    };
    Element::new("form")
        .class("search")
        .action(Place::Preview(Wanted::default()).href())
        .with(label("change", "What"))
        .with(change)
        .with(label("operator", "Operator"))
        .with(field("operator", &wanted.operator).attr("required", ""))
        .with(label("version", "Version or range; the newest if empty"))
        .with(field("version", &wanted.version))
        .with(Element::new("button").with("Preview"))
}
