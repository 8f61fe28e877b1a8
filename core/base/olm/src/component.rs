//! The label that OLM sets on all objects of an operator. OLM finds the objects with this label.

use crate::Label;

/// The prefix of the label. The rest of the key is the component name, such as `ferry.harbor`: the
/// package and the namespace.
pub const COMPONENT: Label = Label::beginning("operators.coreos.com/");
/// The maximum length of the component name (OLM v0.46). OLM may have truncated a name of this
/// length.
pub const LONGEST_COMPONENT: usize = 63;

/// Returns the component name of a package in a namespace. OLM's Operator object has the same name.
pub fn component(package: &str, namespace: &str) -> String {
    cut_component(&format!("{package}.{namespace}")).to_owned()
}

/// Returns the component name of OLM's Operator object with this name. OLM truncates long names,
/// and then removes punctuation from the end.
pub fn cut_component(operator: &str) -> &str {
    match operator.get(..LONGEST_COMPONENT) {
        Some(cut) if operator.len() > LONGEST_COMPONENT => cut.trim_end_matches(['.', '_', '-']),
        Some(_) | None => operator,
    }
}

/// Returns the component name of a package in a namespace. Returns None if OLM may have truncated
/// the name, because a truncated name is ambiguous.
pub fn whole_component(package: &str, namespace: &str) -> Option<String> {
    let whole = format!("{package}.{namespace}");
    (whole.len() < LONGEST_COMPONENT).then_some(whole)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::short("ferry", "harbor", "ferry.harbor")]
    #[case::cut(
        "a-package-whose-name-is-long-enough-for-three",
        "and-a-namespace-as-long",
        "a-package-whose-name-is-long-enough-for-three.and-a-namespace-a"
    )]
    #[case::cut_at_a_hyphen(
        "a-package-whose-name-is-long-enough-for-three",
        "and-a-namespaces-of-such-length",
        "a-package-whose-name-is-long-enough-for-three.and-a-namespaces"
    )]
    fn label_is_truncated_like_in_olm(
        #[case] package: &str,
        #[case] namespace: &str,
        #[case] label: &str,
    ) {
        assert_eq!(component(package, namespace), label);
    }
}
