//! Views of policies, Installs and other objects.

use super::operators::a_cause;
use crate::view::{
    Install, ObjectCell, ObjectKind, ObjectPage, ObjectTable, Origin, Policies, Policy,
    ShownObject, State, Updated, Updates, UpgradeReadiness, UpgradeStep, UpgradeTime,
};

pub(in crate::tests) fn a_policy(text: &str) -> Policy {
    Policy {
        id: ShownObject::of(ObjectKind::Policy, text, text),
        about: text.to_owned(),
        says: vec![text.to_owned()],
        state: State::Broken,
        trouble: text.to_owned(),
    }
}

pub(in crate::tests) fn some_policies(text: &str) -> Policies {
    Policies {
        all: Ok(vec![a_policy(text)]),
        calendar: Some(an_object_table(text)),
    }
}

pub(in crate::tests) fn an_install(text: &str) -> Install {
    Install {
        name: text.to_owned(),
        content: vec![text.to_owned()],
        approval: text.to_owned(),
        state: State::Waiting,
        why: text.to_owned(),
    }
}

/// Returns a table with every kind of cell.
pub(in crate::tests) fn an_object_table(text: &str) -> ObjectTable {
    let id = ShownObject::of(ObjectKind::Plan, text, text);
    ObjectTable {
        title: "Table",
        caption: text.to_owned(),
        columns: vec![text.to_owned(); 4],
        rows: vec![vec![
            ObjectCell::object(id),
            ObjectCell::text(text),
            ObjectCell::Lines(vec![text.to_owned(); 2]),
            ObjectCell::State(State::Working),
        ]],
        none: "",
    }
}

pub(in crate::tests) fn an_object_page(kind: ObjectKind, text: &str) -> ObjectPage {
    let id = ShownObject::of(kind, text, text);
    ObjectPage {
        state: State::Stuck,
        why: text.to_owned(),
        facts: vec![
            ("Text", ObjectCell::text(text)),
            ("Links", ObjectCell::Links(vec![id.clone().link(); 2])),
            ("Nothing", ObjectCell::Links(Vec::new())),
        ],
        cause: Ok(Some(a_cause(text))),
        tables: vec![an_object_table(text), ObjectTable::default()],
        id,
    }
}

pub(in crate::tests) fn some_updates(text: &str) -> Updates {
    Updates {
        configuration: Ok(vec![(text.to_owned(), text.to_owned())]),
        operators: Ok(vec![Updated {
            name: text.to_owned(),
            version: text.to_owned(),
            wanted: text.to_owned(),
            state: State::Working,
            reason: text.to_owned(),
            message: text.to_owned(),
        }]),
    }
}

/// Returns a step at each time, for an operator of each installer and for one without a page.
pub(in crate::tests) fn some_readiness(text: &str) -> UpgradeReadiness {
    let origins = [
        (UpgradeTime::NotChecked, None),
        (UpgradeTime::Before, Some(Origin::Olm)),
        (UpgradeTime::Blocks, Some(Origin::OlmV1)),
        (UpgradeTime::After, Some(Origin::Portolan)),
    ];
    let steps = origins.map(|(time, origin)| UpgradeStep {
        time,
        origin,
        namespace: text.to_owned(),
        name: text.to_owned(),
        message: text.to_owned(),
        who: text.to_owned(),
        command: text.to_owned(),
    });
    UpgradeReadiness {
        from: text.to_owned(),
        to: text.to_owned(),
        operators: 4,
        steps: steps.into(),
        unread: vec![text.to_owned()],
        not_checked: vec![text.to_owned()],
    }
}
