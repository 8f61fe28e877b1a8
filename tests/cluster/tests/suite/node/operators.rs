//! Tests that Portolan installs and upgrades the test operator on a node.

use std::process::Command;

use kube::api::{DynamicObject, PostParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::releases::{GROUP, ferry, publish};
use super::stage::node_world;
use crate::objects::{api, make};
use crate::operators::stage::{Harbor, harbor_of, spec_at};
use crate::program::{output, portolan};

#[tokio::test]
async fn upgrade_that_crashes_is_diagnosed_down_to_the_exit_code() -> Result<(), Failure> {
    let Some(world) = node_world("operators").await? else {
        return Ok(());
    };
    let catalog = publish(world.cluster()).await?;
    let registry = world.cluster().registry().unwrap_or_default();
    let registries = ["--registries", "--plain-http"].map(|flag| format!("{flag}={registry}"));
    let mut flags = vec![format!("--catalog=ferries=oci://{catalog}")];
    flags.extend(registries);
    let harbor = harbor_of(world, flags).await?;

    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    ferry_is_ready(&harbor).await?;
    large_ferry_is_rejected(&harbor, "v1alpha1", json!({"seats": 2000})).await?;

    harbor.operator("ferry", spec_at("1.1.0")).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    ferry_is_converted(&harbor).await?;
    let large = json!({"capacity": {"seats": 2000}});
    large_ferry_is_rejected(&harbor, "v1", large).await?;

    harbor.operator("ferry", spec_at("1.2.0")).await?;
    let diagnosed = until_diagnosed(&harbor, "exit code 42").await?;
    assert!(
        diagnosed.contains("kubectl logs pods/ferry-"),
        "{diagnosed}"
    );
    assert!(diagnosed.contains("-c manager --previous"), "{diagnosed}");
    Ok(())
}

async fn ferry_is_ready(harbor: &Harbor) -> Result<(), Failure> {
    let dover = ferry(harbor.home(), "dover", "v1alpha1", json!({"seats": 12}));
    until(
        "the webhook to admit a Ferry",
        PATIENCE,
        async || match make(harbor.client(), &dover).await {
            Ok(()) => Ok(Seen::Yes(())),
            Err(error) => not_reached(error),
        },
    )
    .await?;
    let timetables = Kind::ConfigMap.within(harbor.client(), harbor.home());
    let seats = |map: &DynamicObject| map.data["data"]["seats"] == "12";
    let ready = until_object(&timetables, "dover-timetable", "the seats", seats).await;
    ready.map(drop)
}

/// The API server calls the webhook of the operator through its Service, and the webhook rejects
/// the Ferry.
async fn large_ferry_is_rejected(
    harbor: &Harbor,
    version: &str,
    spec: Value,
) -> Result<(), Failure> {
    let place = [&format!("{GROUP}/{version}"), "Ferry", harbor.home()];
    let large = ferry(harbor.home(), "titanic", version, spec);
    let large = serde_json::from_value(large).expect("a Ferry");
    let ferries = api(harbor.client(), place);
    let error = until("the webhook to reject a Ferry", PATIENCE, async || {
        let rejected = ferries.create(&PostParams::default(), &large).await;
        let error = rejected.expect_err("the webhook must reject it");
        match error.to_string() {
            text if text.contains(UNREACHED) => Ok(Seen::NotYet(text)),
            text => Ok(Seen::Yes(text)),
        }
    })
    .await?;
    assert!(error.contains("at most 500 seats, not 2000"), "{error}");
    Ok(())
}

/// A part of the API server's message if it cannot call a webhook. kube-proxy routes the Service to
/// a new Pod shortly after the Pod is ready.
pub(super) const UNREACHED: &str = "failed calling webhook";

/// A part of the API server's message if a conversion webhook fails. A Pod that is being replaced
/// still gets calls for a short time, and an older version may not convert.
const NOT_CONVERTED: &str = "conversion webhook for";

pub(super) fn not_reached<T>(error: Failure) -> Result<Seen<T>, Failure> {
    // Only the debug format of a failure contains the message of the API server.
    let text = format!("{error:?}");
    if text.contains(UNREACHED) || text.contains(NOT_CONVERTED) {
        Ok(Seen::NotYet(text))
    } else {
        Err(error)
    }
}

/// An older version has written the Ferry. The API server converts it.
async fn ferry_is_converted(harbor: &Harbor) -> Result<(), Failure> {
    let ferries = api(
        harbor.client(),
        [&format!("{GROUP}/v1"), "Ferry", harbor.home()],
    );
    let ferry = ferries.get("dover").await?;
    assert_eq!(ferry.data["spec"], json!({"capacity": {"seats": 12}}));
    Ok(())
}

pub(super) async fn until_diagnosed(harbor: &Harbor, text: &str) -> Result<String, Failure> {
    let program = portolan().await?;
    let kubeconfig = harbor.world().cluster().kubeconfig();
    until(format!("a diagnosis with {text:?}"), PATIENCE, async || {
        let mut command = Command::new(&program);
        command.args(["diagnose", "operator/ferry", "-o", "wide", "--kubeconfig"]);
        command.arg(&kubeconfig).env_remove("PORTOLAN_SERVER");
        let printed = output(command).await?;
        let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
        Ok(if printed.contains(text) {
            Seen::Yes(printed)
        } else {
            Seen::NotYet(printed)
        })
    })
    .await
}
