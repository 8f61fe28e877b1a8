//! Plans, and policies.

use super::listing;
use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::part::{long, note, or_none, plans as plan_table, sentences, table};
use crate::place::ConsolePage;
use crate::view::{Plan, Policy, Seen, Window};

/// Renders the list of plans.
pub fn plans(frame: &Frame, all: &Seen<Vec<Plan>>) -> String {
    listing(frame, &ConsolePage::Plans, "Plans", all, |all| {
        let all: Vec<_> = all.iter().collect();
        if all.is_empty() {
            note("There are no plans.")
        } else {
            plan_table("InstallPlans", &all)
        }
    })
}

/// Renders the list of policies, with a week of their windows.
pub fn policies(frame: &Frame, all: &Seen<Vec<Policy>>) -> String {
    listing(frame, &ConsolePage::Policies, "Policies", all, |all| {
        if all.is_empty() {
            return note("There are no policies.");
        }
        let rows = all.iter().map(|it| {
            vec![
                Markup::of(it.name.as_str()),
                Markup::of(it.kind.as_str()),
                Markup::of(or_none(&it.namespace)),
                Markup::of(long(or_none(&it.about))),
                sentences(&it.says),
                Markup::of(long(or_none(&it.trouble))),
            ]
        });
        let columns = ["Policy", "Kind", "Namespace", "About", "Says", "Trouble"];
        let timed = all.iter().filter_map(|it| Some((it, it.windows.as_ref()?)));
        let weeks = timed.map(|(it, windows)| week(&it.name, windows));
        Element::new("div")
            .with(table("Policies", &columns, rows))
            .each(weeks)
    })
}

/// Renders the windows of a policy in the next seven days.
fn week(policy: &str, windows: &[Window]) -> Element {
    let rows = windows.iter().map(|it| {
        vec![
            Markup::of(it.day.as_str()),
            Markup::of(it.opens.as_str()),
            Markup::of(it.closes.as_str()),
        ]
    });
    let content = if windows.is_empty() {
        note("No window opens within a week.")
    } else {
        table("Times are in UTC", &["Day", "Opens", "Closes"], rows)
    };
    crate::part::section(&format!("Windows of {policy}"), content)
}
