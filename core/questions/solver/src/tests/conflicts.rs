use super::*;

#[test]
fn missing_package_is_reported_below_its_dependents() {
    let universe = universe(
        "quay: 1.0.0 requires clare >=1.0.0
         quay: 1.0.0 -> 2.0.0 requires clare >=1.0.0
         clair: 3.0.0",
    );
    insta::assert_snapshot!(ask(&universe, &question(&[], &["quay"])), @r#"
    quay is requested
    └── quay.v2.0.0 and quay.v1.0.0 require package clare ">=1.0.0", but no catalog has such a package
    "#);
}

#[test]
fn installed_operator_blocks_the_request() {
    let universe = universe(
        "quay: 2.0.0 requires clair >=4.0.0
         clair: 3.0.0 -> 4.0.0 -> 4.1.0",
    );
    let question = question(&["clair.v3.0.0"], &["quay@>=2.0.0"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    quay@>=2.0.0 is requested
    └── quay.v2.0.0 requires package clair ">=4.0.0"
        └── clair.v4.1.0 and clair.v4.0.0 cannot be installed together with clair.v3.0.0, which is installed and keeps its version
    "#);
}

#[test]
fn installed_operator_requires_the_old_bundle() {
    let universe = universe(
        "quay: 1.0.0 requires clair <4.0.0
         clair: 3.0.0 -> 4.0.0",
    );
    let question = question(&["clair.v3.0.0", "quay.v1.0.0"], &["clair@4.0.0"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    these requirements conflict
    ├── clair@4.0.0 is requested
    │   └── clair.v4.0.0 cannot be installed together with another bundle of package clair
    ├── quay.v1.0.0 requires package clair "<4.0.0"
    └── quay.v1.0.0 is installed and keeps its version, because this operator is not requested
    "#);
}

#[test]
fn two_requests_provide_the_same_api() {
    let universe = universe(
        "zalando: 1.0.0 provides db.test/v1/Postgres
         crunchy: 5.0.0 provides db.test/v1/Postgres",
    );
    let question = question(&[], &["zalando", "crunchy"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    these requirements conflict
    ├── zalando is requested
    │   └── zalando.v1.0.0 cannot be installed together with another provider of API db.test/v1/Postgres
    └── crunchy is requested
        └── crunchy.v5.0.0 cannot be installed together with another provider of API db.test/v1/Postgres
    "#);
}

#[test]
fn two_requests_require_different_versions() {
    let universe = universe(
        "quay: 1.0.0 requires clair <4.0.0
         scan: 1.0.0 requires clair >=4.0.0
         clair: 3.0.0 -> 4.0.0",
    );
    insta::assert_snapshot!(ask(&universe, &question(&[], &["quay", "scan"])), @r#"
    these requirements conflict
    ├── quay is requested
    │   └── quay.v1.0.0 requires package clair "<4.0.0"
    │       └── clair.v3.0.0 cannot be installed together with another bundle of package clair
    └── scan is requested
        └── scan.v1.0.0 requires package clair ">=4.0.0"
            └── clair.v4.0.0 cannot be installed together with another bundle of package clair
    "#);
}

#[test]
fn unreadable_catalog_may_contain_the_package() {
    let down = Freshness::Unread("since yesterday: connection refused".to_owned());
    let universe = Universe::of([
        source("shop", 0, Freshness::Serving, "quay: 1.0.0"),
        source("ns/down", 0, down, ""),
    ]);
    insta::assert_snapshot!(ask(&universe, &question(&[], &["clair"])), @r#"
    these requirements conflict
    ├── clair is requested, but no catalog has such a package
    └── catalog ns/down cannot be read and may have a matching bundle: since yesterday: connection refused
    "#);
}

#[test]
fn package_in_another_catalog_is_not_suggested_as_a_typo() {
    let universe = Universe::of([
        source("shop", 0, Freshness::Serving, "quay: 1.0.0"),
        source("market", 0, Freshness::Serving, "clair: 1.0.0"),
    ]);
    let answer = |request| ask(&universe, &question(&[], &[request]));
    assert_eq!(
        answer("clair catalog=shop"),
        "clair catalog=shop is requested, but catalog market has the package instead"
    );
    assert_eq!(
        answer("claire catalog=shop"),
        "claire catalog=shop is requested, but no catalog has such a package; did you mean clair?"
    );
}

/// One file of the catalog cannot be read.
#[test]
fn reports_a_possibly_hidden_package_if_a_file_is_unreadable() {
    let shop = catalog::catalog("quay: 1.0.0 requires clair >=1.0.0").to_json_lines();
    let readings = [
        Reading::of("quay.json", shop.as_bytes()),
        Reading::of("clair.yaml", b"schema: [olm.package\n"),
    ];
    let shop = offer_of(("shop", 0, Freshness::Serving), Catalog::of(readings));
    let universe = Universe::of([shop]);
    let answer = |request| ask(&universe, &question(&[], &[request]));
    let hidden = "no catalog is known to have such a package; an error may hide it in catalog \
                  shop: clair.yaml:1: not YAML: unclosed bracket '['";
    assert_eq!(answer("clair"), format!("clair is requested, but {hidden}"));
    assert_eq!(
        answer("claire@1.0.0 catalog=shop"),
        format!("claire@1.0.0 catalog=shop is requested, but {hidden}")
    );
    // The same error must also explain a missing dependency on this package.
    let needs = format!("quay.v1.0.0 requires package clair \">=1.0.0\", but {hidden}");
    assert_eq!(answer("quay"), format!("quay is requested\n└── {needs}"));
}

#[test]
fn reachable_prerelease_is_not_reported_as_unreachable() {
    let universe = universe("quay: 1.0.0 -> 2.0.0-rc.1");
    let question = question(&["quay.v1.0.0"], &["quay@>=1.5.0"]);
    assert_eq!(
        ask(&universe, &question),
        "quay@>=1.5.0 is requested, but only prereleases match, such as quay.v2.0.0-rc.1; to use a \
         prerelease, request its exact version"
    );
}
