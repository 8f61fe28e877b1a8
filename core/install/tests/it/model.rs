//! A small API server with its controllers, and a shell that carries out decisions on it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use portolan_api::plan::{Order, Status};
use portolan_core_install::{
    Account, Answers, Ask, Attempt, Conflict, Contents, Decision, Discovery, Fields, Forced,
    Identity, Kind, Members, Observation, Outcome, Owner, Plan, Roles, ServedKind, Sight, Step,
    Trial, decide, manager,
};
use serde_json::{Map, Value, json};

use crate::kit::{discovery, intent, plan_identity};

pub(crate) const LINEAGE: &str = "u-plan";
/// A run that goes on longer than this goes on for ever.
const ROUNDS: usize = 200;

/// What a cluster has.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) objects: BTreeMap<Identity, Value>,
    /// Of the plan.
    pub(crate) status: Status,
    pub(crate) now: Timestamp,
    pub(crate) account: Account,
    pub(crate) is_allowed: bool,
    /// What the API server refuses to take.
    pub(crate) refuses: BTreeSet<Identity>,
    /// Objects that never become ready.
    pub(crate) stuck: BTreeSet<Identity>,
    /// Objects that others delete as soon as they are made, once each.
    pub(crate) unwanted: BTreeSet<Identity>,
    /// Objects that somebody of that name writes all the time.
    pub(crate) restless: BTreeMap<Identity, &'static str>,
    /// Whether it says whose fields are in the way.
    pub(crate) names_owners: bool,
    pub(crate) writes: usize,
    /// Applies, whatever became of them.
    pub(crate) applies: usize,
    versions: u64,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// There is nothing left to do.
    Rest,
    /// It was stopped after a write.
    Stopped,
}

impl Server {
    pub(crate) fn new() -> Self {
        Self {
            objects: BTreeMap::new(),
            status: Status::default(),
            now: Timestamp::UNIX_EPOCH,
            account: Account::There,
            is_allowed: true,
            refuses: BTreeSet::new(),
            stuck: BTreeSet::new(),
            unwanted: BTreeSet::new(),
            restless: BTreeMap::new(),
            names_owners: true,
            writes: 0,
            applies: 0,
            versions: 0,
        }
    }

    /// With an object that somebody else made.
    pub(crate) fn with(mut self, manifest: Value) -> Self {
        self.make(&manifest, "somebody", "Update");
        self
    }

    pub(crate) fn later(&mut self, seconds: i64) {
        self.now += SignedDuration::from_secs(seconds);
    }

    fn make(&mut self, manifest: &Value, manager: &str, operation: &str) {
        self.versions += 1;
        let mut object = manifest.clone();
        object["metadata"]["uid"] = json!(format!("u-{}", self.versions));
        object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        object["metadata"]["managedFields"] = json!([entry(manager, operation, manifest)]);
        self.objects.insert(identity(manifest), object);
    }

