//! Tests a high load for a long time.

use std::fs;
use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{Api, DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::reflected::{Pair, happens};
use super::stage::{Berth, berth, csv, kind};

/// The number of watches.
const WATCHES: usize = 200;
/// The pause between two lists.
const BETWEEN_LISTS: Duration = Duration::from_millis(20);
const LASTS: Duration = Duration::from_secs(120);
/// The memory limit of a replica in kilobytes, as in its Deployment.
const MOST: usize = 512 << 10;

const NAMESPACES: usize = 505;
const OPERATORS: usize = 5;
/// The size of the icon of a ClusterServiceVersion, and the size of the rest. Together they are 41
/// kB, which is the average of 111 real ClusterServiceVersions.
const ICON: usize = 20_000;
const REST: usize = 20_000;

#[tokio::test]
#[ignore = "two minutes of load: just soak"]
async fn two_hundred_watches_and_fifty_lists_per_second_succeed() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let pair = Pair::of(&berth).await?;
    let mut watches = JoinSet::new();
    for at in 0..WATCHES {
        let installed = installed(&berth, at % 2 == 0)?;
        watches.spawn(watch(installed));
    }
    let mut lists = JoinSet::new();
    let (mut tide, ends) = (0, Instant::now() + LASTS);
    let listing = async {
        let mut ticks = interval(BETWEEN_LISTS);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let installed = installed(&berth, false)?;
        while Instant::now() < ends {
            ticks.tick().await;
            let installed = installed.clone();
            lists.spawn(async move {
                let began = Instant::now();
                let until_listed = installed.list(&ListParams::default()).await;
                until_listed
                    .map(|_| began.elapsed())
                    .map_err(|error| error.to_string())
            });
        }
        Ok::<_, Failure>(())
    };
    let happening = async {
        while Instant::now() < ends {
            happens(&berth, &mut tide).await?;
        }
        Ok::<_, Failure>(())
    };
    let (listed, happened) = tokio::join!(listing, happening);
    listed.and(happened)?;
    let held = pair.resident();
    let lists: Result<Vec<_>, _> = lists.join_all().await.into_iter().collect();
    let mut lists = lists.unwrap_or_else(|error| panic!("a list: {error}"));
    lists.sort_unstable();
    let watches: Result<Vec<_>, _> = watches.join_all().await.into_iter().collect();
    let watches = watches.unwrap_or_else(|error| panic!("a watch: {error}"));
    let events: usize = watches.iter().sum();
    let at = |share: usize| lists[lists.len() * share / 100].as_millis();
    println!(
        "{} lists, {} ms at the median, {} ms at 99 %; {WATCHES} watches, {events} events; the replicas hold {held:?} kB",
        lists.len(),
        at(50),
        at(99)
    );
    assert!(watches.iter().all(|events| *events > 0));
    assert!(held.iter().all(|held| *held < MOST), "{held:?}");
    berth.assert_no_forbidden_requests()
}

fn installed(berth: &Berth, is_everywhere: bool) -> Result<Api<DynamicObject>, Failure> {
    let client = berth.cluster().client()?;
    Ok(if is_everywhere {
        Api::all_with(client, &kind())
    } else {
        Api::namespaced_with(client, "harbor", &kind())
    })
}

