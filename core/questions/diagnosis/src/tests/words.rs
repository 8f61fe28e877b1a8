//! Tests the parser for messages of OLM.

use rstest::rstest;

use crate::trouble::{Clause, Lacking, of_words};

fn nothing(lacking: Lacking) -> Clause {
    Clause::Nothing {
        subscription: "a".to_owned(),
        lacking,
    }
}

fn wants(bundles: &[&str]) -> Clause {
    Clause::Wants {
        subscription: "a".to_owned(),
        bundles: bundles.iter().map(ToString::to_string).collect(),
    }
}

fn unsatisfiable(rest: &str) -> Vec<Clause> {
    of_words(&format!("constraints not satisfiable: {rest}"))
}

#[rstest]
#[case::a_catalog(
    "from catalog none in namespace olm referenced by subscription a",
    Lacking::Catalog
)]
#[case::a_package(
    "in package b in the catalog referenced by subscription a",
    Lacking::Package
)]
#[case::a_channel(
    "in channel c of package b in the catalog referenced by subscription a",
    Lacking::Channel
)]
#[case::a_start(
    "with name b.v1 in channel c of package b in the catalog referenced by subscription a",
    Lacking::Start
)]
fn parses_missing_reference_of_a_subscription(#[case] rest: &str, #[case] lacking: Lacking) {
    let said = unsatisfiable(&format!("no operators found {rest}"));
    assert_eq!(said, [nothing(lacking)]);
}

#[rstest]
#[case::one("one/olm/stable/a.v1", &["a.v1"])]
#[case::two("at least one of one/olm/stable/a.v2 or one/olm/stable/a.v1", &["a.v2", "a.v1"])]
#[case::three("at least one of one/olm/x/a.v3, one/olm/x/a.v2 or one/olm/x/a.v1", &["a.v3", "a.v2", "a.v1"])]
fn a_subscription_wants(#[case] rest: &str, #[case] bundles: &[&str]) {
    let said = unsatisfiable(&format!(
        "subscription a requires {rest}, subscription a exists"
    ));
    let exists = Clause::Exists {
        subscription: "a".to_owned(),
    };
    assert_eq!(said, [wants(bundles), exists]);
}

#[test]
fn bundles_exclude_each_other() {
    let said = unsatisfiable(
        "one/olm/s/a.v1, one/olm/s/a.v2 and one/olm/s/a.v3 originate from package a, x/olm/s/a.v1 \
         and x/olm/s/b.v1 provide Kind (g.test/v1), bundle x/olm/s/a.v1 is deprecated, \
         clusterserviceversion c.v1 exists and is not referenced by a subscription, bundle a.v1 \
         requires an operator with package: z and with version in range: >=1.0.0 <2.0.0",
    );
    let expected = [
        Clause::OnePackage {
            package: "a".to_owned(),
        },
        Clause::OneProvider {
            api: "Kind (g.test/v1)".to_owned(),
        },
        Clause::Forbidden {
            bundle: "a.v1".to_owned(),
        },
        Clause::Unreferenced {
            csv: "c.v1".to_owned(),
        },
        Clause::Needs {
            bundle: "a.v1".to_owned(),
            what: "with package: z and with version in range: >=1.0.0 <2.0.0".to_owned(),
        },
    ];
    assert_eq!(said, expected);
}

#[test]
fn parses_catalogs_that_olm_cannot_query() {
    let said = of_words(
        "[error using catalogsource olm/a: failed to list bundles: x, error using catalogsource \
         olm/b: y]",
    );
    let catalog = |catalog: &str, why: &str| Clause::Catalog {
        catalog: catalog.to_owned(),
        why: why.to_owned(),
    };
    let expected = [
        catalog("olm/a", "failed to list bundles: x"),
        catalog("olm/b", "y"),
    ];
    assert_eq!(said, expected);
}

#[rstest]
#[case::of_an_unknown_kind("the moon is in the wrong house")]
#[case::cut_short("constraints not satisfiable: no operators found")]
#[case::of_nothing("")]
fn unknown_messages_are_not_split_into_clauses(#[case] words: &str) {
    assert_eq!(of_words(words), []);
}
