//! Measurements with very many namespaces.

use std::time::Instant;

use portolan_core_installed::{Index, Original, Resource, Revision};
use serde_json::{Value, json};

use super::pier::{ALL, HARBOR, Pier};

/// The number of operators that watch all namespaces, and the length of the description of each
/// operator. The average ClusterServiceVersion of 111 real operators has 41 kB, including icons.
const OPERATORS: usize = 20;
const TEXT: usize = 40_000;
/// The number of bytes to read from the list of all objects, which is gigabytes long.
const READ: usize = 256 << 20;

const CAPTAIN: [(&str, &str); 2] = [("X-Remote-User", "captain"), ("X-Remote-Group", "crew")];
const TABLE: (&str, &str) = ("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io");

/// Returns the memory that this process uses, in kilobytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let held = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = held.and_then(|held| held.trim().strip_suffix(" kB"));
    kilobytes.map_or(0, |number| number.trim().parse().unwrap_or(0))
}

fn originals(namespaces: usize) -> [(Resource, Vec<Value>); 3] {
    let others = (0..namespaces - 2).map(|at| format!("n{at:05}"));
    let names = others.chain(["harbor", "olm"].map(str::to_owned));
    let namespaces = names.map(|name| json!({"metadata": {"name": name}}));
    let group = json!({
        "metadata": {"name": "all", "namespace": "olm"}, "status": {"namespaces": [""]},
    });
    let csvs = (0..OPERATORS).map(|at| {
        json!({
            "metadata": {"name": format!("ferry-{at}.v1.0.0"), "namespace": "olm", "uid": format!("u{at}")},
            "spec": {"version": "1.0.0", "description": "d".repeat(TEXT)},
            "status": {"phase": "Succeeded"},
        })
    });
    [
        (Resource::Namespaces, namespaces.collect()),
        (Resource::OperatorGroups, vec![group]),
        (Resource::ClusterServiceVersions, csvs.collect()),
    ]
}

fn index(namespaces: usize) -> Index {
    let mut index = Index::new(Resource::ALL);
    for (resource, objects) in originals(namespaces) {
        let read = |it: &Value| Original::read(resource, &it.to_string()).expect("an original");
        let originals: Vec<_> = objects.iter().map(read).collect();
        index.replace(resource, originals, &Revision::from(5));
    }
    index
}

#[tokio::test]
#[ignore = "two hundred thousand Installed: just soak"]
async fn list_of_ten_thousand_namespaces_is_streamed_with_little_memory() {
    println!(
        "| namespaces | Installed | memory | one namespace | all, table | all, whole: held while 256 MiB are sent |"
    );
    println!("|---|---|---|---|---|---|");
    for namespaces in [100, 1000, 10_000] {
        let mut pier = Pier::pending().await;
        let before = resident();
        pier.index = index(namespaces);
        let snapshot = pier.index.snapshot().clone();
        let version = snapshot.version().clone();
        let held = resident() - before;
        let installed = snapshot.len();
        assert_eq!(installed, namespaces * OPERATORS);
        pier.shown.begin(snapshot, version);

        let mut client = pier.front().await;
        let began = Instant::now();
        let one = client.asks("GET", HARBOR, &CAPTAIN).await;
        let one_took = began.elapsed();
        assert_eq!(
            one.json()["items"].as_array().map(Vec::len),
            Some(OPERATORS)
        );

        let began = Instant::now();
        let [user, group] = CAPTAIN;
        client.sends("GET", ALL, &[user, group, TABLE]).await;
        client.head().await;
        let mut sent = 0;
        while let Some(chunk) = client.chunk().await {
            sent += chunk.len();
        }
        let all_took = began.elapsed();

        let before = resident();
        client.sends("GET", ALL, &CAPTAIN).await;
        client.head().await;
        let (mut read, mut most) = (0, before);
        while read < READ {
            let Some(chunk) = client.chunk().await else {
                break;
            };
            read += chunk.len();
            most = most.max(resident());
        }
        println!(
            "| {namespaces} | {installed} | {} kB | {} ms, {} kB | {} ms, {} kB | {} kB |",
            held,
            one_took.as_millis(),
            one.body.len() / 1000,
            all_took.as_millis(),
            sent / 1000,
            most - before
        );
        // The limit is 20 MB for the objects that all Installed share, and 1 kB for each Installed.
        assert!(held < 20_000 + installed, "{held} kB");
        assert!(most - before < 64_000, "{} kB", most - before);
    }
}
