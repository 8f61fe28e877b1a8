//! Tests of the preview form, and of the objects that manage a package.

use rstest::rstest;

use super::views::{an_operator, an_operator_page, frame};
use crate::view::{
    Offered, Operator, OperatorPage, Origin, PackageManager, Preview, PreviewPage, Step,
};
use crate::{Change, Wanted, operator, preview};

fn a_page(change: Change) -> PreviewPage {
    PreviewPage {
        wanted: Wanted {
            change,
            operator: "ferry".to_owned(),
            ..Wanted::default()
        },
        package: "ferry".to_owned(),
        ..PreviewPage::default()
    }
}

fn a_step(previous: &str, owner: &str) -> Step {
    Step {
        name: "ferry".to_owned(),
        version: "1.2.0".to_owned(),
        previous: previous.to_owned(),
        between: Vec::new(),
        command: String::new(),
        owner: owner.to_owned(),
        window: "opens Sat 2026-12-05 00:00 UTC".to_owned(),
        unsafe_updates: Vec::new(),
        not_compared: String::new(),
    }
}

fn with(step: Step) -> String {
    let page = PreviewPage {
        told: Some(Ok(Preview {
            steps: vec![step],
            ..Preview::default()
        })),
        ..a_page(Change::Add)
    };
    preview(&frame(""), &page)
}

#[test]
fn form_offers_operators_packages_channels_and_versions() {
    let names = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect();
    let page = PreviewPage {
        offered: Offered {
            operators: names(&["crane"]),
            packages: names(&["crane", "ferry"]),
            channels: names(&["stable"]),
            versions: names(&["1.2.0"]),
        },
        ..a_page(Change::Updates)
    };
    let page = preview(&frame(""), &page);
    for value in ["ferry", "1.2.0", "latest-patch", "never"] {
        let option = format!("<option value=\"{value}\"></option>");
        assert!(page.contains(&option), "{value}: {page}");
    }
    assert_eq!(page.matches("<option value=\"crane\">").count(), 1);
    assert!(
        page.contains("<option value=\"stable\">stable</option>"),
        "{page}"
    );
    let empty = preview(&frame(""), &a_page(Change::Add));
    assert!(!empty.contains("<option value=\"never\">"), "{empty}");
    assert!(!empty.contains("for=\"channel\""), "{empty}");
}

#[test]
fn form_offers_a_limited_number_of_values() {
    let many = |name: &str| (0..5_000).map(|at| format!("{name}-{at}")).collect();
    let page = PreviewPage {
        offered: Offered {
            operators: many("operator"),
            packages: many("package"),
            channels: many("channel"),
            versions: many("1.2.3"),
        },
        ..a_page(Change::Add)
    };
    let page = preview(&frame(""), &page);
    assert!(page.len() < 40_000, "{}", page.len());
}

#[test]
fn current_manager_is_shown_with_the_command_that_adopts() {
    let manager = PackageManager {
        origin: Origin::Olm,
        object: "ClusterServiceVersion ferries/ferry.v1.1.0".to_owned(),
        bundle: "ferry.v1.1.0".to_owned(),
        version: "1.1.0".to_owned(),
        adoption: "portolan adopt ferry".to_owned(),
    };
    let of_olm_v1 = PackageManager {
        origin: Origin::OlmV1,
        adoption: String::new(),
        ..manager.clone()
    };
    let shown = |managers| {
        let page = PreviewPage {
            managers,
            ..a_page(Change::Add)
        };
        preview(&frame(""), &page)
    };
    let page = shown(vec![manager]);
    assert!(page.contains("Current manager of package ferry"), "{page}");
    assert!(
        page.contains("ClusterServiceVersion ferries/ferry.v1.1.0"),
        "{page}"
    );
    assert!(page.contains("<pre>portolan adopt ferry</pre>"), "{page}");
    let page = shown(vec![of_olm_v1]);
    assert!(page.contains("OLM v1") && !page.contains("adopt"), "{page}");
    let page = shown(Vec::new());
    assert!(page.contains("No object manages the package."), "{page}");
}

/// The controller ignores an Operator if another object manages the package.
#[test]
fn operator_of_a_managed_package_has_no_effect() {
    let page = with(a_step("", "Subscription ferries/ferry"));
    let expected = "has no effect, because Subscription ferries/ferry manages the package";
    assert!(page.contains(expected), "{page}");
    assert!(!page.contains("is installed"), "{page}");
    assert!(with(a_step("", "")).contains("is installed"));
}

#[test]
fn window_of_upgrade_policies_is_shown_for_upgrades_only() {
    let window = "opens Sat 2026-12-05 00:00 UTC";
    assert!(with(a_step("1.1.0", "")).contains(window));
    assert!(!with(a_step("", "")).contains(window));
}

#[rstest]
#[case::of_portolan(Origin::Portolan, "change=upgrade&amp;operator=tug\"")]
#[case::of_olm(Origin::Olm, "change=add&amp;operator=ferry\"")]
#[case::of_olm_v1(Origin::OlmV1, "change=add&amp;operator=ferry\"")]
fn page_of_an_operator_links_to_its_preview(#[case] origin: Origin, #[case] query: &str) {
    let of = |package: &str| OperatorPage {
        operator: Operator {
            origin,
            name: "tug".to_owned(),
            package: package.to_owned(),
            ..an_operator("a")
        },
        ..an_operator_page("a")
    };
    let page = operator(&frame(""), &of("ferry"));
    assert!(page.contains(&format!("href=\"/preview?{query}")), "{page}");
    let unknown = operator(&frame(""), &of(""));
    let has_link = unknown.contains("href=\"/preview?");
    assert_eq!(has_link, origin == Origin::Portolan, "{unknown}");
}
