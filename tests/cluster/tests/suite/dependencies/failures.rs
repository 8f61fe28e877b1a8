//! Tests of the errors of OLM if it cannot resolve a namespace. All Subscriptions in the namespace
//! get the same error.
//!
//! If there are several sets of reasons, OLM shows one of them at random. So the namespaces of
//! these tests have only one set, and the whole text must equal the Forecast. Only the network
//! error about an unreachable catalog is not compared.

use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::{Value, json};

use super::stage::{Stage, offer, stage};

/// Returns a stage with a catalog `one`. No bundle of the catalog is ever installed.
async fn stage_with(
    test_name: &str,
    offered: &portolan_kit::Catalog,
) -> Result<Option<Stage>, Failure> {
    let Some(mut stage) = stage(test_name).await? else {
        return Ok(None);
    };
    stage.serve("one", 0, offered).await?;
    Ok(Some(stage))
}

/// Checks that OLM reports only these reasons for all Subscriptions to the catalog `one`.
async fn refused<const S: usize, const R: usize>(
    test_name: &str,
    offered: &portolan_kit::Catalog,
    subscriptions: [&str; S],
    reasons: [&str; R],
) -> Result<(), Failure> {
    match stage_with(test_name, offered).await? {
        Some(stage) => reports(&stage, subscriptions, reasons).await,
        None => Ok(()),
    }
}

async fn reports<const S: usize, const R: usize>(
    stage: &Stage,
    subscriptions: [&str; S],
    reasons: [&str; R],
) -> Result<(), Failure> {
    for subscription in subscriptions {
        stage.subscribe(subscription).await?;
    }
    let actions = stage.same().await?;
    let reasons = reasons.join(", ");
    assert_eq!(actions, [format!("constraints not satisfiable: {reasons}")]);
    Ok(())
}

#[tokio::test]
async fn missing_package_fails_all_subscriptions() -> Result<(), Failure> {
    let reasons = [
        "no operators found in package skif in the catalog referenced by subscription skif",
        "subscription skif exists",
    ];
    let offered = catalog("skiff: 1.0.0");
    refused("no-package", &offered, ["skiff", "skif"], reasons).await
}

#[tokio::test]
async fn reports_missing_channel() -> Result<(), Failure> {
    let reasons = [
        "no operators found in channel fast of package punt in the catalog referenced by \
         subscription punt",
        "subscription punt exists",
    ];
    refused(
        "no-channel",
        &catalog("punt: 1.0.0"),
        ["punt/fast"],
        reasons,
    )
    .await
}

#[tokio::test]
async fn reports_missing_starting_csv() -> Result<(), Failure> {
    let reasons = [
        "no operators found with name raft.v0.9.0 in channel stable of package raft in the \
         catalog referenced by subscription raft",
        "subscription raft exists",
    ];
    let subscriptions = ["raft/stable start=raft.v0.9.0"];
    refused("no-start", &catalog("raft: 1.0.0"), subscriptions, reasons).await
}

#[tokio::test]
async fn reports_missing_catalog() -> Result<(), Failure> {
    let reasons = [
        "no operators found from catalog two in namespace here referenced by subscription scow",
        "subscription scow exists",
    ];
    refused(
        "no-catalog",
        &catalog("scow: 1.0.0"),
        ["scow from two"],
        reasons,
    )
    .await
}

#[tokio::test]
async fn reports_missing_version_in_range() -> Result<(), Failure> {
    let reasons = [
        "bundle wherry.v1.0.0 requires an operator with package: keel and with version in range: \
         >=2.0.0",
        "subscription wherry exists",
        "subscription wherry requires one/here/stable/wherry.v1.0.0",
    ];
    let offered = catalog("wherry: 1.0.0 requires keel >=2.0.0; keel: 1.0.0");
    refused("no-version", &offered, ["wherry"], reasons).await
}

#[tokio::test]
async fn reports_api_without_provider() -> Result<(), Failure> {
    let reasons = [
        "bundle snow.v1.0.0 requires an operator providing an API with group: mast.test, version: \
         v1, kind: Trysail",
        "subscription snow exists",
        "subscription snow requires one/here/stable/snow.v1.0.0",
    ];
    let offered = catalog("snow: 1.0.0 requires mast.test/v1/Trysail");
    refused("no-provider", &offered, ["snow"], reasons).await
}

/// Returns a catalog with a bundle `coble.v1.0.0` that has an unsatisfiable constraint.
fn constrained(constraint: Value) -> portolan_kit::Catalog {
    let offered = catalog("coble: 1.0.0; net: 1.0.0");
    offered.with_property("coble.v1.0.0", "olm.constraint", constraint)
}

#[tokio::test]
async fn reports_compound_constraint_in_parts() -> Result<(), Failure> {
    let nets = |range: &str| json!({"package": {"packageName": "net", "versionRange": range}});
    let api = json!({"gvk": {"group": "net.test", "version": "v1", "kind": "Float"}});
    let constraint = json!({
        "failureMessage": "a net of a kind",
        "all": {"constraints": [
            nets(">=1.0.0"),
            {"any": {"constraints": [nets(">=2.0.0"), api]}},
            {"not": {"constraints": [nets(">=3.0.0"), nets(">=4.0.0")]}},
        ]},
    });
    let reasons = [
        "bundle coble.v1.0.0 requires an operator with package: net and with version in range: \
         >=1.0.0 and with package: net and with version in range: >=2.0.0 or providing an API with \
         group: net.test, version: v1, kind: Float and with package: net and with version in \
         range: >=3.0.0 and not with package: net and with version in range: >=4.0.0",
        "subscription coble exists",
        "subscription coble requires one/here/stable/coble.v1.0.0",
    ];
    refused("parts", &constrained(constraint), ["coble"], reasons).await
}

