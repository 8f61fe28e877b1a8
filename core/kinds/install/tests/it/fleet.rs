//! Several plans of one namespace on a small simulated API server. Each plan has its own controller
//! process.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::plan::{ABANDON, FINALIZER, InstallPlan, Status};
use portolan_core_install::{Lineages, Peer, Succession};
use serde_json::{Value, json};

use crate::decide::describe;
use crate::kit::with;
use crate::model::{End, Server};
use crate::shell::{Round, Shell};

const ROUNDS: usize = 400;

/// A plan with its status, as the API server stores it.
#[derive(Debug, Clone)]
pub(crate) struct Ship {
    pub(crate) name: String,
    pub(crate) uid: String,
    pub(crate) created: Timestamp,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) spec: Value,
    pub(crate) status: Status,
    pub(crate) has_finalizer: bool,
    pub(crate) terminating_since: Option<Timestamp>,
    pub(crate) is_abandoned: bool,
    pub(crate) generation: i64,
}

#[derive(Debug, Clone)]
pub(crate) struct Fleet {
    pub(crate) server: Server,
    pub(crate) plans: Vec<Ship>,
    /// The number of plans that were created so far.
    made: usize,
}

impl Fleet {
    pub(crate) fn new(server: Server) -> Self {
        Self {
            server,
            plans: Vec::new(),
            made: 0,
        }
    }

    /// Creates a plan, one second after the previous plan.
    pub(crate) fn make(&mut self, name: &str, spec: &Value) {
        self.server.later(1);
        self.make_at_once(name, spec);
    }

    /// Creates a plan in the same second as the previous plan.
    pub(crate) fn make_at_once(&mut self, name: &str, spec: &Value) {
        self.made += 1;
        self.plans.push(Ship {
            name: name.to_owned(),
            uid: format!("u-{name}-{}", self.made),
            created: self.server.now,
            labels: [("app".to_owned(), "ferry".to_owned())].into(),
            spec: spec.clone(),
            status: Status::default(),
            has_finalizer: false,
            terminating_since: None,
            is_abandoned: false,
            generation: 1,
        });
    }

    pub(crate) fn plan(&self, name: &str) -> &Ship {
        let mut plans = self.plans.iter();
        plans.find(|plan| plan.name == name).expect("a plan")
    }

    pub(crate) fn plan_mut(&mut self, name: &str) -> &mut Ship {
        let mut plans = self.plans.iter_mut();
        plans.find(|plan| plan.name == name).expect("a plan")
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.plans.iter().any(|plan| plan.name == name)
    }

    /// A user deletes a plan.
    pub(crate) fn delete(&mut self, name: &str) {
        let now = self.server.now;
        let plan = self.plan_mut(name);
        plan.terminating_since.get_or_insert(now);
        self.plans
            .retain(|plan| plan.has_finalizer || plan.terminating_since.is_none());
    }

    /// A user changes a mutable field of a plan.
    pub(crate) fn change(&mut self, name: &str, pointer: &str, value: Value) {
        let plan = self.plan_mut(name);
        plan.spec = with(std::mem::take(&mut plan.spec), pointer, value);
        plan.generation += 1;
    }

    /// Deletes the objects whose owner is a deleted plan, as the garbage collector does.
    pub(crate) fn collect(&mut self) {
        let plans = &self.plans;
        self.server.objects.retain(|_, object| {
            let owner = object["metadata"]["ownerReferences"][0]["uid"].as_str();
            owner.is_none_or(|owner| plans.iter().any(|plan| plan.uid == owner))
        });
    }

    pub(crate) fn peers(&self) -> Vec<Peer> {
        self.plans.iter().map(Ship::peer).collect()
    }

    /// Reconciles all plans in turn until no work is left.
    pub(crate) fn run(&mut self, stop_after: Option<usize>) -> End {
        self.run_from(0, stop_after)
    }

