//! Compares the predictions of `portolan readiness` with the actions of OLM after the catalog has
//! changed.
//!
//! Each test makes a prediction from the catalog content of the next release. Then the catalog
//! serves this content.

use portolan_core_diagnosis::Code;
use portolan_kit::{Catalog as Offered, catalog};
use portolan_rig::{Catalog, Failure};
use serde_json::{Value, json};

use super::diagnoses::root;
use super::stage::{Dumped, Stage, stage};

/// A namespace with installed operators. Its catalog has not changed yet.
struct Release {
    stage: Stage,
    catalog: Catalog,
    next: Offered,
}

/// OLM resolves nothing in the namespace while a package is missing.
#[tokio::test]
async fn predicted_missing_package_blocks_its_neighbor() -> Result<(), Failure> {
    let texts = ["coot: 1.0.0; auk: 1.0.0", "auk: 1.0.0 -> 1.1.0"];
    let Some(mut release) = release("rd-gone", texts, &["coot", "auk"]).await? else {
        return Ok(());
    };
    let report = release.predict().await?;
    assert_eq!(verdict(&report, "coot"), "package-gone");
    assert_eq!(verdict(&report, "auk"), "ready");
    let coot = format!("{}/coot", release.stage.world.namespace());
    assert_eq!(operator(&report, "auk")["heldUpBy"], json!([coot]));

    release.begins().await?;
    let stage = &release.stage;
    let gone = root("coot", Code::PackageMissing, "Subscription coot");
    stage.until_diagnosed(gone, Dumped::InOtherWords).await?;
    let held = root("auk", Code::BlockedByNeighbor, "Subscription coot");
    stage.until_diagnosed(held, Dumped::InOtherWords).await?;
    stage.types(&command(&report, "coot")).await?;
    // OLM (v0.46) may decide before it notices the deletion, and not try again by itself.
    let again = "for i in $(seq 18); do\n\
                 kubectl -n $NS annotate --overwrite subscriptions.operators.coreos.com/auk \
                   portolan.dev/retry=\"$i\" &&\n\
                 kubectl -n $NS wait csv/auk.v1.1.0 --for=create --timeout=10s && break\n\
                 done";
    stage.types(again).await?;
    stage.well_as("auk", "auk.v1.1.0").await;
    Ok(())
}

#[tokio::test]
async fn predicted_missing_channel_is_diagnosed_and_the_printed_channel_works()
-> Result<(), Failure> {
    let texts = ["swan: 1.0.0", "swan/fast: 1.0.0 -> 1.1.0"];
    let Some(mut release) = release("rd-channel", texts, &["swan"]).await? else {
        return Ok(());
    };
    let report = release.predict().await?;
    assert_eq!(verdict(&report, "swan"), "switch-channel-after");
    assert_eq!(operator(&report, "swan")["channelThen"], "fast");

    release.begins().await?;
    let stage = &release.stage;
    let gone = root("swan", Code::ChannelMissing, "Subscription swan");
    stage.until_diagnosed(gone, Dumped::InOtherWords).await?;
    stage.types(&command(&report, "swan")).await?;
    stage.well_as("swan", "swan.v1.1.0").await;
    Ok(())
}

/// The next release contains no update from the installed version, so the operator gets no update.
#[tokio::test]
async fn predicted_stranded_operator_gets_no_update() -> Result<(), Failure> {
    let texts = ["stork: 1.0.0", "stork: 3.0.0 -> 3.1.0"];
    let Some(mut release) = release("rd-strand", texts, &["stork"]).await? else {
        return Ok(());
    };
    let report = release.predict().await?;
    assert_eq!(verdict(&report, "stork"), "stranded");

    release.begins().await?;
    let stage = &release.stage;
    let stranded = root("stork", Code::DeadEnd, "CatalogSource fleet");
    stage
        .until_diagnosed(stranded, Dumped::InOtherWords)
        .await?;
    Ok(())
}

