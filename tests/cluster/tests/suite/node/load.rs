//! Reads and writes a custom resource in both API versions, while a test makes changes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kube::Client;
use kube::api::{Api, DynamicObject, Patch, PatchParams};
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};
use tokio::task::AbortHandle;

use super::releases::GROUP;
use crate::objects::api;

/// The API versions, each with the path of the field `seats`.
const VERSIONS: [(&str, &str); 2] = [("v1alpha1", "/spec/seats"), ("v1", "/spec/capacity/seats")];
const PAUSE: Duration = Duration::from_millis(20);

/// Reads and writes a Ferry without a pause. Dropping this value stops this.
pub(super) struct Load {
    running: AbortHandle,
    tally: Arc<Mutex<Tally>>,
}

/// The requests so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// The number of successful requests, by version.
    pub(super) succeeded: BTreeMap<&'static str, usize>,
    pub(super) failed: Vec<Failed>,
}

/// A failed request.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub(super) version: &'static str,
    verb: &'static str,
    at: Duration,
    message: String,
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, verb, .. } = self;
        write!(f, "{verb} {version} after {:?}: {}", self.at, self.message)
    }
}

impl Tally {
    /// Returns the failed requests in an API version, one per line.
    pub(super) fn failures(&self, version: &str) -> Vec<String> {
        let failed = self.failed.iter().filter(|it| it.version == version);
        failed.map(ToString::to_string).collect()
    }
}

impl Load {
    /// Starts to read and write the Ferry with this name. Ignores requests in an API version that
    /// is not served yet.
    pub(super) fn start(client: &Client, namespace: &str, name: &'static str) -> Self {
        let tally = Arc::<Mutex<Tally>>::default();
        let of_task = Arc::clone(&tally);
        let [old, new] = VERSIONS
            .map(|(version, _)| api(client, [&format!("{GROUP}/{version}"), "Ferry", namespace]));
        let running = tokio::spawn(async move {
            let begun = Instant::now();
            for seats in (1..=400).cycle() {
                for (at, ferries) in [&old, &new].into_iter().enumerate() {
                    let (version, place) = VERSIONS[at];
                    let tried = [
                        ("write", write(ferries, name, place, seats).await),
                        ("read", read(ferries, name, place).await),
                    ];
                    let mut tally = of_task.lock().unwrap_or_else(PoisonError::into_inner);
                    for (verb, tried) in tried {
                        tally.add((version, verb), begun.elapsed(), tried);
                    }
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self {
            running: running.abort_handle(),
            tally,
        }
    }

    pub(super) fn tally(&self) -> Tally {
        let tally = self.tally.lock().unwrap_or_else(PoisonError::into_inner);
        tally.clone()
    }

    /// Waits until 100 more requests have succeeded in each API version.
    pub(super) async fn until_a_hundred_more(&self) -> Result<(), Failure> {
        let before = self.tally();
        until("a hundred requests more", PATIENCE, async || {
            let now = self.tally();
            let count = |tally: &Tally, version| tally.succeeded.get(version).copied();
            let more = VERSIONS.map(|(version, _)| {
                let [now, before] =
                    [&now, &before].map(|it| count(it, version).unwrap_or_default());
                now - before
            });
            Ok(if more.iter().all(|more| *more >= 100) {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{more:?}, {:?}", now.failed.last()))
            })
        })
        .await
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.running.abort();
    }
}

impl Tally {
    fn add(
        &mut self,
        (version, verb): (&'static str, &'static str),
        at: Duration,
        tried: Result<(), kube::Error>,
    ) {
        match tried {
            Ok(()) => *self.succeeded.entry(version).or_default() += 1,
            Err(error) if is_of_unserved(&error) => {}
            Err(error) => self.failed.push(Failed {
                version,
                verb,
                at,
                message: error.to_string(),
            }),
        }
    }
}

/// Returns true if the API server does not serve this API version. If only the object is missing,
/// the error contains its name.
fn is_of_unserved(error: &kube::Error) -> bool {
    let kube::Error::Api(status) = error else {
        return false;
    };
    let names = status
        .details
        .as_ref()
        .is_some_and(|it| !it.name.is_empty());
    status.code == 404 && !names
}

async fn write(
    ferries: &Api<DynamicObject>,
    name: &str,
    place: &str,
    seats: i64,
) -> Result<(), kube::Error> {
    let spec = if place == "/spec/seats" {
        json!({"seats": seats})
    } else {
        json!({"capacity": {"seats": seats}})
    };
    let params = PatchParams::default();
    let written = ferries
        .patch(name, &params, &Patch::Merge(json!({"spec": spec})))
        .await?;
    assert_eq!(written.data.pointer(place), Some(&json!(seats)));
    Ok(())
}

async fn read(ferries: &Api<DynamicObject>, name: &str, place: &str) -> Result<(), kube::Error> {
    let ferry = ferries.get(name).await?;
    let seats = ferry.data.pointer(place).and_then(Value::as_i64);
    assert!(seats.is_some(), "{:?} has no seats at {place}", ferry.data);
    Ok(())
}
