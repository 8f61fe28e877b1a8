//! Random plans replace each other while other users change the same cluster. All actions happen in
//! a random order, and the controller may stop at any write. A ledger checks that plans only do
//! what they may do.

mod ledger;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use fastrand::Rng;
use portolan_api::plan::{JobState, Phase, Reason};
use portolan_core_install::Succession;
use serde_json::{Value, json};

use crate::decide::{deployment, describe, ship};
use crate::fleet::{Fleet, Ship};
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};
use crate::shell::{Round, Shell};
use ledger::{Ledger, LiveObjects, Tally, Turn, standing, uid};
use written::{frozen, has, mutable, old, pick, pool, resources, spec};

const WORLDS: u64 = 200;
const PLANS: usize = 4;
/// The number of random actions in each test run.
const STEPS: usize = 160;

struct World {
    rng: Rng,
    fleet: Fleet,
    shells: BTreeMap<String, Shell>,
    ledger: Ledger,
    /// The uids of the plans that were changed and not reconciled since.
    unseen: BTreeSet<String>,
    /// The names of all plans that ever existed, in order of creation.
    names: Vec<String>,
    /// True if the plans belong to several lineages, and a plan merges them.
    is_merging: bool,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::with_seed(seed ^ 0x5eed);
        let mut server = Server::new();
        for object in [pool(), old()].concat() {
            if rng.u8(..8) == 0 {
                server = server.with(claimed(&mut rng, object));
            }
        }
        if rng.bool() {
            server.frozen = frozen().into();
        }
        let fleet = Fleet::new(server);
        let mut ledger = Ledger::default();
        ledger.by_others.extend(standing(&fleet).into_keys());
        Self {
            rng,
            fleet,
            shells: BTreeMap::new(),
            ledger,
            unseen: BTreeSet::new(),
            names: Vec::new(),
            is_merging: seed % 3 == 2,
        }
    }

    fn step(&mut self, tally: &mut Tally) {
        match self.rng.u8(..30) {
            0 => self.make(),
            1 if self.rng.u8(..4) == 0 => self.delete(),
            1 | 2 => self.others(),
            // Drops all cached facts, as if a new process continued the work.
            4 => self.shells.clear(),
            5 => self.fleet.server.later(30),
            6..=8 => self.tick(),
            9 => self.change(),
            10 => self.fleet.server.failing = self.rng.usize(..3),
            11 => self.hold(),
            12 if self.rng.u8(..4) == 0 => self.abandon(),
            13 => self.release(),
            _ => self.turn(tally),
        }
    }

    fn make(&mut self) {
        if self.names.len() < PLANS {
            let name = format!("p{}", self.names.len());
            let before = self.before();
            let mut spec = spec(&mut self.rng, &before);
            let collisions = self.allowed(&spec, spec["collisions"].clone());
            spec["collisions"] = collisions;
            self.fleet.make(&name, &spec);
            self.names.push(name.clone());
            self.ledger.said.push((name, spec));
        }
    }

    /// Returns the plans that the next plan replaces: all earlier plans. In a test that merges
    /// lineages, these are only some of the earlier plans. The first two plans then begin separate
    /// lineages.
    fn before(&mut self) -> Vec<String> {
        let made = self.names.len();
        let places: &[&[usize]] = match (self.is_merging, made) {
            (true, 1) => &[&[]],
            (true, 2) => &[&[0, 1], &[0, 1], &[0, 1], &[1]],
            (true, 3) => &[&[0, 1, 2], &[0, 1, 2], &[2], &[0, 1]],
            _ => return self.names.clone(),
        };
        let places = pick(&mut self.rng, places);
        places.iter().map(|at| self.names[*at].clone()).collect()
    }

    /// Two active plans that adopt the same objects would take them from each other endlessly. For
    /// this reason, only a plan that replaces the first plan may adopt objects.
    fn allowed(&self, spec: &Value, value: Value) -> Value {
        let mut replaces = spec["replaces"].as_array().into_iter().flatten();
        let is_one = !self.is_merging || replaces.any(|one| one["name"] == "p0");
        if value == "Adopt" && !is_one {
            json!("IfUnowned")
        } else {
            value
        }
    }

    /// Returns the name of a random existing plan.
    fn any_plan(&mut self) -> Option<String> {
        let names: Vec<_> = self.fleet.plans.iter().map(|plan| &plan.name).collect();
        (!names.is_empty()).then(|| pick(&mut self.rng, &names).clone())
    }

    fn delete(&mut self) {
        let Some(name) = self.any_plan() else { return };
        let plan = self.fleet.plan(&name).clone();
        self.fleet.delete(&name);
        if !self.fleet.has(&name) {
            // If the plan has no finalizer, it is gone at once. Its objects then stay.
            let keeps_all = plan.is_abandoned || self.unseen.contains(&plan.uid);
            self.ledger.keeps(&plan, keeps_all, &standing(&self.fleet));
        }
    }

    /// A user changes a mutable field of a random plan.
    fn change(&mut self) {
        let Some(name) = self.any_plan() else { return };
        let (pointer, values) = pick(&mut self.rng, &mutable());
        let value = pick(&mut self.rng, &values);
        let value = self.allowed(&self.fleet.plan(&name).spec, value);
        self.fleet.change(&name, pointer, value);
        let spec = self.fleet.plan(&name).spec.clone();
        self.unseen.insert(self.fleet.plan(&name).uid.clone());
        self.ledger.said.push((name, spec));
    }

    fn abandon(&mut self) {
        if let Some(name) = self.any_plan() {
            let plan = self.fleet.plan_mut(&name);
            plan.is_abandoned = !plan.is_abandoned;
            self.unseen.insert(plan.uid.clone());
        }
    }

    /// A user adds a finalizer to an object, so that the object stays after a delete request.
    fn hold(&mut self) {
        let object = pick(&mut self.rng, &pool());
        let server = &mut self.fleet.server;
        if server.objects.contains_key(&identity(&object)) {
            server.hold(&object, "ferry.example/hold");
        }
    }

    fn release(&mut self) {
        let server = &mut self.fleet.server;
        for identity in std::mem::take(&mut server.held) {
            if let Some(object) = server.objects.get_mut(&identity) {
                object["metadata"]["finalizers"] = Value::Null;
            }
        }
    }

    fn tick(&mut self) {
        self.fleet.server.tick();
        self.fleet.collect();
    }

    /// Another client changes, deletes or creates an object.
    fn others(&mut self) {
        let mut all = [pool(), old()].concat();
        let objects = self.fleet.server.objects.values();
        all.extend(objects.filter(|it| it["kind"] == "Job").cloned());
        // An object can only be created while the API server serves its kind.
        let ship = ship("two");
        let served = self.fleet.server.discovery();
        if served.kind(&identity(&ship).kind).is_some() {
            all.push(ship);
        }
        let object = pick(&mut self.rng, &all);
        let name = identity(&object);
        let way = self.rng.u8(..3);
        let server = &mut self.fleet.server;
        let is_frozen = server.frozen.contains(&name);
        match (server.objects.contains_key(&name), way) {
            (true, 0) => {
                server.objects.remove(&name);
                self.ledger.others_delete(&name);
            }
            (true, _) if object["kind"] == "ConfigMap" && !is_frozen => {
                server.edit(&object, "/data/key", json!("another"), "editor");
            }
            (true, _) => server.edit(&object, "/metadata/labels/more", json!("1"), "editor"),
            (false, _) => {
                let object = claimed(&mut self.rng, object);
                *server = std::mem::replace(server, Server::new()).with(object);
                let made = &self.fleet.server.objects[&name];
                self.ledger.by_others.insert(uid(made));
            }
        }
    }

    /// Reconciles a plan. The controller may be stopped during this.
    fn turn(&mut self, tally: &mut Tally) {
        if self.fleet.plans.is_empty() {
            return;
        }
        let at = self.rng.usize(..self.fleet.plans.len());
        let plan = self.fleet.plans[at].uid.clone();
        let stop = (self.rng.u8(..3) == 0).then(|| self.rng.usize(1..4));
        let stop = stop.map(|writes| self.fleet.server.writes + writes);
        self.turn_of(&plan, stop, tally);
    }

    fn turn_of(&mut self, plan: &str, stop: Option<usize>, tally: &mut Tally) {
        let find = |fleet: &Fleet| fleet.plans.iter().find(|it| it.uid == plan).cloned();
        let Some(before) = find(&self.fleet) else {
            return;
        };
        let heads = self.heads(|plan| plan.status.record.is_some());
        let heads: Vec<_> = heads.into_iter().cloned().collect();
        let standing: LiveObjects = standing(&self.fleet);
        self.fleet.server.events.clear();
        if self.fleet.round(plan, &mut self.shells, stop) == Round::Stopped {
            self.shells.remove(plan);
            tally.stopped += 1;
        } else {
            self.unseen.remove(plan);
        }
        let after = find(&self.fleet);
        let count = |state: JobState| {
            let jobs = after.iter().flat_map(|plan| &plan.status.jobs);
            jobs.filter(|job| job.state == state).count()
        };
        let was = |state: JobState| {
            let jobs = before.status.jobs.iter();
            jobs.filter(|job| job.state == state).count()
        };
        tally.jobs_failed += u32::from(count(JobState::Failed) > was(JobState::Failed));
        tally.jobs_done += u32::from(count(JobState::Succeeded) > was(JobState::Succeeded));
        let mut events = self.fleet.server.events.iter();
        let turn = Turn {
            before: &before,
            after: after.as_ref(),
            standing: &standing,
            heads: &heads,
            gave_up: events.any(|event| event.reason == Reason::ObjectsRemain),
        };
        self.ledger.compare(&turn, &self.fleet, tally);
    }

    /// Returns the plans that are not being deleted and that no other plan in the selection
    /// replaces.
    fn heads(&self, is: impl Fn(&Ship) -> bool) -> Vec<&Ship> {
        let peers = self.fleet.peers();
        let staying = self.fleet.plans.iter();
        let staying = staying.filter(|plan| plan.terminating_since.is_none() && is(plan));
        let staying: Vec<_> = staying.collect();
        let covered: BTreeSet<_> = staying
            .iter()
            .flat_map(|plan| Succession::of(&plan.uid, &peers).predecessors)
            .map(|peer| peer.uid)
            .collect();
        let mut heads = staying;
        heads.retain(|plan| !covered.contains(&plan.uid));
        heads
    }

    /// Reconciles all plans until no work is left. No other client changes the cluster, and no
    /// process is stopped.
    fn end(&mut self, tally: &mut Tally) {
        self.release();
        self.fleet.server.failing = 0;
        self.fleet.server.retry = Some("at the end".to_owned());
        let names: Vec<_> = self.fleet.plans.iter().map(|it| it.name.clone()).collect();
        let is_open = self.rng.u8(..3) > 0;
        for name in names {
            self.fleet.change(&name, "/suspend", json!(false));
            if is_open {
                let adopts = self.allowed(&self.fleet.plan(&name).spec, json!("Adopt"));
                self.fleet.change(&name, "/collisions", adopts);
            }
        }
        let is_over = self.rng.u8(..3) == 0;
        let (mut idle, mut rounds) = (0, 0);
        while idle < 3 {
            rounds += 1;
            let said = |plan: &Ship| (plan.name.clone(), describe(&plan.status));
            assert!(
                rounds < 1_000,
                "it must come to rest: {:#?}",
                self.fleet.plans.iter().map(said).collect::<Vec<_>>()
            );
            if is_over && self.rng.bool() {
                self.delete();
                idle = 0;
            }
            self.fleet.server.later(1);
            let writes = self.fleet.server.writes;
            let plans: Vec<_> = self.fleet.plans.iter().map(|it| it.uid.clone()).collect();
            for uid in plans {
                self.turn_of(&uid, None, tally);
            }
            let is_moved = self.fleet.server.tick() || writes != self.fleet.server.writes;
            self.fleet.collect();
            idle = if is_moved { 0 } else { idle + 1 };
        }
        self.judge(tally);
    }

    /// Checks the properties of the final state.
    fn judge(&self, tally: &mut Tally) {
        let plans = &self.fleet.plans;
        let lasts = self.heads(|_| true);
        let is_blocked = |plan: &Ship| {
            let mut said = plan.status.conditions.iter();
            said.any(|said| said.reason == Reason::DeletionBlocked.as_str())
        };
        let are_ready = lasts.iter().all(|it| it.status.phase == Some(Phase::Ready));
        let is_any_blocked = lasts.iter().any(|last| is_blocked(last));
        if are_ready {
            for plan in plans.iter().filter(|it| it.terminating_since.is_some()) {
                let is_told = is_blocked(plan) || is_any_blocked;
                let said = describe(&plan.status);
                assert!(is_told, "{} is not gone: {said:#?}", plan.name);
            }
        }
        if plans.is_empty() {
            self.judge_leftovers(tally);
        }
        if !are_ready || lasts.is_empty() {
            return;
        }
        for last in &lasts {
            self.judge_head(last, tally);
        }
        for object in standing(&self.fleet).values().filter(|_| !is_any_blocked) {
            let name = identity(object);
            let is_had = lasts.iter().any(|last| has(&last.spec, &name));
            let is_left = self.ledger.is_left(object) && !is_had;
            let said: Vec<_> = lasts.iter().map(|last| describe(&last.status)).collect();
            assert!(!is_left, "{name} is left: {said:#?}");
        }
    }

    /// Checks a ready plan that no other plan replaces.
    fn judge_head(&self, last: &Ship, tally: &mut Tally) {
        tally.ready += 1;
        tally.handed_over += u32::from(self.names.len() > 1);
        tally.merged += u32::from(!last.status.merged_lineages.is_empty());
        for resource in resources(&last.spec) {
            let object = identity(&resource["manifest"]);
            let is_there = self.fleet.server.objects.contains_key(&object);
            assert!(is_there, "{object} is not there");
            let is_of_all = self.ledger.said.iter().all(|(_, spec)| has(spec, &object));
            tally.kept_over += u32::from(is_of_all && self.names.len() > 1);
        }
        let jobs = last.spec["stages"].as_array().into_iter().flatten();
        let jobs = jobs.flat_map(|stage| stage["jobs"].as_array().into_iter().flatten());
        let mut known = last.status.jobs.iter();
        assert!(known.all(|known| known.state == JobState::Succeeded));
        assert_eq!(jobs.count(), last.status.jobs.len());
        let taken = last.status.transformed.iter().flat_map(|one| &one.objects);
        let left = standing(&self.fleet);
        for taken in taken {
            assert!(!left.contains_key(&taken.uid), "{} is there", taken.name);
        }
    }

    /// Asserts that each remaining object of a plan remains because of the settings of a plan.
    fn judge_leftovers(&self, tally: &mut Tally) {
        tally.cleared += u32::from(self.names.len() > 1);
        for object in standing(&self.fleet).values() {
            let name = identity(object);
            assert!(!self.ledger.is_left(object), "{name} is left");
        }
    }
}

