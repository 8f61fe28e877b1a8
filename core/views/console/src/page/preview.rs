//! The pages about a change: its effects before it is made, and its result.

use crate::frame::Frame;
use crate::markup::{Element, Href, Markup};
use crate::part::{link, long, names, note, or_none, part_or_reason, section, sentences, table};
use crate::place::{Change, ConsolePage, Wanted};
use crate::view::{Applied, End, Move, Preview, Rewritten, Seen, Step, UnsafeUpdate};

/// Renders the form, and the effects of the change after the visitor has chosen it.
pub fn preview(frame: &Frame, wanted: &Wanted, told: Option<&Seen<Preview>>) -> String {
    let told = told.map(|told| part_or_reason(told, |told| outcome(frame, wanted, told)));
    let content = Element::new("div").with(form(wanted)).with(told);
    frame.page(&ConsolePage::Preview(Wanted::default()), "Preview", content)
}

/// Renders the dry run of a change, or its result.
pub fn applied(frame: &Frame, applied: &Applied) -> String {
    let Applied { wanted, moves, end } = applied;
    let again = ConsolePage::Preview(wanted.clone());
    let (title, told, next) = match end {
        End::Tried(seen) => (
            "Preview of the changes",
            note("Nothing is written yet."),
            Some(order(frame, wanted, seen, "Apply")),
        ),
        End::Differs(seen) => (
            "Preview of the changes",
            trouble(
                "The changes are no longer those of the preview, so nothing was written. Check \
                 the new preview.",
            ),
            Some(order(frame, wanted, seen, "Apply")),
        ),
        End::Refused => (
            "Only a part was applied",
            trouble(
                "The cluster rejected a part of the changes. What was written is listed \
             below.",
            ),
            None,
        ),
        End::Done => ("It is done", note("All of it is written."), None),
        End::Impossible(why) => ("It cannot be", trouble(why), None),
    };
    let content = Element::new("div")
        .with(told)
        .each(moves.iter().map(of_move))
        .with(next)
        .with(Element::new("p").with(link(&again, "Back to the preview")));
    frame.page(&ConsolePage::Preview(Wanted::default()), title, content)
}

fn trouble(why: &str) -> Element {
    Element::new("p")
        .class("unseen")
        .attr("role", "alert")
        .with(long(why))
}

fn of_move(it: &Move) -> Element {
    let Move {
        object,
        fields,
        refused,
        is_done,
    } = it;
    let rows = fields.iter().map(|it| {
        vec![
            Markup::of(Element::new("code").with(long(&it.path))),
            Markup::of(long(or_none(&it.before))),
            Markup::of(long(or_none(&it.after))),
        ]
    });
    let caption = if *is_done {
        "Fields that are written"
    } else {
        "Fields that would be written"
    };
    let rows = (!fields.is_empty()).then(|| table(caption, &["Field", "Before", "Then"], rows));
    let refused =
        (!refused.is_empty()).then(|| trouble(&format!("The cluster rejected it: {refused}")));
    let done = is_done.then(|| note("Written."));
    let content = Element::new("div").with(refused).with(done).with(rows);
    section(&long(object), content)
}

/// Renders a form that applies the change or starts a dry run.
fn order(frame: &Frame, wanted: &Wanted, seen: &str, text: &'static str) -> Element {
    let hidden = |name: &'static str, value: &str| {
        Element::new("input")
            .attr("type", "hidden")
            .attr("name", name)
            .attr("value", value)
    };
    Element::new("form")
        .attr("method", "post")
        .action(Href::to("/apply"))
        .with(frame.token_field())
        .with(hidden("change", wanted.change.as_str()))
        .with(hidden("operator", &wanted.operator))
        .with(hidden("version", &wanted.version))
        .with(hidden("seen", seen))
        .with(Element::new("button").class("main").with(text))
}