/// Reads a watch until the test ends. Returns the number of events.
async fn watch(installed: Api<DynamicObject>) -> Result<usize, String> {
    let seconds = u32::try_from(LASTS.as_secs()).expect("a few");
    let params = WatchParams::default().timeout(seconds);
    let events = installed.watch(&params, "0").await;
    let mut events = events.map_err(|error| error.to_string())?.boxed();
    let mut count = 0;
    while let Some(event) = events.next().await {
        match event {
            Ok(WatchEvent::Error(status)) => return Err(status.message.clone()),
            Ok(_) => count += 1,
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(count)
}

/// Stores the same operators twice: as copies that OLM makes, and as Installed objects.
#[tokio::test]
#[ignore = "thousands of copies: just soak"]
async fn installed_objects_need_much_less_memory_than_copies() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let pair = Pair::of(&berth).await?;
    let operators: Vec<_> = (0..OPERATORS).map(large).collect();
    berth.applies(&operators.concat()).await?;
    copied(&berth, "harbor", OPERATORS + 1).await?;
    let before = pair.resident();
    let api_server = || api_server_holds(&berth);
    let api_server_before = api_server();
    let client = berth.cluster().client()?;
    let namespaces = Kind::Namespace.everywhere(&client);
    for at in 0..NAMESPACES {
        let made = Kind::Namespace.object(&format!("n{at:03}"), json!({"metadata": {}}))?;
        namespaces.create(&PostParams::default(), &made).await?;
    }
    let began = Instant::now();
    until_listed(&berth, "n504").await?;
    let shown = began.elapsed();
    let began = Instant::now();
    for at in 0..NAMESPACES {
        copied(&berth, &format!("n{at:03}"), OPERATORS + 1).await?;
    }
    let all_copied = began.elapsed();
    let held = pair.resident();
    let held = held[0].saturating_sub(before[0]).max(1);
    let api_server_held = api_server().saturating_sub(api_server_before);

    let mut lists = Vec::new();
    for (form, accept) in FORMS {
        let copies = list(&berth, COPIES, accept).await?;
        lists.push((form, copies, list(&berth, INSTALLED, accept).await?));
    }
    let (_, copies, listed) = lists[0];
    let all_copies = copies * NAMESPACES / 1000;
    let made = Kind::Namespace.object("late", json!({"metadata": {}}))?;
    namespaces.create(&PostParams::default(), &made).await?;
    let began = Instant::now();
    until_listed(&berth, "late").await?;
    let late_shown = began.elapsed();
    copied(&berth, "late", OPERATORS + 1).await?;
    let late_copied = began.elapsed();
    println!("| what | copies | Installed | ratio |\n|---|---|---|---|");
    println!(
        "| held for {NAMESPACES} namespaces | {all_copies} kB | {held} kB | {} |",
        all_copies / held
    );
    println!(
        "| held more by the API server, and by a replica | {api_server_held} kB | {held} kB | {} |",
        api_server_held / held
    );
    for (form, copies, listed) in &lists {
        println!(
            "| list of a namespace, {form} | {copies} bytes | {listed} bytes | {:.1} |",
            ratio(*copies, *listed)
        );
    }
    println!(
        "| visible in all of them after | {} ms | {} ms | |",
        all_copied.as_millis(),
        shown.as_millis()
    );
    println!(
        "| visible in one more after | {} ms | {} ms | |",
        late_copied.as_millis(),
        late_shown.as_millis()
    );
    // The replica is a debug build, and its memory also contains all events that it keeps for
    // watches.
    assert!(all_copies / held >= 20, "{all_copies} and {held}");
    assert!(listed < copies);
    assert!(late_shown <= late_copied);
    berth.assert_no_forbidden_requests()
}

/// The formats of a list: all fields, the table for `kubectl get`, and metadata for the garbage
/// collector.
const FORMS: [(&str, &str); 3] = [
    ("whole", "application/json"),
    ("table", "application/json;as=Table;v=v1;g=meta.k8s.io"),
    (
        "metadata",
        "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
    ),
];
const COPIES: &str = "/apis/operators.coreos.com/v1alpha1/namespaces/n000/clusterserviceversions";
const INSTALLED: &str = "/apis/packages.operators.coreos.com/v2alpha1/namespaces/n000/installed";

/// Returns the size of a list in this format, in bytes.
async fn list(berth: &Berth, path: &str, accept: &str) -> Result<usize, Failure> {
    let request = http::Request::get(path).header(http::header::ACCEPT, accept);
    let request = request
        .body(Vec::new())
        .map_err(Failure::read("a request"))?;
    let until_listed = berth.cluster().client()?.request_text(request).await?;
    Ok(until_listed.len())
}

/// Returns the memory of the API server in kilobytes.
fn api_server_holds(berth: &Berth) -> usize {
    let address = berth.cluster().address();
    let port = address.rsplit(':').next().unwrap_or_default();
    let listens = format!("--secure-port={port}\0");
    let held = held_by(|line| line.contains("kube-apiserver\0") && line.contains(&listens));
    held.expect("an API server")
}

#[expect(clippy::cast_precision_loss, reason = "it is printed with one digit")]
fn ratio(one: usize, other: usize) -> f64 {
    one as f64 / other as f64
}

fn large(at: usize) -> String {
    let name = format!("large-{at}.v1.0.0");
    let icon = format!("base64data: {}", "aWNv".repeat(ICON / 4));
    let description = format!(
        "  displayName: Ferry\n  description: {}\n",
        "d".repeat(REST)
    );
    let csv = csv("fleet", &name, "1.0.0");
    let csv = csv.replace("base64data: aWNvbg==", &icon);
    csv.replace("  displayName: Ferry\n", &description)
}

/// Waits until the list of a namespace contains all Installed objects.
async fn until_listed(berth: &Berth, namespace: &str) -> Result<(), Failure> {
    let installed: Api<DynamicObject> =
        Api::namespaced_with(berth.cluster().client()?, namespace, &kind());
    until(format!("{namespace} to be listed"), PATIENCE, async || {
        let found = installed.list(&ListParams::default()).await?.items.len();
        Ok(if found == OPERATORS + 1 {
            Seen::Yes(())
        } else {
            Seen::NotYet(found.to_string())
        })
    })
    .await
}

/// Waits until a namespace has this number of copies.
async fn copied(berth: &Berth, namespace: &str, many: usize) -> Result<(), Failure> {
    let copies = Kind::ClusterServiceVersion.within(&berth.cluster().client()?, namespace);
    until(format!("copies in {namespace}"), PATIENCE * 4, async || {
        let found = copies
            .list_metadata(&ListParams::default())
            .await?
            .items
            .len();
        Ok(if found == many {
            Seen::Yes(())
        } else {
            Seen::NotYet(found.to_string())
        })
    })
    .await
}

/// Returns the memory, in kilobytes, of the process that listens on a port.
pub(super) fn resident(port: u16) -> Option<usize> {
    let listens = format!("--listen=127.0.0.1:{port}\0");
    held_by(|line| line.contains("apiserver\0") && line.contains(&listens))
}

/// Returns the memory of the process whose command line satisfies `is_it`, in kilobytes.
fn held_by(is_it: impl Fn(&str) -> bool) -> Option<usize> {
    let mut processes = fs::read_dir("/proc").ok()?.flatten();
    let process = processes.find(|process| {
        let line = fs::read_to_string(process.path().join("cmdline"));
        line.is_ok_and(|line| is_it(&line))
    })?;
    crate::process::resident(&process.path())
}
