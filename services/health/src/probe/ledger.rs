//! The results of all probes, and the addresses of the CatalogSources.

use std::collections::BTreeMap;

use portolan_world::Key;
use portolan_world::registry::Address;

use super::Probed;

/// The result for each address, and the CatalogSources with this address.
#[derive(Debug, Default)]
pub(super) struct ProbeLedger {
    places: BTreeMap<Key, Address>,
    /// The results by address. Each address in `places` has one result, and no other address has a
    /// result.
    probed: BTreeMap<Address, Probed>,
}

// === impl ProbeLedger ===

impl ProbeLedger {
    /// Returns the results by CatalogSource.
    pub(super) fn by_key(&self) -> BTreeMap<Key, Probed> {
        let all = self.places.iter().filter_map(|(key, address)| {
            let probed = self.probed.get(address)?;
            Some((key.clone(), probed.clone()))
        });
        all.collect()
    }

    /// Replaces the CatalogSources. Keeps the results of addresses that are still used. Returns
    /// true if the result for a CatalogSource changes.
    pub(super) fn turn_to(&mut self, places: BTreeMap<Key, Address>) -> bool {
        if self.places == places {
            return false;
        }
        let mut before = std::mem::take(&mut self.probed);
        for address in places.values() {
            if !self.probed.contains_key(address) {
                let known = before.remove(address);
                let known = known.unwrap_or_else(|| Probed::pending(address));
                self.probed.insert(address.clone(), known);
            }
        }
        self.places = places;
        true
    }

    /// Stores the result of a probe. Returns true if it differs from the previous result. Ignores
    /// results for unused addresses, because a task may still report a result after it was stopped.
    pub(super) fn note(&mut self, address: &Address, probed: &Probed) -> bool {
        match self.probed.get_mut(address) {
            Some(known) if known != probed => {
                known.clone_from(probed);
                true
            }
            Some(_) | None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_health::Probe;

    use super::*;

    fn address(text: &str) -> Address {
        text.parse().expect("an address")
    }

    fn places(places: &[(&str, &str)]) -> BTreeMap<Key, Address> {
        let places = places.iter();
        let places = places.map(|(name, at)| (Key::new("olm", name), address(at)));
        places.collect()
    }

    fn answered(at: &str, packages: u32) -> Probed {
        Probed {
            probe: Probe::Answered { packages },
            ..Probed::pending(&address(at))
        }
    }

    #[test]
    fn probe_result_applies_to_all_current_and_later_catalogs() {
        let mut ledger = ProbeLedger::default();
        assert!(ledger.turn_to(places(&[("one", "a:1"), ("two", "a:1")])));
        assert!(ledger.note(&address("a:1"), &answered("a:1", 7)));
        assert!(!ledger.note(&address("a:1"), &answered("a:1", 7)), "again");
        let wanted = places(&[("two", "a:1"), ("three", "a:1"), ("other", "b:1")]);
        assert!(ledger.turn_to(wanted.clone()));
        assert!(!ledger.turn_to(wanted), "nothing has changed");
        assert_eq!(
            ledger.by_key(),
            BTreeMap::from([
                (Key::new("olm", "two"), answered("a:1", 7)),
                (Key::new("olm", "three"), answered("a:1", 7)),
                (Key::new("olm", "other"), Probed::pending(&address("b:1"))),
            ])
        );
    }

    #[test]
    fn unreferenced_registry_is_forgotten_and_its_results_ignored() {
        let mut ledger = ProbeLedger::default();
        ledger.turn_to(places(&[("one", "a:1")]));
        ledger.note(&address("a:1"), &answered("a:1", 7));
        ledger.turn_to(places(&[("one", "b:1")]));
        assert!(!ledger.note(&address("a:1"), &answered("a:1", 8)));
        ledger.turn_to(places(&[("one", "a:1")]));
        assert_eq!(
            ledger.by_key(),
            BTreeMap::from([(Key::new("olm", "one"), Probed::pending(&address("a:1")))])
        );
    }
}
