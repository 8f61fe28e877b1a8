//! Tests caches of client-go, with and without watch lists, while servers have all kinds of faults.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Stdio};
use std::time::Duration;

use futures::future::join;
use kube::api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams};
use portolan_rig::{Component, Failure, Guest, Kind, OwnProgram, PATIENCE, Seen, until};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::balancer::Balancer;
use super::loaded::resident;
use super::reference::{Installed, by_name, difference};
use super::stage::{Berth, USER, berth};
use crate::is_soak;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::program::portolan;

const REFLECTOR: OwnProgram = OwnProgram {
    name: "reflector",
    package: ".",
    files: &[
        ("go.mod", include_str!("../../../programs/reflector/go.mod")),
        ("go.sum", include_str!("../../../programs/reflector/go.sum")),
        (
            "main.go",
            include_str!("../../../programs/reflector/main.go"),
        ),
    ],
};

/// The duration of changes, until the test compares the caches.
const WAVE: Duration = Duration::from_secs(3);
/// The total time of a soak.
const SOAK: Duration = Duration::from_secs(600);

/// Two replicas at the same address. Each replica is a separate process.
pub(super) struct Pair<'b> {
    berth: &'b Berth,
    balancer: Balancer,
    replicas: Vec<(u16, Guest)>,
    come: usize,
}

/// A Go program that contains caches.
struct Reflector {
    child: Child,
    orders: ChildStdin,
    folder: PathBuf,
    asked: usize,
}

/// The content of one cache.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Cache {
    items: Vec<Value>,
    lists: u64,
    initial_watches: u64,
}

#[tokio::test]
async fn client_caches_match_the_reference_when_idle() -> Result<(), Failure> {
    let Some(berth) = berth().await? else {
        return Ok(());
    };
    let mut pair = Pair::of(&berth).await?;
    let mut all = [
        Reflector::start(&berth, "watched", "true")?,
        Reflector::start(&berth, "listed", "false")?,
    ];
    let (mut tide, mut is_first) = (0, true);
    let began = Instant::now();
    loop {
        quiet(&berth, &mut all).await?;
        happens(&berth, &mut tide).await?;
        quiet(&berth, &mut all).await?;
        // While objects change, the test replaces one of the replicas.
        let (happened, replaced) = join(happens(&berth, &mut tide), pair.replace_one()).await;
        happened.and(replaced)?;
        quiet(&berth, &mut all).await?;
        // Both replicas restart and lose their state. They do not know the last version that a
        // client has read.
        pair.end();
        happens(&berth, &mut tide).await?;
        pair.begin().await?;
        quiet(&berth, &mut all).await?;
        if std::mem::take(&mut is_first) {
            // Checks this now: an API server that restarts rejects some requests until it has read
            // all rules.
            berth.assert_no_forbidden_requests()?;
        }
        let restart = berth.cluster().restart(Component::ApiServer);
        let (happened, restarted) = join(happens(&berth, &mut tide), restart).await;
        happened.and(restarted)?;
        if !is_soak() || began.elapsed() > SOAK {
            break;
        }
    }
    let last = quiet(&berth, &mut all).await?;
    let [watched, listed] = last.map(|mut caches| caches.remove("all").expect("a cache"));
    assert_eq!(listed.initial_watches, 0);
    assert!(listed.lists > 1, "{} lists", listed.lists);
    // If a client cannot open its watch, as in an outage, it sends another list request.
    let (lists, watches) = (watched.lists, watched.initial_watches);
    assert!(watches > 1 && watches > lists, "{watches} and {lists}");
    Ok(())
}

// === impl Pair ===

impl<'b> Pair<'b> {
    pub(super) async fn of(berth: &'b Berth) -> Result<Self, Failure> {
        let balancer = Balancer::of([]).await?;
        let mut pair = Self {
            berth,
            balancer,
            replicas: Vec::new(),
            come: 0,
        };
        pair.begin().await?;
        berth.leads_to(pair.balancer.port).await?;
        berth.until_called().await?;
        Ok(pair)
    }

    /// Returns the memory of each process in kilobytes.
    pub(super) fn resident(&self) -> Vec<usize> {
        let ports = self.replicas.iter().map(|(port, _)| *port);
        ports.filter_map(resident).collect()
    }

    /// Kills one replica, and starts another.
    async fn replace_one(&mut self) -> Result<(), Failure> {
        sleep(WAVE / 3).await;
        self.leave();
        self.come().await
    }

    /// Kills both replicas.
    fn end(&mut self) {
        self.leave();
        self.leave();
    }

    async fn begin(&mut self) -> Result<(), Failure> {
        self.come().await?;
        self.come().await
    }

    fn leave(&mut self) {
        let (port, replica) = self.replicas.remove(0);
        self.balancer.leave(port);
        drop(replica);
    }

    async fn come(&mut self) -> Result<(), Failure> {
        let cluster = self.berth.cluster();
        let kubeconfig = cluster.admit(USER, None)?;
        let (port, probes) = (cluster.free_port(), cluster.free_port());
        let args = [
            "apiserver".to_owned(),
            kubeconfig_flag(&kubeconfig),
            format!("--listen=127.0.0.1:{port}"),
            format!("--probes-listen=127.0.0.1:{probes}"),
        ];
        self.come += 1;
        let name = format!("replica-{}", self.come);
        let replica = cluster.guest(&name, &portolan().await?, args.to_vec())?;
        self.berth.until_ready(port).await?;
        self.balancer.join(port);
        self.replicas.push((port, replica));
        Ok(())
    }
}