/// Adds a random owner to an object, as another tool would do.
fn claimed(rng: &mut Rng, object: Value) -> Value {
    if rng.u8(..4) > 0 {
        return object;
    }
    let claim = json!({"meta.helm.sh/release-name": "ferry"});
    with(object, "/metadata/annotations", claim)
}

/// The range of random seeds to test. Set `PORTOLAN_WORLDS=FIRST..END` to test other seeds.
#[expect(
    clippy::disallowed_methods,
    reason = "a test may be asked for more; no decision is"
)]
fn worlds() -> Range<u64> {
    let Ok(asked) = std::env::var("PORTOLAN_WORLDS") else {
        return 0..WORLDS;
    };
    let ends = asked.split_once("..").expect("the first world..the end");
    let [first, end] = [ends.0, ends.1].map(|end| end.parse().expect("a number"));
    first..end
}

#[test]
fn interleaved_plans_delete_all_and_only_their_own_objects() {
    let mut tally = Tally::default();
    let worlds = worlds();
    for seed in worlds.clone() {
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let mut world = World::new(seed);
            for _ in 0..STEPS {
                world.step(&mut tally);
            }
            world.end(&mut tally);
        }));
        if let Err(panic) = outcome {
            println!("in the world {seed}");
            resume_unwind(panic);
        }
    }
    println!("{tally:?} in the worlds {worlds:?}");
    assert!(tally.rarest() > 1, "{tally:?}");
}

/// An earlier plan contains an object that it did not create. Then another user created it, and a
/// later plan found it. The next plan replaces both plans and must keep the object.
#[test]
fn object_found_by_later_plan_is_kept_despite_earlier_plan() {
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

/// Another user recreates an object, and a plan takes it over. Immediately afterwards, the plan and
/// its record are deleted.
#[test]
fn adopted_object_is_not_deleted_by_the_previous_plan() {
    let map = config_map("a");
    let spec = json!({
        "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [stage("all", std::slice::from_ref(&map))],
    });
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &spec);
    fleet.run(None);
    fleet.server.objects.remove(&identity(&map));
    fleet.server = std::mem::replace(&mut fleet.server, Server::new()).with(map.clone());
    let adopting = json!({
        "collisions": "Adopt", "replaces": [{"name": "a"}], "stages": spec["stages"],
    });
    fleet.make("b", &adopting);
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    fleet.delete("b");
    assert!(!fleet.has("b"));
    fleet.delete("a");
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert!(fleet.server.objects.contains_key(&identity(&map)));
}
