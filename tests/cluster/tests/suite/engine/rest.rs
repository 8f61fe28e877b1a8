//! Tests many plans at rest, which have nothing to do.

use std::path::Path;
use std::time::{Duration, Instant};

use portolan_rig::{Failure, PATIENCE, Record, Seen, until};
use serde_json::json;

use super::stage::{INSTALLER, config_map, own_engine, stage};
use crate::is_soak;
use crate::process::resident;

/// A time that is longer than the interval between two reconciles of a plan.
const QUIET: Duration = Duration::from_secs(7);

/// While plans are at rest, the only requests open watches again. All plans share one watch for
/// each kind. The test has its own cluster, so that the audit log contains no other requests.
#[tokio::test]
async fn many_idle_plans_send_no_requests() -> Result<(), Failure> {
    let (plans, objects, seconds) = if is_soak() {
        (50, 100, 60)
    } else {
        (10, 20, 20)
    };
    let Some(engine) = own_engine("pl-many-rest").await? else {
        return Ok(());
    };
    engine.allow_all().await?;
    let namespace = engine.namespace();
    let begun = Instant::now();
    for plan in 0..plans {
        let maps: Vec<_> = (0..objects)
            .map(|place| config_map([namespace, &format!("map-{plan}-{place}")], "1"))
            .collect();
        let spec = json!({
            "serviceAccountName": INSTALLER,
            "lifecycle": {"onDrift": "Revert", "onDeletion": "Recreate"},
            "stages": [stage("all", &maps)],
        });
        engine.plan_of(&format!("plan-{plan}"), spec).await?;
    }
    for plan in 0..plans {
        engine.until_ready(&format!("plan-{plan}")).await?;
    }
    println!(
        "engine: {plans} plans of {objects} objects: {} ms",
        begun.elapsed().as_millis()
    );
    let asked = || Ok::<_, Failure>(engine.asked()?.records().to_vec());
    // The controller checks the last writes once more.
    until("the requests to stop", PATIENCE, async || {
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

    // The controller runs in the process of the test.
    let held = resident(Path::new("/proc/self"));
    println!(
        "engine: this process holds {} MB",
        held.unwrap_or_default() / 1024
    );
    let before = asked()?.len();
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    let all = asked()?;
    let idle = &all[before..];
    println!("engine: at rest {} requests in {seconds} s", idle.len());
    let is_watch = |record: &&Record| record.verb == "watch";
    let others: Vec<_> = idle.iter().filter(|record| !is_watch(record)).collect();
    assert_eq!(others, Vec::<&Record>::new());
    let of_members = |record: &&Record| record.resource == "configmaps";
    let opened = all.iter().filter(is_watch).filter(of_members).count();
    let again = idle.iter().filter(of_members).count();
    assert!(
        opened - again <= 1 + again,
        "one watch for all plans: {opened}"
    );
    Ok(())
}
