//! Tests that the output has colors only if the user requests them.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, portolan, run, transcript};

const LINE: &str = "--from ferry.v1.0.0";

#[test]
fn colors_table_on_request() {
    let output = transcript(&mut ferry_upgrades(&format!("{LINE} --color always")));
    assert_snapshot!(output.replace('\u{1b}', "ESC"), @r#"
    [stdout]
    ESC[1mUPDATEESC[0m         ESC[1mVERSIONESC[0m   ESC[1mVIAESC[0m          ESC[1mCHANNELSESC[0m   ESC[1mNOTEESC[0m
    ESC[32mferry.v1.2.0ESC[0m   1.2.0     skip range   stable     ESC[32mrecommendedESC[0m
    ferry.v1.1.0   1.1.0     replaces     stable

    ESC[1mReachable in several hops:ESC[0m
      in 2 hops: ferry.v2.0.0
    [exit 0]
    "#);
}

#[test]
fn writes_no_colors_to_pipe() {
    let output = transcript(&mut ferry_upgrades(LINE));
    assert!(!output.contains('\u{1b}'), "{output}");
}

#[rstest]
#[case::json("-o json")]
#[case::table_in_no_color("--color never")]
fn prints_no_colors_as_json_or_with_color_never(#[case] flags: &str) {
    let mut asked = ferry_upgrades(&format!("{LINE} {flags}"));
    let output = transcript(asked.env("CLICOLOR_FORCE", "1"));
    assert!(!output.contains('\u{1b}'), "{output}");
}

#[test]
fn colors_error_on_request() {
    let line = format!("graph --catalog {FERRY} fery --color always");
    let stderr = run(&mut portolan(&line)).stderr;
    assert!(stderr.starts_with(b"\x1b[31merror:\x1b[0m catalog demo has no package fery"));
}

#[test]
fn lists_valid_color_choices() {
    let output = transcript(&mut ferry_upgrades(&format!("{LINE} --color sometimes")));
    assert!(
        output.contains("[possible values: auto, always, never]"),
        "{output}"
    );
}
