//! The dry run of Operators. It makes the same decisions as the controller and writes nothing.

use std::sync::Arc;

use futures::future::join_all;
use jiff::Timestamp;
use portolan_api::operator::{Operator, Status};
use portolan_core_operator::{Answer, Ask, Home, Knowledge, LiveQuery, Step};
use portolan_runtime::Cache as _;
use portolan_world::{AnyWorld, Ended, World};
use serde_json::Value;

use crate::Catalogs;
use crate::cache::{OperatorCache, OperatorSnapshot};
use crate::decided::{self, Answers, Decided, observation};

/// Operators whose decisions are recomputed on each relevant change, without carrying them out.
#[derive(Debug)]
pub struct Rehearsal<C> {
    cache: OperatorCache<C>,
    known: DecisionInputs<C>,
    home: Home,
}

/// The inputs of decisions.
#[derive(Debug)]
struct DecisionInputs<C> {
    catalogs: Arc<C>,
    world: AnyWorld,
}

/// An Operator with the result of its dry run.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsed {
    pub operator: Arc<Operator>,
    /// The status that would be written before the next steps.
    pub status: Status,
    /// The next steps, in this order.
    pub steps: Vec<Step>,
    /// The reason why the next steps are unknown. None if they are known.
    pub unknown: Option<String>,
}

impl<C: Catalogs> Rehearsal<C> {
    /// Starts a dry run of all Operators in a world. It makes the same decisions as the controller
    /// of this world. If `world` is hypothetical, `live` is the actual world.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of((world, live): (&impl World, &AnyWorld), catalogs: Arc<C>, home: Home) -> Self {
        Self {
            cache: OperatorCache::read_only(world, &home.namespace, catalogs.clone()),
            known: DecisionInputs {
                catalogs,
                world: live.clone(),
            },
            home,
        }
    }

    /// Waits until all objects have been listed. Returns the result for each Operator by name.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled(&mut self) -> Result<Vec<Rehearsed>, Ended> {
        self.cache.refresh().await;
        while !self.cache.is_synced() {
            self.cache.changed().await?;
            self.cache.refresh().await;
        }
        let keys = self.cache.all();
        let seen: Vec<_> = keys
            .iter()
            .filter_map(|key| self.cache.snapshot(key))
            .collect();
        let all = seen
            .iter()
            .map(|seen| self.known.rehearsed(seen, &self.home));
        Ok(join_all(all).await)
    }

    /// Returns the reason why the Operators are unknown. Returns None if they are known.
    pub fn unseen(&self) -> Option<String> {
        self.cache.unseen()
    }

    /// Waits until the result for some Operator may change.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    ///
    /// # Cancel safety
    /// This method is cancel safe. Nothing is lost if the future is dropped early.
    pub async fn changed(&mut self) -> Result<(), Ended> {
        self.cache.changed().await
    }
}

impl<C: Catalogs> DecisionInputs<C> {
    /// Makes a decision for one Operator. If the first step only adds a finalizer, assumes that it
    /// was executed, and also returns the following steps.
    async fn rehearsed(&self, seen: &OperatorSnapshot<C>, home: &Home) -> Rehearsed {
        let mut observed = observation(seen, home, Timestamp::now());
        let mut first = Vec::new();
        let who = (self, &*seen.surveys);
        let mut decided = decided::decided(&mut observed, who).await;
        if let Ok(first_decided) = &decided
            && first_decided.decision.steps == [Step::AddFinalizer]
        {
            first.push(Step::AddFinalizer);
            let fleet = Arc::make_mut(&mut observed.fleet);
            if let Some(member) = fleet.members.get_mut(&observed.name) {
                Arc::make_mut(member).has_finalizer = true;
            }
            decided = decided::decided(&mut observed, who).await;
        }
        let operator = seen.operator.clone();
        match decided {
            Ok(Decided { decision, .. }) => Rehearsed {
                operator,
                status: decision.status,
                steps: first.into_iter().chain(decision.steps).collect(),
                unknown: None,
            },
            Err(why) => Rehearsed {
                status: observed.status,
                operator,
                steps: Vec::new(),
                unknown: Some(why.to_string()),
            },
        }
    }
}

impl<C: Catalogs> Answers for DecisionInputs<C> {
    async fn answer(&self, ask: &Ask) -> Knowledge {
        match ask {
            Ask::Live(query) => Knowledge::Live(live(&self.world, query).await),
            Ask::Resources(_) => {
                let sentence = "custom resources are not counted here".to_owned();
                Knowledge::Resources(Answer::Unavailable(sentence))
            }
            _ => self.catalogs.answer(ask).await,
        }
    }
}

/// Reads from the world the objects that the controller would read with the permissions of the
/// installing ServiceAccount. Objects that OLM manages are not available in the world.
async fn live(world: &AnyWorld, query: &LiveQuery) -> Answer<Vec<Value>> {
    if query.owner.is_some() {
        let sentence = "objects of OLM are not compared here; run portolan adopt PACKAGE --dry-run";
        return Answer::Unavailable(sentence.to_owned());
    }
    let names = query.objects.iter().cloned().collect();
    let found = world.written(names).await;
    Answer::Known(found.into_values().collect())
}
