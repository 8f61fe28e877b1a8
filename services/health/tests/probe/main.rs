//! Tests of probing registries over real connections.

mod answers;
mod door;
mod fake;
mod life;

use std::collections::BTreeMap;
use std::time::Duration;

use portolan_core_health::Probe;
use portolan_health::probe::{Pace, Probed, Probes};
use portolan_world::Key;
use portolan_world::registry::{Address, Dialer};
use tokio::time::timeout;

/// The timeout of a test. It is long for busy machines. The wait usually takes only a moment.
const SOON: Duration = Duration::from_secs(60);

/// A time that is longer than any test, so that the corresponding action never happens.
const NEVER: Duration = Duration::from_secs(86_400);

/// Intervals with which a registry is probed once, and again only if its connection is lost.
const ONCE: Pace = Pace {
    every: NEVER,
    answer: NEVER,
    first_rest: NEVER,
    short_rest: NEVER,
    longest_rest: NEVER,
};

/// Probes repeatedly with short pauses.
const QUICK: Pace = Pace {
    every: Duration::from_millis(20),
    answer: NEVER,
    first_rest: Duration::from_millis(10),
    short_rest: Duration::from_millis(20),
    longest_rest: Duration::from_millis(20),
};

fn key(name: &str) -> Key {
    Key::new("olm", name)
}

/// Returns registries by CatalogSource. The CatalogSources have these names.
fn wanted<'w>(wanted: impl IntoIterator<Item = (&'w str, &'w Address)>) -> BTreeMap<Key, Address> {
    let named = |(name, address): (&str, &Address)| (key(name), address.clone());
    wanted.into_iter().map(named).collect()
}

/// Starts to probe one registry, of the CatalogSource `a`.
fn probes(pace: Pace, address: &Address) -> Probes {
    let mut probes = Probes::new(pace, Dialer::default());
    probes.want(wanted([("a", address)]));
    probes
}

/// Waits until the probe of a registry has an expected result. Returns this result.
async fn until(probes: &mut Probes, name: &str, is_such: impl Fn(&Probed) -> bool) -> Probed {
    let key = key(name);
    let reached = async {
        loop {
            match probes.now().remove(&key) {
                Some(probed) if is_such(&probed) => return probed,
                _ => probes.changed().await,
            }
        }
    };
    let reached = timeout(SOON, reached).await;
    reached.unwrap_or_else(|_| panic!("it stays {:?}", probes.now()))
}

/// Waits for the first result of a registry.
async fn first(probes: &mut Probes, name: &str) -> Probed {
    until(probes, name, |probed| probed.probe != Probe::Pending).await
}

fn is_answered(probed: &Probed) -> bool {
    matches!(probed.probe, Probe::Answered { .. })
}
