//! Tests the output of kubectl for Installed.

use std::time::Duration;

use portolan_rig::Failure;
use serde_json::Value;

use super::stage::{Berth, berth, csv};

const TABLE: [&str; 2] = [
    "NAME INSTALLATION_NAMESPACE CHANNEL CURRENT_VERSION TARGET_VERSION PHASE",
    "ferry.v1.0.0 fleet <none> 1.0.0 <none> Succeeded",
];

#[tokio::test]
async fn kubectl_lists_the_operators_that_watch_a_namespace() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let lines = berth.lines(&["get", "installed", "-n=harbor"]).await?;
    assert_eq!(lines, TABLE);
    wide_and_whole(&berth).await?;
    everywhere(&berth).await?;
    selected(&berth).await?;
    described(&berth).await?;
    discovered(&berth).await?;
    berth.assert_no_forbidden_requests()
}

async fn wide_and_whole(berth: &Berth) -> Result<(), Failure> {
    let wide = ["get", "installed", "-n=harbor", "-o=wide"];
    let lines = berth.lines(&wide).await?;
    assert!(
        lines[0].ends_with("PHASE PACKAGE SUBSCRIPTION MESSAGE"),
        "{lines:?}"
    );
    let one = ["get", "installed", "ferry.v1.0.0", "-n=harbor", "-o=json"];
    let one: Value = serde_json::from_str(&berth.run(&one).await?).expect("JSON");
    assert_eq!(one["kind"], "Installed");
    let version = one.pointer("/status/clusterServiceVersion/spec/version");
    assert_eq!(version, Some(&"1.0.0".into()));
    assert_eq!(one.pointer("/status/clusterServiceVersion/spec/icon"), None);
    let yaml = ["get", "installed", "ferry.v1.0.0", "-n=harbor", "-o=yaml"];
    let yaml = berth.run(&yaml).await?;
    assert!(
        yaml.contains("\nkind: Installed\n") && !yaml.contains("\nspec:"),
        "{yaml}"
    );
    let path = "-o=jsonpath={.items[*].metadata.name}";
    let names = berth.run(&["get", "installed", "-n=harbor", path]).await?;
    assert_eq!(names, "ferry.v1.0.0");
    let none = berth
        .try_run(&["get", "installed", "tug", "-n=harbor"])
        .await?;
    let expected =
        "Error from server (NotFound): installed.packages.operators.coreos.com \"tug\" not found";
    assert_eq!(none, Err(expected.to_owned()));
    Ok(())
}

/// OLM has copied the operator ferry into all namespaces. The copies are not listed.
async fn everywhere(berth: &Berth) -> Result<(), Failure> {
    let names = "-o=jsonpath={range .items[*]}{.metadata.name}{\"\\n\"}{end}";
    let namespaces = berth.lines(&["get", "namespaces", names]).await?;
    let all = ["get", "installed", "-A", "--no-headers"];
    let all = berth.lines(&all).await?;
    assert_eq!(all.len(), namespaces.len(), "{all:?}");
    let pieces = ["get", "installed", "-A", "--no-headers", "--chunk-size=2"];
    assert_eq!(berth.lines(&pieces).await?, all);
    let copies = [
        "get",
        "csv",
        "-n=harbor",
        "-o=jsonpath={.items[*].status.reason}",
    ];
    assert_eq!(berth.run(&copies).await?, "Copied");
    Ok(())
}

async fn selected(berth: &Berth) -> Result<(), Failure> {
    let by = async |flag: &str| {
        berth
            .lines(&["get", "installed", "-n=harbor", "-o=name", flag])
            .await
    };
    let ferry = ["installed.packages.operators.coreos.com/ferry.v1.0.0"];
    let none: [&str; 0] = [];
    assert_eq!(by("--selector=ships=yes").await?, ferry);
    assert_eq!(
        by("--selector=operators.coreos.com/csv in (ferry.v1.0.0,b)").await?,
        ferry
    );
    assert_eq!(by("--selector=ships!=yes").await?, none);
    assert_eq!(
        by("--field-selector=metadata.name=ferry.v1.0.0").await?,
        ferry
    );
    assert_eq!(
        by("--field-selector=metadata.name!=ferry.v1.0.0").await?,
        none
    );
    Ok(())
}

