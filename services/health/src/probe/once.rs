//! Probes registries once.

use std::collections::BTreeMap;
use std::time::Duration;

use portolan_core_health::Probe;
use portolan_core_olm::CatalogSource;
use portolan_world::registry::Address;
use portolan_world::{Key, RegistryProbe, World};
use tokio::time::timeout;

use super::{Pace, Probes};

/// The additional time for all probes together, beyond the timeout of a single probe.
const GRACE: Duration = Duration::from_secs(1);

/// Probes the registry of each CatalogSource in a world once. Returns the results in the format of
/// a dump. A registry that does not respond in time has no result.
pub async fn once(world: &impl World, pace: Pace) -> Vec<RegistryProbe> {
    let mut sources = world.objects::<CatalogSource>();
    let sources = sources.known().await;
    let sources = sources.map(|view| view.objects).unwrap_or_default();
    let addresses = sources.iter().filter_map(|(key, source)| {
        let address: Address = source.address().ok()?.parse().ok()?;
        Some((key.clone(), address))
    });
    let mut probes = Probes::new(pace, world.dialer());
    probes.want(addresses.collect());
    let asked = async {
        while are_pending(&mut probes) {
            probes.changed().await;
        }
    };
    // If a registry has not responded after this time, it has no result.
    let _ = timeout(pace.answer + GRACE, asked).await;
    let probed = probes.now();
    probed
        .iter()
        .map(|(key, probed)| probed.record(key))
        .collect()
}

fn are_pending(probes: &mut Probes) -> bool {
    let now: BTreeMap<Key, _> = probes.now();
    now.values().any(|probed| probed.probe == Probe::Pending)
}