// === impl Reflector ===

impl Reflector {
    fn start(berth: &Berth, name: &str, watches_lists: &str) -> Result<Self, Failure> {
        let folder = berth.file(name);
        fs::create_dir(&folder).map_err(Failure::touch("make a folder"))?;
        let mut command = REFLECTOR.command()?;
        command.arg(berth.cluster().kubeconfig());
        command.env("KUBE_FEATURE_WatchListClient", watches_lists);
        command.stdin(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(Failure::touch("run a program"))?;
        let orders = child.stdin.take().expect("a pipe");
        Ok(Self {
            child,
            orders,
            folder,
            asked: 0,
        })
    }

    /// Returns the current content of the caches.
    async fn caches(&mut self) -> Result<BTreeMap<String, Cache>, Failure> {
        self.asked += 1;
        let file = self.folder.join(self.asked.to_string());
        let reported = writeln!(self.orders, "{}", file.display());
        reported.map_err(Failure::touch("tell a program"))?;
        let text = until("caches to be written", PATIENCE, async || {
            Ok(match fs::read(&file) {
                Ok(text) => Seen::Yes(text),
                Err(error) => Seen::NotYet(error.to_string()),
            })
        });
        let text = text.await?;
        fs::remove_file(&file).map_err(Failure::touch("remove a file"))?;
        serde_json::from_slice(&text).map_err(Failure::read("caches"))
    }
}

impl Drop for Reflector {
    fn drop(&mut self) {
        // Ignores an error: the process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until all caches equal the expected state. Returns this state.
async fn quiet(
    berth: &Berth,
    all: &mut [Reflector; 2],
) -> Result<[BTreeMap<String, Cache>; 2], Failure> {
    let [one, other] = all;
    let (one, other) = (tokio::sync::Mutex::new(one), tokio::sync::Mutex::new(other));
    until("caches to be as the reference", PATIENCE, async || {
        let wanted = match berth.try_reference().await? {
            Ok(wanted) => wanted,
            Err(output) => return Ok(Seen::NotYet(output)),
        };
        let caches = [
            one.lock().await.caches().await?,
            other.lock().await.caches().await?,
        ];
        let differs = caches.iter().find_map(|caches| differs(caches, &wanted));
        Ok(differs.map_or(Seen::Yes(caches), Seen::NotYet))
    })
    .await
}

fn differs(caches: &BTreeMap<String, Cache>, wanted: &Installed) -> Option<String> {
    caches.iter().find_map(|(name, cache)| {
        let is_its = |item: &Value| match &**name {
            "harbor" => item["metadata"]["namespace"] == "harbor",
            "ships" => item["metadata"]["labels"]["ships"] == "yes",
            _ => true,
        };
        let its = wanted.iter().filter(|(_, item)| is_its(item));
        let its = its.map(|(key, item)| (key.clone(), item.clone())).collect();
        let differs = difference(&by_name(cache.items.clone()), &its)?;
        Some(format!("the cache of {name}: {differs}"))
    })
}

/// Makes many changes for some time. Changes that the API server rejects are not counted.
pub(super) async fn happens(berth: &Berth, tide: &mut usize) -> Result<(), Failure> {
    let client = berth.cluster().client()?;
    let namespaces = Kind::Namespace.everywhere(&client);
    let csvs = Kind::ClusterServiceVersion.within(&client, "fleet");
    let subscriptions = Kind::Subscription.within(&client, "fleet");
    let params = PatchParams::default();
    let ends = Instant::now() + WAVE;
    while Instant::now() < ends {
        *tide += 1;
        let labels = |value: Value| Patch::Merge(json!({"metadata": {"labels": {"ships": value}}}));
        let name = |at: usize| format!("wave-{at}");
        match *tide % 6 {
            0 => {
                let made = Kind::Namespace.object(&name(*tide), json!({"metadata": {}}))?;
                let _ = namespaces.create(&PostParams::default(), &made).await;
            }
            1 => {
                let tide = json!({"metadata": {"labels": {"tide": format!("t{tide}")}}});
                let _ = csvs
                    .patch("ferry.v1.0.0", &params, &Patch::Merge(tide))
                    .await;
            }
            2 => drop(patched(&csvs, &labels(Value::Null)).await),
            3 => drop(patched(&csvs, &labels(json!("yes"))).await),
            4 => {
                let channel = Patch::Merge(json!({"spec": {"channel": name(*tide)}}));
                let _ = subscriptions.patch("ferry", &params, &channel).await;
            }
            _ => {
                let gone = name(tide.saturating_sub(11));
                let _ = namespaces.delete(&gone, &DeleteParams::default()).await;
            }
        }
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

async fn patched(
    csvs: &kube::Api<DynamicObject>,
    labels: &Patch<Value>,
) -> Result<DynamicObject, kube::Error> {
    let params = PatchParams::default();
    csvs.patch("ferry.v1.0.0", &params, labels).await
}
