//! Plans, and policies.

use super::listing;
use crate::frame::Frame;
use crate::list::{Row, shown};
use crate::markup::{Element, Markup};
use crate::part::{long, note, or_none, plans as plan_table, sentences, state, table};
use crate::place::{ConsolePage, Filter};
use crate::view::{Plan, Policy, Seen, State, Window};

/// Renders the plans that match the filter, the worst first.
pub fn plans(frame: &Frame, filter: &Filter, all: &Seen<Vec<Plan>>) -> String {
    let section = ConsolePage::ALL_PLANS;
    listing(frame, &section, "Plans", all, |all| {
        shown((&section, "plans"), filter, all, |found| {
            plan_table("InstallPlans", found)
        })
    })
}

/// Renders the policies that match the filter, the worst first, with a week of their windows.
pub fn policies(frame: &Frame, filter: &Filter, all: &Seen<Vec<Policy>>) -> String {
    let section = ConsolePage::ALL_POLICIES;
    listing(frame, &section, "Policies", all, |all| {
        shown((&section, "policies"), filter, all, policy_table)
    })
}

fn policy_table(all: &[&Policy]) -> Element {
    let rows = all.iter().map(|it| {
        vec![
            Markup::of(it.name.as_str()),
            Markup::of(it.kind.as_str()),
            Markup::of(or_none(&it.namespace)),
            Markup::of(long(or_none(&it.about))),
            Markup::of(state(it.state)),
            sentences(&it.says),
            Markup::of(long(or_none(&it.trouble))),
        ]
    });
    let columns = [
        "Policy",
        "Kind",
        "Namespace",
        "About",
        "State",
        "Says",
        "Trouble",
    ];
    let timed = all.iter().filter_map(|it| Some((it, it.windows.as_ref()?)));
    let weeks = timed.map(|(it, windows)| week(&it.name, windows));
    Element::new("div")
        .with(table("Policies", &columns, rows))
        .each(weeks)
}

impl Row for Plan {
    fn state(&self) -> State {
        self.state
    }

    fn key(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }

    fn texts(&self) -> Vec<&str> {
        let Self {
            origin,
            namespace,
            name,
            phase,
            state: _,
            why,
            bundles,
            fixes: _,
        } = self;
        let texts = [namespace, name, phase, origin.title()].into_iter();
        let lists = why.iter().chain(bundles).map(String::as_str);
        texts.chain(lists).collect()
    }
}

impl Row for Policy {
    fn state(&self) -> State {
        self.state
    }

    fn key(&self) -> (&str, &str) {
        (&self.namespace, &self.name)
    }

    fn texts(&self) -> Vec<&str> {
        let Self {
            kind,
            namespace,
            name,
            about,
            says,
            state: _,
            trouble,
            windows: _,
        } = self;
        let texts = [kind, namespace, name, about, trouble].into_iter();
        texts.chain(says).map(String::as_str).collect()
    }
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
