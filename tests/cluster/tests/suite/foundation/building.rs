//! What becomes of those who cannot build the control plane.

use std::process::Command;

use portolan_rig::Failure;

use crate::SUPERVISOR;

#[test]
fn without_go_and_without_a_build_one_sentence_says_what_to_install() -> Result<(), Failure> {
    let cache = tempfile::tempdir().map_err(Failure::touch("create a cache folder"))?;
    let build = Command::new(SUPERVISOR)
        .arg("build")
        .env("PATH", cache.path())
        .env("PORTOLAN_CACHE", cache.path())
        .output()
        .map_err(Failure::touch("run the rig"))?;
    let said = String::from_utf8_lossy(&build.stderr);
    assert!(!build.status.success(), "{said}");
    let last = said.lines().last().unwrap_or_default();
    assert!(last.contains("install Go 1.26"), "{said}");
    assert!(last.contains("PORTOLAN_SKIP_CLUSTER=1"), "{said}");
    Ok(())
}
