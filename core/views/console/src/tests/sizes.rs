//! The sizes of pages with many objects. The pages of a list together show all of its rows.

use std::collections::BTreeSet;

use super::views::{
    a_catalog, a_package, a_package_page, a_plan, a_policy, an_install, an_operator, frame,
    some_diagnoses, some_policies, some_updates,
};
use crate::view::{
    CatalogRow, Diagnoses, Install, Operator, Overview, PackageRow, Plan, Policies, Policy, State,
    Updates,
};
use crate::{
    ConsolePage, Filter, FirstRow, Frame, catalog, catalogs, diagnose, installs, operators,
    overview, package, plans, policies, search, updates,
};

/// The maximum size of a list in bytes.
const LIST: usize = 60_000;
/// The maximum size of any other page in bytes.
const HEAVY: usize = 100_000;

/// The number of objects of each list.
const MANY: usize = 2_000;

/// Pages of a list, by their first row.
type Pages<'a> = Box<dyn Fn(FirstRow) -> String + 'a>;

/// Returns different names of the same length.
fn named(at: usize, length: usize) -> String {
    format!("ship-{at:04}-{}", "a".repeat(length.saturating_sub(10)))
}

/// Returns every list with `count` objects, whose names have this length.
fn lists(frame: &Frame, (count, length): (usize, usize)) -> Vec<(&'static str, Pages<'_>)> {
    let all = || (0..count).map(move |at| (at, named(at, length)));
    // Names of namespaces have at most 63 characters.
    let namespace = |at| named(at, length.min(63));
    let of_operators: Vec<_> = all()
        .map(|(at, name)| Operator {
            namespace: namespace(at),
            catalog: format!("olm/{}", namespace(at)),
            ..an_operator(&name)
        })
        .collect();
    let of_plans: Vec<Plan> = all().map(|(_, name)| a_plan(&name)).collect();
    let of_policies: Vec<Policy> = all().map(|(_, name)| a_policy(&name)).collect();
    let of_installs: Vec<Install> = all().map(|(_, name)| an_install(&name)).collect();
    let of_catalogs: Vec<CatalogRow> = all().map(|(_, name)| a_catalog(&name)).collect();
    let of_packages: Vec<PackageRow> = all().map(|(_, name)| a_package(&name)).collect();
    let other_packages = of_packages.clone();
    let of_updates = all().map(|(_, name)| {
        let operators = some_updates(&name).operators;
        operators.expect("operators").remove(0)
    });
    let of_updates = Updates {
        operators: Ok(of_updates.collect()),
        ..some_updates("a")
    };
    let problems = of_operators.iter().map(|it| {
        let cause = some_diagnoses(&it.name).operators.remove(0).1;
        (it.clone(), cause)
    });
    let problems = Ok(Diagnoses {
        operators: problems.collect(),
        others: Vec::new(),
    });
    let calendar = some_policies(&named(0, length)).calendar.map(|mut it| {
        it.rows = vec![it.rows.remove(0); 50];
        it
    });
    let filtered = |first| Filter {
        text: "ship".to_owned(),
        first,
        ..Filter::NONE
    };
    let (of_operators, of_plans) = (Ok(of_operators), Ok(of_plans));
    let (of_installs, of_catalogs) = (Ok(of_installs), Ok(of_catalogs));
    let (of_packages, other_packages) = (Ok(of_packages), Ok(other_packages));
    let of_policies = Policies {
        all: Ok(of_policies),
        calendar,
    };
    vec![
        (
            "operators",
            Box::new(move |first| operators(frame, &filtered(first), &of_operators)),
        ),
        (
            "plans",
            Box::new(move |first| plans(frame, &filtered(first), &of_plans)),
        ),
        (
            "policies",
            Box::new(move |first| policies(frame, &filtered(first), &of_policies)),
        ),
        (
            "installs",
            Box::new(move |first| installs(frame, &filtered(first), &of_installs)),
        ),
        (
            "catalogs",
            Box::new(move |first| catalogs(frame, &filtered(first), &of_catalogs)),
        ),
        (
            "catalog",
            Box::new(move |first| catalog(frame, ("hub", first), &of_packages)),
        ),
        (
            "search",
            Box::new(move |first| search(frame, ("ship", first), &other_packages)),
        ),
        (
            "updates",
            Box::new(move |first| updates(frame, first, &of_updates)),
        ),
        (
            "diagnose",
            Box::new(move |first| diagnose(frame, first, &problems)),
        ),
    ]
}

/// Returns the number of the first row that the link to the next page has. Returns None on the last
/// page.
fn next(page: &str) -> Option<usize> {
    let (before, _) = page.split_once(">Next</a>")?;
    let (_, row) = before.rsplit_once("row=")?;
    row.trim_end_matches('"').parse().ok()
}

/// Returns the objects that a page links to.
fn linked(page: &str) -> BTreeSet<String> {
    let links = page.split("name=ship-").skip(1);
    links
        .filter_map(|it| it.get(..4))
        .map(str::to_owned)
        .collect()
}