#[tokio::test]
async fn reports_cel_rule_with_its_message() -> Result<(), Failure> {
    let rule = "properties.exists(p, p.type == \"mesh\")";
    let constraint = json!({"failureMessage": "a mesh", "cel": {"rule": rule}});
    let reasons = [
        "bundle coble.v1.0.0 requires an operator with constraint: \
         \"properties.exists(p, p.type == \\\"mesh\\\")\" and message: \"a mesh\"",
        "subscription coble exists",
        "subscription coble requires one/here/stable/coble.v1.0.0",
    ];
    refused("rule", &constrained(constraint), ["coble"], reasons).await
}

#[tokio::test]
async fn two_providers_of_the_same_api_conflict() -> Result<(), Failure> {
    let reasons = [
        "one/here/stable/gaff.v1.0.0 and one/here/stable/lug.v1.0.0 provide Rig (rig.test/v1)",
        "subscription gaff exists",
        "subscription gaff requires one/here/stable/gaff.v1.0.0",
        "subscription lug exists",
        "subscription lug requires one/here/stable/lug.v1.0.0",
    ];
    let text = "gaff: 1.0.0 provides rig.test/v1/Rig; lug: 1.0.0 provides rig.test/v1/Rig";
    refused("providers", &catalog(text), ["gaff", "lug"], reasons).await
}

#[tokio::test]
async fn subscriptions_with_conflicting_dependencies_fail() -> Result<(), Failure> {
    let reasons = [
        "bundle pram.v1.0.0 requires an operator with package: cleat and with version in range: \
         <2.0.0",
        "bundle smack.v1.0.0 requires an operator with package: cleat and with version in range: \
         >=2.0.0",
        "one/here/stable/cleat.v1.0.0 and one/here/stable/cleat.v2.0.0 originate from package \
         cleat",
        "subscription pram exists",
        "subscription pram requires one/here/stable/pram.v1.0.0",
        "subscription smack exists",
        "subscription smack requires one/here/stable/smack.v1.0.0",
    ];
    let text = "
        pram: 1.0.0 requires cleat <2.0.0
        smack: 1.0.0 requires cleat >=2.0.0
        cleat: 1.0.0 -> 2.0.0
    ";
    refused("needs", &catalog(text), ["pram", "smack"], reasons).await
}

#[tokio::test]
async fn csv_without_subscription_conflicts_with_its_package() -> Result<(), Failure> {
    let offered = catalog("dhow: 1.0.0 -> 1.1.0");
    let Some(stage) = stage_with("orphan", &offered).await? else {
        return Ok(());
    };
    let left = offer("dhow: 1.0.0");
    let left = left.package("dhow").bundle("1.0.0");
    stage.leave(left, Some("dhow")).await?;
    let reasons = [
        "@existing/here//dhow.v1.0.0, one/here/stable/dhow.v1.0.0 and one/here/stable/dhow.v1.1.0 \
         originate from package dhow",
        "clusterserviceversion dhow.v1.0.0 exists and is not referenced by a subscription",
        "subscription dhow exists",
        "subscription dhow requires at least one of one/here/stable/dhow.v1.1.0 or \
         one/here/stable/dhow.v1.0.0",
    ];
    reports(&stage, ["dhow/stable"], reasons).await
}

#[tokio::test]
async fn csv_without_properties_provides_the_apis_of_its_spec() -> Result<(), Failure> {
    let offered = catalog("boom: 1.0.0 provides spar.test/v1/Boom");
    let Some(stage) = stage_with("bare", &offered).await? else {
        return Ok(());
    };
    let left = offer("rake: 1.0.0 provides spar.test/v1/Boom");
    stage
        .leave(left.package("rake").bundle("1.0.0"), None)
        .await?;
    let reasons = [
        "@existing/here//rake.v1.0.0 and one/here/stable/boom.v1.0.0 provide Boom (spar.test/v1)",
        "clusterserviceversion rake.v1.0.0 exists and is not referenced by a subscription",
        "subscription boom exists",
        "subscription boom requires one/here/stable/boom.v1.0.0",
    ];
    reports(&stage, ["boom"], reasons).await
}

#[tokio::test]
async fn single_failing_catalog_fails_all_subscriptions() -> Result<(), Failure> {
    let Some(mut stage) = stage_with("outage", &catalog("lugger: 1.0.0")).await? else {
        return Ok(());
    };
    let served = stage.serve("two", 0, &catalog("trawler: 1.0.0")).await?;
    served.stop()?;
    served.until_state("TRANSIENT_FAILURE").await?;
    stage.subscribe("lugger").await?;
    let of_whom = |message: &str| message.split_once(": ").map(|(whom, _)| whom.to_owned());
    let actions = stage
        .same_but(|reported, expected| of_whom(reported) == of_whom(expected))
        .await?;
    let whom = "error using catalogsource here/two: TRANSIENT_FAILURE";
    assert_eq!(actions, [whom]);
    Ok(())
}