fn outcome(frame: &Frame, wanted: &Wanted, told: &Preview) -> Element {
    let Preview {
        steps,
        errors,
        warnings,
        notes,
        text,
    } = told;
    if !errors.is_empty() {
        return section("It cannot be", sentences(errors));
    }
    let part = |title, all: &[String]| (!all.is_empty()).then(|| section(title, sentences(all)));
    let is_something = !steps.is_empty() || text.is_some();
    let changes = match (is_something, steps.is_empty()) {
        (false, _) => Some(note("Nothing would change.")),
        (true, true) => None,
        (true, false) => Some(changes(steps)),
    };
    let apply = (is_something && frame.may_apply).then(|| {
        let ask = order(frame, wanted, "", "Ask the cluster");
        let what = note("This is a preview by the cluster. Nothing is changed yet.");
        section("Have it done", [what, ask])
    });
    Element::new("div")
        .with(section(
            "What would change",
            Markup::of([Markup::of(changes), Markup::of(text.as_ref().map(of_text))]),
        ))
        .with(unsafe_updates(steps))
        .with(part("Check this first", warnings))
        .with(part("In addition to your request", notes))
        .with(commands(steps, text.as_ref()))
        .with(apply)
}

/// Renders the CRD changes for which Operators would wait, and unknown changes.
fn unsafe_updates(steps: &[Step]) -> Option<Element> {
    let updates = steps.iter().flat_map(|step| {
        step.unsafe_updates.iter().map(|update| {
            let UnsafeUpdate {
                bundle,
                changes,
                remedy,
            } = update;
            let waits = format!(
                "{} is not upgraded to {bundle} until these unsafe changes of CRDs are \
                 accepted:",
                step.name
            );
            Element::new("div")
                .with(trouble(&waits))
                .with(Element::new("p").with(sentences(changes)))
                .with(note(&long(remedy)))
        })
    });
    let unknown = steps.iter().filter(|step| !step.not_compared.is_empty());
    let unknown = unknown.map(|step| {
        let why = &step.not_compared;
        trouble(&format!(
            "the CRDs of {} are not compared: {why}",
            step.name
        ))
    });
    let all: Vec<_> = updates.chain(unknown).collect();
    (!all.is_empty()).then(|| section("Unsafe changes of CRDs", Element::new("div").each(all)))
}

/// Renders a text before and after the change.
fn of_text(it: &Rewritten) -> Element {
    let text = |title: &'static str, text: &str| {
        Element::new("div")
            .with(Element::new("h3").with(title))
            .with(Element::new("pre").with(long(or_none(text))))
    };
    Element::new("div")
        .with(note(&long(&it.place)))
        .with(text("Now", &it.before))
        .with(text("Then", &it.after))
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
    let columns = ["Operator", "What", "Now", "Then", "Versions in between"];
    table("Operators, by name", &columns, rows)
}

fn commands(steps: &[Step], text: Option<&Rewritten>) -> Option<Element> {
    let commands = steps.iter().map(|it| it.command.as_str());
    let commands = commands.chain(text.map(|it| it.command.as_str()));
    let commands: Vec<_> = commands.filter(|it| !it.is_empty()).collect();
    let text = long(&commands.join("\n"));
    let content = [
        note("A preview writes nothing. To apply the changes, a user with permission runs:"),
        Element::new("pre").with(text),
    ];
    (!commands.is_empty()).then(|| section("Commands", content))
}

fn form(wanted: &Wanted) -> Element {
    let options = Change::ALL.into_iter().map(|each| {
        let text = match each {
            Change::Add => "Add an operator",
            Change::Upgrade => "Change the version of an operator",
            Change::Delete => "Delete an operator",
            Change::Updates => "Turn automatic updates of an operator on or off",
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
    let labelled = |of: &'static str, text: &'static str, input: Element| {
        let label = Element::new("label").attr("for", of);
        Element::new("div").with(label.with(text)).with(input)
    };
    let hint = "A version, a range, latest, latest-patch or latest-minor. For updates also never. Default: latest.";
    Element::new("div")
        .with(
            Element::new("form")
                .class("fields")
                .action(ConsolePage::Preview(Wanted::default()).href())
                .with(labelled("change", "What", change))
                .with(labelled(
                    "operator",
                    "Operator",
                    field("operator", &wanted.operator).attr("required", ""),
                ))
                .with(labelled(
                    "version",
                    "Version, range or rule",
                    field("version", &wanted.version).attr("aria-describedby", "hint"),
                ))
                .with(Element::new("button").class("main").with("Preview")),
        )
        .with(note(hint).attr("id", "hint"))
}
