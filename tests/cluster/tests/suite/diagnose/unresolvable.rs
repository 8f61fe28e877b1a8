//! Tests with Subscriptions that request missing packages, or that exclude each other.

use portolan_core_diagnosis::Code;
use portolan_kit::catalog;
use portolan_rig::Failure;

use super::diagnoses::root;
use super::stage::{Dumped, stage};

/// Each Subscription is fixed before the next Subscription is created. So all earlier operators are
/// installed and healthy.
#[tokio::test]
#[ignore = "OLM takes its time for more than a minute: just soak"]
async fn fixes_misspelled_names_in_subscriptions() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-names").await? else {
        return Ok(());
    };
    let offered = catalog("petrel: 1.0.0; puffin: 1.0.0; gannet: 1.0.0; guillemot: 1.0.0");
    let _fleet = stage.serve("fleet", &offered.installable()).await?;
    stage.editor.group("group").await?;

    stage.subscribe("petrel is pettrel").await?;
    let petrel = "Subscription petrel";
    stage
        .heals(root("petrel", Code::PackageMissing, petrel))
        .await?;

    stage.subscribe("puffin/stabel").await?;
    let puffin = "Subscription puffin";
    stage
        .heals(root("puffin", Code::ChannelMissing, puffin))
        .await?;

    stage.subscribe("gannet start=gannet.v1.0.1").await?;
    let gannet = "Subscription gannet";
    stage
        .heals(root("gannet", Code::StartingCsvMissing, gannet))
        .await?;

    stage.subscribe("guillemot from flet").await?;
    let flet = "CatalogSource flet";
    stage
        .heals(root("guillemot", Code::CatalogMissing, flet))
        .await?;
    Ok(())
}

#[tokio::test]
async fn fixes_missing_dependencies() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-needs").await? else {
        return Ok(());
    };
    let offered = "
        skua: 1.0.0 requires krill >=1.0.0
        plover: 1.0.0 requires dunlin >=2.0.0
        dunlin: 1.0.0
    ";
    let _fleet = stage
        .serve("fleet", &catalog(offered).installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("skua").await?;
    let missing = root("skua", Code::DependencyMissing, "Package krill");
    stage.external(missing, Dumped::Alike).await?;
    stage
        .types("kubectl -n $NS delete subscriptions.operators.coreos.com skua")
        .await?;

    stage.subscribe("plover").await?;
    let range = root("plover", Code::DependencyOutOfRange, "Package dunlin");
    stage.external(range, Dumped::Alike).await?;
    Ok(())
}

/// After one of the two Subscriptions is deleted, OLM installs the operator of the other
/// Subscription.
#[tokio::test]
async fn fixes_two_operators_that_exclude_each_other() -> Result<(), Failure> {
    let Some(mut stage) = stage("dx-rivals").await? else {
        return Ok(());
    };
    let offered = "
        heron: 1.0.0 provides fishing.test/v1/Heronry
        egret: 1.0.0 provides fishing.test/v1/Heronry
        stork: 1.0.0
    ";
    let _fleet = stage
        .serve("fleet", &catalog(offered).installable())
        .await?;
    stage.editor.group("group").await?;
    stage.subscribe("heron").await?;
    stage.well("heron").await?;
    stage.subscribe("egret").await?;
    let clash = root("egret", Code::ApiProvidedTwice, "Subscription egret");
    stage.does(clash).await?;
    stage.diagnoses.until_gone("egret").await;
    stage.well("heron").await?;

    stage.subscribe("stork").await?;
    stage.well("stork").await?;
    stage.subscribe("stork-two is stork").await?;
    let twice = root(
        "stork-two",
        Code::DuplicateSubscription,
        "Subscription stork-two",
    );
    stage.does(twice).await?;
    stage.diagnoses.until_gone("stork-two").await;
    stage.well("stork").await?;
    Ok(())
}
