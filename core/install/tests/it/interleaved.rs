//! Random plans that take the place of each other while others change the same cluster, in any order, by processes
//! that are stopped at any write; beside a ledger that knows of each object only who made it.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use portolan_api::plan::Phase;
use portolan_core_install::Identity;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, namespace, ship, told};
use crate::fleet::Fleet;
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};
use crate::shell::{Round, Shell};

const WORLDS: u64 = 150;
const PLANS: usize = 4;
/// What happens in each of them, one after the other.
const STEPS: usize = 120;

/// What lies in a cluster, by its uid.
type Standing = BTreeMap<String, Identity>;

/// Who made what, as it was seen from outside.
#[derive(Default)]
struct Ledger {
    by_plans: BTreeSet<String>,
    by_others: BTreeSet<String>,
}

/// How often something came to be, so that no check is one of nothing.
#[derive(Debug, Default)]
struct Tally {
    ready: u32,
    handed_over: u32,
    kept_over: u32,
    deleted: u32,
    stopped: u32,
}

struct World {
    seed: u64,
    rng: Rng,
    fleet: Fleet,
    shells: BTreeMap<String, Shell>,
    ledger: Ledger,
    /// Of all plans that there ever were, in their order.
    specs: Vec<(String, Value)>,
    /// The plans that somebody deleted.
    deleted: BTreeSet<String>,
    /// The plans that ever came to write anything.
    begun: BTreeSet<String>,
}

fn claim() -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "harbor", "name": "hold"}, "spec": {"size": 1},
    })
}

/// What any plan or anybody else may have.
fn pool() -> Vec<Value> {
    let maps = ["a", "b", "c", "d", "e"].map(config_map);
    [vec![claim(), deployment("x"), deployment("y")], maps.into()].concat()
}

fn pick<T: Clone>(rng: &mut Rng, all: &[T]) -> T {
    all[rng.usize(..all.len())].clone()
}

/// A random plan that takes the place of all plans before it.
fn spec(rng: &mut Rng, before: &[(String, Value)]) -> Value {
    let mut first = Vec::new();
    let mut second = pool();
    second.retain(|_| rng.u8(..5) > 1);
    for manifest in &mut second {
        if manifest["kind"] == "ConfigMap" && rng.bool() {
            *manifest = with(manifest.clone(), "/data", json!({"key": "newer"}));
        }
    }
    if rng.bool() {
        first.push(namespace());
    }
    if rng.u8(..3) == 0 {
        first.push(definition());
        second.push(ship("one"));
    }
    if second.is_empty() {
        second.push(config_map("a"));
    }
    rng.shuffle(&mut second);
    let mut stages = vec![stage("second", &second)];
    if !first.is_empty() {
        stages.insert(0, stage("first", &first));
    }
    for stage in &mut stages {
        stage["order"] = json!(pick(rng, &["InOrder", "Any"]));
        for resource in stage["resources"].as_array_mut().expect("resources") {
            if rng.u8(..8) == 0 {
                resource["lifecycle"] = json!({"onRemoval": "Keep"});
            }
        }
    }
    let replaces = before.iter().map(|(name, _)| json!({"name": name}));
    json!({
        "collisions": pick(rng, &["Refuse", "IfUnowned", "Adopt", "Adopt"]),
        "lifecycle": {
            "onPlanDeletion": pick(rng, &["Keep", "Delete"]),
            "onDrift": pick(rng, &["Report", "Revert", "Seal"]),
            "onDeletion": pick(rng, &["Report", "Recreate"]),
            "onFound": pick(rng, &["Keep", "Keep", "Own"]),
        },
        "replaces": replaces.collect::<Vec<_>>(),
        "stages": stages,
    })
}

/// The resources of a plan.
fn resources(spec: &Value) -> impl Iterator<Item = &Value> {
    let stages = spec["stages"].as_array().into_iter().flatten();
    stages.flat_map(|stage| stage["resources"].as_array().into_iter().flatten())
}

fn has(spec: &Value, object: &Identity) -> bool {
    resources(spec).any(|resource| identity(&resource["manifest"]) == *object)
}

