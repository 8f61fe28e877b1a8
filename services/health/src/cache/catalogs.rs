//! The verdicts on catalogs, and the probes of their registries.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use portolan_core_health::{
    Catalog, Fact, HealthCode, Item, Kind, Object, Probe, Registry, Sight, State, judge_catalog,
    verdict,
};
use portolan_core_olm::CatalogSource;
use portolan_world::registry::Address;
use portolan_world::{Followed, Key, Notifier, RegistryProbe, World};

use super::staleness::sight_of_all;
use crate::probe::{Pace, Probed, Probes};
use crate::snapshot::Asked;

/// The judged catalogs. If a verdict does not change, its memory is shared.
#[derive(Debug)]
pub(super) struct Catalogs {
    registries: Source,
    probed: BTreeMap<Key, Probed>,
    all: BTreeMap<Key, Arc<Asked>>,
}

/// The source of probe results.
#[derive(Debug)]
enum Source {
    Asking(Probes),
    Dump(Followed<RegistryProbe>),
    Nobody,
}

// === impl Catalogs ===

impl Catalogs {
    /// Creates the catalogs of a world. If the world consists of files, the registries are not
    /// probed, because they belong to another cluster or to another time.
    pub(super) fn of(world: &impl World, probes: Option<Pace>, notifier: &Notifier) -> Self {
        Self {
            registries: match probes {
                _ if world.folder().is_some() => {
                    Source::Dump(Followed::of(world.objects(), notifier))
                }
                Some(pace) => Source::Asking(Probes::new(pace, world.dialer())),
                None => Source::Nobody,
            },
            probed: BTreeMap::new(),
            all: BTreeMap::new(),
        }
    }

    pub(super) fn all(&self) -> &BTreeMap<Key, Arc<Asked>> {
        &self.all
    }

    /// Returns all catalogs with their verdicts and their probe results.
    pub(super) fn asked_of(&self, sources: &Followed<CatalogSource>) -> Vec<Registry> {
        let keys = sources.all().map(|(key, _)| key);
        keys.filter_map(|key| self.registry(key, sources)).collect()
    }

    fn registry(&self, key: &Key, sources: &Followed<CatalogSource>) -> Option<Registry> {
        let registry = located(sources.shared(key)?);
        let probed = self.probed.get(key).map(|probed| probed.probe.clone());
        Some(Registry {
            probe: probed.unwrap_or(Probe::NotProbed),
            ..registry
        })
    }

    /// Waits until a probe has a new result. Changes of objects are reported by the notifier
    /// instead.
    pub(super) async fn changed(&mut self) {
        match &mut self.registries {
            Source::Asking(probes) => probes.changed().await,
            Source::Dump(_) | Source::Nobody => pending().await,
        }
    }

    /// Returns true if a registry has no probe result yet.
    pub(super) fn are_pending(&self) -> bool {
        let mut all = self.all.values();
        let is_dump_pending = match &self.registries {
            Source::Dump(kept) => kept.is_pending(),
            Source::Asking(_) | Source::Nobody => false,
        };
        is_dump_pending || all.any(|asked| asked.probed.probe == Probe::Pending)
    }

    /// Probes the registries of the existing catalogs, and judges the affected catalogs. If a
    /// CatalogSource has changed, judges all catalogs. Otherwise, judges only the catalogs with a
    /// new probe result. Returns true if a verdict has changed.
    pub(super) fn judge(&mut self, sources: &Followed<CatalogSource>, are_moved: bool) -> bool {
        let told = self.probe(sources, are_moved);
        let mut is_changed = false;
        if are_moved {
            let before = self.all.len();
            self.all.retain(|key, _| sources.shared(key).is_some());
            is_changed = self.all.len() < before;
            for (key, _) in sources.all() {
                is_changed |= self.judge_one(key, sources);
            }
            return is_changed;
        }
        for key in told {
            is_changed |= self.judge_one(&key, sources);
        }
        is_changed
    }

