//! Catalogs, and the registries behind them.

use crate::words::{because, with_word};
use crate::{Code, Condition, Fact, Object, Observed, State, Verdict};

/// A CatalogSource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CatalogSource {
    /// Which object.
    pub observed: Observed,
    /// Where its registry is, as `host:port`, or the sentence that says why nobody knows.
    pub address: Result<String, String>,
    /// What OLM says of its connection, such as `READY`; empty if it has not said anything.
    pub connection: String,
    /// What OLM says is wrong, in a word; empty if nothing.
    pub reason: String,
    /// What OLM says is wrong, for people.
    pub message: String,
    /// What controllers say of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// What came of asking the registry of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// Nobody asks: the objects come from files.
    NotProbed,
    /// The first answer is on its way.
    Pending,
    /// It says that it serves, and has told its packages.
    Answered {
        /// How many those are.
        packages: u32,
    },
    /// Its name is not known where it is asked from, which need not be inside of the cluster.
    NameUnknown(String),
    /// It cannot be reached. Holds why.
    Unreachable(String),
    /// It says that it does not serve.
    NotServing,
    /// It took the question and did not answer in time. Holds which question, and how long.
    Silent(String),
    /// It answered with an error, or with what is no answer. Holds which question, and what.
    Failing(String),
}

/// A catalog as judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Catalog {
    /// Names the CatalogSource.
    pub subject: Object,
    /// What OLM says of its connection.
    pub connection: String,
    /// What was looked at.
    pub facts: Vec<Fact>,
    /// What the facts come to.
    pub verdict: Verdict,
}

/// What OLM says when it takes a registry for well.
const READY: &str = "READY";
/// What OLM says when it cannot connect, or has given up.
const LOST: &[&str] = &["TRANSIENT_FAILURE", "SHUTDOWN"];

/// Judges a catalog by its object, and by what came of asking its registry.
pub fn judge_catalog(source: &CatalogSource, probe: &Probe) -> Catalog {
    let mut facts = source.trouble();
    facts.extend(source.connects(probe));
    facts.extend(source.mistaken(probe));
    Catalog {
        subject: source.observed.object.clone(),
        connection: source.connection.clone(),
        verdict: Verdict::of(&facts),
        facts,
    }
}

// === impl CatalogSource ===

impl CatalogSource {
    /// What is wrong with the object, whatever its registry does.
    fn trouble(&self) -> Vec<Fact> {
        let object = &self.observed.object;
        let mut facts = Vec::new();
        if self.reports_trouble() {
            let claim = with_word(format!("OLM reports trouble with {object}"), &self.reason);
            let message = because(claim, &self.message);
            facts.push(self.fact(State::No, Code::CatalogTrouble, &message));
        }
        if self.is_deleting {
            let message = format!("{object} is being deleted.");
            facts.push(self.fact(State::NotYet, Code::CatalogTrouble, &message));
        }
        facts
    }

    fn reports_trouble(&self) -> bool {
        !self.reason.trim().is_empty() || !self.message.trim().is_empty()
    }

    /// What came of asking the registry.
    fn connects(&self, probe: &Probe) -> Vec<Fact> {
        let address = match &self.address {
            Ok(address) => address,
            Err(why) => {
                let state = if self.reports_trouble() {
                    State::No
                } else {
                    State::NotYet
                };
                let claim = format!(
                    "Nobody knows where the registry of {} is",
                    self.observed.object
                );
                return vec![self.fact(state, Code::RegistryAddressUnknown, &because(claim, why))];
            }
        };
        let of = format!("The registry of {} at {address}", self.observed.object);
        let fact = |state, code, message: String| vec![self.fact(state, code, &message)];
        let no = |code, claim: String, why: &str| fact(State::No, code, because(claim, why));
        match probe {
            Probe::NotProbed => self.unasked(),
            Probe::Pending => fact(
                State::NotYet,
                Code::RegistryNotProbed,
                format!("{of} has been asked, and the answer is on its way."),
            ),
            Probe::Answered { packages } => self.answers(&of, *packages),
            Probe::NameUnknown(why) if self.is_ready() => {
                let claim = format!(
                    "{of} is not known by that name from here, though OLM is connected to it"
                );
                fact(
                    State::NotYet,
                    Code::RegistryUnreachable,
                    because(claim, why),
                )
            }
            Probe::NameUnknown(why) => no(
                Code::RegistryUnreachable,
                format!("{of} is not known by that name"),
                why,
            ),
            Probe::Unreachable(why) => no(
                Code::RegistryUnreachable,
                format!("{of} cannot be reached"),
                why,
            ),
            Probe::NotServing => no(
                Code::RegistryNotServing,
                format!("{of} says that it does not serve"),
                "",
            ),
            Probe::Silent(why) => no(
                Code::RegistrySilent,
                format!("{of} takes questions and does not answer in time"),
                why,
            ),
            Probe::Failing(why) => no(
                Code::RegistryFailing,
                format!("{of} does not answer as it should"),
                why,
            ),
        }
    }

    /// What is known of a registry that nobody asks.
    fn unasked(&self) -> Vec<Fact> {
        let object = &self.observed.object;
        let message = format!(
            "The registry of {object} was not asked; OLM says {}.",
            self.said()
        );
        let mut facts = vec![self.fact(State::NotYet, Code::RegistryNotProbed, &message)];
        if LOST.contains(&self.connection.as_str()) {
            let message = format!(
                "OLM has no connection to the registry of {object} ({}).",
                self.connection
            );
            facts.push(self.fact(State::No, Code::CatalogTrouble, &message));
        }
        facts
    }

    /// What an answer means, and what OLM makes of the registry.
    fn answers(&self, of: &str, packages: u32) -> Vec<Fact> {
        let mut facts = Vec::new();
        if packages == 0 {
            let message = format!("{of} has no packages.");
            facts.push(Fact::remark(&self.observed, Code::CatalogEmpty, &message));
        }
        match self.connection.as_str() {
            READY => facts.push(Fact::fine(
                &self.observed,
                &format!("{of} answers, and OLM is connected to it."),
            )),
            "" => {
                let message =
                    format!("{of} answers, and OLM has not said whether it is connected to it.");
                facts.push(self.fact(State::NotYet, Code::OlmNotConnected, &message));
            }
            word => {
                let message = format!(
                    "{of} answers, and OLM is not connected to it: it says {word}. It tries again within two minutes."
                );
                facts.push(self.fact(State::NotYet, Code::OlmNotConnected, &message));
            }
        }
        facts
    }

    /// That OLM takes a registry for well that is not.
    fn mistaken(&self, probe: &Probe) -> Option<Fact> {
        let is_down = match probe {
            Probe::Unreachable(_) | Probe::NotServing | Probe::Silent(_) | Probe::Failing(_) => {
                true
            }
            Probe::NotProbed | Probe::Pending | Probe::Answered { .. } | Probe::NameUnknown(_) => {
                false
            }
        };
        let message = format!(
            "OLM says {READY} of {}, whose registry does not answer.",
            self.observed.object
        );
        (is_down && self.is_ready() && self.address.is_ok())
            .then(|| self.fact(State::No, Code::OlmMistaken, &message))
    }

    fn is_ready(&self) -> bool {
        self.connection == READY
    }

    fn said(&self) -> &str {
        match self.connection.as_str() {
            "" => "nothing of it",
            word => word,
        }
    }

    fn fact(&self, state: State, code: Code, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}