fn is_precious(object: &Identity) -> bool {
    let precious = [
        "Namespace",
        "CustomResourceDefinition",
        "PersistentVolumeClaim",
    ];
    precious.contains(&object.kind.kind.as_str())
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x5eed);
        let mut server = Server::new();
        for object in pool() {
            if rng.u8(..5) == 0 {
                server = server.with(object);
            }
        }
        let fleet = Fleet::new(server);
        let mut ledger = Ledger::default();
        ledger.by_others.extend(standing(&fleet).into_keys());
        Self {
            seed,
            rng,
            fleet,
            shells: BTreeMap::new(),
            ledger,
            specs: Vec::new(),
            deleted: BTreeSet::new(),
            begun: BTreeSet::new(),
        }
    }

    fn step(&mut self, tally: &mut Tally) {
        match self.rng.u8(..24) {
            0 => self.make(),
            1 if self.rng.u8(..4) == 0 => self.delete(),
            1 | 2 => self.others(),
            // Another process goes on.
            3 => self.shells.clear(),
            4 => self.fleet.server.later(30),
            5..=7 => drop(self.fleet.server.tick()),
            _ => self.turn(tally),
        }
    }

    fn make(&mut self) {
        if self.specs.len() < PLANS {
            let name = format!("p{}", self.specs.len());
            let spec = spec(&mut self.rng, &self.specs);
            self.fleet.make(&name, &spec);
            self.specs.push((name, spec));
        }
    }

    fn delete(&mut self) {
        if !self.fleet.plans.is_empty() {
            let at = self.rng.usize(..self.fleet.plans.len());
            let name = self.fleet.plans[at].name.clone();
            self.fleet.delete(&name);
            self.deleted.insert(name);
        }
    }

    /// Somebody else changes, deletes or makes an object.
    fn others(&mut self) {
        let object = pick(&mut self.rng, &pool());
        let name = identity(&object);
        let (server, way) = (&mut self.fleet.server, self.rng.u8(..3));
        match (server.objects.contains_key(&name), way) {
            (true, 0) => drop(server.objects.remove(&name)),
            (true, _) if object["kind"] == "ConfigMap" => {
                server.edit(&object, "/data/key", json!("another"), "editor");
            }
            (true, _) => server.edit(&object, "/metadata/labels/more", json!("1"), "editor"),
            (false, _) => {
                *server = std::mem::replace(server, Server::new()).with(object);
                let made = &self.fleet.server.objects[&name];
                self.ledger.by_others.insert(uid(made));
            }
        }
    }

    /// A plan has a turn, and may be stopped in it.
    fn turn(&mut self, tally: &mut Tally) {
        if self.fleet.plans.is_empty() {
            return;
        }
        let at = self.rng.usize(..self.fleet.plans.len());
        let plan = self.fleet.plans[at].uid.clone();
        let stop = (self.rng.u8(..3) == 0).then(|| self.rng.usize(1..4));
        let stop = stop.map(|writes| self.fleet.server.writes + writes);
        let head = self.head();
        let before = standing(&self.fleet);
        if self.fleet.round(&plan, &mut self.shells, stop) == Round::Stopped {
            self.shells.remove(&plan);
            tally.stopped += 1;
        }
        self.compare(&before, head.as_ref(), tally);
    }

    /// What became of the cluster in the turn of a plan.
    fn compare(&mut self, before: &Standing, head: Option<&Value>, tally: &mut Tally) {
        let seed = self.seed;
        let after = standing(&self.fleet);
        let gone = before.iter().filter(|(uid, _)| !after.contains_key(*uid));
        for (uid, object) in gone {
            tally.deleted += 1;
            let of_those = |is: fn(&Value) -> bool| {
                let mut specs = self.specs.iter();
                specs.any(|(_, spec)| has(spec, object) && is(spec))
            };
            // Once a plan of the lineage has taken it over, another one may have it for its own.
            let is_owned = of_those(|spec| spec["lifecycle"]["onFound"] == "Own")
                && of_those(|spec| spec["collisions"] != "Refuse");
            let is_theirs = self.ledger.by_others.contains(uid);
            assert!(
                !is_theirs || is_owned,
                "seed {seed}: {object} is not of a plan"
            );
            assert!(!is_precious(object), "seed {seed}: {object} has data in it");
            let is_shared = head.is_some_and(|head| has(head, object));
            assert!(
                !is_shared,
                "seed {seed}: {object} is of the plan that stays"
            );
        }
        let lost = &self.fleet.server.lost;
        assert_eq!(*lost, Vec::<Value>::new(), "seed {seed}");
        let plans = self.fleet.plans.iter();
        let begun = plans.filter(|plan| plan.status.record.is_some());
        self.begun.extend(begun.map(|plan| plan.name.clone()));
        let made = after.into_keys().filter(|uid| !before.contains_key(uid));
        self.ledger.by_plans.extend(made);
    }

    /// The newest plan that has begun and that nobody deletes.
    fn head(&self) -> Option<Value> {
        let mut plans = self.fleet.plans.iter().rev();
        let head = plans
            .find(|plan| plan.status.record.is_some() && !self.deleted.contains(&plan.name))?;
        Some(head.spec.clone())
    }

    /// All is left alone until nothing is done any more.
    fn end(&mut self, tally: &mut Tally) {
        let (mut idle, mut rounds) = (0, 0);
        while idle < 3 {
            rounds += 1;
            assert!(rounds < 1_000, "seed {}: it must come to rest", self.seed);
            let writes = self.fleet.server.writes;
            for uid in self
                .fleet
                .plans
                .iter()
                .map(|plan| plan.uid.clone())
                .collect::<Vec<_>>()
            {
                let (head, before) = (self.head(), standing(&self.fleet));
                self.fleet.round(&uid, &mut self.shells, None);
                self.compare(&before, head.as_ref(), tally);
            }
            let is_moved = self.fleet.server.tick() || writes != self.fleet.server.writes;
            idle = if is_moved { 0 } else { idle + 1 };
        }
        let plans = &self.fleet.plans;
        let Some(last) = plans
            .iter()
            .rev()
            .find(|plan| !self.deleted.contains(&plan.name))
        else {
            return;
        };
        if last.status.phase != Some(Phase::Ready) {
            return;
        }
        tally.ready += 1;
        tally.handed_over += u32::from(self.specs.len() > 1);
        let seed = self.seed;
        for resource in resources(&last.spec) {
            let object = identity(&resource["manifest"]);
            let is_there = self.fleet.server.objects.contains_key(&object);
            assert!(is_there, "seed {seed}: {object} is not there");
            let is_of_all = self.specs.iter().all(|(_, spec)| has(spec, &object));
            tally.kept_over += u32::from(is_of_all && self.specs.len() > 1);
        }
        for (uid, object) in standing(&self.fleet) {
            let is_left = self.ledger.by_plans.contains(&uid) && !has(&last.spec, &object);
            assert!(
                !is_left || is_precious(&object) || self.is_kept(&object),
                "seed {seed}: {object} is left: {:#?}",
                told(&last.status)
            );
        }
    }

    /// Whether a plan says that an object stays: when a plan lacks it that takes the place, or when the plan itself
    /// was deleted. And what was given back to a plan that never came to begin stays, as nobody knows then who
    /// made it.
    fn is_kept(&self, object: &Identity) -> bool {
        let has_it = |(_, spec): &&(String, Value)| has(spec, object);
        let mut all = self.specs.iter().filter(has_it);
        let is_given_back = self
            .specs
            .iter()
            .filter(has_it)
            .any(|(name, _)| self.deleted.contains(name))
            && all.any(|(name, _)| !self.begun.contains(name));
        is_given_back
            || self.specs.iter().any(|(name, spec)| {
                let of_resource = resources(spec).any(|resource| {
                    let is_it = identity(&resource["manifest"]) == *object;
                    is_it && resource["lifecycle"]["onRemoval"] == "Keep"
                });
                let is_deleted = self.deleted.contains(name);
                let of_plan = is_deleted && spec["lifecycle"]["onPlanDeletion"] == "Keep";
                of_resource || (of_plan && has(spec, object))
            })
    }
}

