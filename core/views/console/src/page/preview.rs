//! The pages of a change: the preview of its effects, and its result.

use crate::frame::Frame;
use crate::markup::{Element, Href, Markup};
use crate::part::{
    MOST_ROWS, channel_field, command, labeled_field, link, long, names, note, or_none,
    part_or_reason, section, sentences, table,
};
use crate::place::{Change, ConsolePage, Wanted};
use crate::view::{
    Applied, End, Move, Preview, PreviewPage, Rehearsed, Rewritten, Step, UnsafeUpdate,
};

/// The maximum number of names that a field offers. Visitors can type other names.
const MOST_NAMES: usize = 300;
const MOST_VERSIONS: usize = 100;

/// The rules that a visitor can enter instead of a version. [`NEVER`] is an additional rule for
/// automatic updates.
const RULES: [&str; 3] = ["latest", "latest-patch", "latest-minor"];
const NEVER: &str = "never";

/// Renders the form. After the visitor has chosen a change, also renders the effects of the change.
pub fn preview(frame: &Frame, page: &PreviewPage) -> String {
    let PreviewPage { wanted, told, .. } = page;
    let told = told
        .as_ref()
        .map(|told| part_or_reason(told, |told| outcome(frame, wanted, told)));
    let managers = (!page.package.is_empty()).then(|| managers(page));
    let content = Element::new("div")
        .with(form(page))
        .with(managers)
        .with(told);
    frame.page(&ConsolePage::Preview(Wanted::default()), "Preview", content)
}

/// Renders the result of a change or of its dry run.
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

/// Renders a form whose button applies the change or starts a dry run.
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
        rehearsal,
    } = told;
    let rehearsal = rehearsal.as_ref().map(|all| {
        let decided = part_or_reason(all, |all| rehearsed(all));
        section("What the controller would decide", decided)
    });
    if !errors.is_empty() {
        let errors = section("It cannot be", sentences(errors));
        return Element::new("div").with(errors).with(rehearsal);
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
        .with(rehearsal)
        .with(part("Check this first", warnings))
        .with(part("In addition to your request", notes))
        .with(commands(steps, text.as_ref()))
        .with(apply)
}

/// Renders the decisions of the controller, line by line as `portolan explain` prints them.
fn rehearsed(all: &[Rehearsed]) -> Element {
    let each = all.iter().take(MOST_ROWS).map(|it| {
        let Rehearsed {
            operator,
            state,
            conditions,
            path,
            changes,
            unknown,
        } = it;
        let lines = |label: &'static str, lines: &[String]| {
            let lines = lines.iter().take(MOST_ROWS);
            let lines = lines.map(|it| format!("{label}{}", long(it)));
            lines.collect::<Vec<_>>()
        };
        let path = (!path.is_empty()).then(|| path.join(" -> "));
        let path: Vec<_> = path.into_iter().collect();
        let all = [
            lines("", conditions),
            lines("Path: ", &path),
            lines("Would ", changes),
            lines("Unknown: ", unknown),
        ];
        let items = all.concat();
        let items = items.iter().map(|it| Element::new("li").with(it));
        let title = format!("{}: {}", long(operator), long(state));
        Markup::of([
            Element::new("h3").with(title),
            Element::new("ul").each(items),
        ])
    });
    let about = note(
        "This is a rehearsal: nothing is written. portolan explain prints the same about a file \
         with this Operator.",
    );
    Element::new("div").with(about).each(each)
}

