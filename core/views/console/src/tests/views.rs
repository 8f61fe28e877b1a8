//! Views for tests. All fields of a view contain the same text.

use crate::Frame;
use crate::drawing::{Bundle, DrawnUpdate, Graph, Head, Way};
use crate::markup::Icon;
use crate::view::{
    About, Applied, BlockedVersion, BundlePage, CatalogRow, Cause, ChannelRow, CheckedObject,
    DiagnosedObject, Diagnoses, End, Event, Field, Follower, Granted, Hidden, Install, Move,
    ObjectCell, ObjectKind, ObjectPage, ObjectTable, Offered, Operator, OperatorPage, Origin,
    Overview, PackageManager, PackagePage, PackageRow, Plan, Policies, Policy, Preview,
    PreviewPage, Quote, ReleaseRow, Remedy, Rewritten, RouteHop, ShownObject, State, Step,
    UnsafeUpdate, Unseen, Updated, Updates, UpgradeReadiness, UpgradeStep, UpgradeTime, Versions,
};
use crate::{Change, Filter, GraphFilter, Wanted};
use crate::{
    applied, bundle, catalog, catalogs, diagnose, installs, login, object, operator, operators,
    overview, package, plans, policies, preview, readiness, search, updates,
};

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

pub(super) fn an_operator(text: &str) -> Operator {
    Operator {
        origin: Origin::Olm,
        namespace: text.to_owned(),
        name: text.to_owned(),
        package: text.to_owned(),
        bundle: text.to_owned(),
        version: text.to_owned(),
        next: text.to_owned(),
        wanted: text.to_owned(),
        window: text.to_owned(),
        catalog: text.to_owned(),
        channel: text.to_owned(),
        state: State::Stuck,
        why: text.to_owned(),
    }
}

fn some_diagnoses(text: &str) -> Diagnoses {
    Diagnoses {
        operators: vec![(an_operator(text), Some(a_cause(text)))],
        others: vec![DiagnosedObject {
            page: Some(ShownObject::of(ObjectKind::Install, text, text)),
            kind: text.to_owned(),
            namespace: text.to_owned(),
            name: text.to_owned(),
            state: State::Broken,
            cause: Some(a_cause(text)),
        }],
    }
}

fn a_cause(text: &str) -> Cause {
    let remedy = || Remedy {
        message: text.to_owned(),
        scripts: vec![text.to_owned()],
        notes: vec![text.to_owned()],
    };
    let cause = Cause {
        state: State::Broken,
        code: text.to_owned(),
        message: text.to_owned(),
        quotes: vec![Quote {
            source: text.to_owned(),
            text: text.to_owned(),
        }],
        headline: text.to_owned(),
        at_fault: text.to_owned(),
        who: text.to_owned(),
        action: text.to_owned(),
        confidence: text.to_owned(),
        look: vec![remedy()],
        fix: Some(remedy()),
        decide: vec![remedy(), remedy()],
        later: vec![remedy()],
        below: Vec::new(),
    };
    Cause {
        below: vec![cause.clone()],
        ..cause
    }
}

fn a_fact(text: &str) -> CheckedObject {
    let fact = CheckedObject {
        object: text.to_owned(),
        state: State::Broken,
        code: text.to_owned(),
        message: text.to_owned(),
        below: Vec::new(),
    };
    CheckedObject {
        below: vec![fact.clone()],
        ..fact
    }
}

pub(super) fn a_graph(text: &str) -> Graph {
    let name = |end: &str| format!("{text}{end}");
    let a_bundle = |end: &str| Bundle {
        name: name(end),
        version: name(end),
        channels: vec![name("c")],
        is_deprecated: true,
    };
    Graph {
        package: text.to_owned(),
        default_channel: name("c"),
        bundles: vec![a_bundle("2"), a_bundle("1")],
        updates: vec![DrawnUpdate {
            channel: name("c"),
            from: name("1"),
            to: name("2"),
            ways: vec![Way::SkipRange],
        }],
        heads: vec![Head {
            channel: name("c"),
            name: name("2"),
        }],
        path: vec![name("1"), name("2")],
        is_part: false,
    }
}

