//! Tests of properties that every page has.

use rstest::rstest;

use super::views::{an_object_page, an_operator, frame, pages};
use crate::view::{
    DiagnosedObject, Diagnoses, ObjectKind, ObjectPage, ObjectTable, Operator, Overview,
    ShownObject, State,
};
use crate::{FirstRow, diagnose, object, overview};

/// Returns the elements of a page without their texts and attribute values. Fails if the page is
/// not well-formed.
fn bones(page: &str) -> Vec<String> {
    const VOID: [&str; 5] = ["input", "link", "meta", "br", "img"];
    let page = page.strip_prefix("<!doctype html>").expect("a document");
    let (mut bones, mut open) = (Vec::new(), Vec::new());
    let mut rest = page;
    while let Some((_, from)) = rest.split_once('<') {
        let end = from.find('>').expect("an element must end");
        let (tag, after) = (&from[..end], &from[end + 1..]);
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "{page}");
            continue;
        }
        let quotes = tag.matches('"').count();
        assert_eq!(quotes % 2, 0, "{tag}");
        let without: String = tag.split('"').step_by(2).collect();
        let name = without.split(' ').next().unwrap_or_default().to_owned();
        if !VOID.contains(&name.as_str()) {
            open.push(name);
        }
        bones.push(without);
    }
    assert!(open.is_empty(), "{open:?}");
    bones
}

/// Each case is a text that tries to become markup.
#[rstest]
#[case::a_script("<script>alert(1)</script>")]
#[case::the_end_of_a_value("\"><img src=x onerror=alert(1)>")]
#[case::the_end_of_a_value_in_single_quotes("' onmouseover='alert(1)")]
#[case::an_attribute("\" onfocus=\"alert(1)\" autofocus=\"")]
#[case::the_end_of_a_title("</title></svg><script>alert(1)</script>")]
#[case::a_comment("<!-- --><![CDATA[<b>]]>")]
#[case::a_place_that_runs("javascript:alert(1)")]
#[case::characters_by_name("&lt;script&gt;&#60;")]
#[case::a_line_that_is_turned("\u{202e}evil\u{0}\u{1b}[2J")]
fn texts_are_never_interpreted_as_markup(#[case] hostile: &str) {
    // A harmless text of the same length. The two pages must have the same elements.
    let tame: String = hostile.chars().map(|_| 'a').collect();
    for ((name, page), (_, usual)) in pages(hostile).into_iter().zip(pages(&tame)) {
        // The login page contains the text only once, as the reason.
        let least = if name == "login" { 1 } else { 2 };
        assert!(usual.matches(&tame).count() >= least, "{name}");
        assert_eq!(bones(&page), bones(&usual), "{name}");
        for script in page.match_indices("<script").map(|(at, _)| &page[at..]) {
            let ours = "<script src=\"/console.js\" defer=\"\"></script>";
            assert!(script.starts_with(ours), "{name}");
        }
        assert!(
            !page.contains("\u{202e}") && !page.contains('\u{1b}'),
            "{name}"
        );
        assert!(!page.contains("href=\"javascript"), "{name}");
    }
}

#[test]
fn pages_load_nothing_from_other_hosts() {
    for (name, page) in pages("a") {
        for part in ["src=\"", "href=\"", "action=\""] {
            for (at, _) in page.match_indices(part) {
                let place = &page[at + part.len()..];
                let is_icon = part == "src=\"" && place.starts_with("data:image/svg+xml;base64,");
                let is_ours = place.starts_with('/') && !place.starts_with("//") || is_icon;
                assert!(
                    is_ours || place.starts_with('#'),
                    "{name}: {}",
                    &place[..20]
                );
            }
        }
        assert!(
            !page.contains(" style=") && !page.contains("<style"),
            "{name}"
        );
    }
}

/// Pages satisfy the requirements of screen readers and keyboards.
#[test]
fn pages_are_accessible_to_screen_readers() {
    for (name, page) in pages("a") {
        assert_eq!(page.matches("<h1>").count(), 1, "{name}");
        assert!(page.contains("<html lang=\"en\">"), "{name}");
        assert_eq!(page.matches("<main ").count(), 1, "{name}");
        let inputs = page.match_indices("<input ").map(|(at, _)| &page[at..]);
        for input in inputs {
            let input = &input[..input.find('>').expect("an end")];
            let is_hidden = input.contains("type=\"hidden\"");
            let id = input
                .split("id=\"")
                .nth(1)
                .and_then(|it| it.split('"').next());
            let is_named = id.is_some_and(|id| page.contains(&format!("for=\"{id}\"")));
            assert!(is_hidden || is_named, "{name}: {input}");
        }
        assert_eq!(
            page.matches("<table>").count(),
            page.matches("<caption>").count(),
            "{name}"
        );
        let ids: Vec<_> = page
            .split(" id=\"")
            .skip(1)
            .filter_map(|it| it.split('"').next())
            .collect();
        let different: std::collections::BTreeSet<_> = ids.iter().collect();
        assert_eq!(ids.len(), different.len(), "{name}: {ids:?}");
    }
}

