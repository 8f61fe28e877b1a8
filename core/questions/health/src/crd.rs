//! Judges the CustomResourceDefinitions that an operator owns or requires.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::text::listed;
use portolan_core_olm::{Condition, CustomResourceDefinition, DefinedVersion};

use crate::case::Case;
use crate::objects::LookupResult;
use crate::words::{because, with_word};
use crate::{Csv, Fact, HealthCode, Item, ObjectVersion, State};

/// The relation between an operator and a custom resource kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Bond {
    /// The operator owns the kind.
    Brings,
    /// The operator requires the kind.
    Needs,
}

/// The requirements of an operator on a CustomResourceDefinition.
#[derive(Debug)]
pub(crate) struct Expected<'a> {
    /// The relation of the operator to the CustomResourceDefinition.
    pub(crate) bond: Bond,
    /// The versions that the operator owns or requires.
    pub(crate) versions: BTreeSet<&'a str>,
    /// The state for an object or version that is missing, but that OLM may still install.
    pub(crate) gap: State,
}

// === impl Bond ===

impl Bond {
    /// Returns the relation as a verb for messages.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Brings => "brings",
            Self::Needs => "needs",
        }
    }
}

impl Item<CustomResourceDefinition> {
    /// Returns the problems and remarks about the CustomResourceDefinition that affect the
    /// operator.
    pub(crate) fn troubles(&self, expected: &Expected<'_>) -> Vec<Fact> {
        let troubles = [
            self.terminating(),
            self.names_or_establishment(expected.gap),
            self.unserved(expected),
            self.stored_gone(),
            self.stored_mixed(),
        ];
        troubles.into_iter().flatten().collect()
    }

    fn terminating(&self) -> Option<Fact> {
        let is_terminating = self
            .condition("Terminating")
            .is_some_and(Condition::is_true);
        let message = format!(
            "{} is being deleted, with all its custom resources.",
            self.observed.object
        );
        (self.is_deleting() || is_terminating)
            .then(|| self.fact(State::No, HealthCode::CrdTerminating, &message))
    }

    /// Returns the fact that the names of the CustomResourceDefinition conflict. If there is no
    /// conflict, returns the fact that the CustomResourceDefinition is not established. Only one
    /// fact is returned, because a conflict is the cause of the missing establishment.
    fn names_or_establishment(&self, gap: State) -> Option<Fact> {
        let object = &self.observed.object;
        let names = self.condition("NamesAccepted");
        if let Some(refused) = names.filter(|said| said.is_false()) {
            let claim = with_word(
                format!("Another CustomResourceDefinition already uses the names of {object}"),
                &refused.reason,
            );
            let message = because(claim, &refused.message);
            return Some(self.fact(State::No, HealthCode::CrdNamesConflict, &message));
        }
        let established = self.condition("Established");
        if established.is_some_and(Condition::is_true) {
            return None;
        }
        let claim = format!("{object} is not established, so its kind is not served");
        let message = because(claim, established.map_or("", |said| said.words()));
        Some(self.fact(gap, HealthCode::CrdNotEstablished, &message))
    }

    fn unserved(&self, expected: &Expected<'_>) -> Option<Fact> {
        let served = self.versions(|version| version.served);
        let wanted = expected.versions.iter();
        let wanted = wanted.filter(|version| !version.is_empty());
        let unserved: Vec<_> = wanted
            .filter(|version| !served.contains(*version))
            .collect();
        let message = format!(
            "{} does not serve {}, which the operator {}. The CustomResourceDefinition serves {}.",
            self.observed.object,
            listed(&unserved),
            expected.bond.as_str(),
            if served.is_empty() {
                "nothing".to_owned()
            } else {
                listed(&served)
            },
        );
        (!unserved.is_empty())
            .then(|| self.fact(expected.gap, HealthCode::CrdVersionNotServed, &message))
    }

    fn stored_gone(&self) -> Option<Fact> {
        let gone = &self.stored() - &self.versions(|_| true);
        let message = format!(
            "Objects of {} are stored in {}. The CustomResourceDefinition no longer has this \
             version, so these objects cannot be read.",
            self.observed.object,
            listed(&gone)
        );
        (!gone.is_empty()).then(|| self.fact(State::No, HealthCode::StoredVersionGone, &message))
    }

    fn stored_mixed(&self) -> Option<Fact> {
        let stored = self.stored();
        let message = format!(
            "Objects of {} may be stored in {}. Migrate these objects to the storage version \
             before one of the other versions is removed.",
            self.observed.object,
            listed(&stored)
        );
        (stored.len() > 1)
            .then(|| Fact::remark(&self.observed, HealthCode::StoredVersionsMixed, &message))
    }

    /// Returns the names of the versions for which `is_wanted` returns true.
    fn versions(&self, is_wanted: impl Fn(&DefinedVersion) -> bool) -> BTreeSet<&str> {
        let versions = self.spec.versions.iter();
        let wanted = versions.filter(|version| is_wanted(version));
        wanted.map(|version| version.name.as_str()).collect()
    }

    /// Returns the versions in `status.storedVersions`: objects are stored or were stored in these
    /// versions.
    fn stored(&self) -> BTreeSet<&str> {
        let stored = self.status.stored_versions.iter();
        stored.map(String::as_str).collect()
    }

    fn condition(&self, of_type: &str) -> Option<&Condition> {
        Condition::about(&self.status.conditions, of_type)
    }

    fn fact(&self, state: State, code: HealthCode, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}

/// Judges the custom resource kinds that an operator owns or requires. Skips the names that already
/// have facts.
pub(crate) fn judge(csv: &Csv, told: &BTreeSet<&str>, case: &Case<'_>) -> Vec<Fact> {
    let mut expected: BTreeMap<&str, Expected<'_>> = BTreeMap::new();
    let custom = &csv.spec.custom_resources;
    let brought = custom.owned.iter().map(|api| (api, Bond::Brings));
    let needed = custom.required.iter().map(|api| (api, Bond::Needs));
    for (api, bond) in brought.chain(needed) {
        let one = expected.entry(&api.name).or_insert_with(|| Expected {
            bond,
            versions: BTreeSet::new(),
            gap: case.gap(),
        });
        one.versions.insert(&api.version);
    }
    expected.retain(|name, _| !told.contains(name));
    let facts = expected
        .iter()
        .map(|(name, expected)| judge_one(name, expected, csv, case));
    facts.flatten().collect()
}

fn judge_one(name: &str, expected: &Expected<'_>, csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    match case.objects.crds.find(name) {
        LookupResult::There(crd) => {
            let mut facts = crd.troubles(expected);
            if facts.iter().all(|fact| fact.is_remark) {
                let message = format!("{} is established.", crd.observed.object);
                facts.insert(0, Fact::fine(&crd.observed, &message));
            }
            facts
        }
        LookupResult::Missing(observed) => {
            let Expected { bond, gap, .. } = *expected;
            vec![csv.misses(&observed, bond, gap, HealthCode::CrdMissing)]
        }
        LookupResult::Unseen => Vec::new(),
    }
}

impl Csv {
    /// Returns the fact that a CustomResourceDefinition or APIService is missing.
    pub(crate) fn misses(
        &self,
        observed: &ObjectVersion,
        bond: Bond,
        gap: State,
        code: HealthCode,
    ) -> Fact {
        let (object, verb) = (&observed.object, bond.as_str());
        let message = format!("{object} is missing, and {} {verb} it.", self.name());
        Fact::new(observed, gap, code, &message)
    }
}

#[cfg(test)]
pub(crate) mod tests;