async fn described(berth: &Berth) -> Result<(), Failure> {
    let described = ["describe", "installed", "ferry.v1.0.0", "-n=harbor"];
    let described = berth.run(&described).await?;
    for wanted in [
        "Kind:         Installed",
        "Display Name:  Ferry",
        "ships=yes",
    ] {
        assert!(described.contains(wanted), "{described}");
    }
    let explained = [
        "explain",
        "installed",
        "--api-version=packages.operators.coreos.com/v2alpha1",
    ];
    let explained = berth.run(&explained).await?;
    for wanted in [
        "KIND:       Installed",
        "VERSION:    v2alpha1",
        "status\t<InstalledStatus>",
    ] {
        assert!(explained.contains(wanted), "{explained}");
    }
    let field = [
        "explain",
        "installed.status.subscription",
        "--api-version=packages.operators.coreos.com/v2alpha1",
    ];
    let field = berth.run(&field).await?;
    assert!(
        field.contains("The Subscription of the operator"),
        "{field}"
    );
    Ok(())
}

async fn discovered(berth: &Berth) -> Result<(), Failure> {
    let group = "--api-group=packages.operators.coreos.com";
    let resources = ["api-resources", group, "--no-headers", "-o=wide"];
    let lines = berth.lines(&resources).await?;
    let expected =
        ["installed packages.operators.coreos.com/v2alpha1 true Installed get,list,watch"];
    assert_eq!(lines, expected);
    let can = ["auth", "can-i", "list", "installed", "-n=harbor"];
    assert_eq!(berth.run(&can).await?, "yes");
    Ok(())
}

/// Some OperatorGroups have selectors, and some operators have the same name.
#[tokio::test]
async fn watch_reports_changes_of_namespaces_and_operators() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let red = "
apiVersion: v1
kind: Namespace
metadata: {name: dock}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: red, namespace: dock}
spec: {selector: {matchLabels: {team: red}}}
---
";
    berth
        .applies(&(red.to_owned() + &csv("dock", "tug.v2.0.0", "2.0.0")))
        .await?;
    berth
        .run(&["label", "namespace", "harbor", "team=red"])
        .await?;
    let harbor = [
        "get",
        "installed",
        "-n=harbor",
        "-o=custom-columns=N:.metadata.name",
    ];
    // OLM evaluates the selector of an OperatorGroup only when the OperatorGroup changes, and not
    // when a label of a namespace changes. Until then, OLM rejects the operator.
    tokio::select! {
        there = berth.until_line(&harbor, "tug.v2.0.0") => drop(there?),
        failed = changes(&berth) => failed?,
    }
    berth
        .run(&["label", "namespace", "harbor", "team-"])
        .await?;
    let named = ["get", "installed", "-n=harbor", "--no-headers"];
    let ferry_alone = [
        "-n=harbor",
        "wait",
        "installed/tug.v2.0.0",
        "--for=delete",
        "--timeout=180s",
    ];
    // OLM keeps the namespace in the OperatorGroup, if its label is removed before OLM has read the
    // OperatorGroup that OLM wrote. OLM evaluates the selector again when the OperatorGroup
    // changes.
    tokio::select! {
        gone = berth.run(&ferry_alone) => drop(gone?),
        failed = changes(&berth) => failed?,
    }
    assert_eq!(berth.lines(&named).await?, TABLE[1..]);
    berth.assert_no_forbidden_requests()
}

/// Changes the OperatorGroup again and again, so that OLM evaluates its selector.
async fn changes(berth: &Berth) -> Result<(), Failure> {
    for change in 0_u32.. {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let change = format!("example.test/change={change}");
        let group = "operatorgroup/red";
        let annotate = ["-n=dock", "annotate", "--overwrite", group, &change];
        berth.run(&annotate).await?;
    }
    Ok(())
}
