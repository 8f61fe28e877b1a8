//! Formats permission rules as text.

use portolan_core_names::text::{cite, listed};

use serde_json::Value;

/// Returns text about the permissions of a rule. OLM writes rules as `cluster rule:{...}` and
/// `namespaced rule:{...}`. A rule in any other format is quoted unchanged.
pub(crate) fn in_words(written: &str) -> String {
    words(written).unwrap_or_else(|| format!("act by the rule {}", cite(written)))
}

fn words(written: &str) -> Option<String> {
    let (scope, rule) = written.split_once(" rule:")?;
    let place = match scope {
        "cluster" => "in the whole cluster",
        "namespaced" => "in the namespace",
        _ => return None,
    };
    let rule: Value = serde_json::from_str(rule).ok()?;
    let verbs = texts(&rule, "verbs");
    let paths = texts(&rule, "nonResourceURLs");
    let resources = resources(&texts(&rule, "apiGroups"), &texts(&rule, "resources"));
    let names = match texts(&rule, "resourceNames").as_slice() {
        [] => String::new(),
        names => format!(" named {}", listed(names)),
    };
    let what = match (resources.is_empty(), paths.is_empty()) {
        (false, _) => listed(resources),
        (true, false) => listed(paths),
        (true, true) => return None,
    };
    (!verbs.is_empty()).then(|| format!("{} {what}{names} {place}", listed(verbs)))
}

/// Returns resources in kubectl's format: the group follows the resource after a dot.
fn resources(groups: &[&str], resources: &[&str]) -> Vec<String> {
    let in_group = |resource: &&str, group: &&str| match *group {
        "" => (*resource).to_owned(),
        group => format!("{resource}.{group}"),
    };
    let of_group = |group| {
        resources
            .iter()
            .map(move |resource| in_group(resource, group))
    };
    groups.iter().flat_map(of_group).collect()
}

fn texts<'a>(rule: &'a Value, field: &str) -> Vec<&'a str> {
    let list = rule.get(field).and_then(Value::as_array);
    list.into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::one_group(
        r#"namespaced rule:{"verbs":["get","list"],"apiGroups":["apps"],"resources":["deployments"]}"#,
        "get and list deployments.apps in the namespace"
    )]
    #[case::two_groups_and_one_name(
        r#"cluster rule:{"verbs":["get"],"apiGroups":["","apps"],"resources":["pods"],"resourceNames":["a"]}"#,
        "get pods and pods.apps named a in the whole cluster"
    )]
    #[case::of_paths(
        r#"cluster rule:{"verbs":["get"],"nonResourceURLs":["/metrics"]}"#,
        "get /metrics in the whole cluster"
    )]
    #[case::invalid_rule_is_quoted(
        "cluster rule:{\"verbs\":",
        "act by the rule cluster rule:{\"verbs\":"
    )]
    #[case::empty_rule_is_quoted("cluster rule:{}", "act by the rule cluster rule:{}")]
    #[case::of_another_scope_are_quoted("galactic rule:{}", "act by the rule galactic rule:{}")]
    fn describes_permission_rule_in_words(#[case] written: &str, #[case] words: &str) {
        assert_eq!(in_words(written), words);
    }
}