    /// Reconciles all plans in turn until no work is left. Starts with the plan at index `first`.
    pub(crate) fn run_from(&mut self, first: usize, stop_after: Option<usize>) -> End {
        let mut shells = BTreeMap::new();
        for _ in 0..ROUNDS {
            let mut is_busy = false;
            let mut names: Vec<_> = self.plans.iter().map(|plan| plan.uid.clone()).collect();
            let turn = first % names.len().max(1);
            names.rotate_left(turn);
            for uid in names {
                match self.round(&uid, &mut shells, stop_after) {
                    Round::Stopped => return End::Stopped,
                    Round::Busy => is_busy = true,
                    Round::Idle | Round::Over => {}
                }
            }
            if !self.server.tick() && !is_busy {
                return End::Rest;
            }
        }
        panic!(
            "it must come to rest: {:#?}",
            self.plans
                .iter()
                .map(|plan| describe(&plan.status))
                .collect::<Vec<_>>()
        );
    }

    /// Reconciles one plan once.
    pub(crate) fn round(
        &mut self,
        uid: &str,
        shells: &mut BTreeMap<String, Shell>,
        stop_after: Option<usize>,
    ) -> Round {
        let peers = self.peers();
        let Some(at) = self.plans.iter().position(|plan| plan.uid == uid) else {
            return Round::Over;
        };
        let plan = &self.plans[at];
        let (server, succession) = (&mut self.server, Succession::of(uid, &peers));
        server.status = plan.status.clone();
        server.has_finalizer = plan.has_finalizer;
        server.terminating_since = plan.terminating_since;
        server.is_abandoned = plan.is_abandoned;
        server.is_gone = false;
        let living = peers.iter().map(|peer| {
            let mut plan = InstallPlan::new(&peer.name, json!({}).into());
            plan.metadata.uid = Some(peer.uid.clone());
            plan.status = Some(peer.status.clone());
            plan
        });
        let living = Lineages::of(&living.collect::<Vec<_>>(), true);
        let shell = shells
            .remove(uid)
            .unwrap_or_else(|| Shell::new(&plan.spec, server));
        let is_resting = |peer: &Peer| {
            let mut conditions = peer.status.conditions.iter();
            conditions.any(|said| said.type_ == "Replaced" && said.status == "True")
        };
        let others_write = !succession.predecessors.iter().all(is_resting);
        let is_alone = plan.terminating_since.is_some() || !others_write;
        let objects = server.objects.clone();
        let mut shell = shell.with(|observed| {
            observed.intent = (*plan.peer().intent).clone();
            observed.plan.identity.name.clone_from(&plan.name);
            observed.plan.generation = plan.generation;
            uid.clone_into(&mut observed.plan.uid);
            observed.plan.lineage.clone_from(&succession.lineage);
            observed.plan.merged.clone_from(&succession.merged);
            observed.living = Arc::new(living);
            observed.succession = succession;
        });
        let round = shell.round(server, stop_after);
        assert!(
            is_alone || objects == server.objects,
            "no two plans of a lineage write"
        );
        shells.insert(uid.to_owned(), shell);
        let plan = &mut self.plans[at];
        plan.status = server.status.clone();
        plan.has_finalizer = server.has_finalizer;
        if server.is_gone {
            self.plans.remove(at);
        }
        round
    }
}

impl Ship {
    pub(crate) fn peer(&self) -> Peer {
        let mut spec = json!({"serviceAccountName": "installer"});
        let fields = self.spec.as_object().cloned().unwrap_or_default();
        spec.as_object_mut().expect("an object").extend(fields);
        let mut plan = InstallPlan::new(&self.name, spec.into());
        plan.status = Some(self.status.clone());
        let metadata = &mut plan.metadata;
        metadata.uid = Some(self.uid.clone());
        metadata.creation_timestamp = Some(Time(self.created));
        metadata.deletion_timestamp = self.terminating_since.map(Time);
        metadata.labels = Some(self.labels.clone());
        metadata.finalizers = self.has_finalizer.then(|| vec![FINALIZER.to_owned()]);
        let abandon = self
            .is_abandoned
            .then(|| (ABANDON.to_owned(), "true".to_owned()));
        metadata.annotations = abandon.map(|abandon| [abandon].into());
        Peer::of(&plan)
    }
}
