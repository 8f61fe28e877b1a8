//! Tests a template that reads a Secret: the operator gets the value, and no output of a program
//! contains it.

use std::fs;
use std::path::Path;
use std::process::Command;

use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::secret;
use crate::approval::policy::policy;
use crate::kubectl::Kubectl;
use crate::operatorpolicy::fleet::{kubeconfig_flag, probed_controller};
use crate::operatorpolicy::stage::{Stage, stage};
use crate::process::metrics;
use crate::program::{output, portolan};

/// The first and the second value of the Secret, and the base64 forms of both.
const HELD: [&str; 4] = [
    "mackerel-sky",
    "red-at-night",
    "bWFja2VyZWwtc2t5",
    "cmVkLWF0LW5pZ2h0",
];

#[tokio::test]
async fn secret_value_reaches_only_the_operator() -> Result<(), Failure> {
    let offered = catalog("cutter: 1.0.0").installable();
    let Some(stage) = stage("kept-secret", &offered).await? else {
        return Ok(());
    };
    let here = stage.world.namespace().to_owned();
    secret(&stage, "key", json!({"token": HELD[0]})).await?;
    let value = format!(r#"{{{{ fromSecret "{here}" "key" "token" | base64dec }}}}"#);
    let config = json!({"env": [{"name": "TOKEN", "value": value}]});
    let group = json!({"name": "own", "targetNamespaces": [here]});
    let cutter = stage.about(policy("cutter")).asks("config", config);
    let before = explained(&stage, &cutter.clone().with("operatorGroup", group.clone())).await?;
    let mark = format!("<Secret {here}/key token>");
    assert!(before.contains(&mark), "{before}");

    stage.write(&cutter.with("operatorGroup", group)).await?;
    let done = ["compliant: Compliant", "installed: cutter.v1.0.0"];
    stage.until_status("cutter", &done).await?;
    assert_eq!(given(&stage).await?, HELD[0]);

    let kubectl = Kubectl::of(stage.world.cluster());
    let other = format!(r#"{{"stringData":{{"token":"{}"}}}}"#, HELD[1]);
    kubectl
        .run(&[
            "patch",
            "secret",
            "key",
            "-n",
            &here,
            "--type=merge",
            "-p",
            &other,
        ])
        .await?;
    stage.recalls("cutter", &["spec.config.env is"]).await?;
    stage.until_status("cutter", &done).await?;
    assert_eq!(given(&stage).await?, HELD[1]);

    let mut printed = vec![before];
    for kinds in [
        "operatorpolicies.policy.open-cluster-management.io",
        "events",
    ] {
        printed.push(
            kubectl
                .run(&["get", kinds, "-n", &here, "-o", "json"])
                .await?,
        );
    }
    printed.extend(programs(&stage).await?);
    for text in &printed {
        assert!(!text.is_empty(), "something is printed");
        let held = HELD.iter().find(|held| text.contains(**held));
        assert_eq!(held, None, "{text}");
    }
    // kubectl escapes some characters, for example `<`. So the test compares the parsed text.
    let policies: Value = serde_json::from_str(&printed[1]).expect("kubectl prints JSON");
    assert!(policies.to_string().contains(&mark), "{policies:#}");
    Ok(())
}

/// Returns the value that the Subscription contains.
async fn given(stage: &Stage) -> Result<String, Failure> {
    let subscription = stage.object(Kind::Subscription, "cutter").await?;
    let subscription = subscription.expect("a Subscription");
    let value = &subscription.data["spec"]["config"]["env"][0]["value"];
    Ok(value.as_str().unwrap_or_default().to_owned())
}

/// Returns the output and the log of `portolan explain` for a policy that is not on the cluster.
async fn explained(
    stage: &Stage,
    policy: &crate::approval::policy::Policy,
) -> Result<String, Failure> {
    let folder = TempFolder::empty();
    let mut body = policy.body(stage.world.namespace());
    body["apiVersion"] = json!("policy.open-cluster-management.io/v1beta1");
    body["kind"] = json!("OperatorPolicy");
    body["metadata"] = json!({"name": policy.name, "namespace": stage.world.namespace()});
    let file = folder.join("policy.json");
    fs::write(&file, body.to_string()).map_err(Failure::touch("write a policy"))?;
    let file = file.display().to_string();
    run_portolan(stage, &["explain", &file, "-o", "wide"]).await
}

/// Returns the texts that the programs write: the output and logs of queries, the metrics, and a
/// dump.
async fn programs(stage: &Stage) -> Result<Vec<String>, Failure> {
    let here = stage.world.namespace();
    let mut printed = vec![
        run_portolan(stage, &["explain", "-n", here, "-o", "yaml"]).await?,
        run_portolan(stage, &["review", "-n", here, "-o", "json"]).await?,
        run_portolan(stage, &["health", "-n", here, "-o", "json"]).await?,
    ];
    let flags = stage.fleet.services().into_iter();
    let own = [
        "--no-lease".to_owned(),
        format!("--only-namespace={here}"),
        kubeconfig_flag(&stage.fleet.kubeconfig),
    ];
    let (probes, running) = probed_controller(flags.chain(own)).await;
    crate::process::until_metric(probes, "cluster_policy_governance_info").await?;
    printed.push(
        metrics(probes)
            .await
            .map_err(Failure::touch("read metrics"))?,
    );
    drop(running);
    let folder = TempFolder::empty();
    let dump = folder.join("dump");
    run_portolan(stage, &["dump", &dump.display().to_string()]).await?;
    printed.extend(texts(&dump)?);
    Ok(printed)
}

fn texts(folder: &Path) -> Result<Vec<String>, Failure> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).map_err(Failure::touch("read a dump"))? {
        let path = entry.map_err(Failure::touch("read a dump"))?.path();
        if path.is_dir() {
            all.extend(texts(&path)?);
        } else {
            let bytes = fs::read(&path).map_err(Failure::touch("read a dump"))?;
            all.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(all)
}

/// Runs `portolan`. Returns its output and its debug log, and ignores the exit code.
async fn run_portolan(stage: &Stage, words: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new(portolan().await?);
    command.args(words).args([
        kubeconfig_flag(&stage.fleet.kubeconfig),
        "--log=debug".to_owned(),
    ]);
    let output = output(command).await?;
    let [out, err] =
        [output.stdout, output.stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
    assert!(!out.contains("error: unexpected"), "{out}{err}");
    Ok(format!("{out}{err}"))
}
