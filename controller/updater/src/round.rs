//! Runs one round: reads all objects, decides and writes.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use futures::future::join_all;
use kube::Client;
use portolan_core_generate::updater::{
    Catalogs, Decision, Observation, OperatorReport, Outcome, Question, Reason, decide,
};
use portolan_core_names::text::listed;
use portolan_runtime::WriteFailure;
use portolan_shell::with_causes;

use crate::catalogs::Resolver;
use crate::metrics::Metrics;
use crate::observe::ClusterReading;
use crate::write::{OperatorWriter, VersionWrite};

/// The maximum number of times that a decision may request more facts from the resolver. After
/// that, the round fails.
const QUESTIONS: usize = 4;

/// Runs rounds. This data is the same in all rounds.
pub(crate) struct Rounds {
    pub(crate) client: Client,
    pub(crate) resolver: Resolver,
    pub(crate) namespace: String,
    /// Writes to the cluster. None in a dry run.
    pub(crate) writer: Option<OperatorWriter>,
    pub(crate) metrics: Metrics,
    /// The resource version of the last invalid ConfigMap that was reported.
    pub(crate) invalid: Mutex<Option<String>>,
}

/// The result of a round.
#[derive(Debug, Default)]
pub(crate) struct RoundReport {
    pub(crate) outcome: Outcome,
    /// The errors of the configuration.
    pub(crate) refused: Vec<String>,
    pub(crate) has_configuration: bool,
    /// The versions that were written, by the name of the Operator.
    pub(crate) written: BTreeMap<String, String>,
    /// The reason why another round must follow even without a change. None if there is no such
    /// reason.
    pub(crate) again: Option<String>,
}

/// The reason why a round failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("cannot read the Operators and the configuration of the updater")]
    Look(#[source] kube::Error),
    #[error("cannot update Operator {name}")]
    Write {
        name: String,
        #[source]
        failure: WriteFailure,
    },
    #[error("the same request is repeated without progress")]
    Endless,
}

// === impl Rounds ===

impl Rounds {
    pub(crate) async fn run(&self) -> Result<RoundReport, Failed> {
        let begun = tokio::time::Instant::now();
        let told = self.round().await;
        let has_failed = told.as_ref().map_or(true, |told| told.again.is_some());
        let rounds = self.metrics.rounds();
        rounds.count(has_failed, begun.elapsed());
        told
    }

    async fn round(&self) -> Result<RoundReport, Failed> {
        let look = ClusterReading::at(&self.client, &self.namespace).await;
        let mut look = look.map_err(Failed::Look)?;
        let mut told = RoundReport::default();
        if let Err(refused) = &look.configuration {
            told.refused.clone_from(refused);
            self.report_invalid(&look, refused).await;
        }
        if let Ok(Some(configuration)) = &mut look.configuration {
            told.has_configuration = true;
            configuration.is_dry_run |= self.writer.is_none();
        }
        told.outcome = self.decide(&look).await?;
        for name in &told.outcome.absent {
            tracing::debug!(
                name,
                "the configuration names an Operator that does not exist"
            );
        }
        self.write(&look, &mut told).await?;
        self.metrics.set_outcome(&told.outcome);
        Ok(told)
    }

    async fn decide(&self, look: &ClusterReading) -> Result<Outcome, Failed> {
        let has_entries = matches!(&look.configuration, Ok(Some(_)));
        let mut observed = Observation {
            configuration: look.configuration.clone(),
            operators: look.seen.clone(),
            catalogs: if has_entries {
                self.resolver.catalogs().await
            } else {
                Catalogs::Whole
            },
            answers: BTreeMap::new(),
        };
        for _ in 0..QUESTIONS {
            let asks = match decide(&observed) {
                Decision::Done(outcome) => return Ok(outcome),
                Decision::Asks(asks) => asks,
            };
            let asked = asks.into_iter().map(async |question: Question| {
                let resolver = &self.resolver;
                let answer = resolver.generate(&question, &look.seen, &look.kubernetes);
                let answer = answer.await;
                (question, answer)
            });
            observed.answers.extend(join_all(asked).await);
        }
        Err(Failed::Endless)
    }

    /// Writes the versions, one after the other. Then writes the condition of each Operator. If the
    /// configuration requires that Operators are updated one after the other, the outcome contains
    /// only one version.
    async fn write(&self, look: &ClusterReading, told: &mut RoundReport) -> Result<(), Failed> {
        let Some(writer) = &self.writer else {
            return Ok(());
        };
        let mut generations = BTreeMap::new();
        for to in &told.outcome.moves {
            let mut operators = look.operators.iter();
            let is_meant = |name: &Option<String>| name.as_deref() == Some(&*to.name);
            let Some(operator) = operators.find(|it| is_meant(&it.metadata.name)) else {
                continue;
            };
            match writer.version(operator, to).await {
                Ok(VersionWrite::Done(generation)) => {
                    let (operator, version) = (&to.name, &to.version);
                    let taken_from = listed(&to.takes_from);
                    tracing::info!(
                        operator,
                        version,
                        taken_from,
                        "the version of an Operator was \
                        updated"
                    );
                    generations.insert(to.name.clone(), generation);
                    told.written.insert(to.name.clone(), to.version.clone());
                }
                Ok(VersionWrite::Held(said)) => {
                    told.outcome.said.insert(to.name.clone(), said);
                }
                Ok(VersionWrite::Changed) => {
                    told.outcome.said.remove(&to.name);
                    told.again = Some(format!("Operator {} was changed in the meantime", to.name));
                }
                Err(failure) => return Err(failed(&to.name, failure)),
            }
        }
        for (operator, seen) in look.operators.iter().zip(&look.seen) {
            let name = &seen.name;
            let is_changed = told.outcome.moves.iter().any(|to| to.name == *name)
                && !told.outcome.said.contains_key(name);
            if is_changed {
                continue;
            }
            let generation = generations.get(name).copied().flatten().or(seen.generation);
            let said = told.outcome.said.get(name);
            let said = said.map(|said: &OperatorReport| (said, generation));
            let written = writer.write_condition(operator, seen, said, look.at).await;
            written.map_err(|failure| failed(name, failure))?;
        }
        Ok(())
    }

    /// Reports and counts an invalid configuration, if this was not already done for the same
    /// version of the ConfigMap.
    async fn report_invalid(&self, look: &ClusterReading, refused: &[String]) {
        let Some(config_map) = &look.config_map else {
            return;
        };
        let version = config_map.metadata.resource_version.clone();
        let before = {
            let mut invalid = self.invalid.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *invalid, version.clone())
        };
        if before == version {
            return;
        }
        self.metrics.invalid();
        let why = refused.join("; ");
        tracing::warn!(error = why, "the configuration cannot be read");
        if let Some(writer) = &self.writer {
            writer.invalid(&config_map.metadata, &why, look.at).await;
        }
    }
}

fn failed(name: &str, failure: WriteFailure) -> Failed {
    Failed::Write {
        name: name.to_owned(),
        failure,
    }
}

impl RoundReport {
    /// Returns the reason why another round must follow even without a change: the resolver does
    /// not respond, or an Operator has changed during the round. Returns None if there is no such
    /// reason.
    pub(crate) fn silence(&self) -> Option<String> {
        let mut said = self.outcome.said.values();
        let unknown = said.find(|said| said.reason == Reason::ResolverUnavailable);
        let silence = unknown.map(|said| said.message.clone());
        silence.or_else(|| self.again.clone())
    }
}

impl Failed {
    /// Returns the error as text, with its causes.
    pub(crate) fn message(&self) -> String {
        with_causes(self)
    }
}
