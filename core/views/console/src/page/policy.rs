//! The pages that list plans, policies and Installs.

use super::listing;
use super::object::object_table;
use crate::frame::Frame;
use crate::list::{Row, shown};
use crate::markup::{Element, Markup};
use crate::paging::{Room, Span};
use crate::part::{
    link, long, or_none, paged_table, part_or_reason, plans as plan_table, sentences, state,
};
use crate::place::{ConsolePage, Filter};
use crate::view::{Install, ObjectKind, Plan, Policies, Policy, Seen, ShownObject, State};

/// The limits of the list of policies, which is above their calendar.
const POLICIES: Room = Room {
    rows: 100,
    bytes: 32_000,
};

/// Renders the plans that match the filter. Plans with the worst state come first.
pub fn plans(frame: &Frame, filter: &Filter, all: &Seen<Vec<Plan>>) -> String {
    listing(frame, &ConsolePage::ALL_PLANS, "Plans", all, |all| {
        shown((ConsolePage::Plans, "plans"), filter, all, |found| {
            plan_table("InstallPlans", found, (filter.first, Room::LIST))
        })
    })
}

/// Renders the policies that match the filter, with the calendar of the next week. Policies with
/// the worst state come first.
pub fn policies(frame: &Frame, filter: &Filter, page: &Policies) -> String {
    let section = ConsolePage::ALL_POLICIES;
    let Policies { all, calendar } = page;
    let list = part_or_reason(all, |all| {
        shown((ConsolePage::Policies, "policies"), filter, all, |found| {
            policy_table(found, filter)
        })
    });
    let calendar = calendar.as_ref().map(object_table).map(Markup::of);
    frame.page(&section, "Policies", [Some(list), calendar])
}

fn policy_table(all: &[&Policy], filter: &Filter) -> (Element, Span) {
    let columns = [
        "Policy",
        "Kind",
        "Namespace",
        "About",
        "State",
        "Says",
        "Trouble",
    ];
    paged_table("Policies", &columns, (all, filter.first, POLICIES), |it| {
        vec![
            Markup::of(link(&ConsolePage::Object(it.id.clone()), &it.id.name)),
            Markup::of(it.id.kind.title()),
            Markup::of(or_none(&it.id.namespace)),
            Markup::of(long(or_none(&it.about))),
            Markup::of(state(it.state)),
            sentences(&it.says),
            Markup::of(long(or_none(&it.trouble))),
        ]
    })
}

/// Renders the Installs that match the filter. Installs with the worst state come first.
pub fn installs(frame: &Frame, filter: &Filter, all: &Seen<Vec<Install>>) -> String {
    listing(frame, &ConsolePage::ALL_INSTALLS, "Installs", all, |all| {
        shown((ConsolePage::Installs, "Installs"), filter, all, |found| {
            let columns = ["Install", "Approval", "State", "Why", "Content"];
            let found = (found, filter.first, Room::LIST);
            paged_table("Installs", &columns, found, |it| {
                let id = ShownObject::of(ObjectKind::Install, "", &it.name);
                vec![
                    Markup::of(link(&ConsolePage::Object(id), &it.name)),
                    Markup::of(long(or_none(&it.approval))),
                    Markup::of(state(it.state)),
                    Markup::of(long(&it.why)),
                    sentences(&it.content),
                ]
            })
        })
    })
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
        (&self.id.namespace, &self.id.name)
    }

    fn texts(&self) -> Vec<&str> {
        let Self {
            id,
            about,
            says,
            state: _,
            trouble,
        } = self;
        let texts = [&id.namespace, &id.name, about, trouble].into_iter();
        let texts = texts.chain(says).map(String::as_str);
        texts.chain([id.kind.title()]).collect()
    }
}

impl Row for Install {
    fn state(&self) -> State {
        self.state
    }

    fn key(&self) -> (&str, &str) {
        ("", &self.name)
    }

    fn texts(&self) -> Vec<&str> {
        let Self {
            name,
            content,
            approval,
            state: _,
            why,
        } = self;
        let texts = [name, approval, why].into_iter();
        texts.chain(content).map(String::as_str).collect()
    }
}
