//! The label by which OLM finds what belongs to an operator.

use crate::Label;

/// The prefix of the label; a package and a namespace follow it.
pub const COMPONENT: Label = Label::beginning("operators.coreos.com/");
/// The greatest length of the name behind the slash (v0.46). A name of that length may have been
/// cut.
pub const LONGEST_COMPONENT: usize = 63;

/// Returns the name after the slash, which is also the name of OLM's Operator.
pub fn component(package: &str, namespace: &str) -> String {
    cut_component(&format!("{package}.{namespace}")).to_owned()
}

/// Returns the same for an Operator with this name. OLM truncates long names, and removes
/// punctuation from the end.
pub fn cut_component(operator: &str) -> &str {
    match operator.get(..LONGEST_COMPONENT) {
        Some(cut) if operator.len() > LONGEST_COMPONENT => cut.trim_end_matches(['.', '_', '-']),
        Some(_) | None => operator,
    }
}

/// Returns the same if it is unambiguous: None if it may have been cut.
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
