//! Tests a real operator, with the versions and the upgrade edges of its author.

use portolan_kit::{assert_same, real_catalog, real_package};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_rig::{Failure, Kind};
use serde_json::{Value, json};

use super::stage::{Stage, message, stage};
use crate::approval::policy::design;
use crate::resolver::questions::{Client, of_files};

const CATALOG: &str = "community-v4.20";
const PACKAGE: &str = "infinispan";
const FIRST: &str = "infinispan-operator.v2.4.17";
const SECOND: &str = "infinispan-operator.v2.4.18";
/// The version that OLM would skip because of the skip range of the head.
const LEAPT: &str = "infinispan-operator.v2.5.0";
const HEAD: &str = "infinispan-operator.v2.5.14";

/// A policy installs the operator for its own namespace, and pins it. Then the policy only informs,
/// upgrades to the next allowed version, and is deleted with the operator. The upgrades in the
/// status always equal those that the resolver finds in the catalog of the author. The bundles have
/// minimal manifests, because their images cannot run here.
#[tokio::test]
async fn real_operator_is_installed_pinned_upgraded_and_removed() -> Result<(), Failure> {
    let (Some(folder), Some(offered)) = (real_catalog(CATALOG), real_package(CATALOG, PACKAGE))
    else {
        return Ok(());
    };
    let Some(stage) = stage("real", &offered).await? else {
        return Ok(());
    };
    let mut resolver = of_files("files", &folder.join(PACKAGE));
    is_pinned(&stage, &mut resolver).await?;
    is_watched(&stage, &mut resolver).await?;
    follows(&stage, &mut resolver).await?;
    is_removed(&stage).await
}

async fn is_pinned(stage: &Stage, resolver: &mut Client) -> Result<(), Failure> {
    let policy = stage.at_home(design(PACKAGE, &[FIRST]));
    stage.write(&policy).await?;
    let waits = "InstallPlanRequiresApproval";
    let status = is_installed(stage, FIRST, (SECOND, waits)).await?;
    let reported = message(&status, "InstallPlanCompliant");
    let news = format!("an upgrade to {SECOND} is available on the stable channel");
    assert!(reported.starts_with(&news), "{reported}");
    let group = stage.object(Kind::OperatorGroup, "own").await?;
    let group = group.expect("its group must exist");
    let here = stage.world.namespace();
    assert_eq!(group.data["spec"]["targetNamespaces"], json!([here]));
    agrees(&status, resolver, FIRST, &[]).await;
    Ok(())
}

/// A policy with the action inform changes nothing, and reports the whole upgrade path.
async fn is_watched(stage: &Stage, resolver: &mut Client) -> Result<(), Failure> {
    let watched = json!({"remediationAction": "inform", "allowedCSVs": ["*"]});
    stage.rewrite(PACKAGE, watched).await?;
    let target = format!("target: {HEAD}");
    let status = stage.until_status(PACKAGE, &[&target]).await?;
    agrees(&status, resolver, FIRST, &[SECOND, HEAD]).await;
    Ok(())
}

/// OLM installs the next version. After that, OLM would skip the following version.
async fn follows(stage: &Stage, resolver: &mut Client) -> Result<(), Failure> {
    let allowed = json!({"remediationAction": "enforce", "allowedCSVs": [FIRST, SECOND, LEAPT]});
    stage.rewrite(PACKAGE, allowed).await?;
    let leaps = "AllowedVersionSkippedByOLM";
    let status = is_installed(stage, SECOND, (HEAD, leaps)).await?;
    agrees(&status, resolver, SECOND, &[]).await;
    stage.is_gone(Kind::ClusterServiceVersion, FIRST).await
}