/// Renders the objects that currently manage the package. If an installation can be adopted, also
/// renders the command for the adoption.
fn managers(page: &PreviewPage) -> Element {
    let all = &page.managers;
    let title = format!("Current manager of package {}", long(&page.package));
    if all.is_empty() {
        return section(&title, note("No object manages the package."));
    }
    let rows = all.iter().map(|it| {
        vec![
            Markup::of(long(&it.object)),
            Markup::of(it.origin.title()),
            Markup::of(long(or_none(&it.bundle))),
            Markup::of(or_none(&it.version)),
        ]
    });
    let columns = ["Object", "Installer", "Installed", "Version"];
    let mut commands: Vec<_> = all.iter().map(|it| it.adoption.as_str()).collect();
    commands.retain(|it| !it.is_empty());
    commands.dedup();
    let adoption = commands.into_iter().take(MOST_ROWS).map(|it| {
        let about = "To let Portolan manage this installation, without restarting its Pods:";
        [note(about), command(it)]
    });
    let table = table("Objects that manage the package", &columns, rows);
    let content = Element::new("div").with(table).each(adoption);
    section(&title, content)
}

/// Renders the unsafe CRD changes for which Operators would wait. If CRDs were not compared,
/// renders the reason.
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

/// Renders a configuration text before and after the change.
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
        let is_new = it.previous.is_empty() && !it.version.is_empty();
        let done = match (it.previous.is_empty(), it.version.is_empty()) {
            (true, false) if !it.owner.is_empty() => {
                format!(
                    "has no effect, because {} manages the package",
                    long(&it.owner)
                )
            }
            (_, true) => "goes".to_owned(),
            (true, false) => "is installed".to_owned(),
            (false, false) => "gets another version".to_owned(),
        };
        // Upgrade policies do not apply to the first installation.
        let window = if is_new { "" } else { it.window.as_str() };
        vec![
            Markup::of(it.name.as_str()),
            Markup::of(done),
            Markup::of(or_none(&it.previous)),
            Markup::of(or_none(&it.version)),
            Markup::of(names(&it.between)),
            Markup::of(long(or_none(window))),
        ]
    });
    let columns = [
        "Operator",
        "What",
        "Now",
        "Then",
        "Versions in between",
        "Upgrade window",
    ];
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

fn form(page: &PreviewPage) -> Element {
    let PreviewPage {
        wanted, offered, ..
    } = page;
    let changes = Change::ALL.into_iter().map(|each| {
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
        .each(changes);
    let field = |name: &'static str, list: &'static str, value: &str| {
        Element::new("input")
            .attr("id", name)
            .attr("name", name)
            .attr("list", list)
            .attr("autocomplete", "off")
            .attr("value", value)
    };
    let channel = (!offered.channels.is_empty() || !wanted.channel.is_empty())
        .then(|| channel_field(&offered.channels, &wanted.channel));
    // An Operator of Portolan usually has the name of its package. Offer each name only once.
    let is_other = |name: &&String| !offered.operators.contains(name);
    let packages = offered.packages.iter().filter(is_other);
    let names = offered.operators.iter().chain(packages).map(String::as_str);
    let is_updates = wanted.change == Change::Updates;
    let rules = RULES.into_iter().chain(is_updates.then_some(NEVER));
    let versions = offered.versions.iter().map(String::as_str);
    let versions = rules.chain(versions.take(MOST_VERSIONS));
    let hint = "A version, a range, latest, latest-patch or latest-minor. For updates also never. Default: latest. After an operator is chosen, the form offers its channels and versions.";
    Element::new("div")
        .with(
            Element::new("form")
                .class("fields")
                .action(ConsolePage::Preview(Wanted::default()).href())
                .with(labeled_field("change", "What", change))
                .with(labeled_field(
                    "operator",
                    "Operator",
                    field("operator", "operators", &wanted.operator).attr("required", ""),
                ))
                .with(channel)
                .with(labeled_field(
                    "version",
                    "Version, range or rule",
                    field("version", "versions", &wanted.version).attr("aria-describedby", "hint"),
                ))
                .with(values("operators", names.take(MOST_NAMES)))
                .with(values("versions", versions))
                .with(Element::new("button").class("main").with("Preview")),
        )
        .with(note(hint).attr("id", "hint"))
}

/// Renders the list of values that an input field suggests.
fn values<'a>(id: &'static str, all: impl Iterator<Item = &'a str>) -> Element {
    let options = all.map(|it| Element::new("option").attr("value", long(it)));
    Element::new("datalist").attr("id", id).each(options)
}
