//! Views for tests. All fields of a view contain the same text.

mod catalogs;
mod objects;
mod operators;
mod previews;

use self::catalogs::a_bundle_page;
pub(super) use self::catalogs::{a_catalog, a_graph, a_package, a_package_page};
use self::objects::some_readiness;
pub(super) use self::objects::{a_policy, an_install, an_object_page, some_policies, some_updates};

pub(super) use self::operators::{a_plan, an_operator, an_operator_page, some_diagnoses};
use self::previews::{a_preview, some_applied};
use crate::view::{End, Hidden, ObjectKind, Operator, Origin, Overview, State, Unseen};
use crate::{
    Filter, FirstRow, Frame, bundle, catalog, catalogs, diagnose, installs, login, object,
    operator, operators, overview, package, plans, policies, readiness, search, updates,
};

/// The first row of a list.
const TOP: FirstRow = FirstRow::TOP;

pub(super) fn frame(text: &str) -> Frame {
    Frame {
        hidden: vec![Hidden {
            why: Unseen(text.to_owned()),
            is_stale: true,
        }],
        token: text.to_owned(),
        subject: text.to_owned(),
        read_at: text.to_owned(),
        changes: Some(7),
        may_apply: true,
        has_target: true,
    }
}

/// Returns every page with the given text in all fields of its view.
pub(super) fn pages(text: &str) -> Vec<(&'static str, String)> {
    let frame = &frame(text);
    let unseen = || Unseen(text.to_owned());
    let all = Overview {
        operators: Ok(vec![an_operator(text)]),
        catalogs: Ok(vec![a_catalog(text)]),
        plans: Ok(vec![a_plan(text)]),
    };
    let none = Overview {
        operators: Err(unseen()),
        catalogs: Err(unseen()),
        plans: Err(unseen()),
    };
    let ours = Operator {
        origin: Origin::Portolan,
        ..an_operator(text)
    };
    let filter = Filter {
        text: text.to_owned(),
        state: Some(State::Stuck),
        namespace: text.to_owned(),
        catalog: text.to_owned(),
        ..Filter::NONE
    };
    let words = Filter {
        text: text.to_owned(),
        ..Filter::NONE
    };
    vec![
        ("overview", overview(frame, &all)),
        ("unseen", overview(frame, &none)),
        (
            "operators",
            operators(frame, &filter, &Ok(vec![an_operator(text), ours])),
        ),
        ("operator", operator(frame, &an_operator_page(text))),
        (
            "catalogs",
            catalogs(frame, &words, &Ok(vec![a_catalog(text)])),
        ),
        (
            "catalog",
            catalog(frame, (text, TOP), &Ok(vec![a_package(text)])),
        ),
        (
            "search",
            search(frame, (text, TOP), &Ok(vec![a_package(text)])),
        ),
        ("package", package(frame, &a_package_page(text, 1))),
        ("bundle", bundle(frame, &a_bundle_page(text))),
        ("plans", plans(frame, &words, &Ok(vec![a_plan(text)]))),
        ("policies", policies(frame, &words, &some_policies(text))),
        (
            "installs",
            installs(frame, &words, &Ok(vec![an_install(text)])),
        ),
        (
            "object",
            object(frame, &an_object_page(ObjectKind::Plan, text)),
        ),
        ("diagnose", diagnose(frame, TOP, &Ok(some_diagnoses(text)))),
        ("updates", updates(frame, TOP, &some_updates(text))),
        (
            "readiness",
            readiness(frame, TOP, &Ok(some_readiness(text))),
        ),
        ("preview", a_preview(frame, text, false)),
        ("refusal", a_preview(frame, text, true)),
        (
            "tried",
            some_applied(frame, text, End::Tried(text.to_owned())),
        ),
        (
            "differs",
            some_applied(frame, text, End::Differs(text.to_owned())),
        ),
        ("refused", some_applied(frame, text, End::Refused)),
        ("done", some_applied(frame, text, End::Done)),
        (
            "impossible",
            some_applied(frame, text, End::Impossible(text.to_owned())),
        ),
        ("nowhere", frame.nowhere(text).text),
        ("login", login(Some(text))),
    ]
}
