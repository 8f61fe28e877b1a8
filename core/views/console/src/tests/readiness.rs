//! Tests of the page about the readiness for a cluster upgrade.

use super::views::frame;
use crate::view::{Origin, UpgradeReadiness, UpgradeStep, UpgradeTime};
use crate::{FirstRow, Frame, overview, readiness};

fn step(time: UpgradeTime, origin: Option<Origin>, name: &str) -> UpgradeStep {
    UpgradeStep {
        time,
        origin,
        namespace: "docks".to_owned(),
        name: name.to_owned(),
        message: "update it".to_owned(),
        who: "the administrator".to_owned(),
        command: "portolan approve".to_owned(),
    }
}

fn of(steps: Vec<UpgradeStep>, unread: Vec<String>) -> String {
    let page = UpgradeReadiness {
        from: "OpenShift 4.20".to_owned(),
        to: "OpenShift 4.22".to_owned(),
        operators: steps.len(),
        steps,
        unread,
        not_checked: Vec::new(),
    };
    readiness(&frame("a"), FirstRow::TOP, &Ok(page))
}

#[test]
fn steps_are_listed_in_the_order_of_time() {
    let times = [
        UpgradeTime::NotChecked,
        UpgradeTime::After,
        UpgradeTime::Between,
        UpgradeTime::Blocks,
        UpgradeTime::Before,
    ];
    let steps = times.map(|time| step(time, None, "ferry"));
    let page = of(steps.into(), Vec::new());
    let headings = page.split("<h2>").skip(1);
    let headings: Vec<_> = headings.filter_map(|it| it.split('<').next()).collect();
    assert_eq!(
        headings,
        [
            "Before the upgrade",
            "Blocks the upgrade",
            "In between",
            "After the upgrade",
            "Not checked",
        ]
    );
    assert!(
        page.contains("<h1>Upgrade to OpenShift 4.22</h1>"),
        "{page}"
    );
}

#[test]
fn operators_are_linked_to_their_pages() {
    let steps = [
        step(UpgradeTime::Before, Some(Origin::Olm), "ferry"),
        step(UpgradeTime::Before, None, "pilot"),
    ];
    let page = of(steps.into(), Vec::new());
    assert!(
        page.contains("href=\"/operator?namespace=docks&amp;name=ferry\""),
        "{page}"
    );
    assert!(!page.contains("name=pilot"), "{page}");
}

#[test]
fn unread_objects_are_never_ready() {
    let all_ready = "All operators are ready.";
    assert!(of(Vec::new(), Vec::new()).contains(all_ready));
    let page = of(Vec::new(), vec!["cannot list Subscriptions".to_owned()]);
    assert!(page.contains("cannot list Subscriptions"), "{page}");
    assert!(!page.contains(all_ready), "{page}");
}

#[test]
fn page_is_linked_only_with_a_target() {
    let all = crate::view::Overview {
        operators: Ok(Vec::new()),
        catalogs: Ok(Vec::new()),
        plans: Ok(Vec::new()),
    };
    let link = "href=\"/readiness\"";
    assert!(overview(&frame("a"), &all).contains(link));
    let without = Frame {
        has_target: false,
        ..frame("a")
    };
    assert!(!overview(&without, &all).contains(link));
}

/// Each page has the headings of its own steps, and the last page also has the unread objects.
#[test]
fn steps_of_many_operators_are_on_several_pages() {
    let times = [UpgradeTime::Before, UpgradeTime::After];
    let steps = times.into_iter().flat_map(|time| {
        let names = (0..400).map(move |at| format!("{time:?}-{at}"));
        names.map(move |name| step(time, None, &name))
    });
    let all = UpgradeReadiness {
        from: "OpenShift 4.20".to_owned(),
        to: "OpenShift 4.22".to_owned(),
        operators: 800,
        steps: steps.collect(),
        unread: vec!["cannot list Subscriptions".to_owned()],
        not_checked: Vec::new(),
    };
    let page = |row| readiness(&frame("a"), FirstRow::after(row), &Ok(all.clone()));
    let first = page(0);
    assert!(first.contains("Rows 1 to "), "{first}");
    assert!(first.contains("Before the upgrade"), "{first}");
    assert!(!first.contains("After the upgrade"), "{first}");
    assert!(!first.contains("cannot list"), "{first}");
    let middle = page(399);
    assert!(middle.contains(">Before-399<"), "{middle}");
    assert!(middle.contains(">After-0<"), "{middle}");
    let last = page(10_000);
    assert!(last.contains(">After-399<"), "{last}");
    assert!(!last.contains("Before the upgrade"), "{last}");
    assert!(last.contains("cannot list Subscriptions"), "{last}");
}
