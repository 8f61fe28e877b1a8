//! Measures many idle Operators.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use futures::{StreamExt as _, TryStreamExt as _, stream};
use kube::api::PostParams;
use portolan_rig::{Failure, Kind, PATIENCE, Record, Seen, until};
use serde_json::{Value, json};

use super::stage::{CONTROLLER, Quay, V1, quay};
use crate::process::resident_here;

const OPERATORS: usize = 200;
const COMPONENTS: usize = 30;
/// A time without requests after which all writes have been processed.
const QUIET: Duration = Duration::from_secs(12);
const REST: Duration = Duration::from_secs(30);

/// Idle Operators cause no requests except reopened watches. All Operators share one watch per
/// kind. The test ignores checks for Secrets, which the controller may not read here, and checks if
/// OperatorPolicies are served.
#[tokio::test]
#[ignore = "six thousand objects: just soak"]
async fn many_idle_operators_send_no_requests() -> Result<(), Failure> {
    let Some(quay) = quay().await? else {
        return Ok(());
    };
    let (begun, before) = (Instant::now(), resident_here());
    make(&quay).await?;
    until_all_reported(&quay).await?;
    println!(
        "v2alpha1: {OPERATORS} operators of {COMPONENTS} components: {:?}",
        begun.elapsed()
    );
    // This is also the memory of the resolver, the webhook and the test, because they run in the
    // same process.
    println!(
        "v2alpha1: {before} kB were held before, {} after",
        resident_here()
    );
    let asked = || {
        let asked = quay.cluster().audit()?.by(CONTROLLER);
        let asked = asked.only(|record| !["", "secrets"].contains(&&*record.resource));
        Ok::<_, Failure>(asked.records().to_vec())
    };
    until("nothing to be asked", PATIENCE, async || {
        let before = asked()?.len();
        tokio::time::sleep(QUIET).await;
        let after = asked()?.len();
        Ok(if after == before {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{before} requests, and {after} later"))
        })
    })
    .await?;
    let before = asked()?.len();
    tokio::time::sleep(REST).await;
    let all = asked()?;
    let idle = &all[before..];
    let others: Vec<&Record> = idle.iter().filter(|it| it.verb != "watch").collect();
    assert_eq!(others, Vec::<&Record>::new());
    // All Operators share one watch per kind. The watch is opened again after some minutes.
    let mut opened = BTreeMap::new();
    for record in all.iter().filter(|it| it.verb == "watch") {
        *opened.entry(&record.resource).or_insert(0) += 1;
    }
    println!("v2alpha1: watches opened: {opened:?}");
    assert!(opened.values().all(|count| *count < 20), "{opened:?}");
    println!("v2alpha1: {} kB are held at rest", resident_here());
    Ok(())
}

async fn make(quay: &Quay) -> Result<(), Failure> {
    let operators: Vec<_> = (0..OPERATORS)
        .map(|at| {
            format!(
                "apiVersion: operators.coreos.com/v2alpha1\nkind: Operator\nmetadata: {{name: many-{at}}}\n"
            )
        })
        .collect();
    quay.applies(&operators.join("---\n")).await?;
    let maps = Kind::ConfigMap.within(quay.world.client(), quay.namespace());
    let makes = (0..OPERATORS * COMPONENTS).map(|at| {
        let label = format!("operators.coreos.com/many-{}", at / COMPONENTS);
        let body = json!({"metadata": {"labels": {label: ""}}});
        let maps = maps.clone();
        async move {
            let map = Kind::ConfigMap.object(&format!("map-{at}"), body)?;
            maps.create(&PostParams::default(), &map).await?;
            Ok::<_, Failure>(())
        }
    });
    stream::iter(makes)
        .buffer_unordered(16)
        .try_collect::<Vec<_>>()
        .await?;
    Ok(())
}

async fn until_all_reported(quay: &Quay) -> Result<(), Failure> {
    until("all components of all operators", PATIENCE, async || {
        let all = quay.json(&["get", V1]).await?;
        let items = all["items"].as_array().into_iter().flatten();
        let reported = items.filter(|it| {
            let stored = &it["metadata"]["annotations"]["operators.portolan.dev/v2alpha1"];
            let stored = stored.as_str().unwrap_or_default();
            let stored: Value = serde_json::from_str(stored).unwrap_or_default();
            let refs = stored["status"]["components"]["refs"].as_array();
            refs.is_some_and(|refs| refs.len() == COMPONENTS)
        });
        Ok(match reported.count() {
            OPERATORS => Seen::Yes(()),
            some => Seen::NotYet(format!("{some} of {OPERATORS}")),
        })
    })
    .await
}
