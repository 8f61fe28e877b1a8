//! Which name was meant by one that is not there.

/// The name that was probably meant: a slip of the pen away, or one that has the asked word in it.
pub fn nearest<'a, T: AsRef<str> + Ord + 'a>(
    name: &str,
    known: impl Iterator<Item = &'a T> + Clone,
) -> Option<&'a T> {
    // One slip in three letters; no more than three, for many names end in "-operator".
    let forgiven = (name.len() / 3).clamp(1, 3);
    let slip = known
        .clone()
        .map(|other| (strsim::damerau_levenshtein(name, other.as_ref()), other))
        .filter(|(slips, _)| *slips <= forgiven)
        .min();
    let longer = known.filter(|other| other.as_ref().split('-').any(|word| word == name));
    slip.map(|(_, other)| other).or_else(|| longer.min())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(asked: &str) -> Option<&str> {
        let known = [
            "aqua",
            "cert-manager",
            "ferry",
            "kairos-operator",
            "project-quay",
        ];
        nearest(asked, known.iter()).copied()
    }

    #[test]
    fn a_suggestion_is_a_slip_away_or_has_the_word() {
        assert_eq!(suggested("fery"), Some("ferry"));
        assert_eq!(suggested("cert-manger"), Some("cert-manager"));
        assert_eq!(suggested("quay"), Some("project-quay"));
    }

    #[test]
    fn what_only_looks_alike_is_not_suggested() {
        assert_eq!(suggested("argocd-operator"), None);
        assert_eq!(suggested("etcd"), None);
    }
}
