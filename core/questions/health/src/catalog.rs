//! Judges the health of catalogs and their registries.

use portolan_core_olm::{CatalogSource, RegistryState};

use crate::words::{because, with_word};
use crate::{Fact, HealthCode, Item, Object, State, Verdict, verdict};

/// A CatalogSource, with the result of probing its registry.
#[derive(Debug, Clone, PartialEq)]
pub struct Registry {
    /// The CatalogSource whose registry was probed.
    pub source: Item<CatalogSource>,
    /// The address of the registry as `host:port`, or the reason why the address is unknown.
    pub address: Result<String, String>,
    /// The result of probing the registry.
    pub probe: Probe,
}

/// The result of probing the registry of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// The registry was not probed. For example, the objects come from files.
    NotProbed,
    /// The registry has not answered the first probe yet.
    Pending,
    /// The registry reports SERVING, and has listed its packages.
    Answered {
        /// The number of packages in the registry.
        packages: u32,
    },
    /// This process cannot resolve the host name, for example because it runs outside of the
    /// cluster.
    NameUnknown(String),
    /// The registry is unreachable. Contains the reason.
    Unreachable(String),
    /// The registry reports the state NOT_SERVING.
    NotServing,
    /// The registry did not answer a request in time. Contains the request and the timeout.
    Silent(String),
    /// The registry responded with an error or an invalid response. Contains the request and the
    /// response.
    Failing(String),
}

/// A catalog with its facts and its verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// The CatalogSource that the facts are about.
    pub subject: Object,
    /// The connection state that OLM reports.
    pub connection: String,
    /// The facts about the CatalogSource and its registry.
    pub facts: Vec<Fact>,
    /// The verdict, computed from the facts.
    pub verdict: Verdict,
}

/// Judges a catalog by its object and by the result of probing its registry.
pub fn judge_catalog(registry: &Registry) -> Catalog {
    let mut facts = registry.trouble();
    facts.extend(registry.connects());
    facts.extend(registry.mistaken());
    Catalog {
        subject: registry.source.observed.object.clone(),
        connection: registry.source.connection().to_owned(),
        verdict: verdict(&facts),
        facts,
    }
}

// === impl Registry ===

impl Registry {
    /// Returns the registry of a CatalogSource as a registry that was not probed.
    pub fn of(source: Item<CatalogSource>) -> Self {
        Self {
            address: source.address().map_err(|why| why.to_string()),
            source,
            probe: Probe::NotProbed,
        }
    }

    /// Returns the problems of the CatalogSource object. The state of the registry does not matter
    /// here.
    fn trouble(&self) -> Vec<Fact> {
        let object = &self.source.observed.object;
        let mut facts = Vec::new();
        if self.reports_trouble() {
            let status = &self.source.status;
            let claim = format!("OLM reports a problem with {object}");
            let message = because(with_word(claim, &status.reason), &status.message);
            facts.push(self.fact(State::No, HealthCode::CatalogNotReady, &message));
        }
        if self.source.is_deleting() {
            let message = format!("{object} is being deleted.");
            facts.push(self.fact(State::NotYet, HealthCode::CatalogNotReady, &message));
        }
        facts
    }

    fn reports_trouble(&self) -> bool {
        let status = &self.source.status;
        !status.reason.trim().is_empty() || !status.message.trim().is_empty()
    }

    /// Returns the facts that follow from the probe of the registry.
    fn connects(&self) -> Vec<Fact> {
        let address = match &self.address {
            Ok(address) => address,
            Err(why) => return self.unknown(why),
        };
        let of = format!(
            "The registry of {} at {address}",
            self.source.observed.object
        );
        let (code, claim, why) = match &self.probe {
            Probe::NotProbed => return self.unasked(),
            Probe::Answered { packages } => return self.answers(&of, *packages),
            Probe::Pending => (HealthCode::RegistryNotProbed, "has not answered yet", ""),
            Probe::NameUnknown(why) if self.source.is_connected() => {
                let claim = "has a host name that is unknown on this machine, although OLM is \
                             connected to the registry";
                (HealthCode::RegistryUnreachable, claim, why.as_str())
            }
            Probe::NameUnknown(why) => (
                HealthCode::RegistryUnreachable,
                "has an unknown host name",
                why.as_str(),
            ),
            Probe::Unreachable(why) => (
                HealthCode::RegistryUnreachable,
                "cannot be reached",
                why.as_str(),
            ),
            Probe::NotServing => (
                HealthCode::RegistryNotServing,
                "reports the state NOT_SERVING",
                "",
            ),
            Probe::Silent(why) => {
                let claim = "accepts requests but does not answer in time";
                (HealthCode::RegistryTimeout, claim, why.as_str())
            }
            Probe::Failing(why) => (
                HealthCode::RegistryFailing,
                "gives an invalid answer",
                why.as_str(),
            ),
        };
        let message = because(format!("{of} {claim}"), why);
        vec![self.fact(self.meaning(), code, &message)]
    }

