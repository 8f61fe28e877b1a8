//! Tests that OPA still gives the recorded answers that the tests of rules use. The version of OPA
//! is the same as in the recording.

use std::io::Write as _;
use std::process::Stdio;

use portolan_rig::{Failure, OwnProgram};
use serde_json::Value;

use crate::begin;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!(
            "../../../../core/base/rules/tests/fixtures/rego/",
            $name
        ))
    };
}

const OPA: OwnProgram = OwnProgram {
    name: "opa-answers",
    package: ".",
    files: &[
        ("go.mod", fixture!("go.mod")),
        ("go.sum", fixture!("go.sum")),
        ("main.go", fixture!("opa.go")),
    ],
};

#[test]
#[ignore = "builds OPA: just soak"]
fn opa_returns_the_recorded_decisions() -> Result<(), Failure> {
    if !begin() {
        return Ok(());
    }
    let mut opa = OPA.command()?;
    opa.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut opa = opa.spawn().map_err(Failure::touch("run OPA"))?;
    let asked = opa
        .stdin
        .take()
        .map(|mut stdin| stdin.write_all(fixture!("rules.json").as_bytes()));
    asked.transpose().map_err(Failure::touch("ask OPA"))?;
    let answered = opa
        .wait_with_output()
        .map_err(Failure::touch("read the answers of OPA"))?;
    assert!(answered.status.success());
    let read =
        |text: &[u8]| serde_json::from_slice::<Value>(text).map_err(Failure::read("answers"));
    assert_eq!(
        read(&answered.stdout)?,
        read(fixture!("answers.json").as_bytes())?
    );
    Ok(())
}
