//! Configurations and their errors.

use portolan_core_generate::Target;
use portolan_core_generate::updater::{Configuration, Entry, Mode, Name, Rule, parse};
use rstest::rstest;
use serde_json::{Value, json};

#[test]
fn parses_a_complete_configuration() {
    let written = json!({
        "mode": "Serial",
        "dryRun": true,
        "operators": {"install": [
            {"name": "quay", "version": "latest-patch"},
            {"name": "rope", "version": "never"},
            {"name": "buoy", "takeOver": true},
            {"name": "*"},
        ]},
    });
    let entry = |name, rule| Entry {
        name,
        rule,
        takes_over: false,
    };
    let expected = Configuration {
        mode: Mode::Serial,
        is_dry_run: true,
        entries: vec![
            entry(Name::One("quay".to_owned()), Rule::To(Target::LatestPatch)),
            entry(Name::One("rope".to_owned()), Rule::Never),
            Entry {
                takes_over: true,
                ..entry(Name::One("buoy".to_owned()), Rule::To(Target::Latest))
            },
            entry(Name::Everyone, Rule::To(Target::Latest)),
        ],
    };
    assert_eq!(parse(&written), Ok(expected));
}

#[test]
fn a_manifest_for_generate_is_a_configuration() {
    let manifest = json!({"operators": {"install": [{"name": "quay", "version": ">=3.9.0"}]}});
    let read = parse(&manifest).expect("a manifest must be read");
    assert_eq!((read.mode, read.is_dry_run), (Mode::Parallel, false));
    assert_eq!(read.entries.len(), 1);
}

#[rstest]
#[case::no_map(json!([]), "the configuration is not a map; ")]
#[case::nothing(json!({}), "operators is missing; ")]
#[case::a_slip(json!({"operators": {"install": []}, "dryrun": true}), "has the field \"dryrun\"; ")]
#[case::a_mode(json!({"operators": {"install": []}, "mode": "All"}), "write Parallel or Serial")]
#[case::no_switch(json!({"operators": {"install": []}, "dryRun": "yes"}), "write true or false")]
#[case::no_flag(of(json!({"name": "a", "takeOver": "yes"})), "takeOver is \"yes\"; write true or false")]
#[case::no_list(json!({"operators": {"install": {}}}), "operators.install is not a list; ")]
#[case::no_name(of(json!({"version": "latest"})), "operators.install[0]: the entry has no name; ")]
#[case::no_package(of(json!({"name": "a b"})), "operators.install[0]: ")]
#[case::a_number(of(json!({"name": "a", "version": 1.2})), "put it in quotes")]
#[case::no_rule(of(json!({"name": "a", "version": "latest-x"})), "latest-x is unknown; ")]
fn reports_invalid_field(#[case] written: Value, #[case] why: &str) {
    let refused = parse(&written).expect_err("an invalid configuration");
    assert!(
        refused.iter().any(|error| error.contains(why)),
        "{refused:?}"
    );
}

#[test]
fn reports_all_errors_together() {
    let install = json!([{"name": "a"}, {"name": "a"}, {}]);
    let refused = parse(&json!({"mode": 1, "operators": {"install": install}}));
    let expected = [
        "mode is 1; write Parallel or Serial",
        "operators.install[1]: a is listed twice; remove one of the entries",
    ];
    let refused = refused.expect_err("an invalid configuration");
    assert_eq!(refused[..2], expected);
    assert_eq!(refused.len(), 3);
}

fn of(entry: Value) -> Value {
    json!({"operators": {"install": [entry]}})
}