fn uid(object: &Value) -> String {
    let uid = object["metadata"]["uid"].as_str();
    uid.expect("a uid").to_owned()
}

fn standing(fleet: &Fleet) -> Standing {
    let objects = fleet.server.objects.iter();
    objects
        .map(|(name, object)| (uid(object), name.clone()))
        .collect()
}

#[test]
fn whatever_comes_between_no_plan_deletes_what_is_not_its_own_and_none_leaves_anything() {
    let mut tally = Tally::default();
    for seed in 0..WORLDS {
        let mut world = World::new(seed);
        for _ in 0..STEPS {
            world.step(&mut tally);
        }
        world.end(&mut tally);
    }
    println!("{tally:?} in {WORLDS} worlds");
    let Tally {
        ready,
        handed_over,
        kept_over,
        deleted,
        stopped,
    } = tally;
    let all = [ready, handed_over, kept_over, deleted, stopped];
    assert!(all.iter().all(|count| *count > 50), "{all:?}");
}

/// A plan that never came to make an object, which others made then, and a later plan found: the one after that
/// takes over from both.
#[test]
fn what_a_later_plan_found_stays_though_an_earlier_one_was_to_make_it() {
    let (found, stuck) = (config_map("found"), deployment("x"));
    let mut fleet = Fleet::new(Server::new());
    fleet.server.stuck.insert(identity(&stuck));
    let stages = [
        stage("first", std::slice::from_ref(&stuck)),
        stage("second", std::slice::from_ref(&found)),
    ];
    fleet.make("a", &json!({"stages": stages}));
    fleet.run(None);
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(found.clone());
    let adopting = json!({
        "collisions": "Adopt", "replaces": [{"name": "a"}],
        "stages": [stage("all", &[found.clone(), stuck])],
    });
    fleet.make("b", &adopting);
    fleet.run(None);
    let last = json!({
        "replaces": [{"name": "b"}], "stages": [stage("all", &[config_map("same")])],
    });
    fleet.make("c", &last);
    fleet.run(None);
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
    let left: Vec<_> = fleet.server.objects.keys().cloned().collect();
    assert_eq!(left, [identity(&found), identity(&config_map("same"))]);
}