    /// Returns the state for a probe result. An unknown host name proves nothing, because this
    /// process may run outside of the cluster. If OLM has also lost the connection to the registry,
    /// the state is No.
    fn meaning(&self) -> State {
        match &self.probe {
            Probe::NotProbed | Probe::Pending => State::NotYet,
            Probe::NameUnknown(_) if !self.source.has_lost_connection() => State::NotYet,
            Probe::Answered { .. } => State::Yes,
            Probe::NameUnknown(_) | Probe::Unreachable(_) | Probe::NotServing => State::No,
            Probe::Silent(_) | Probe::Failing(_) => State::No,
        }
    }

    /// Returns the facts about a registry whose address is unknown. If OLM also reports a problem
    /// with the CatalogSource, the state is No, because the problem does not resolve with time.
    fn unknown(&self, why: &str) -> Vec<Fact> {
        let state = if self.reports_trouble() {
            State::No
        } else {
            State::NotYet
        };
        let claim = format!(
            "The address of the registry of {} is unknown",
            self.source.observed.object
        );
        let mut facts = vec![self.fact(
            state,
            HealthCode::RegistryAddressUnknown,
            &because(claim, why),
        )];
        facts.extend(self.lost());
        facts
    }

    /// Returns the facts about a registry that was not probed.
    fn unasked(&self) -> Vec<Fact> {
        let object = &self.source.observed.object;
        let said = match self.source.connection() {
            "" => "no connection state",
            word => word,
        };
        let message = format!("The registry of {object} was not probed; OLM reports {said}.");
        let mut facts = vec![self.fact(State::NotYet, HealthCode::RegistryNotProbed, &message)];
        facts.extend(self.lost());
        facts
    }

    /// Returns the fact that OLM has lost its connection to a registry that this process cannot
    /// probe. Returns None if OLM reports no lost connection.
    fn lost(&self) -> Option<Fact> {
        let word = self.source.connection();
        let object = &self.source.observed.object;
        let message = format!("OLM has no connection to the registry of {object} ({word}).");
        self.source
            .has_lost_connection()
            .then(|| self.fact(State::No, HealthCode::CatalogNotReady, &message))
    }

    /// Returns the facts about a registry that answered. They contain OLM's connection to the
    /// registry.
    fn answers(&self, of: &str, packages: u32) -> Vec<Fact> {
        let mut facts = Vec::new();
        if packages == 0 {
            let message = format!("{of} has no packages.");
            facts.push(Fact::remark(
                &self.source.observed,
                HealthCode::CatalogEmpty,
                &message,
            ));
        }
        match self.source.connection() {
            _ if self.source.is_connected() => facts.push(Fact::fine(
                &self.source.observed,
                &format!("{of} answers, and OLM is connected to this registry."),
            )),
            "" => {
                let message = format!(
                    "{of} answers, but OLM has not reported its connection to this registry yet."
                );
                facts.push(self.fact(State::NotYet, HealthCode::OlmNotConnected, &message));
            }
            word => {
                let message = format!(
                    "{of} answers, but OLM is not connected to this registry. OLM retries within \
                     two minutes."
                );
                let fact = self.fact(State::NotYet, HealthCode::OlmNotConnected, &message);
                facts.push(fact.with_detail(word));
            }
        }
        facts
    }

    /// Returns the fact that OLM reports a broken registry as ready. Returns None if OLM does not
    /// report this registry as ready.
    fn mistaken(&self) -> Option<Fact> {
        let how = match &self.probe {
            Probe::Unreachable(_) | Probe::Silent(_) => "does not answer",
            Probe::Failing(_) => "gives an invalid answer",
            Probe::NotServing => "does not serve",
            Probe::NotProbed | Probe::Pending | Probe::Answered { .. } | Probe::NameUnknown(_) => {
                return None;
            }
        };
        let message = format!(
            "OLM reports {} for {}, but the registry of this catalog {how}.",
            RegistryState::Ready,
            self.source.observed.object
        );
        (self.source.is_connected() && self.address.is_ok())
            .then(|| self.fact(State::No, HealthCode::OlmStatusWrong, &message))
    }

    fn fact(&self, state: State, code: HealthCode, message: &str) -> Fact {
        Fact::new(&self.source.observed, state, code, message)
    }
}

#[cfg(test)]
pub(crate) mod tests;
