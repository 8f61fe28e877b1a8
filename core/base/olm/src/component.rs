//! The label by which OLM finds the objects of an operator.

use crate::Label;

/// The prefix of the label. A package and a namespace follow.
pub const COMPONENT: Label = Label::beginning("operators.coreos.com/");
/// The maximum length of the name after the slash (v0.46). A name of this length may have been
/// truncated.
pub const LONGEST_COMPONENT: usize = 63;

/// Returns the name after the slash, which is also the name of the Operator of OLM.
pub fn component(package: &str, namespace: &str) -> String {
    cut_component(&format!("{package}.{namespace}")).to_owned()
}

/// Returns the name after the slash for an Operator with this name. OLM truncates long names, and
/// removes punctuation from the end.
pub fn cut_component(operator: &str) -> &str {
    match operator.get(..LONGEST_COMPONENT) {
        Some(cut) if operator.len() > LONGEST_COMPONENT => cut.trim_end_matches(['.', '_', '-']),
        Some(_) | None => operator,
    }
}

/// Returns the name after the slash if it is unambiguous. Returns None if the name may have been
/// truncated.
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
