use super::*;

#[test]
fn request_installs_its_dependencies() {
    let universe = universe(
        "quay: 1.0.0 -> 2.0.0 requires clair >=4.0.0; 2.0.0 requires db.test/v1/Postgres
         clair: 3.0.0 -> 4.0.0 -> 4.1.0
         zalando: 1.0.0 provides db.test/v1/Postgres
         crunchy: 5.0.0 provides db.test/v1/Postgres",
    );
    insta::assert_snapshot!(ask(&universe, &question(&[], &["quay"])), @r#"
    quay.v2.0.0: install, shop stable, wishes [0], package clair ">=4.0.0" by clair.v4.1.0, API db.test/v1/Postgres by crunchy.v5.0.0
    clair.v4.1.0: install, shop stable
    crunchy.v5.0.0: install, shop stable
    "#);
}

#[test]
fn selects_best_version_compatible_with_installed_operators() {
    let universe = universe(
        "quay: 1.0.0 requires clair <4.0.0
         quay: 1.0.0 -> 2.0.0 requires clair >=4.0.0
         clair: 3.0.0 -> 4.0.0",
    );
    let question = question(&["clair.v3.0.0"], &["quay"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    quay.v1.0.0: install, shop stable, wishes [0], package clair "<4.0.0" by clair.v3.0.0
    clair.v3.0.0: stay
    nothing better:
    quay is requested
    └── quay.v2.0.0 requires package clair ">=4.0.0"
        └── clair.v4.0.0 cannot be installed together with clair.v3.0.0, which is installed and keeps its version
    "#);
}

#[test]
fn upgrades_two_requested_operators_together() {
    let universe = universe(
        "quay: 1.0.0 requires clair <4.0.0
         quay: 1.0.0 -> 2.0.0 requires clair >=4.0.0
         clair: 3.0.0 -> 4.0.0",
    );
    let question = question(&["clair.v3.0.0", "quay.v1.0.0"], &["clair", "quay"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    clair.v4.0.0: move in 1 from clair.v3.0.0, shop stable, wishes [0]
    quay.v2.0.0: move in 1 from quay.v1.0.0, shop stable, wishes [1], package clair ">=4.0.0" by clair.v4.0.0
    "#);
}

#[test]
fn impossible_request_does_not_block_other_requests() {
    let universe = universe("quay: 1.0.0\nclair: 3.0.0");
    let question = Question {
        mode: Mode::Each,
        ..question(&[], &["quay@>=2.0.0", "clare", "clair"])
    };
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    clair.v3.0.0: install, shop stable, wishes [2]
    quay@>=2.0.0 is requested, but there is no such version; the highest is 1.0.0
    clare is requested, but no catalog has such a package
    "#);
}

#[test]
fn requested_catalog_takes_precedence_over_a_higher_priority() {
    let universe = Universe::of([
        source(
            "low",
            0,
            Freshness::Serving,
            "quay: 1.0.0 requires clair >=1.0.0\nclair: 3.0.0",
        ),
        source("high", 9, Freshness::Serving, "clair: 4.0.0"),
    ]);
    insta::assert_snapshot!(ask(&universe, &question(&[], &["quay"])), @r#"
    quay.v1.0.0: install, low stable, wishes [0], package clair ">=1.0.0" by clair.v3.0.0
    clair.v3.0.0: install, low stable
    "#);
}

#[test]
fn already_unmet_requirement_is_only_reported() {
    let universe = universe("quay: 1.0.0 requires clair >=4.0.0\nother: 1.0.0");
    let question = question(&["quay.v1.0.0"], &["other", "quay"]);
    insta::assert_snapshot!(ask(&universe, &question), @r#"
    other.v1.0.0: install, shop stable, wishes [0]
    quay.v1.0.0: stay, wishes [1]
    quay.v1.0.0 lacks package clair ">=4.0.0"
    "#);
}

#[test]
fn upgrade_in_progress_continues_from_the_newer_bundle() {
    let universe = universe("rope: 1.0.0 -> 2.0.0 -> 3.0.0");
    let both = question(&["rope.v1.0.0", "rope.v2.0.0"], &["rope"]);
    insta::assert_snapshot!(ask(&universe, &both), @r#"
    rope.v3.0.0: move in 1 from rope.v2.0.0, shop stable, wishes [0]
    "#);
    let at_the_head = question(&["rope.v2.0.0", "rope.v3.0.0"], &["rope"]);
    insta::assert_snapshot!(ask(&universe, &at_the_head), @r#"
    rope.v3.0.0: stay, wishes [0]
    "#);
}