    fn judge_one(&mut self, key: &Key, sources: &Followed<CatalogSource>) -> bool {
        let Some(registry) = self.registry(key, sources) else {
            return false;
        };
        let sight = sight_of_all(sources, |odd| odd == key);
        let asked = self.asked(key, &registry, &sight);
        let before = self.all.get(key);
        if before.is_some_and(|before| **before == asked) {
            return false;
        }
        log_change(before, &asked);
        self.all.insert(key.clone(), Arc::new(asked));
        true
    }

    /// Starts the probes and stores new results. Returns only the catalogs with a new result,
    /// because there may be thousands of catalogs.
    fn probe(&mut self, sources: &Followed<CatalogSource>, are_moved: bool) -> Vec<Key> {
        let now = match &mut self.registries {
            Source::Asking(probes) => {
                if are_moved {
                    probes.want(addresses(sources));
                }
                probes.now()
            }
            Source::Dump(kept) => {
                kept.look();
                let all = kept.all();
                all.map(|(key, kept)| (key.clone(), Probed::recorded(kept)))
                    .collect()
            }
            Source::Nobody => return Vec::new(),
        };
        let before = std::mem::replace(&mut self.probed, now);
        let is_news = |(key, probed): &(&Key, &Probed)| before.get(*key) != Some(*probed);
        let told = self.probed.iter().filter(is_news);
        told.map(|(key, _)| key.clone()).collect()
    }

    fn asked(&self, key: &Key, registry: &Registry, sight: &Sight) -> Asked {
        let probed = self.probed.get(key).cloned();
        Asked {
            catalog: dimmed(judge_catalog(registry), sight),
            probed: probed.unwrap_or_else(|| unasked(registry)),
        }
    }
}

/// Returns the address of each registry that must be probed.
fn addresses(sources: &Followed<CatalogSource>) -> BTreeMap<Key, Address> {
    let all = sources.all().filter_map(|(key, source)| {
        let address: Address = source.address().ok()?.parse().ok()?;
        Some((key.clone(), address))
    });
    all.collect()
}

/// Returns the registry of a catalog with its address, or with the reason why the address is
/// unknown.
fn located(source: &Arc<CatalogSource>) -> Registry {
    let mut registry = Registry::of(Item::from(source.clone()));
    if let Ok(address) = &registry.address
        && let Err(why) = address.parse::<Address>()
    {
        registry.address = Err(why.to_string());
    }
    registry
}

/// Returns the result for a registry that is not probed.
fn unasked(registry: &Registry) -> Probed {
    Probed {
        probe: Probe::NotProbed,
        address: registry.address.clone().unwrap_or_default(),
        since: None,
        answered: None,
        connected: None,
    }
}

/// Returns the catalog. Adds a fact if its object may be outdated or was not read completely.
fn dimmed(mut catalog: Catalog, sight: &Sight) -> Catalog {
    let why = match sight {
        Sight::Clear => None,
        Sight::Odd(odd) => odd.values().next(),
        Sight::Dim(why) => Some(why),
    };
    if let Some(why) = why {
        let namespace = catalog.subject.namespace.as_str();
        catalog.facts.push(Fact {
            observed: Object::new(Kind::CatalogSource, namespace, "").absent(),
            state: State::NotYet,
            code: HealthCode::NotObserved,
            message: format!("CatalogSources are not observed: {why}"),
            detail: String::new(),
            quote: None,
            is_remark: false,
            below: Vec::new(),
        });
        catalog.verdict = verdict(&catalog.facts);
    }
    catalog
}

/// Logs a changed verdict on a catalog for the administrators of this process.
fn log_change(was: Option<&Arc<Asked>>, is: &Asked) {
    let Catalog {
        subject, verdict, ..
    } = &is.catalog;
    let state = verdict.state;
    let why = verdict.reasons.first();
    let code = why.map(|why| why.code.as_str());
    let reason = why.map(|why| why.message.as_str());
    match was.map(|was| was.catalog.verdict.state) {
        Some(before) if before != state => {
            let (from, to) = (before, state);
            tracing::info!(catalog = %subject, ?from, ?to, code, reason, "the verdict of a catalog \
                has changed");
        }
        Some(_) | None => {
            tracing::debug!(catalog = %subject, ?state, code, reason, "a catalog was checked");
        }
    }
}
