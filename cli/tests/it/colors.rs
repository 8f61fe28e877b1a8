//! Colors where they are asked for, and nowhere else.

use insta::assert_snapshot;
use rstest::rstest;

use crate::program::{FERRY, ferry_upgrades, portolan, run, transcript};

const LINE: &str = "--from ferry.v1.0.0";

#[test]
fn a_table_is_colored_where_that_is_asked_for() {
    let said = transcript(&mut ferry_upgrades(&format!("{LINE} --color always")));
    assert_snapshot!(said.replace('\u{1b}', "ESC"), @r#"
    [stdout]
    ESC[1mUPDATEESC[0m         ESC[1mVERSIONESC[0m   ESC[1mVIAESC[0m          ESC[1mCHANNELSESC[0m   ESC[1mNOTEESC[0m
    ESC[32mferry.v1.2.0ESC[0m   1.2.0     skip range   stable     ESC[32mrecommendedESC[0m
    ferry.v1.1.0   1.1.0     replaces     stable

    ESC[1mFurther on:ESC[0m
      in 2 hops: ferry.v2.0.0
    [exit 0]
    "#);
}

#[test]
fn a_pipe_gets_no_colors() {
    let said = transcript(&mut ferry_upgrades(LINE));
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[rstest]
#[case::json("-o json")]
#[case::table_in_no_color("--color never")]
fn programs_get_no_colors(#[case] flags: &str) {
    let mut asked = ferry_upgrades(&format!("{LINE} {flags}"));
    let said = transcript(asked.env("CLICOLOR_FORCE", "1"));
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn an_error_is_red_where_colors_are_asked_for() {
    let line = format!("graph --catalog {FERRY} fery --color always");
    let stderr = run(&mut portolan(&line)).stderr;
    assert!(stderr.starts_with(b"\x1b[31merror:\x1b[0m catalog demo has no package fery"));
}

#[test]
fn a_choice_that_nobody_knows_gets_the_known_ones() {
    let said = transcript(&mut ferry_upgrades(&format!("{LINE} --color sometimes")));
    assert!(
        said.contains("[possible values: auto, always, never]"),
        "{said}"
    );
}
