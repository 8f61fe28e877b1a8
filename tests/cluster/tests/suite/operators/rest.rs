//! Measures many idle Operators, and the time from a published version to the start of a hop.

use std::env;
use std::time::{Duration, Instant};

use kube::api::ListParams;
use portolan_rig::{Failure, PATIENCE, Record, Seen, until};
use serde_json::json;

use super::stage::{Harbor, Version, harbor, spec_at, version};
use crate::is_soak;
use crate::process::resident_here;

/// The user name of the controller.
const CONTROLLER: &str = "controller";
/// The controller is idle if it sends only watches for this time.
const QUIET: Duration = Duration::from_secs(10);

/// Idle Operators cause no requests except reopened watches and checks for missing kinds. This is
/// true for any number of Operators.
#[tokio::test]
#[ignore = "takes minutes; `PORTOLAN_OPERATORS=200` has so many"]
async fn many_settled_operators_send_no_requests() -> Result<(), Failure> {
    let (usual, seconds) = if is_soak() { (50, 60) } else { (10, 20) };
    let count = env::var("PORTOLAN_OPERATORS").ok();
    let count = count.and_then(|it| it.parse().ok()).unwrap_or(usual);
    let names: Vec<_> = (0..count).map(|at| format!("ferry-{at:03}")).collect();
    let all: Vec<_> = names.iter().map(|name| version(name, "1.0.0")).collect();
    let Some(harbor) = harbor("operators-rest", &all).await? else {
        return Ok(());
    };
    let (before, begun) = (resident_here(), Instant::now());
    for name in &names {
        harbor.operator(name, spec_at("1.0.0")).await?;
    }
    until_all_rest(&harbor, &names).await?;
    println!(
        "operators: {count} installed and at rest after {} s; memory of resolver and controllers {} -> {} MiB",
        begun.elapsed().as_secs(),
        before >> 10,
        resident_here() >> 10
    );
    for line in harbor
        .metrics("portolan_controller_reconcile_seconds_")
        .await?
    {
        let is_total = line.contains("_sum") || line.contains("_count");
        if is_total && line.contains("controller=\"operators\"") {
            println!("operators: {line}");
        }
    }
    let asked = || {
        let all = harbor.world().cluster().audit()?.by(CONTROLLER);
        Ok::<_, Failure>(all.records().to_vec())
    };
    let is_watch = |record: &&Record| record.verb == "watch";
    // The controller checks from time to time if a missing kind exists. The number of these
    // requests does not depend on the number of Operators.
    let is_lacking = |record: &&Record| record.verb == "list" && record.code == 404;
    let is_rest = |record: &&Record| is_watch(record) || is_lacking(record);
    let others = |all: &[Record]| all.iter().filter(|it| !is_rest(it)).count();
    until(
        "the requests to stop",
        Duration::from_secs(300),
        async || {
            let before = others(&asked()?);
            tokio::time::sleep(QUIET).await;
            let after = others(&asked()?);
            Ok(if after == before {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{before} requests, and {after} later"))
            })
        },
    )
    .await?;
    let before = asked()?.len();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let all = asked()?;
    let idle = &all[before..];
    let watches = all.iter().filter(is_watch);
    let mut kinds: Vec<_> = watches.map(|record| record.resource.clone()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    println!(
        "operators: at rest {} requests in {seconds} s, {} of them for kinds that are not there; {} kinds are \
         watched: {}",
        idle.len(),
        idle.iter().filter(is_lacking).count(),
        kinds.len(),
        kinds.join(", ")
    );
    let others: Vec<_> = idle.iter().filter(|record| !is_rest(record)).collect();
    assert_eq!(others, Vec::<&Record>::new());
    new_version_is_reported_by_one_operator(&harbor, &names).await
}

/// A package gets a new version. Only the Operator of this package reports the version, and the
/// controller writes no other Operator.
async fn new_version_is_reported_by_one_operator(
    harbor: &Harbor,
    names: &[String],
) -> Result<(), Failure> {
    let writes = || {
        let all = harbor.world().cluster().audit()?.by(CONTROLLER);
        let is_write = |record: &&Record| ["create", "patch", "update"].contains(&&*record.verb);
        let own = all.records().iter().filter(is_write);
        Ok::<Vec<_>, Failure>(
            own.map(|it| (it.resource.clone(), it.name.clone()))
                .collect(),
        )
    };
    let before = writes()?.len();
    let first = &names[0];
    let mut all: Vec<_> = names.iter().map(|name| version(name, "1.0.0")).collect();
    all.insert(1, version(first, "1.1.0"));
    let begun = Instant::now();
    harbor.publish(&all)?;
    while harbor.status(first).await?["versions"]["available"] != json!(["1.1.0"]) {
        assert!(
            begun.elapsed() < PATIENCE,
            "{first} does not report the version"
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let message = begun.elapsed();
    tokio::time::sleep(QUIET).await;
    let after = writes()?;
    println!(
        "operators: a version of one of {} was reported after {} ms, by {} writes",
        names.len(),
        message.as_millis(),
        after.len() - before
    );
    let of_others = after[before..]
        .iter()
        .filter(|(resource, name)| resource.starts_with("operators") && name != first);
    assert_eq!(of_others.count(), 0, "{after:?}");
    Ok(())
}

/// Measures the time from a written catalog until the plan for the new version is released.
#[tokio::test]
#[ignore = "prints figures for the note"]
async fn newly_published_version_starts_a_hop_soon() -> Result<(), Failure> {
    const VERSIONS: usize = 21;
    let names: Vec<_> = (0..VERSIONS).map(|at| format!("1.0.{at}")).collect();
    let all = |count: usize| -> Vec<Version<'_>> {
        let own = names.iter().take(count);
        own.map(|name| version("ferry", name)).collect()
    };
    let Some(harbor) = harbor("operators-soon", &all(1)).await? else {
        return Ok(());
    };
    harbor.operator("ferry", spec_at(">=1.0.0 <2.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    let mut took = Vec::new();
    for (at, version) in names.iter().enumerate().skip(1) {
        let begun = Instant::now();
        harbor.publish(&all(at + 1))?;
        let plan = format!("ferry-{}", at + 1);
        while !harbor.plan_names().await?.contains(&(plan.clone(), false)) {
            assert!(begun.elapsed() < PATIENCE, "{plan} is not released");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        took.push(begun.elapsed().as_millis());
        harbor.until_installed("ferry", version).await?;
    }
    took.sort_unstable();
    let place = |percent: usize| took[(took.len() * percent / 100).min(took.len() - 1)];
    println!(
        "operators: published -> hop begun: p50 {} ms, p95 {} ms, of {}",
        place(50),
        place(95),
        took.len()
    );
    Ok(())
}

/// Waits until all Operators have the requested version, and report it.
async fn until_all_rest(harbor: &Harbor, names: &[String]) -> Result<(), Failure> {
    let operators = harbor.operators();
    let patience = Duration::from_secs(2400);
    until("all of them to rest", patience, async || {
        let all = operators.list(&ListParams::default()).await?.items;
        let rests = |status: &serde_json::Value| {
            let conditions = status["conditions"].as_array().into_iter().flatten();
            let mut rests = conditions.filter(|it| it["reason"] == "UpToDate");
            rests.next().is_some()
        };
        let count = all.iter().filter(|it| rests(&it.data["status"])).count();
        Ok(if count == names.len() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{count} of {}", names.len()))
        })
    })
    .await
}