/// Returns the number of pages of a list, and checks that each object is on a page.
fn page_count(name: &str, pages: &Pages<'_>, count: usize) -> usize {
    let (mut seen, mut row, mut number) = (BTreeSet::new(), 1, 0);
    loop {
        let page = pages(FirstRow::after(row - 1));
        assert!(page.len() <= LIST, "{name}: {} bytes", page.len());
        seen.extend(linked(&page));
        number += 1;
        let Some(next) = next(&page) else { break };
        assert!(next > row, "{name}");
        row = next;
    }
    assert_eq!(seen.len(), count, "{name}");
    number
}

#[test]
fn lists_of_many_objects_have_small_pages() {
    let frame = frame("a");
    for (name, pages) in lists(&frame, (MANY, 30)) {
        let count = page_count(name, &pages, MANY);
        // A page is not much smaller than its limit.
        assert!(count <= MANY / 5, "{name}: {count} pages");
    }
}

/// Names of objects have at most 253 characters.
#[test]
fn lists_of_objects_with_long_names_have_small_pages() {
    let frame = frame("a");
    for (name, pages) in lists(&frame, (MANY, 253)) {
        let first = pages(FirstRow::TOP);
        assert!(first.len() <= LIST, "{name}: {} bytes", first.len());
        assert!(next(&first).is_some(), "{name}");
        let last = pages(FirstRow::after(MANY));
        assert!(last.len() <= LIST, "{name}: {} bytes", last.len());
        assert!(last.contains(&named(MANY - 1, 253)), "{name}");
    }
}

/// The size of a page does not depend on the number of objects.
#[test]
fn twice_the_objects_do_not_make_pages_larger() {
    let frame = frame("a");
    let size = |count| {
        let lists = lists(&frame, (count, 30));
        let pages = lists
            .into_iter()
            .map(|(name, pages)| (name, pages(FirstRow::TOP).len()));
        pages.collect::<Vec<_>>()
    };
    for ((name, one), (_, two)) in size(MANY).into_iter().zip(size(2 * MANY)) {
        assert!(two <= one + 100, "{name}: {one} and {two} bytes");
    }
}

/// The link to the next page keeps the filter. The filter applies to all rows, not to those of the
/// page.
#[test]
fn pages_of_a_filtered_list_keep_the_filter() {
    let all = (0..MANY).map(|at| Operator {
        state: if at % 2 == 0 {
            State::Stuck
        } else {
            State::Well
        },
        ..an_operator(&named(at, 30))
    });
    let filter = Filter {
        text: "ship".to_owned(),
        state: Some(State::Well),
        ..Filter::NONE
    };
    let all = Ok(all.collect());
    let page = operators(&frame("a"), &filter, &all);
    assert!(page.contains("1000 of 2000 operators."), "{page}");
    assert!(page.contains(" of 1000</li>"), "{page}");
    let place = "<a href=\"/operators?q=ship&amp;state=well&amp;row=";
    assert!(page.contains(place), "{page}");
    let odd = |name: &String| name.parse::<usize>().is_ok_and(|at| at % 2 == 1);
    let names = linked(&page);
    assert!(!names.is_empty() && names.iter().all(odd), "{names:?}");
}

/// The field offers the first namespaces. Others can be typed.
#[test]
fn namespaces_of_many_operators_can_be_typed() {
    let all = (0..MANY).map(|at| Operator {
        namespace: named(at, 30),
        ..an_operator("ferry")
    });
    let chosen = named(1_234, 30);
    let filter = Filter {
        namespace: chosen.clone(),
        ..Filter::NONE
    };
    let page = operators(&frame("a"), &filter, &Ok(all.collect()));
    let field = format!(
        "<input id=\"namespace\" name=\"namespace\" list=\"namespace-values\" \
         autocomplete=\"off\" placeholder=\"all namespaces\" value=\"{chosen}\">"
    );
    assert!(page.contains(&field), "{page}");
    assert!(page.contains("1 of 2000 operators."), "{page}");
}

/// The overview shows the worst objects, and links to the complete lists.
#[test]
fn overview_links_to_the_complete_lists() {
    let text = named(0, 253);
    let all = Overview {
        operators: Ok(vec![an_operator(&text); MANY]),
        catalogs: Ok(vec![a_catalog(&text); 200]),
        plans: Ok(vec![a_plan(&text); MANY]),
    };
    let page = overview(&frame("a"), &all);
    assert!(page.len() <= LIST, "{} bytes", page.len());
    for list in ["/operators", "/plans?state=waiting"] {
        let link = format!("<a href=\"{list}\">Show all</a>");
        assert!(page.contains(&link), "{page}");
    }
}

#[test]
fn page_of_a_package_with_many_bundles_is_small() {
    let page = package(&frame("a"), &a_package_page(&named(0, 60), 20_000));
    assert!(page.len() < HEAVY, "{} bytes", page.len());
    assert!(page.contains(" more rows."), "{page}");
}

/// A page of an empty list, and a page after the last row, are not errors.
#[test]
fn page_after_the_last_row_shows_the_last_page() {
    let place = ConsolePage::parse("/operators", "row=100000");
    let Ok(ConsolePage::Operators(filter)) = place else {
        panic!("{place:?}");
    };
    let page = operators(&frame("a"), &filter, &Ok(vec![an_operator("ferry")]));
    assert!(page.contains("name=ferry"), "{page}");
}
