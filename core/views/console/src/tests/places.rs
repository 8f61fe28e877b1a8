//! Tests that the console can parse the link to every page.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;

use crate::view::{ObjectKind, Origin, ShownObject, State};
use crate::{Change, ConsolePage, Filter, FirstRow, GraphFilter, Order, Sort, Wanted};

fn an_operator(origin: Origin, namespace: String, name: String) -> ConsolePage {
    ConsolePage::Operator {
        origin,
        namespace,
        name,
    }
}

fn rows() -> impl Strategy<Value = FirstRow> {
    (0..usize::MAX).prop_map(FirstRow::after)
}

/// Generates filters of lists that have only search words and a state.
fn words() -> impl Strategy<Value = Filter> {
    let state = prop::option::of(prop::sample::select(&State::ALL));
    ("\\PC{0,40}", state, rows()).prop_map(|(text, state, first)| Filter {
        text,
        state,
        first,
        ..Filter::NONE
    })
}

/// Generates filters of the list of operators.
fn filters() -> impl Strategy<Value = Filter> {
    let manager = prop::option::of(prop::sample::select(&Origin::ALL));
    let sort = prop::sample::select(&Sort::ALL);
    let text = || "\\PC{0,40}";
    (words(), text(), text(), manager, sort).prop_map(
        |(words, namespace, catalog, manager, sort)| Filter {
            namespace,
            catalog,
            manager,
            sort,
            ..words
        },
    )
}

/// Generates selected parts of graphs. The form removes spaces at the ends of names, so no name has
/// such spaces.
fn graphs() -> impl Strategy<Value = GraphFilter> {
    let text = || "\\PC{0,40}".prop_map(|text| text.trim().to_owned());
    (text(), text(), text(), text()).prop_map(|(channel, from, to, older)| GraphFilter {
        channel,
        from,
        to,
        older,
    })
}

fn places() -> impl Strategy<Value = ConsolePage> {
    let text = || "\\PC{1,40}";
    prop_oneof![
        Just(ConsolePage::Overview),
        rows().prop_map(ConsolePage::Readiness),
        rows().prop_map(ConsolePage::Diagnose),
        rows().prop_map(ConsolePage::Updates),
        filters().prop_map(ConsolePage::Operators),
        words().prop_map(ConsolePage::Plans),
        words().prop_map(ConsolePage::Policies),
        words().prop_map(ConsolePage::Catalogs),
        words().prop_map(ConsolePage::Installs),
        (prop::sample::select(&ObjectKind::ALL), "\\PC{0,40}", text()).prop_map(
            |(kind, namespace, name)| ConsolePage::Object(ShownObject {
                kind,
                namespace,
                name
            })
        ),
        ("\\PC{0,40}", "\\PC{0,40}").prop_map(|(operator, channel)| ConsolePage::Preview(Wanted {
            change: Change::Delete,
            operator,
            version: String::new(),
            channel,
        })),
        (text(), text()).prop_map(|(namespace, name)| an_operator(Origin::Olm, namespace, name)),
        text().prop_map(|name| an_operator(Origin::OlmV1, String::new(), name)),
        text().prop_map(|name| an_operator(Origin::Portolan, String::new(), name)),
        (text(), rows()).prop_map(|(name, first)| ConsolePage::Catalog { name, first }),
        ("\\PC{0,40}", rows()).prop_map(|(text, first)| ConsolePage::Search { text, first }),
        (text(), text(), graphs()).prop_map(|(catalog, name, graph)| ConsolePage::Package {
            catalog,
            name,
            graph,
        }),
        (text(), text(), graphs()).prop_map(|(catalog, name, graph)| ConsolePage::Graph {
            catalog,
            name,
            // A file contains the whole graph, so `older` is always empty.
            graph: GraphFilter {
                older: String::new(),
                ..graph
            },
        }),
        (text(), text(), text()).prop_map(|(catalog, package, name)| ConsolePage::Bundle {
            catalog,
            package,
            name,
        }),
    ]
}

proptest! {
    #[test]
    fn parsed_link_gives_the_same_page(place in places()) {
        let href = place.href();
        let (path, query) = href.as_str().split_once('?').unwrap_or((href.as_str(), ""));
        prop_assert_eq!(ConsolePage::parse(path, query), Ok(place));
    }

    #[test]
    fn any_address_is_parsed_or_rejected(path in "/[a-z.]{0,12}", query in any::<String>()) {
        let _ = ConsolePage::parse(&path, &query);
    }
}

fn fields(of: &[(&str, &str)]) -> BTreeMap<String, String> {
    let fields = of.iter();
    fields
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

#[test]
fn parses_change_and_confirmed_preview_of_a_form() {
    let read = Order::parse(fields(&[
        ("change", "delete"),
        ("operator", "ferry"),
        ("seen", "A"),
    ]));
    let wanted = Wanted {
        change: Change::Delete,
        operator: "ferry".to_owned(),
        ..Wanted::default()
    };
    let seen = "A".to_owned();
    assert_eq!(read, Ok(Order { wanted, seen }));
}

#[rstest]
#[case::no_operator(&[("change", "add"), ("operator", " ")], "the page needs the parameter operator")]
#[case::no_change(&[("change", "burn")], "the parameter change is add, upgrade, delete or updates")]
fn form_without_a_valid_change_is_rejected(#[case] form: &[(&str, &str)], #[case] why: &str) {
    let refused = Order::parse(fields(form)).expect_err("no order");
    assert_eq!(refused.to_string(), why);
}

/// Without JavaScript, a form sends all its fields, including empty fields.
#[test]
fn empty_fields_of_a_form_select_all_rows() {
    let query = "q=&state=&namespace=&catalog=&manager=&sort=state";
    let all = ConsolePage::Operators(Filter::NONE);
    assert_eq!(ConsolePage::parse("/operators", query), Ok(all));
}

#[rstest]
#[case::no_state(
    "/operators",
    "state=ill",
    "the parameter state is one of broken, stuck, waiting, working, unknown, well"
)]
#[case::no_manager(
    "/operators",
    "manager=helm",
    "the parameter manager is one of olm, olm-v1, portolan"
)]
#[case::namespace_of_another_list("/plans", "namespace=a", "the page has no parameter namespace")]
#[case::no_row(
    "/plans",
    "row=last",
    "the parameter row is the number of a row, such as 1"
)]
#[case::row_before_the_first(
    "/diagnose",
    "row=0",
    "the parameter row is the number of a row, such as 1"
)]
#[case::no_kind("/object", "name=a", "the page needs the parameter kind")]
#[case::unknown_kind(
    "/object",
    "kind=Secret&name=a",
    "the parameter kind is one of olm-plan, plan, operator-policy, policy, policy-binding, install"
)]
#[case::part_of_a_file(
    "/graph.svg",
    "catalog=a&name=b&older=c",
    "the page has no parameter older"
)]
#[case::no_page("/etc/passwd", "", "there is no such page")]
#[case::a_parameter_too_few("/operator", "namespace=a", "the page needs the parameter name")]
#[case::unknown_parameter("/plans", "x=1", "the page has no parameter x")]
#[case::repeated_parameter("/operator", "name=a&name=b", "the parameter name is given twice")]
#[case::half_a_byte("/operator", "name=%4", "a parameter is not text")]
#[case::no_text("/operator", "name=%ff", "a parameter is not text")]
fn invalid_link_is_rejected(#[case] path: &str, #[case] query: &str, #[case] why: &str) {
    let refused = ConsolePage::parse(path, query).expect_err("no place");
    assert_eq!(refused.to_string(), why);
}
