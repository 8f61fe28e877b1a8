//! Tests of configurations and of the errors in them.

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
fn accepts_a_manifest_of_generate() {
    let manifest = json!({"operators": {"install": [{"name": "quay", "version": ">=3.9.0"}]}});
    let read = parse(&manifest).expect("a manifest must be read");
    assert_eq!((read.mode, read.is_dry_run), (Mode::Parallel, false));
    assert_eq!(read.entries.len(), 1);
}

#[rstest]
#[case::not_a_map(json!([]), "the configuration is not a map; ")]
#[case::empty(json!({}), "operators is missing; ")]
#[case::misspelled_field(json!({"operators": {"install": []}, "dryrun": true}), "has the field \"dryrun\"; ")]
#[case::invalid_mode(json!({"operators": {"install": []}, "mode": "All"}), "write Parallel or Serial")]
#[case::invalid_dry_run(json!({"operators": {"install": []}, "dryRun": "yes"}), "write true or false")]
#[case::invalid_take_over(of(json!({"name": "a", "takeOver": "yes"})), "takeOver is \"yes\"; write true or false")]
#[case::not_a_list(json!({"operators": {"install": {}}}), "operators.install is not a list; ")]
#[case::missing_name(of(json!({"version": "latest"})), "operators.install[0]: the entry has no name; ")]
#[case::invalid_name(of(json!({"name": "a b"})), "operators.install[0]: ")]
#[case::version_is_a_number(of(json!({"name": "a", "version": 1.2})), "put it in quotes")]
#[case::invalid_rule(of(json!({"name": "a", "version": "latest-x"})), "latest-x is unknown; ")]
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
