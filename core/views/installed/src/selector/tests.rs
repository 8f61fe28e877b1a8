use std::collections::BTreeMap;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::{Index, Original, Resource, Revision};

fn labels(text: &str) -> BTreeMap<String, String> {
    let labels = text.split_terminator(',');
    let labels = labels.map(|label| label.split_once('=').expect("a label"));
    labels
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

#[rstest]
#[case::of_everything("", &["", "a=1"], &[])]
#[case::of_blanks("  ", &[""], &[])]
#[case::equal("a=1", &["a=1", "a=1,b=2"], &["", "a=2", "b=1"])]
#[case::equal_twice("a==1", &["a=1"], &["a=2"])]
#[case::empty("a=", &["a="], &["a=1", ""])]
#[case::not_equal("a!=1", &["", "a=2"], &["a=1"])]
#[case::of_a_set("a in (1, 2)", &["a=1", "a=2"], &["", "a=3"])]
#[case::of_no_set("a notin (1,2)", &["", "a=3"], &["a=1"])]
#[case::of_a_set_of_the_empty("a in ()", &["a="], &["a=1"])]
#[case::existing_label("a", &["a=", "a=1"], &["", "b=1"])]
#[case::a_missing_label("!a", &["", "b=1"], &["a="])]
#[case::over("a>1", &["a=2"], &["a=1", "a=x", ""])]
#[case::under("a < 1", &["a=0", "a=-1"], &["a=1", ""])]
#[case::all_of_several("a=1,!b,c in (x)", &["a=1,c=x"], &["a=1", "a=1,b=1,c=x"])]
#[case::with_a_prefix("operators.coreos.com/csv=ferry.v1.0.0",
    &["operators.coreos.com/csv=ferry.v1.0.0"], &["csv=ferry.v1.0.0"])]
#[case::keywords_as_key_and_value("in in (notin),notin", &["in=notin,notin="], &["in=notin"])]
fn label_selector_matches(#[case] selector: &str, #[case] these: &[&str], #[case] others: &[&str]) {
    let selector: LabelSelector = selector.parse().expect("a selector");
    for these in these {
        assert!(selector.matches(&labels(these)), "{these}");
    }
    for others in others {
        assert!(!selector.matches(&labels(others)), "{others}");
    }
}

#[rstest]
#[case::an_operator_alone("=", "the name of a label should be where \"=\" is")]
#[case::a_comma_too_many("a=1,", "the name of a label should be where \"\" is")]
#[case::a_comma_alone(",", "the name of a label should be where \",\" is")]
#[case::no_comma("a=1 b=2", "a comma should be where \"b\" is")]
#[case::no_operator("a b", "an operator should be where \"b\" is")]
#[case::no_parentheses("a in 1", "values in parentheses should be where \"1\" is")]
#[case::open_parentheses("a in (1", "a comma or a closing parenthesis should be where \"\" is")]
#[case::no_value("a==!1", "a value should be where \"!\" is")]
#[case::not_and_a_value("!a=1", "a comma should be where \"=\" is")]
#[case::a_key_with_a_dash_at_its_end("a-=1", "\"a-\" is not the name of a label")]
#[case::a_prefix_of_big_letters("A.example/a", "\"A.example/a\" is not the name of a label")]
#[case::nothing_behind_a_prefix("a.example/", "\"a.example/\" is not the name of a label")]
#[case::a_value_with_a_colon("a=b:c", "\"b:c\" is not the value of a label")]
#[case::no_integer("a>b", "\"b\" is not an integer")]
fn rejects_invalid_label_selector(#[case] selector: &str, #[case] why: &str) {
    let error = selector.parse::<LabelSelector>().expect_err("no selector");
    assert!(error.to_string().contains(why), "{error}");
}

fn installed(namespace: &str, name: &str) -> Installed {
    let mut index = Index::new(Resource::ALL);
    let group = json!({
        "metadata": {"name": "g", "namespace": "olm"},
        "status": {"namespaces": [""]},
    });
    let csv = json!({
        "metadata": {"name": name, "namespace": "olm"}, "status": {"phase": "Succeeded"},
    });
    for (resource, object) in [
        (
            Resource::Namespaces,
            json!({"metadata": {"name": namespace}}),
        ),
        (Resource::OperatorGroups, group),
        (Resource::ClusterServiceVersions, csv),
    ] {
        let original = Original::read(resource, &object.to_string()).expect("an original");
        index.put(original, &Revision::from(1));
    }
    let found = index.snapshot().all().next();
    found.expect("one").clone()
}

#[rstest]
#[case::nothing("", true)]
#[case::its_name("metadata.name=ferry.v1.0.0", true)]
#[case::another("metadata.name==tug.v1.0.0", false)]
#[case::not_another("metadata.name!=tug.v1.0.0", true)]
#[case::both("metadata.namespace=a,metadata.name=ferry.v1.0.0", true)]
#[case::another_namespace("metadata.name=ferry.v1.0.0,metadata.namespace!=a", false)]
#[case::an_empty_name("metadata.namespace=", false)]
#[case::escaped("metadata.name=a\\,b\\=c\\\\", false)]
fn field_selector_matches_names(#[case] selector: &str, #[case] is_meant: bool) {
    let fields: FieldSelector = selector.parse().expect("a selector");
    assert_eq!(fields.matches(&installed("a", "ferry.v1.0.0")), is_meant);
}

#[test]
fn selector_for_a_single_name_returns_the_name() {
    let fields: FieldSelector = "metadata.name=a\\=b,metadata.namespace!=c"
        .parse()
        .expect("one");
    assert_eq!((fields.name(), fields.namespace()), (Some("a=b"), None));
}

#[rstest]
#[case::another_field("spec.x=1", "field label not supported: spec.x")]
#[case::no_operator("metadata.name", "FIELD=VALUE or FIELD!=VALUE should be where")]
#[case::another_operator("metadata.name!1", "FIELD=VALUE or FIELD!=VALUE should be where")]
#[case::invalid_escape("metadata.name=a\\b", "a value should be where")]
fn rejects_invalid_field_selector(#[case] selector: &str, #[case] why: &str) {
    let error = selector.parse::<FieldSelector>().expect_err("no selector");
    assert!(error.to_string().contains(why), "{error}");
}

#[test]
fn filter_combines_labels_and_fields() {
    let ferry = installed("a", "ferry.v1.0.0");
    let filter = |labels: &str, fields: &str| Filter {
        labels: labels.parse().expect("a selector"),
        fields: fields.parse().expect("a selector"),
    };
    assert!(Filter::default().is_empty() && Filter::default().matches(&ferry));
    assert!(filter("operators.coreos.com/csv", "metadata.namespace=a").matches(&ferry));
    assert!(!filter("operators.coreos.com/sub", "metadata.namespace=a").matches(&ferry));
    assert!(!filter("operators.coreos.com/csv", "metadata.namespace=b").matches(&ferry));
}

proptest! {
    #[test]
    fn arbitrary_text_never_panics(text in "[a-z=!(),<> \\\\/.é-]{0,20}") {
        let _ = text.parse::<LabelSelector>();
        let _ = text.parse::<FieldSelector>();
    }
}
