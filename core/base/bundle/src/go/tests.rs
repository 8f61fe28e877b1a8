use rstest::rstest;

use super::*;

fn rule(verbs: Option<&[&str]>, groups: &[&str], resources: &[&str], urls: &[&str]) -> PolicyRule {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    PolicyRule {
        verbs: verbs.map(owned),
        api_groups: owned(groups),
        resources: owned(resources),
        resource_names: Vec::new(),
        non_resource_urls: owned(urls),
    }
}

fn entry(rules: Option<Vec<PolicyRule>>) -> Permission {
    Permission {
        service_account_name: "sa".to_owned(),
        rules,
    }
}

#[rstest]
#[case::without_rules(
    entry(None),
    r#"{"serviceAccountName":"sa","rules":null}"#,
    "swixy5saxqg1a8tp9a6ak4e8ktu1z8emjaqzit38ihw"
)]
#[case::of_one_resource(
    entry(Some(vec![rule(Some(&["get", "list"]), &[""], &["pods"], &[])])),
    r#"{"serviceAccountName":"sa","rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":["pods"]}]}"#,
    "r46sxgnvym0hdhnfu1rwde004cd0apgsk0yju9fat7x"
)]
#[case::with_characters_of_html(
    entry(Some(vec![rule(Some(&["*"]), &[], &[], &["/metrics<&>"])])),
    r#"{"serviceAccountName":"sa","rules":[{"verbs":["*"],"nonResourceURLs":["/metrics\u003c\u0026\u003e"]}]}"#,
    "12nxafplv1tphdej0ebn7zp9zm1ggh698pkgntseybg2"
)]
fn hash_of_a_permission_equals_the_hash_in_go(
    #[case] entry: Permission,
    #[case] json: &str,
    #[case] expected: &str,
) {
    assert_eq!(permission(&entry), json);
    assert_eq!(hash(&entry), expected);
}

#[rstest]
#[case::no_list_of_rules_is_not_an_empty_one(entry(Some(vec![])), r#"{"serviceAccountName":"sa","rules":[]}"#)]
#[case::no_verbs_are_null(
    entry(Some(vec![rule(None, &[], &["pods"], &[])])),
    r#"{"serviceAccountName":"sa","rules":[{"verbs":null,"resources":["pods"]}]}"#
)]
fn json_of_a_permission_equals_the_json_in_go(#[case] entry: Permission, #[case] json: &str) {
    assert_eq!(permission(&entry), json);
}

#[rstest]
#[case::short("ferry", 5, "service", "ferry-service", "ferry-service")]
#[case::of_62_with_the_hyphen_left_out(&*"a".repeat(55), 55, "service", "a{55}-service", "a{55}-service")]
#[case::of_63_with_the_hyphen_left_out(&*"a".repeat(56), 56, "service", "a{56}-service", "a{55}-service")]
#[case::of_64_with_the_hyphen_left_out(&*"a".repeat(57), 57, "service", "a{55}-service", "a{55}-service")]
fn joined_name_is_truncated_to_its_limit(
    #[case] base: &str,
    #[case] length: usize,
    #[case] suffix: &str,
    #[case] as_olm_does: &str,
    #[case] as_a_label: &str,
) {
    assert_eq!(base.len(), length);
    let spelled = |name: &str| match name.split_once("a{") {
        Some((_, rest)) => {
            let (times, rest) = rest.split_once('}').expect("a{TIMES}");
            format!("{}{rest}", "a".repeat(times.parse().expect("a number")))
        }
        None => name.to_owned(),
    };
    assert_eq!(joined(base, suffix), spelled(as_olm_does));
    assert_eq!(label(base, suffix), spelled(as_a_label));
}

#[test]
fn json_is_written_without_blanks_and_in_its_order() {
    let written = compact("{ \"b\": \"x <\\\" y\",\n\t\"a\" : [1, 2] }");
    assert_eq!(written, r#"{"b":"x \u003c\" y","a":[1,2]}"#);
}