pub(super) fn a_plan(text: &str) -> Plan {
    Plan {
        origin: Origin::Olm,
        namespace: text.to_owned(),
        name: text.to_owned(),
        phase: text.to_owned(),
        state: State::Waiting,
        why: vec![text.to_owned()],
        bundles: vec![text.to_owned()],
        fixes: vec![text.to_owned()],
    }
}

pub(super) fn a_catalog(text: &str) -> CatalogRow {
    CatalogRow {
        name: text.to_owned(),
        state: State::Broken,
        why: text.to_owned(),
        packages: 1,
        bundles: 2,
        faults: 3,
    }
}

pub(super) fn a_package(text: &str) -> PackageRow {
    PackageRow {
        catalog: text.to_owned(),
        name: text.to_owned(),
        title: text.to_owned(),
        default_channel: text.to_owned(),
        version: text.to_owned(),
        deprecation: text.to_owned(),
    }
}

pub(super) fn an_operator_page(text: &str) -> OperatorPage {
    OperatorPage {
        operator: an_operator(text),
        facts: vec![a_fact(text)],
        cause: Ok(Some(a_cause(text))),
        versions: Ok(Versions {
            recommended: text.to_owned(),
            next: vec![Follower {
                name: text.to_owned(),
                version: text.to_owned(),
                channels: vec![text.to_owned()],
                deprecation: text.to_owned(),
            }],
            blocked: vec![BlockedVersion {
                name: text.to_owned(),
                version: text.to_owned(),
                why: text.to_owned(),
            }],
            reasons: vec![text.to_owned()],
        }),
        way: Ok(vec![RouteHop {
            bundle: text.to_owned(),
            version: text.to_owned(),
            notes: vec![text.to_owned()],
        }]),
        graph: Ok(a_graph(text)),
        plans: Ok(vec![a_plan(text)]),
        tables: vec![an_object_table(text)],
        events: Ok(vec![Event {
            at: text.to_owned(),
            object: text.to_owned(),
            reason: text.to_owned(),
            message: text.to_owned(),
        }]),
    }
}

pub(super) fn a_package_page(text: &str, releases: usize) -> PackagePage {
    PackagePage {
        catalog: text.to_owned(),
        name: text.to_owned(),
        icon: Icon::of("image/svg+xml", "PHN2Zy8+"),
        about: About {
            title: text.to_owned(),
            provider: text.to_owned(),
            maturity: text.to_owned(),
            links: vec![text.to_owned(); 2],
            install_modes: vec![text.to_owned()],
            description: text.to_owned(),
        },
        description: text.to_owned(),
        deprecation: text.to_owned(),
        default_channel: text.to_owned(),
        releases: vec![
            ReleaseRow {
                name: text.to_owned(),
                version: text.to_owned(),
                channels: vec![text.to_owned()],
                deprecation: text.to_owned(),
            };
            releases
        ],
        faults: vec![text.to_owned()],
        asked: GraphFilter {
            channel: text.to_owned(),
            from: text.to_owned(),
            to: text.to_owned(),
            older: text.to_owned(),
        },
        channels: vec![ChannelRow {
            name: text.to_owned(),
            heads: vec![text.to_owned()],
            entries: 2,
            deprecation: text.to_owned(),
        }],
        graph: Ok(a_graph(text)),
    }
}

fn a_bundle_page(text: &str) -> BundlePage {
    let some = || vec![text.to_owned()];
    BundlePage {
        catalog: text.to_owned(),
        package: text.to_owned(),
        name: text.to_owned(),
        title: text.to_owned(),
        version: text.to_owned(),
        image: text.to_owned(),
        channels: some(),
        deprecation: text.to_owned(),
        install_modes: some(),
        provides: some(),
        requires: some(),
        kubernetes: text.to_owned(),
        images: some(),
        permissions: Ok(vec![Granted {
            account: text.to_owned(),
            place: text.to_owned(),
            rules: some(),
        }]),
    }
}

