//! The dry run of Operators. It makes the same decisions as the controller, but writes nothing.

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

/// A dry run of all Operators. Decisions are made again after each relevant change, but not
/// executed.
#[derive(Debug)]
pub struct Rehearsal<C> {
    cache: OperatorCache<C>,
    known: DecisionInputs<C>,
    home: Home,
}

/// The sources of the facts that decisions request.
#[derive(Debug)]
struct DecisionInputs<C> {
    catalogs: Arc<C>,
    world: AnyWorld,
}

/// The result of the dry run of one Operator.
#[derive(Debug, Clone, PartialEq)]
pub struct Rehearsed {
    pub operator: Arc<Operator>,
    /// The status that the controller would write before the next steps.
    pub status: Status,
    /// The next steps of the controller, in order.
    pub steps: Vec<Step>,
    /// The reason why the next steps are unknown. None if the next steps are known.
    pub unknown: Option<String>,
}

impl<C: Catalogs> Rehearsal<C> {
    /// Starts a dry run of all Operators in `world`. The decisions are the same as those of the
    /// controller. `world` may contain proposed objects. `live` is the actual world.
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

    /// Waits until all objects have been listed. Returns the result for each Operator, sorted by
    /// name.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled(&mut self) -> Result<Vec<Rehearsed>, Ended> {
        self.settled_for(|_| true).await
    }

    /// Like [`settled`](Self::settled), but decides only about the Operators whose names are
    /// selected.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled_for(
        &mut self,
        is_selected: impl Fn(&str) -> bool,
    ) -> Result<Vec<Rehearsed>, Ended> {
        self.cache.refresh().await;
        while !self.cache.is_synced() {
            self.cache.changed().await?;
            self.cache.refresh().await;
        }
        let keys = self.cache.all();
        let seen: Vec<_> = keys
            .iter()
            .filter(|key| is_selected(&key.name))
            .filter_map(|key| self.cache.snapshot(key))
            .collect();
        let all = seen
            .iter()
            .map(|seen| self.known.rehearsed(seen, &self.home));
        Ok(join_all(all).await)
    }

    /// Returns the reason why the Operators cannot be read. Returns None if they can be read.
    pub fn unseen(&self) -> Option<String> {
        self.cache.unseen()
    }

    /// Waits until the result for an Operator may have changed.
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
    /// Decides about one Operator. If the first step only adds a finalizer, this step counts as
    /// executed, so that the result also contains the following steps.
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

/// Reads objects from the world. The controller would read these objects with the permissions of
/// the installing ServiceAccount.
async fn live(world: &AnyWorld, query: &LiveQuery) -> Answer<Vec<Value>> {
    if query.owner.is_some() {
        let sentence = "objects of OLM are not compared here; run portolan adopt PACKAGE --dry-run";
        return Answer::Unavailable(sentence.to_owned());
    }
    let names = query.objects.iter().cloned().collect();
    let found = world.written(names).await;
    Answer::Known(found.into_values().collect())
}