    fn create(&mut self, manifest: &Value) -> Outcome {
        if self.objects.contains_key(&identity(manifest)) {
            return Outcome::Again;
        }
        let identity = identity(manifest);
        self.make(manifest, &manager(LINEAGE), "Update");
        if self.unwanted.remove(&identity) {
            let object = self.objects.get_mut(&identity).expect("what was made");
            object["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        }
        Outcome::Done
    }

    /// An apply, after which an entry of the same manager that is none is taken over.
    fn apply(&mut self, manifest: &Value, uid: &str, force: Option<&str>) -> Outcome {
        self.applies += 1;
        let identity = identity(manifest);
        let Some(object) = self.objects.get(&identity) else {
            return Outcome::Again;
        };
        let is_other =
            |pointer: &str, wanted: &str| object.pointer(pointer) != Some(&json!(wanted));
        let is_newer = force.is_some_and(|version| is_other("/metadata/resourceVersion", version));
        if is_other("/metadata/uid", uid) || is_newer {
            return Outcome::Again;
        }
        let conflicts = conflicts(object, manifest);
        if !conflicts.is_empty() && force.is_none() {
            let names_owners = self.names_owners;
            let conflicts = conflicts.into_iter().filter(|_| names_owners);
            return Outcome::FieldsOwned(conflicts.collect());
        }
        let mut after = object.clone();
        merge(&mut after, manifest);
        let ours = manager(LINEAGE);
        let mut entries = vec![entry(&ours, "Apply", manifest)];
        let others = object["metadata"]["managedFields"]
            .as_array()
            .expect("entries");
        entries.extend(
            others
                .iter()
                .filter(|entry| entry["manager"] != json!(ours))
                .cloned(),
        );
        after["metadata"]["managedFields"] = entries.into();
        self.versions += 1;
        after["metadata"]["resourceVersion"] = json!(self.versions.to_string());
        self.objects.insert(identity, after);
        Outcome::Done
    }

    /// Lets the controllers of the cluster do their work. Returns whether there was any.
    fn tick(&mut self) -> bool {
        let before = self.objects.len();
        let is_there = |object: &Value| object["metadata"]["deletionTimestamp"].is_null();
        self.objects.retain(|_, object| is_there(object));
        let mut changed = self.objects.len() < before;
        for (identity, manager) in &self.restless {
            self.versions += 1;
            if let Some(object) = self.objects.get_mut(identity) {
                object["metadata"]["resourceVersion"] = json!(self.versions.to_string());
                let entries = object["metadata"]["managedFields"].as_array_mut();
                let mut entries = entries.expect("entries").iter_mut();
                if let Some(entry) = entries.find(|entry| entry["manager"] == json!(manager)) {
                    entry["time"] = json!(self.versions);
                }
            }
        }
        for (identity, object) in &mut self.objects {
            if self.stuck.contains(identity) {
                continue;
            }
            let status = match identity.kind.kind.as_str() {
                "CustomResourceDefinition" => json!({"conditions": [
                    {"type": "NamesAccepted", "status": "True"},
                    {"type": "Established", "status": "True"},
                ]}),
                "Namespace" => json!({"phase": "Active"}),
                "Deployment" => json!({
                    "replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1,
                    "conditions": [{"type": "Available", "status": "True"}],
                }),
                "Ship" => json!({"phase": "Sailing"}),
                _ => continue,
            };
            if object["status"] != status {
                object["status"] = status;
                changed = true;
            }
        }
        changed
    }

    fn discovery(&self) -> Discovery {
        let definitions = self.objects.iter().filter(|(identity, object)| {
            identity.kind.is_definition() && object["status"]["conditions"].is_array()
        });
        let defined = definitions.filter_map(|(_, object)| {
            let kind = object["spec"]["names"]["kind"].as_str()?;
            let served = ServedKind {
                plural: kind.to_lowercase(),
                is_namespaced: true,
                versions: ["v1".to_owned()].into(),
            };
            Some((Kind::new(object["spec"]["group"].as_str()?, kind), served))
        });
        discovery().into_iter().chain(defined).collect()
    }
}

/// What one process knows of a plan; another one begins anew.
pub(crate) struct Shell {
    observed: Observation,
    /// None of a plan that is not valid.
    members: Members,
}

impl Shell {
    pub(crate) fn new(spec: &Value, server: &Server) -> Self {
        let observed = Observation {
            plan: Plan {
                identity: plan_identity(),
                generation: 1,
                lineage: LINEAGE.to_owned(),
                is_terminating: false,
            },
            intent: Ok(intent(spec.clone())),
            status: server.status.clone(),
            contents: Contents::default(),
            account: None,
            discovery: None,
            is_discovery_fresh: false,
            answers: Answers::new(),
            roles: Roles::default(),
            objects: BTreeMap::new(),
            trials: BTreeMap::new(),
            attempts: BTreeMap::new(),
            living: BTreeSet::from([LINEAGE.to_owned(), "u-other".to_owned()]),
            successor: None,
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

    /// Looks at all that is asked for, and decides.
    pub(crate) fn decide(&mut self, server: &Server) -> Decision {
        self.observed.status = server.status.clone();
        self.observed.now = server.now;
        self.observed.objects.clear();
        self.observed.is_discovery_fresh = false;
        for _ in 0..ROUNDS {
            let decision = decide(&self.observed);
            if decision.asks.is_empty() {
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

    fn look(&mut self, server: &Server, ask: Ask) {
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
            Ask::Review(access) => drop(observed.answers.insert(access, server.is_allowed)),
            Ask::Object(identity) => {
                observed.is_discovery_fresh = false;
                let object = server.objects.get(&identity).cloned();
                let sight = object.map_or(Sight::Absent, Sight::Present);
                observed.objects.insert(identity, sight);
            }
            Ask::Trial(identity) => {
                let trial = if server.refuses.contains(&identity) {
                    Trial::Refused("no such ship".to_owned())
                } else {
                    Trial::Accepted
                };
                observed.trials.insert(identity, trial);
            }
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
            Ask::ResourceManifest(name) | Ask::Secret(name) => panic!("nothing refers to {name}"),
        }
    }

    /// Carries the plan on until there is nothing left to do, or this many writes are done.
    pub(crate) fn run(&mut self, server: &mut Server, stop_after: Option<usize>) -> End {
        for _ in 0..ROUNDS {
            let decision = self.decide(server);
            let writes = server.writes;
            let (outcomes, stopped) = self.carry_out(server, &decision, stop_after);
            if stopped {
                return End::Stopped;
            }
            let is_again = decision.is_news(&self.observed, &self.members, &outcomes);
            let attempts = self.attempts(&decision, &outcomes);
            let status = decision.after(&self.observed, &self.members, &outcomes);
            self.observed.attempts.extend(attempts);
            if status != server.status {
                server.status = status;
                server.writes += 1;
                if stop_after == Some(server.writes) {
                    return End::Stopped;
                }
            }
            let is_idle = server.writes == writes && !is_again;
            if !server.tick() && is_idle {
                return End::Rest;
            }
        }
        panic!("it must come to rest: {:#?}", server.status);
    }

    /// What is to be remembered of applies that others' fields kept from being done.
    fn attempts(&self, decision: &Decision, outcomes: &[Outcome]) -> Vec<(Identity, Attempt)> {
        let steps = decision.steps.iter().zip(outcomes);
        let attempts = steps.filter_map(|(step, outcome)| {
            let (Step::Apply { member, .. }, Outcome::FieldsOwned(conflicts)) = (step, outcome)
            else {
                return None;
            };
            let identity = self.members[*member].identity.clone();
            let Sight::Present(object) = &self.observed.objects[&identity] else {
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
            let record = server
                .status
                .record
                .as_ref()
                .expect("a record before the first write");
            assert_eq!(record.digest, self.members.digest());
            let (Step::Create { member } | Step::Apply { member, .. }) = step;
            let member = &self.members[*member];
            let manifest = member.applied(LINEAGE);
            let is_failed = outcomes.iter().any(|outcome| *outcome != Outcome::Done);
            let outcome = match step {
                _ if decision.order == Order::InOrder && is_failed => Outcome::Again,
                _ if server.refuses.contains(&member.identity) => {
                    Outcome::Refused("no such ship".to_owned())
                }
                Step::Create { .. } => server.create(&manifest),
                Step::Apply { uid, force, .. } => server.apply(&manifest, uid, force.as_deref()),
            };
            if outcome == Outcome::Done {
                server.writes += 1;
                if stop_after == Some(server.writes) {
                    return (outcomes, true);
                }
            }
            outcomes.push(outcome);
        }
        (outcomes, false)
    }
}

fn version(object: &Value) -> String {
    let version = object["metadata"]["resourceVersion"].as_str();
    version.expect("a version").to_owned()
}

pub(crate) fn identity(manifest: &Value) -> Identity {
    let text = |pointer: &str| {
        manifest
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let api_version = text("/apiVersion").expect("a version");
    let (group, _) = api_version.split_once('/').unwrap_or(("", ""));
    Identity {
        kind: Kind::new(group, &text("/kind").expect("a kind")),
        namespace: text("/metadata/namespace"),
        name: text("/metadata/name").expect("a name"),
    }
}

fn entry(manager: &str, operation: &str, manifest: &Value) -> Value {
    let mut fields = set(manifest);
    fields
        .as_object_mut()
        .expect("a set")
        .retain(|key, _| !["f:apiVersion", "f:kind"].contains(&key.as_str()));
    let metadata = fields["f:metadata"].as_object_mut().expect("metadata");
    metadata.retain(|key, _| !["f:name", "f:namespace"].contains(&key.as_str()));
    json!({"manager": manager, "operation": operation, "fieldsV1": fields})
}

fn set(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten();
    Value::Object(
        fields
            .map(|(key, value)| (format!("f:{key}"), set(value)))
            .collect::<Map<_, _>>(),
    )
}

/// The fields with other values that others own; paths lead through maps whose keys have no dots.
fn conflicts(object: &Value, manifest: &Value) -> Vec<Conflict> {
    let ours = manager(LINEAGE);
    let others = Fields::of(object).others(manifest, &Owner::applies(&ours));
    let others = others
        .into_iter()
        .filter(|(owner, _)| owner.manager != ours);
    let conflicts = others.flat_map(|(owner, fields)| {
        let differs = |field: &String| {
            let pointer = field.replace('.', "/");
            object.pointer(&pointer) != manifest.pointer(&pointer)
        };
        let conflict = move |field: String| Conflict {
            manager: owner.manager.clone(),
            subresource: None,
            field,
        };
        fields
            .into_iter()
            .filter(differs)
            .map(conflict)
            .collect::<Vec<_>>()
    });
    conflicts.collect()
}

fn merge(object: &mut Value, manifest: &Value) {
    match (object.as_object_mut(), manifest.as_object()) {
        (Some(fields), Some(applied)) => {
            for (key, value) in applied {
                merge(fields.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        _ => *object = manifest.clone(),
    }
}
