//! Decides about one Operator. Repeats the decision until it requests no more facts.

use std::fmt;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_core_operator::{Ask, Basis, Decision, Home, Knowledge, Observation, Survey, decide};

use crate::Catalogs;
use crate::cache::OperatorSnapshot;
use crate::surveys::Surveys;

/// The maximum number of times that a decision may request more facts. After that, the decision
/// fails.
const ROUNDS: usize = 20;

/// The reason why there is no decision.
#[derive(Debug)]
pub(crate) enum Undecided {
    /// The Operator has changed in the meantime.
    Superseded,
    /// The decision has requested more facts too often.
    Endless,
}

/// A decision, with the facts on which it is based.
pub(crate) struct Decided {
    pub(crate) decision: Decision,
    pub(crate) basis: Basis,
}

/// The source of the facts that decisions request.
pub(crate) trait Answers: Sync {
    fn answer(&self, ask: &Ask) -> impl Future<Output = Knowledge> + Send;
}

/// Decides about an Operator. Gets all facts that the decision requests.
///
/// # Errors
/// Returns an error if there is no decision.
pub(crate) async fn decided<C: Catalogs>(
    observed: &mut Observation,
    (who, surveys): (&impl Answers, &Surveys<C>),
) -> Result<Decided, Undecided> {
    let mut read: Option<Survey> = None;
    for _ in 0..ROUNDS {
        let decision = decide(observed);
        if decision.asks.is_empty() {
            let fleet = observed.fleet.clone();
            let basis = Basis {
                fleet,
                survey: read,
            };
            return Ok(Decided { decision, basis });
        }
        if decision.asks.contains(&Ask::Routes) {
            let survey = surveys.newest().await;
            let taken = observed.take(&survey);
            taken.map_err(|_| Undecided::Superseded)?;
            read = Some(survey);
            continue;
        }
        let asked = decision.asks.into_iter().map(async |ask| {
            let knowledge = who.answer(&ask).await;
            (ask, knowledge)
        });
        for (ask, knowledge) in join_all(asked).await {
            observed.learn(ask, knowledge);
        }
    }
    Err(Undecided::Endless)
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Superseded => "the Operator has changed in the meantime",
            Self::Endless => "the same request is repeated without progress",
        })
    }
}

pub(crate) fn observation<C>(
    seen: &OperatorSnapshot<C>,
    home: &Home,
    now: Timestamp,
) -> Observation {
    let OperatorSnapshot {
        operator, fleet, ..
    } = seen;
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    let status = operator.status.clone().unwrap_or_default();
    Observation::of(name, fleet.clone(), status, home.clone(), now)
}
