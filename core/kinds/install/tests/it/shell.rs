//! Carries out the decisions about a plan on a small simulated API server.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_api::plan::{OnImmutable, Order, Status};
use portolan_core_install::{
    Answers, Ask, Attempt, Contents, Decision, Drift, Forced, Lineages, Live, Members, ObjectRead,
    ObjectRef, Observation, Others, Outcome, Plan, PodsSeen, Previews, Reviews, Roles,
    SecretContent, Selected, Step, Succession, Trial, VerifiedMembers, canonical, decide, live,
    staged, tried,
};
use serde_json::Value;

use crate::kit::{intent, plan_identity, plan_of};
use crate::model::{End, LINEAGE, Server, version};

/// The maximum number of rounds in a run. A run with more rounds never ends.
const ROUNDS: usize = 200;

/// The end of one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// The plan is gone.
    Over,
    Idle,
    Busy,
    /// The run was stopped after a write, as the test requested.
    Stopped,
}

/// A controller process with its cached facts about a plan. A new process starts with no cached
/// facts.
pub(crate) struct Shell {
    observed: Observation,
    /// The members of the plan. Empty if the plan is invalid.
    members: Members,
}

impl Shell {
    pub(crate) fn new(spec: &Value, server: &Server) -> Self {
        let observed = Observation {
            plan: Plan {
                identity: plan_identity(),
                generation: 1,
                uid: LINEAGE.to_owned(),
                lineage: LINEAGE.to_owned(),
                ..Plan::default()
            },
            intent: Ok(intent(spec.clone())),
            status: server.status.clone(),
            contents: Contents::default(),
            members: None,
            account: None,
            discovery: None,
            is_discovery_fresh: false,
            answers: Answers::new(),
            reviews: Reviews::default(),
            roles: Roles::default(),
            objects: BTreeMap::new(),
            trials: BTreeMap::new(),
            attempts: BTreeMap::new(),
            drifts: BTreeMap::new(),
            unwatched: Some(BTreeSet::new()),
            of_kinds: BTreeMap::new(),
            in_namespaces: BTreeMap::new(),
            selected: BTreeMap::new(),
            pods: BTreeMap::new(),
            living: Arc::new(Lineages::of(
                &[plan_of(LINEAGE, "ours"), plan_of("u-other", "other")],
                true,
            )),
            olm_definitions: None,
            succession: Succession::default(),
            is_retired: false,
            verified: None,
            now: server.now,
        };
        let members = Members::read(
            &intent(spec.clone()),
            &plan_identity(),
            &Contents::default(),
        );
        Self {
            observed,
            members: members.unwrap_or_default(),
        }
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut Observation)) -> Self {
        change(&mut self.observed);
        self
    }

    pub(crate) fn members(&self) -> &Members {
        &self.members
    }

    /// Reads all facts that the decision needs, and decides.
    pub(crate) fn decide(&mut self, server: &Server) -> Decision {
        self.observed.status = server.status.clone();
        self.observed.now = server.now;
        self.observed.is_retired = server.is_retired;
        self.observed.plan.has_finalizer = server.has_finalizer;
        self.observed.plan.terminating_since = server.terminating_since;
        self.observed.plan.is_abandoned = server.is_abandoned;
        self.observed.plan.retry.clone_from(&server.retry);
        self.observed.objects.clear();
        self.observed.contents = Contents::default();
        self.observed.of_kinds.clear();
        self.observed.in_namespaces.clear();
        self.observed.selected.clear();
        self.observed.pods.clear();
        self.observed.olm_definitions = None;
        self.observed.is_discovery_fresh = false;
        self.observed.review_if_due();
        for _ in 0..ROUNDS {
            let decision = self.decide_once();
            if decision.asks.is_empty() {
                self.observed.verified.clone_from(&decision.verified);
                return decision;
            }
            assert!(
                decision.steps.is_empty(),
                "nothing is done before all is known"
            );
            for ask in decision.asks {
                self.look(server, ask);
            }
        }
        panic!(
            "it must be known what is to be known: {:?}",
            decide(&self.observed).asks
        );
    }

    /// Computes the changes that the plan would make on the server, with dry runs.
    pub(crate) fn live(&mut self, server: &Server) -> Live {
        self.observed.status = server.status.clone();
        self.observed.objects.clear();
        self.observed.trials.clear();
        let mut previews = Previews::new();
        for _ in 0..ROUNDS {
            let asks = match live(&self.observed, &previews) {
                Ok(live) => return live,
                Err(asks) => asks,
            };
            for ask in asks {
                if let Ask::Trial(object) | Ask::Drift(object) = &ask {
                    self.preview(server, object, &mut previews);
                }
                self.look(server, ask);
            }
        }
        panic!("it must be known what is to be known");
    }

    fn preview(&self, server: &Server, object: &ObjectRef, previews: &mut Previews) {
        let member = self.members.get(object).expect("a member");
        let Some(before) = server.objects.get(object) else {
            return;
        };
        if !server.is_frozen(&member.manifest) {
            let manifest = member.applied_to(before, &self.observed.plan.lineage);
            let after = server.tried(&manifest);
            previews.insert(object.clone(), tried(before, &after));
        }
    }

    /// Decides with the cached facts, and once more with facts that are read again. Asserts that
    /// both decisions are equal.
    fn decide_once(&mut self) -> Decision {
        let decision = decide(&self.observed);
        if let Some(verified) = self.observed.verified.take() {
            assert_eq!(
                decide(&self.observed),
                decision,
                "with {} verified ones",
                verified.len()
            );
            self.observed.verified = Some(verified);
        }
        decision
    }

    /// Returns the number of members that the last decision verified.
    pub(crate) fn verified(&self) -> usize {
        self.observed
            .verified
            .as_ref()
            .map_or(0, VerifiedMembers::len)
    }

    /// Returns the identity of the Job object of a run.
    pub(crate) fn job(&self, place: usize, run: u32) -> ObjectRef {
        let intent = self.observed.intent.as_ref().expect("an Intent");
        self.members.jobs()[place].identity(self.observed.job_owner(intent), run)
    }

    fn look(&mut self, server: &Server, ask: Ask) {
        if let Ask::JobTrial(place) = ask {
            return self.try_job(server, place);
        }
        let observed = &mut self.observed;
        match ask {
            Ask::Account => observed.account = Some(server.account),
            Ask::Discovery => {
                assert!(
                    !observed.is_discovery_fresh,
                    "it is known which kinds are served"
                );
                observed.is_discovery_fresh = observed.discovery.is_some();
                observed.discovery = Some(server.discovery());
            }
            Ask::Review(access) => {
                server.reviews.set(server.reviews.get() + 1);
                let is_allowed = server.is_allowed && !server.denies.contains(access.verb.as_str());
                observed.answers.insert(access, is_allowed);
            }
            Ask::Role(identity) => {
                let role = server.objects.get(&identity);
                observed.roles.insert(identity, role);
            }
            Ask::Object(identity) => {
                let object = server.objects.get(&identity).cloned();
                let object_read = if server.unanswered.contains(&identity) {
                    ObjectRead::Unanswered("conversion webhook failed".to_owned())
                } else if server.hides_objects {
                    ObjectRead::Unreadable("forbidden".to_owned())
                } else {
                    object.map_or(ObjectRead::Absent, ObjectRead::Present)
                };
                observed.saw(identity, object_read);
            }
            Ask::Trial(identity) => {
                server.trials.set(server.trials.get() + 1);
                let member = self.members.get(&identity).expect("a member");
                let is_frozen = server.is_frozen(&member.manifest);
                let applied = member.applied(observed.lineage_of(&identity));
                let conflicts = server.conflicts(&applied);
                let trial = if is_frozen && member.lifecycle.on_immutable == OnImmutable::Fail {
                    Trial::Refused("field is immutable".to_owned())
                } else if is_frozen {
                    Trial::Immutable
                } else if server.without_namespace.contains(&identity) {
                    let namespace = identity.namespace.as_deref().unwrap_or_default();
                    Trial::Refused(format!("namespaces \"{namespace}\" not found"))
                } else if server.refuses.contains(&identity) {
                    Trial::Refused("no such ship".to_owned())
                } else if server.immutable.contains(&identity) {
                    Trial::Immutable
                } else {
                    Trial::Accepted
                };
                if let Some(conflicts) = conflicts {
                    observed.conflicted(&identity, conflicts);
                }
                observed.tried(identity, trial);
            }
            Ask::JobTrial(_) => {}
            Ask::ForcedTrial(identity) => {
                let attempt = observed.attempts.get_mut(&identity).expect("an attempt");
                let fields = attempt
                    .conflicts
                    .iter()
                    .map(|conflict| conflict.field.clone());
                let changed = fields.collect();
                let object = &server.objects[&identity];
                attempt.forced = Some(Forced {
                    version: version(object),
                    changed,
                });
            }
            Ask::Drift(identity) => {
                server.drift_looks.set(server.drift_looks.get() + 1);
                let mut members = self.members.iter();
                let member = members.find(|member| member.identity == identity);
                let object = &server.objects[&identity];
                let manifest = member
                    .expect("a member")
                    .applied_to(object, observed.lineage_of(&identity));
                let drift = match &server.tries_nothing {
                    Some(sentence) => Drift::of(object, Err(sentence.clone())),
                    None => Drift::of(object, Ok(&server.tried(&manifest))),
                };
                observed.compared(identity, drift);
            }
            Ask::OfKind(kind) => {
                let objects = server
                    .objects
                    .keys()
                    .filter(|identity| identity.kind == kind);
                let others = Others::of_kind(objects.cloned());
                observed.of_kinds.insert(kind, others);
            }
            Ask::Selected(kind, namespace) => {
                let all = server.candidates(&kind, namespace.as_deref());
                observed
                    .selected
                    .insert((kind, namespace), Selected::All(all));
            }
            Ask::OlmDefinitions => {
                observed.olm_definitions = Some(server.olm_definitions.clone());
            }
            Ask::InNamespace(name) => {
                let others = Others::in_namespace(&server.residents(&name));
                observed.in_namespaces.insert(name, others);
            }
            Ask::Pods(workload) => {
                server.pod_lists.set(server.pod_lists.get() + 1);
                let pods = server.pods.get(&workload).cloned();
                let seen = match &server.hides_pods {
                    Some(why) => PodsSeen::Unlisted(why.clone()),
                    None => PodsSeen::of(
                        server.objects.get(&workload).unwrap_or(&Value::Null),
                        pods.unwrap_or_default(),
                        Vec::new(),
                    ),
                };
                observed.pods.insert(workload, seen);
            }
            Ask::Secret(name) => {
                let manifest = server.secrets.get(&name);
                let content = manifest.map(|manifest| SecretContent {
                    is_immutable: true,
                    manifest: Some(canonical(manifest)),
                });
                let content = if server.hides_secrets {
                    Err("forbidden".to_owned())
                } else {
                    Ok(content)
                };
                observed.contents.secrets.insert(name, content);
                self.read();
            }
            Ask::ResourceManifest(name) => panic!("nothing refers to {name}"),
        }
    }

    /// Reads the manifests that exist now.
    fn read(&mut self) {
        let Ok(intent) = &self.observed.intent else {
            return;
        };
        let contents = &self.observed.contents;
        if let Ok(members) = Members::read(intent, &plan_identity(), contents) {
            self.members = members;
        }
    }

    fn try_job(&mut self, server: &Server, place: usize) {
        let identity = self.job(place, 1);
        let trial = if server.refuses.contains(&identity) {
            Trial::Refused("no such ship".to_owned())
        } else {
            Trial::Accepted
        };
        self.observed.tried(identity, trial);
    }

    /// Returns the status of the plan if a lookup fails now.
    pub(crate) fn lookup_failed(&self, why: &str) -> Status {
        portolan_core_install::lookup_failed(&self.observed, why)
    }

    /// Returns the status of the plan after the steps of a decision had these outcomes.
    pub(crate) fn after(&self, decision: Decision, outcomes: &[Outcome]) -> Status {
        decision.after(&self.observed, &self.members, outcomes)
    }

    /// Reconciles the plan until no work is left, or until the server has received this number of
    /// writes.
    pub(crate) fn run(&mut self, server: &mut Server, stop_after: Option<usize>) -> End {
        for _ in 0..ROUNDS {
            match self.round(server, stop_after) {
                Round::Stopped => return End::Stopped,
                Round::Over => return End::Rest,
                Round::Idle if !server.tick() => return End::Rest,
                Round::Idle => {}
                Round::Busy => drop(server.tick()),
            }
        }
        panic!("it must come to rest: {:#?}", server.status);
    }

    /// Decides once, and carries out the decision.
    pub(crate) fn round(&mut self, server: &mut Server, stop_after: Option<usize>) -> Round {
        if server.is_gone {
            return Round::Over;
        }
        let decision = self.decide(server);
        server.events.extend(decision.event.clone());
        let writes = server.writes;
        let (outcomes, stopped) = self.carry_out(server, &decision, stop_after);
        if stopped {
            return Round::Stopped;
        }
        if server.is_gone {
            return Round::Busy;
        }
        let is_again = decision.is_news(&self.observed, &self.members, &outcomes);
        let attempts = self.attempts(&decision, &outcomes);
        let status = decision.after(&self.observed, &self.members, &outcomes);
        self.observed.attempts.extend(attempts);
        if status != server.status {
            server.status = status;
            server.writes += 1;
            if stop_after == Some(server.writes) {
                return Round::Stopped;
            }
        }
        if server.writes == writes && !is_again {
            Round::Idle
        } else {
            Round::Busy
        }
    }

    /// Returns the applies that failed because other managers own some of the fields.
    fn attempts(&self, decision: &Decision, outcomes: &[Outcome]) -> Vec<(ObjectRef, Attempt)> {
        let steps = decision.steps.iter().zip(outcomes);
        let attempts = steps.filter_map(|(step, outcome)| {
            let (Step::Apply { member, .. }, Outcome::FieldsOwned(conflicts)) = (step, outcome)
            else {
                return None;
            };
            let identity = self.members[*member].identity.clone();
            let ObjectRead::Present(object) = &self.observed.objects[&identity] else {
                panic!("what is applied was there: {identity}");
            };
            Some((identity, Attempt::new(object, conflicts.clone())))
        });
        attempts.collect()
    }

    fn carry_out(
        &mut self,
        server: &mut Server,
        decision: &Decision,
        stop_after: Option<usize>,
    ) -> (Vec<Outcome>, bool) {
        let mut outcomes = Vec::new();
        for step in &decision.steps {
            let before = server.writes;
            let is_failed = outcomes.iter().any(|outcome| *outcome != Outcome::Done);
            let outcome = match step {
                _ if decision.order == Order::InOrder && is_failed => Outcome::Again,
                _ => self.write(server, step),
            };
            if server.writes > before && stop_after == Some(server.writes) {
                return (outcomes, true);
            }
            outcomes.push(outcome);
        }
        (outcomes, false)
    }

    fn run_job(&self, server: &mut Server, job: usize, run: u32) -> Outcome {
        let intent = self.observed.intent.as_ref().expect("an Intent");
        let manifest = self.members.jobs()[job].manifest(self.observed.job_owner(intent), run);
        let mut known = server.status.jobs.iter();
        assert!(
            known.any(|known| manifest["metadata"]["name"] == *known.job && known.uid.is_none()),
            "a run is recorded before it is made"
        );
        let outcome = server.create(&manifest);
        server.writes += usize::from(outcome == Outcome::Done);
        outcome
    }

    fn write(&self, server: &mut Server, step: &Step) -> Outcome {
        let staged = staged(&self.observed, &self.members);
        let member = match step {
            Step::Create { member, .. }
            | Step::Apply { member, .. }
            | Step::Replace { member, .. }
            | Step::Seal { member, .. } => &staged.as_ref().unwrap_or(&self.members)[*member],
            Step::Run { job, run } => return self.run_job(server, *job, *run),
            Step::Delete { object, .. } if server.refuses.contains(object) => {
                return Outcome::Refused("it is needed".to_owned());
            }
            Step::Delete { object, uid } => {
                assert!(server.terminating_since.is_none() || server.has_finalizer);
                return server.delete(object, uid);
            }
            Step::AddFinalizer => {
                assert_eq!(server.terminating_since, None, "none can be added then");
                server.has_finalizer = true;
                server.writes += 1;
                return Outcome::Done;
            }
            Step::RemoveFinalizer => {
                server.has_finalizer = false;
                server.is_gone = server.terminating_since.is_some();
                server.writes += 1;
                return Outcome::Done;
            }
        };
        let record = server.status.record.as_ref();
        let record = record.expect("a record before the first write");
        assert_eq!(record.digest, self.members.digest());
        let intent = self.observed.intent.as_ref().expect("an Intent");
        let mut members = self.members.iter();
        let goes = members.any(|member| member.is_deleted_with(intent.on_plan_deletion));
        assert!(
            server.has_finalizer || !goes || server.is_abandoned,
            "a finalizer before the first write"
        );
        if server.refuses.contains(&member.identity) {
            return Outcome::Refused("no such ship".to_owned());
        }
        let lineage = match step {
            Step::Create { lineage, .. } => lineage,
            _ => self.observed.lineage_of(&member.identity),
        };
        let manifest = match server.objects.get(&member.identity) {
            Some(object) => member.applied_to(object, lineage),
            None => member.applied(lineage),
        };
        let outcome = match step {
            Step::Apply { uid, force, .. } => server.apply(&manifest, uid, force.as_deref()),
            Step::Replace { version, .. } => server.replace(&manifest, version),
            Step::Seal {
                version, fields, ..
            } => server.seal(&manifest, version, fields),
            _ => server.create(&manifest),
        };
        server.writes += usize::from(outcome == Outcome::Done);
        outcome
    }
}