/// An operator may report a problem for which the diagnosis finds no cause.
#[test]
fn unhealthy_operator_is_listed_with_or_without_a_cause() {
    let well = Operator {
        state: State::Well,
        ..an_operator("lighthouse")
    };
    let ill = Operator {
        why: "the mast is broken".to_owned(),
        ..an_operator("ferry")
    };
    let of = |operators| {
        Ok(Diagnoses {
            operators,
            others: Vec::new(),
        })
    };
    let page = diagnose(
        &frame("a"),
        FirstRow::TOP,
        &of(vec![(well.clone(), None), (ill, None)]),
    );
    assert!(page.contains("the mast is broken"), "{page}");
    assert!(!page.contains("lighthouse"), "{page}");
    assert!(!page.contains("All operators are well"), "{page}");
    let page = diagnose(&frame("a"), FirstRow::TOP, &of(vec![(well, None)]));
    assert!(page.contains("All operators are well."), "{page}");
}

#[test]
fn diagnose_page_lists_objects_that_are_not_operators() {
    let object = |name: &str, state| DiagnosedObject {
        page: (name == "ferry-2").then(|| ShownObject::of(ObjectKind::Plan, "harbor", name)),
        kind: "InstallPlan.plans.portolan.dev".to_owned(),
        namespace: "harbor".to_owned(),
        name: name.to_owned(),
        state,
        cause: None,
    };
    let all = Diagnoses {
        operators: Vec::new(),
        others: vec![
            object("ferry-2", State::Stuck),
            object("lights", State::Well),
            object("", State::Unknown),
        ],
    };
    let page = diagnose(&frame("a"), FirstRow::TOP, &Ok(all));
    assert!(
        page.contains("InstallPlan.plans.portolan.dev ferry-2"),
        "{page}"
    );
    let link = "href=\"/object?kind=plan&amp;namespace=harbor&amp;name=ferry-2\"";
    assert!(page.contains(link), "{page}");
    assert!(page.contains("All objects of kind InstallPlan"), "{page}");
    assert!(!page.contains("lights"), "{page}");
}

#[test]
fn numbers_of_the_overview_link_to_filtered_operators() {
    let all = Overview {
        operators: Ok(vec![an_operator("ferry")]),
        catalogs: Ok(Vec::new()),
        plans: Ok(Vec::new()),
    };
    let page = overview(&frame(""), &all);
    assert!(page.contains(r#"href="/operators?state=stuck""#), "{page}");
}

/// The page shows the data of the object. Its navigation highlights the list of this kind.
#[rstest]
#[case::plan(ObjectKind::OlmPlan, "/plans")]
#[case::policy(ObjectKind::PolicyBinding, "/policies")]
#[case::install(ObjectKind::Install, "/installs")]
fn page_of_an_object_shows_cause_and_remedies(#[case] kind: ObjectKind, #[case] list: &str) {
    let page = object(&frame(""), &an_object_page(kind, "ferry"));
    for label in ["Look", "Fix", "Decide", "Or", "Later"] {
        assert!(
            page.contains(&format!("<b>{label}: </b>")),
            "{label}: {page}"
        );
    }
    let current = format!("<a href=\"{list}\" aria-current=\"page\">");
    assert!(page.contains(&current), "{page}");
    let well = ObjectPage {
        cause: Ok(None),
        ..an_object_page(kind, "ferry")
    };
    let page = object(&frame(""), &well);
    assert!(page.contains("No problems are known."), "{page}");
}

#[test]
fn table_without_rows_shows_its_sentence() {
    let empty = ObjectTable {
        title: "Jobs",
        none: "No Job has started.",
        ..ObjectTable::default()
    };
    let page = ObjectPage {
        tables: vec![empty],
        ..an_object_page(ObjectKind::Plan, "ferry")
    };
    let page = object(&frame(""), &page);
    assert!(
        page.contains("<h2>Jobs</h2><p class=\"note\">No Job has started.</p>"),
        "{page}"
    );
}