pub(super) fn a_policy(text: &str) -> Policy {
    Policy {
        id: ShownObject::of(ObjectKind::Policy, text, text),
        about: text.to_owned(),
        says: vec![text.to_owned()],
        state: State::Broken,
        trouble: text.to_owned(),
    }
}

pub(super) fn some_policies(text: &str) -> Policies {
    Policies {
        all: Ok(vec![a_policy(text)]),
        calendar: Some(an_object_table(text)),
    }
}

pub(super) fn an_install(text: &str) -> Install {
    Install {
        name: text.to_owned(),
        content: vec![text.to_owned()],
        approval: text.to_owned(),
        state: State::Waiting,
        why: text.to_owned(),
    }
}

/// Returns a table with every kind of cell.
fn an_object_table(text: &str) -> ObjectTable {
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

pub(super) fn an_object_page(kind: ObjectKind, text: &str) -> ObjectPage {
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

/// Returns automatic updates in which all fields contain the text.
fn some_updates(text: &str) -> Updates {
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

/// Returns steps at four different times: one without a page, and one for each system that installs
/// operators.
fn some_readiness(text: &str) -> UpgradeReadiness {
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

fn a_preview(frame: &Frame, text: &str, is_refused: bool) -> String {
    let wanted = Wanted {
        change: Change::Upgrade,
        operator: text.to_owned(),
        version: text.to_owned(),
        channel: text.to_owned(),
    };
    let answer = Preview {
        steps: vec![Step {
            name: text.to_owned(),
            version: text.to_owned(),
            previous: text.to_owned(),
            between: vec![text.to_owned()],
            command: text.to_owned(),
            owner: text.to_owned(),
            window: text.to_owned(),
            unsafe_updates: vec![UnsafeUpdate {
                bundle: text.to_owned(),
                changes: vec![text.to_owned()],
                remedy: text.to_owned(),
            }],
            not_compared: text.to_owned(),
        }],
        errors: is_refused.then(|| text.to_owned()).into_iter().collect(),
        warnings: vec![text.to_owned()],
        notes: vec![text.to_owned()],
        text: Some(Rewritten {
            place: text.to_owned(),
            before: text.to_owned(),
            after: text.to_owned(),
            command: text.to_owned(),
        }),
    };
    let manager = PackageManager {
        origin: Origin::Olm,
        object: text.to_owned(),
        bundle: text.to_owned(),
        version: text.to_owned(),
        adoption: text.to_owned(),
    };
    let some = || vec![text.to_owned()];
    let page = PreviewPage {
        wanted,
        offered: Offered {
            operators: some(),
            packages: some(),
            channels: some(),
            versions: some(),
        },
        package: text.to_owned(),
        managers: vec![manager],
        told: Some(Ok(answer)),
    };
    preview(frame, &page)
}

fn some_applied(frame: &Frame, text: &str, end: End) -> String {
    let wanted = Wanted {
        change: Change::Upgrade,
        operator: text.to_owned(),
        version: text.to_owned(),
        channel: text.to_owned(),
    };
    let moves = vec![Move {
        object: text.to_owned(),
        fields: vec![Field {
            path: text.to_owned(),
            before: text.to_owned(),
            after: text.to_owned(),
        }],
        refused: text.to_owned(),
        is_done: true,
    }];
    applied(frame, &Applied { wanted, moves, end })
}

/// Returns the name and the HTML of every page. All fields of its view contain the text.
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
        ("catalog", catalog(frame, text, &Ok(vec![a_package(text)]))),
        ("search", search(frame, text, &Ok(vec![a_package(text)]))),
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
        ("diagnose", diagnose(frame, &Ok(some_diagnoses(text)))),
        ("updates", updates(frame, &some_updates(text))),
        ("readiness", readiness(frame, &Ok(some_readiness(text)))),
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
