//! Tests that kubectl can watch Installed objects, and can wait for them.

use std::fs;
use std::process::{Command, Stdio};

use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{Berth, berth};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::Started;

#[tokio::test]
async fn kubectl_watches_operators_and_waits_for_a_phase() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let file = berth.file("watched");
    let _watching = watching(&berth, &["-n=harbor"], "watched")?;
    until_written(&file, 1, "Succeeded").await?;
    let pods = berth.cluster().pods("fleet")?;
    pods.crash_looping("app=ferry-v1-0-0").await?;
    until_written(&file, 2, "fleet").await?;
    pods.ready("app=ferry-v1-0-0").await?;
    let ferry = "installed/ferry.v1.0.0";
    let phase = "--for=jsonpath={.status.clusterServiceVersion.status.phase}=Succeeded";
    berth
        .run(&["-n=harbor", "wait", ferry, phase, "--timeout=180s"])
        .await?;
    let lines = fs::read_to_string(&file).map_err(Failure::touch("read what is watched"))?;
    let reported: Vec<_> = lines
        .lines()
        .map(|it| it.split_whitespace().last())
        .collect();
    assert_eq!(reported[..2], [Some("PHASE"), Some("Succeeded")], "{lines}");
    assert!(
        reported.len() > 2 && lines.matches("INSTALLATION_NAMESPACE").count() == 1,
        "{lines}"
    );
    kubectl_watches_one_until_its_deletion(&berth).await?;
    berth.assert_no_forbidden_requests()
}

async fn kubectl_watches_one_until_its_deletion(berth: &Berth) -> Result<(), Failure> {
    let file = berth.file("one");
    let words = ["ferry.v1.0.0", "-n=harbor", "--output-watch-events"];
    let _watching = watching(berth, &words, "one")?;
    until_written(&file, 1, "ADDED").await?;
    berth
        .run(&["delete", "csv", "ferry.v1.0.0", "-n=fleet"])
        .await?;
    until_written(&file, 1, "DELETED").await?;
    let gone = [
        "-n=harbor",
        "wait",
        "installed/ferry.v1.0.0",
        "--for=delete",
        "--timeout=180s",
    ];
    berth.run(&gone).await?;
    let none = berth.run(&["get", "installed", "-n=harbor"]).await?;
    // kubectl prints the message about missing resources to standard error.
    assert_eq!(none, "");
    Ok(())
}

fn watching(berth: &Berth, words: &[&str], file: &str) -> Result<Started, Failure> {
    let output = fs::File::create(berth.file(file)).map_err(Failure::touch("make a file"))?;
    let mut command: Command = berth.cluster().binaries().command("kubectl");
    command
        .arg(kubeconfig_flag(&berth.cluster().kubeconfig()))
        .args(["get", "installed", "--watch"])
        .args(words)
        .stdin(Stdio::null())
        .stdout(output);
    Started::by(&mut command)
}

/// Waits until the file contains this number of lines, without the header.
async fn until_written(file: &std::path::Path, many: usize, word: &str) -> Result<(), Failure> {
    until(format!("{many} lines with {word}"), PATIENCE, async || {
        let text = fs::read_to_string(file).map_err(Failure::touch("read what is watched"))?;
        let lines = text.lines().filter(|line| line.contains(word));
        Ok(if lines.count() >= many {
            Seen::Yes(())
        } else {
            Seen::NotYet(text)
        })
    })
    .await
}
