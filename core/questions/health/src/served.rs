//! Judges APIs that a separate API server serves.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_olm::{ApiService, Condition};

use crate::case::Case;
use crate::crd::Bond;
use crate::objects::LookupResult;
use crate::words::{because, with_word};
use crate::{Csv, CsvPhase, Fact, HealthCode, Item, State};

impl Item<ApiService> {
    /// Returns the problem of the APIService. Returns None if the APIService is available.
    pub(crate) fn trouble(&self) -> Option<Fact> {
        let object = &self.observed.object;
        let fact = |state, message: &str| {
            Some(Fact::new(
                &self.observed,
                state,
                HealthCode::ApiServiceUnavailable,
                message,
            ))
        };
        match Condition::about(&self.status.conditions, "Available") {
            Some(said) if said.is_false() => {
                let claim = with_word(format!("{object} does not answer"), &said.reason);
                fact(State::No, &because(claim, &said.message))
            }
            Some(_) | None if self.is_deleting() => {
                fact(State::No, &format!("{object} is being deleted."))
            }
            Some(said) if said.is_true() => None,
            Some(_) | None => fact(
                State::NotYet,
                &format!("It is unknown if {object} answers."),
            ),
        }
    }
}

/// Judges the APIServices of the kinds that an operator serves or requires. Skips the names that
/// already have facts.
pub(crate) fn judge(csv: &Csv, told: &BTreeSet<&str>, case: &Case<'_>) -> Vec<Fact> {
    let mut expected: BTreeMap<String, Bond> = BTreeMap::new();
    let served = &csv.spec.served;
    let brought = served.owned.iter().map(|api| (api, Bond::Brings));
    let needed = served.required.iter().map(|api| (api, Bond::Needs));
    for (api, bond) in brought.chain(needed) {
        expected.entry(api.api_service()).or_insert(bond);
    }
    expected.retain(|name, _| !told.contains(name.as_str()));
    let facts = expected
        .iter()
        .map(|(name, bond)| judge_one(name, *bond, csv, case));
    facts.flatten().collect()
}

fn judge_one(name: &str, bond: Bond, csv: &Csv, case: &Case<'_>) -> Option<Fact> {
    match case.objects.served.find(name) {
        LookupResult::There(served) => {
            // The API server cannot respond before its first Pod is ready, so the problem is less
            // severe during the installation.
            let is_new = csv.status.phase == CsvPhase::Installing;
            let trouble = served.trouble();
            let trouble = if is_new {
                trouble.map(Fact::softened)
            } else {
                trouble
            };
            let fine = || format!("{} answers.", served.observed.object);
            Some(trouble.unwrap_or_else(|| Fact::fine(&served.observed, &fine())))
        }
        LookupResult::Missing(observed) => {
            Some(csv.misses(&observed, bond, case.gap(), HealthCode::ApiServiceMissing))
        }
        LookupResult::Unseen => None,
    }
}
