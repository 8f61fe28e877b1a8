//! Judges Subscriptions, which request operators from OLM.

use portolan_core_names::trouble;
use portolan_core_olm::{CatalogSource, Subscription};

use crate::case::Case;
use crate::objects::LookupResult;
use crate::{Fact, HealthCode, InstallPlanPhase, Item, Kind, Object, Sight, State, group, plan};

mod conditions;

impl Item<Subscription> {
    /// Judges the status of the Subscription, and the problems that block its operator.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Fact {
        let mut below = group::judge(case);
        below.extend(plan::judge(case));
        below.extend(self.source(case));
        below.extend(self.condition_facts(case));
        let fact = if case.is_installed() {
            self.with_operator()
        } else {
            self.without_operator(case, &below)
        };
        fact.with_below(below)
    }

    /// Returns the fact about a Subscription whose operator is installed.
    fn with_operator(&self) -> Fact {
        let object = &self.observed.object;
        if self.is_deleting() {
            let message = format!(
                "{object} is being deleted. The installed operator is kept, but gets no \
                         updates."
            );
            return self.fact(State::NotYet, HealthCode::SubscriptionDeleting, &message);
        }
        let catalog = self.catalog();
        let message = format!(
            "{object} requests package {} of {catalog}.",
            self.spec.package
        );
        Fact::fine(&self.observed, &message)
    }

    /// Returns the fact about a Subscription whose operator is not installed.
    fn without_operator(&self, case: &Case<'_>, below: &[Fact]) -> Fact {
        let object = &self.observed.object;
        let absent = |state, claim: &str| {
            self.fact(
                state,
                HealthCode::NotInstalled,
                &format!("{object} has no installed operator{claim}."),
            )
        };
        if let Some(copy) = self.copy(case) {
            return self.fact(
                State::No,
                HealthCode::OnlyCopied,
                &only_copied(object, copy),
            );
        }
        let named = [
            self.status.current_csv.as_str(),
            self.status.installed_csv.as_str(),
        ];
        if !named.iter().all(|name| case.objects.csvs.is_clear_of(name)) {
            return absent(State::NotYet, " that Portolan can see");
        }
        if !self.status.installed_csv.is_empty() {
            if *case.objects.copied_sight != Sight::Clear {
                // The named ClusterServiceVersion may be a copy from another namespace. In this
                // case, the advice to delete the Subscription would be wrong.
                return absent(State::NotYet, " that Portolan can see");
            }
            return absent(State::No, &self.deleted());
        }
        if self.is_unseen() {
            let message = format!(
                "OLM has not reported a status for {object}. If the status stays empty, check that \
                 OLM runs."
            );
            return self.fact(State::NotYet, HealthCode::SubscriptionNotObserved, &message);
        }
        if below.iter().any(|fact| fact.state == State::No) {
            return absent(State::No, ", because another problem blocks OLM");
        }
        let plan = case.plan().and_then(LookupResult::object);
        if plan.is_some_and(|plan| plan.status.phase == InstallPlanPhase::Complete) {
            let claim = ", although its InstallPlan is complete: the operator was deleted";
            return absent(State::No, claim);
        }
        absent(State::NotYet, " yet")
    }

    /// Returns the ClusterServiceVersion that OLM treats as the installed operator, although it is
    /// only a copy from another namespace. Returns None if no such copy exists.
    fn copy(&self, case: &Case<'_>) -> Option<&str> {
        let names = [
            self.status.installed_csv.as_str(),
            self.status.current_csv.as_str(),
        ];
        names
            .into_iter()
            .find(|name| case.objects.copied.contains(name))
    }

    fn deleted(&self) -> String {
        let object = &self.observed.object;
        let kind = Kind::ClusterServiceVersion;
        let csv = Object::new(kind, &object.namespace, &self.status.installed_csv);
        format!(
            ": {csv} was deleted, but OLM still treats this ClusterServiceVersion as installed. \
             Delete the Subscription and create it again. OLM then installs the operator again"
        )
    }

    fn is_unseen(&self) -> bool {
        let words = [&self.status.state, &self.status.current_csv, self.plan()];
        words.iter().all(|word| word.is_empty()) && self.status.conditions.is_empty()
    }

    /// Returns the fact about the catalog of the Subscription. Returns None if the catalog could
    /// not be read.
    fn source(&self, case: &Case<'_>) -> Option<Fact> {
        let (namespace, name) = (&self.spec.source_namespace, &self.spec.source);
        match case.objects.catalogs.find_in(namespace, name) {
            LookupResult::There(source) => Some(reachable(source, case)),
            LookupResult::Missing(observed) => {
                let message = format!("{}.", trouble::no_catalog(namespace, name));
                let (state, code) = (case.hindrance(), HealthCode::CatalogMissing);
                Some(Fact::judged(&observed, state, code, &message))
            }
            LookupResult::Unseen => None,
        }
    }

    fn fact(&self, state: State, code: HealthCode, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}

fn only_copied(object: &Object, copy: &str) -> String {
    format!(
        "{object} has no operator of its own: {copy} is a copy of a ClusterServiceVersion in \
         another namespace, but OLM treats the copy as installed. If the operator in the other \
         namespace watches this namespace, you do not need the Subscription."
    )
}

/// Judges a catalog for an operator. The message does not contain OLM's connection state, because
/// this state changes every few seconds after a lost connection.
fn reachable(source: &Item<CatalogSource>, case: &Case<'_>) -> Fact {
    let object = &source.observed.object;
    let trouble = if source.is_deleting() {
        Some("is being deleted")
    } else if source.connection().is_empty() || source.is_connected() {
        None
    } else {
        Some("has no connection to OLM")
    };
    match trouble {
        None => Fact::fine(&source.observed, &format!("{object} is there.")),
        Some(trouble) => {
            let message = format!("{object} {trouble}.");
            let state = case.delay();
            Fact::judged(
                &source.observed,
                state,
                HealthCode::CatalogNotReady,
                &message,
            )
            .with_detail(source.connection())
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