/// After the user runs the printed approvals, the operator gets its updates from the catalog of the
/// next release.
#[tokio::test]
async fn printed_updates_before_the_change_prevent_a_dead_end() -> Result<(), Failure> {
    let texts = ["teal: 1.0.0 -> 1.1.0 -> 1.2.0", "teal: 1.2.0 -> 2.0.0"];
    let subscribed = ["teal manual start=teal.v1.0.0"];
    let Some(mut release) = release("rd-first", texts, &subscribed).await? else {
        return Ok(());
    };
    for (version, left) in [
        ("1.1.0", json!(["teal.v1.1.0", "teal.v1.2.0"])),
        ("1.2.0", json!(["teal.v1.2.0"])),
    ] {
        let report = release.predict().await?;
        assert_eq!(verdict(&report, "teal"), "update-first");
        assert_eq!(operator(&report, "teal")["updates"][0]["bundles"], left);
        let stage = &release.stage;
        let waits = root("teal", Code::PlanAwaitsApproval, "InstallPlan install-");
        stage.until_diagnosed(waits, Dumped::InOtherWords).await?;
        let command = command(&report, "teal");
        let words: Vec<_> = command
            .split_whitespace()
            .skip(1)
            .chain(["--yes"])
            .collect();
        stage.portolan(&words).await?;
        stage
            .installed_as("teal", &format!("teal.v{version}"))
            .await;
    }
    let report = release.predict().await?;
    assert_eq!(verdict(&report, "teal"), "ready");

    release.begins().await?;
    let stage = &release.stage;
    let waits = root("teal", Code::PlanAwaitsApproval, "InstallPlan install-");
    stage.does(waits).await?;
    stage.well_as("teal", "teal.v2.0.0").await;
    Ok(())
}

/// Installs operators from the catalog `fleet`. The two texts are the content of the catalog in the
/// current release and in the next release. Returns None if tests with a cluster are skipped.
async fn release(
    name: &str,
    [now, next]: [&str; 2],
    subscribed: &[&str],
) -> Result<Option<Release>, Failure> {
    let Some(mut stage) = stage(name).await? else {
        return Ok(None);
    };
    let catalog_now = stage.serve("fleet", &catalog(now).installable()).await?;
    stage.editor.group("group").await?;
    for text in subscribed {
        stage.subscribe(text).await?;
    }
    for text in subscribed {
        let (of, options) = text.split_once(' ').unwrap_or((text, ""));
        if options.starts_with("manual") {
            let waits = root("teal", Code::PlanAwaitsApproval, "InstallPlan install-");
            stage.does(waits).await?;
        }
        stage.installed_as(of, &format!("{of}.v1.0.0")).await;
    }
    Ok(Some(Release {
        stage,
        catalog: catalog_now,
        next: catalog(next).installable(),
    }))
}

/// Returns the operator with this name from a report.
fn operator<'a>(report: &'a Value, name: &str) -> &'a Value {
    let mut all = report["operators"].as_array().into_iter().flatten();
    let found = all.find(|it| it["name"] == name);
    found.unwrap_or_else(|| panic!("no operator {name}: {report:#}"))
}

fn verdict<'a>(report: &'a Value, name: &str) -> &'a str {
    operator(report, name)["verdict"]
        .as_str()
        .unwrap_or_default()
}

/// Returns the command of the first step of an operator.
fn command(report: &Value, name: &str) -> String {
    let is_of = |step: &&Value| {
        let of = step["operator"].as_str().unwrap_or_default();
        of.rsplit_once('/').is_some_and(|(_, of)| of == name)
    };
    let mut steps = report["steps"].as_array().into_iter().flatten();
    let step = steps.find(is_of);
    let command = step.and_then(|step| step["command"].as_str());
    command
        .unwrap_or_else(|| panic!("no command for {name}: {report:#}"))
        .to_owned()
}

// === impl Release ===

impl Release {
    /// Returns the report about the upgrade to the next release of Kubernetes.
    async fn predict(&self) -> Result<Value, Failure> {
        let next = self.next.temp();
        let namespace = self.stage.world.namespace();
        let catalog = format!("{namespace}/fleet={}", next.display());
        let words = [
            "readiness",
            "--kubernetes",
            "1.37",
            "-n",
            namespace,
            "--catalog",
            &catalog,
            "-o",
            "json",
        ];
        let text = self.stage.portolan(&words).await?;
        serde_json::from_str(&text).map_err(Failure::read("a report"))
    }

    /// Serves the catalog content of the next release.
    async fn begins(&mut self) -> Result<(), Failure> {
        self.stage.serve_again(&mut self.catalog, &self.next).await
    }
}