async fn is_removed(stage: &Stage) -> Result<(), Failure> {
    stage.editor.delete(Kind::OperatorPolicy, PACKAGE).await?;
    stage.is_gone(Kind::OperatorPolicy, PACKAGE).await?;
    let gone = [
        (Kind::Subscription, PACKAGE),
        (Kind::ClusterServiceVersion, SECOND),
        (Kind::OperatorGroup, "own"),
    ];
    for (kind, name) in gone {
        let left = stage.object(kind, name).await?;
        assert!(left.is_none(), "{name} must be gone before its policy");
    }
    let kept = "caches.infinispan.org";
    let kept = stage.object(Kind::CustomResourceDefinition, kept).await?;
    assert!(kept.is_some(), "CRDs stay unless a policy says otherwise");
    stage.is_gone(Kind::Deployment, PACKAGE).await
}

/// Waits until one version runs, and until the InstallPlan for the next version waits for approval.
async fn is_installed(
    stage: &Stage,
    bundle: &str,
    (next, why): (&str, &str),
) -> Result<Value, Failure> {
    let (installed, next) = (format!("installed: {bundle}"), format!("next: {next}"));
    let waits = format!("InstallPlanCompliant True {why}");
    let well = [
        installed.as_str(),
        &next,
        &waits,
        "compliant: Compliant",
        "ClusterServiceVersionCompliant True InstallSucceeded",
        "DeploymentsAvailable True DeploymentsAvailable",
    ];
    stage.until_status(PACKAGE, &well).await
}

/// Checks that `status.upgrades` equals the answer of the resolver, for the allowed part of the
/// path.
async fn agrees(status: &Value, resolver: &mut Client, installed: &str, allowed: &[&str]) {
    let mut reported = status["upgrades"].clone();
    let fields = reported.as_object_mut().expect("upgrades must be reported");
    // The resolver does not read policies and plans, so it has no value for this field.
    fields.remove("blocked");
    let plan = fields["next"]
        .as_object_mut()
        .map(|next| next.remove("plan"));
    assert!(
        plan.flatten().is_some(),
        "OLM's plan must be named: {status:#}"
    );
    assert_same!(json: reported, upgrades(resolver, installed, allowed).await);
}

async fn upgrades(resolver: &mut Client, installed: &str, allowed: &[&str]) -> Value {
    let version = |name: &str| name.replace("infinispan-operator.v", "");
    let stop = |name: &str| json!({"name": name, "version": version(name), "channel": "stable"});
    let way = way(resolver, installed).await;
    let path: Vec<_> = way
        .iter()
        .take(allowed.len())
        .map(|name| stop(name))
        .collect();
    let available = reachable(resolver, installed).await;
    let available: Vec<_> = available.iter().map(|name| stop(name)).collect();
    let mut upgrades = json!({
        "installed": {"name": installed, "version": version(installed)},
        "next": stop(&way[0]),
        "available": available,
    });
    if let Some(target) = path.last().cloned() {
        upgrades["target"] = target;
        upgrades["path"] = json!(path);
    }
    upgrades
}

/// Returns the bundles that OLM installs if all InstallPlans are approved.
async fn way(resolver: &mut Client, installed: &str) -> Vec<String> {
    let asked = pb::FindPathRequest {
        package: PACKAGE.to_owned(),
        channel: "stable".to_owned(),
        installed: installed.to_owned(),
        walk: pb::walk::Kind::OlmV0.into(),
        ..Default::default()
    };
    let found = resolver.find_path(asked).await;
    match found.expect("there must be an answer").into_inner().answer {
        Some(Answer::Reached(path)) => path.hops.into_iter().map(|hop| hop.to).collect(),
        other => panic!("there must be a way from {installed}: {other:?}"),
    }
}

/// Returns the ten newest bundles that are reachable.
async fn reachable(resolver: &mut Client, installed: &str) -> Vec<String> {
    let asked = pb::ListUpgradesRequest {
        package: PACKAGE.to_owned(),
        channel: "stable".to_owned(),
        installed: installed.to_owned(),
        ..Default::default()
    };
    let reported = resolver.list_upgrades(asked).await;
    let reported = reported.expect("there must be an answer").into_inner();
    let reachable = reported.reachable.into_iter().take(10);
    reachable.map(|bundle| bundle.name).collect()
}
