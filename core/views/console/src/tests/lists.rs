//! Tests of the search, the filter and the order of lists.

use rstest::rstest;

use super::views::{a_catalog, a_plan, a_policy, an_install, an_operator, frame};
use crate::view::{CatalogRow, Install, Operator, Origin, Plan, Policies, Policy, State};
use crate::{Column, Filter, Sort, catalogs, installs, operators, plans, policies};

fn words(text: &str) -> Filter {
    Filter {
        text: text.to_owned(),
        ..Filter::NONE
    }
}

fn sorted(column: Column, is_descending: bool) -> Filter {
    let sort = Sort {
        column,
        is_descending,
    };
    Filter {
        sort,
        ..Filter::NONE
    }
}

/// Returns the names to which a page links, in the order of the page.
fn linked<'a>(page: &str, names: &[&'a str]) -> Vec<&'a str> {
    let found = names.iter();
    let found = found.filter_map(|name| Some((page.find(&format!("name={name}\""))?, *name)));
    let mut found: Vec<(usize, &str)> = found.collect();
    found.sort_unstable();
    found.into_iter().map(|(_, name)| name).collect()
}

#[rstest]
#[case::worst_first(Filter::NONE, &["buoy", "crane", "ferry"])]
#[case::one_state(Filter { state: Some(State::Waiting), ..Filter::NONE }, &["crane"])]
#[case::words_in_any_order_and_case(words("DOCKS c"), &["crane"])]
#[case::word_of_the_reason(words("image"), &["buoy"])]
#[case::all_words_must_match(words("docks image"), &[])]
#[case::one_namespace(
    Filter { namespace: "harbor".to_owned(), ..Filter::NONE },
    &["buoy", "ferry"]
)]
#[case::one_catalog(Filter { catalog: "inland".to_owned(), ..Filter::NONE }, &["crane"])]
#[case::one_manager(Filter { manager: Some(Origin::Portolan), ..Filter::NONE }, &["ferry"])]
#[case::by_name(sorted(Column::Operator, false), &["buoy", "crane", "ferry"])]
#[case::by_name_from_the_end(sorted(Column::Operator, true), &["ferry", "crane", "buoy"])]
#[case::by_version_and_not_by_text(sorted(Column::Installed, false), &["ferry", "buoy", "crane"])]
fn operators_are_filtered_and_sorted(#[case] filter: Filter, #[case] expected: &[&str]) {
    let operator = |namespace: &str, name: &str, version: &str, state, why: &str| Operator {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        version: version.to_owned(),
        state,
        why: why.to_owned(),
        ..an_operator("")
    };
    let all = Ok(vec![
        Operator {
            origin: Origin::Portolan,
            ..operator("harbor", "ferry", "1.2.0", State::Well, "")
        },
        Operator {
            catalog: "inland".to_owned(),
            ..operator("docks", "crane", "1.10.0", State::Waiting, "an approval")
        },
        operator("harbor", "buoy", "1.9.0", State::Broken, "no Image"),
    ]);
    let page = operators(&frame(""), &filter, &all);
    assert_eq!(linked(&page, &["ferry", "crane", "buoy"]), expected);
    let count = format!("{} of 3 operators.", expected.len());
    assert!(page.contains(&count), "{page}");
}

/// The title of the sorted column reverses the order. Every link keeps the filter.
#[test]
fn titles_of_columns_sort_the_operators() {
    let filter = Filter {
        namespace: "harbor".to_owned(),
        ..sorted(Column::Operator, false)
    };
    let all = Ok(vec![Operator {
        namespace: "harbor".to_owned(),
        ..an_operator("ferry")
    }]);
    let page = operators(&frame(""), &filter, &all);
    let reversed = "<th scope=\"col\" aria-sort=\"ascending\">\
                    <a href=\"/operators?namespace=harbor&amp;sort=-operator\">Operator</a></th>";
    assert!(page.contains(reversed), "{page}");
    let other = "<th scope=\"col\"><a href=\"/operators?namespace=harbor&amp;sort=installed\">";
    assert!(page.contains(other), "{page}");
    let option = "<option value=\"operator\" selected=\"\">operator, A to Z</option>";
    assert!(page.contains(option), "{page}");
}

#[test]
fn omits_columns_without_content() {
    let without = Operator {
        next: String::new(),
        window: String::new(),
        ..an_operator("ferry")
    };
    let page = operators(&frame(""), &Filter::NONE, &Ok(vec![without]));
    assert!(page.contains("<th scope=\"col\">Wanted</th>"), "{page}");
    assert!(
        !page.contains(">Next<") && !page.contains(">Window<"),
        "{page}"
    );
}

/// Every list has the same search field and the same filter for states.
#[test]
fn lists_are_searched_and_filtered_by_state() {
    let stuck = Filter {
        state: Some(State::Stuck),
        ..words("FERRY")
    };
    let states = [State::Well, State::Stuck];
    let plan = |state, name: &str| Plan {
        state,
        ..a_plan(name)
    };
    let policy = |state, name: &str| Policy {
        state,
        ..a_policy(name)
    };
    let install = |state, name: &str| Install {
        state,
        ..an_install(name)
    };
    let row = |state, name: &str| CatalogRow {
        state,
        ..a_catalog(name)
    };
    let names = ["ferry-a", "buoy-b"];
    let pairs = || {
        names
            .iter()
            .flat_map(|name| states.map(|state| (state, *name)))
    };
    let frame = frame("");
    let all_plans = Ok(pairs().map(|(state, name)| plan(state, name)).collect());
    let all_policies = Policies {
        all: Ok(pairs().map(|(state, name)| policy(state, name)).collect()),
        calendar: None,
    };
    let all_installs = Ok(pairs().map(|(state, name)| install(state, name)).collect());
    let all_catalogs = Ok(pairs().map(|(state, name)| row(state, name)).collect());
    let pages = [
        (plans(&frame, &stuck, &all_plans), "1 of 4 plans."),
        (policies(&frame, &stuck, &all_policies), "1 of 4 policies."),
        (catalogs(&frame, &stuck, &all_catalogs), "1 of 4 catalogs."),
        (installs(&frame, &stuck, &all_installs), "1 of 4 Installs."),
    ];
    for (page, count) in pages {
        assert!(page.contains(count), "{page}");
        assert!(
            page.contains("ferry-a") && !page.contains("buoy-b"),
            "{page}"
        );
    }
}
