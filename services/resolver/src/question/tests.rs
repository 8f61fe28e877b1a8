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
