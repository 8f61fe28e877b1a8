//! Records the objects of a cluster and their creators, and checks what plans do with them. It
//! implements the rules again in a slow and simple form, without the tested code.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::{JobState, Status};
use portolan_core_install::{ObjectRef, manager};
use serde_json::Value;

use super::written::{has, resource};
use crate::fleet::{Fleet, Ship};
use crate::model::identity;

/// The objects in a cluster by their uids.
pub(super) type LiveObjects = BTreeMap<String, Value>;

/// The number of times that each case has occurred. The tests assert that no case is missing.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) ready: u32,
    pub(super) handed_over: u32,
    pub(super) kept_over: u32,
    pub(super) deleted: u32,
    pub(super) stopped: u32,
    pub(super) taken_over: u32,
    pub(super) transformed: u32,
    pub(super) made_again: u32,
    pub(super) jobs_failed: u32,
    pub(super) jobs_done: u32,
    pub(super) given_up: u32,
    pub(super) precious: u32,
    pub(super) suspended: u32,
    pub(super) gone: u32,
    /// The number of test runs in which all objects of several plans were deleted at the end.
    pub(super) cleared: u32,
    /// The number of ready plans that have merged other plans.
    pub(super) merged: u32,
}

impl Tally {
    /// Returns the count of the rarest case.
    pub(super) fn rarest(&self) -> u32 {
        let Self {
            ready,
            handed_over,
            kept_over,
            deleted,
            stopped,
            taken_over,
            transformed,
            made_again,
            jobs_failed,
            jobs_done,
            given_up,
            precious,
            suspended,
            gone,
            cleared,
            merged,
        } = *self;
        let of_plans = [
            ready,
            handed_over,
            kept_over,
            stopped,
            suspended,
            given_up,
            gone,
            cleared,
            merged,
        ];
        let of_objects = [deleted, taken_over, transformed, made_again, precious];
        let of_jobs = [jobs_failed, jobs_done];
        let all = of_plans.iter().chain(&of_objects).chain(&of_jobs);
        all.copied().min().unwrap_or_default()
    }
}

/// The creators of objects, as seen in the cluster, and everything that plans have reported.
#[derive(Default)]
pub(super) struct Ledger {
    by_plans: BTreeSet<String>,
    pub(super) by_others: BTreeSet<String>,
    /// The objects of other users that a plan has taken over.
    taken: BTreeSet<String>,
    /// The objects that may stay, because the settings of a deleted plan keep them.
    kept: BTreeSet<String>,
    /// For each run of a Job: the number of creations, minus the number of deletions by other
    /// users.
    runs: BTreeMap<String, i32>,
    /// Each spec that a plan has ever had, with the name of the plan.
    pub(super) said: Vec<(String, Value)>,
}

/// The reconciliation of a plan: the state before and after it.
pub(super) struct Turn<'t> {
    pub(super) before: &'t Ship,
    /// The plan after the reconciliation. None if it was deleted.
    pub(super) after: Option<&'t Ship>,
    /// The objects that existed before the reconciliation.
    pub(super) standing: &'t LiveObjects,
    /// The plans that have begun, are not being deleted, and that no other active plan replaces.
    pub(super) heads: &'t [Ship],
    /// True if the plan reported during this reconciliation that it gives up its deletion.
    pub(super) gave_up: bool,
}

pub(super) fn standing(fleet: &Fleet) -> LiveObjects {
    let objects = fleet.server.objects.values();
    objects
        .map(|object| (uid(object), object.clone()))
        .collect()
}

pub(super) fn uid(object: &Value) -> String {
    let uid = object["metadata"]["uid"].as_str();
    uid.expect("a uid").to_owned()
}

pub(super) fn is_precious(object: &ObjectRef) -> bool {
    let precious = [
        "Namespace",
        "CustomResourceDefinition",
        "PersistentVolumeClaim",
    ];
    precious.contains(&object.kind.kind.as_str())
}

fn lineage(object: &Value) -> Option<&str> {
    object["metadata"]["labels"]["plans.portolan.dev/lineage"].as_str()
}

fn is_claimed(object: &Value) -> bool {
    let annotations = &object["metadata"]["annotations"];
    annotations["meta.helm.sh/release-name"].is_string()
}

/// Returns the uids of the objects that the status records for a transformation.
fn transformed(status: &Status) -> BTreeSet<&str> {
    let all = status.transformed.iter();
    let objects = all.flat_map(|one| &one.objects);
    objects.map(|taken| taken.uid.as_str()).collect()
}

impl Ledger {
    /// Another client deletes an object.
    pub(super) fn others_delete(&mut self, object: &ObjectRef) {
        if object.kind.kind == "Job" {
            *self.runs.entry(object.name.clone()).or_default() -= 1;
        }
    }

    fn ever(&self, is: impl Fn(&Value) -> bool) -> bool {
        self.said.iter().any(|(_, spec)| is(spec))
    }

    /// Checks all changes of the cluster that happened during the reconciliation of a plan.
    pub(super) fn compare(&mut self, turn: &Turn<'_>, fleet: &Fleet, tally: &mut Tally) {
        let after = standing(fleet);
        let spec = &turn.before.spec;
        let names = |all: &LiveObjects| all.keys().cloned().collect::<BTreeSet<_>>();
        let (had, has_now) = (names(turn.standing), names(&after));
        for gone in had.difference(&has_now) {
            tally.deleted += 1;
            self.may_go(&turn.standing[gone], turn, tally);
        }
        assert_eq!(fleet.server.lost, Vec::<Value>::new());
        for stays in had.intersection(&has_now) {
            self.may_change(&turn.standing[stays], &after[stays], turn, tally);
            self.may_adopt(&turn.standing[stays], &after[stays], (turn, fleet));
        }
        for made in has_now.difference(&had) {
            self.may_come(&after[made], turn);
            self.by_plans.insert(made.clone());
        }
        if spec["suspend"] == true {
            tally.suspended += 1;
            assert_eq!(turn.standing, &after, "it is suspended");
        }
        self.records(turn);
        if turn.after.is_none() {
            self.lets_go(turn, &after, tally);
        }
    }

    fn may_go(&self, object: &Value, turn: &Turn<'_>, tally: &mut Tally) {
        let (name, uid, spec) = (identity(object), uid(object), &turn.before.spec);
        let is_transformed = transformed(&turn.before.status).contains(uid.as_str());
        if is_transformed {
            tally.transformed += 1;
            assert!(
                !has(spec, &name) && !is_precious(&name),
                "{name} is no old one"
            );
            return;
        }
        assert_ne!(name.kind.kind, "Job", "{name} is not deleted by its plan");
        // If a plan of this lineage has taken the object over, another plan may own it now.
        let is_owned = self.taken.contains(&uid)
            && self.ever(|spec| has(spec, &name) && spec["lifecycle"]["onFound"] == "Own");
        let is_theirs = self.by_others.contains(&uid);
        assert!(!is_theirs || is_owned, "{name} is not of a plan");
        if is_precious(&name) {
            tally.precious += 1;
            let may_go = |spec: &Value| {
                resource(spec, &name).is_some_and(|it| it["lifecycle"]["onRemoval"] == "Delete")
            };
            assert!(self.ever(may_go), "{name} has data in it");
        }
        let own = resource(spec, &name).filter(|_| turn.before.terminating_since.is_none());
        if let Some(own) = own {
            tally.made_again += 1;
            let is_meant = own["lifecycle"]["onImmutable"] == "Recreate";
            let differs = ["spec", "data"]
                .iter()
                .any(|key| own["manifest"][key] != object[key]);
            assert!(is_meant && differs, "{name} is a member");
        } else {
            let of = lineage(object).unwrap_or_default();
            let is_of = |plan: &Ship| plan.status.lineages().any(|own| own == of);
            assert!(is_of(turn.before), "{name} is of another plan");
            let mut heads = turn.heads.iter();
            let is_shared = heads.any(|head| has(&head.spec, &name) && is_of(head));
            assert!(!is_shared, "{name} is of the plan that stays");
        }
    }

    /// Asserts that a plan changes an object of another user only if it reports that it takes the
    /// object over.
    fn may_change(&mut self, old: &Value, new: &Value, turn: &Turn<'_>, tally: &mut Tally) {
        let (name, uid, spec) = (identity(new), uid(new), &turn.before.spec);
        if old == new || !self.by_others.contains(&uid) || self.taken.contains(&uid) {
            return;
        }
        if transformed(&turn.before.status).contains(uid.as_str()) {
            // The object is only marked for deletion.
            return;
        }
        assert!(has(spec, &name), "{name} is no member");
        assert!(lineage(new).is_some(), "{name} is taken over or left alone");
        tally.taken_over += 1;
        match spec["collisions"].as_str().expect("a word") {
            "Adopt" => {}
            "IfUnowned" => assert!(!is_claimed(old), "{name} is somebody's"),
            _ => panic!("{name} is taken over though that is refused"),
        }
        self.taken.insert(uid);
    }

    /// Asserts that a plan changes an object of another lineage only in two cases: all plans of
    /// that lineage are deleted, or the plan adopts objects. Afterwards, no plan of that lineage
    /// may delete the object.
    fn may_adopt(&mut self, old: &Value, new: &Value, (turn, fleet): (&Turn<'_>, &Fleet)) {
        let Some(of) = lineage(old).filter(|_| old != new) else {
            return;
        };
        let plan = turn.after.unwrap_or(turn.before);
        let is_of = |plan: &Ship| plan.status.lineages().any(|own| own == of);
        if is_of(plan) || transformed(&turn.before.status).contains(uid(new).as_str()) {
            return;
        }
        let name = identity(new);
        let is_living = fleet.plans.iter().any(is_of);
        // The plan may take back fields that another plan took from it.
        let entries = old["metadata"]["managedFields"]
            .as_array()
            .into_iter()
            .flatten();
        let mut own = plan.status.lineages().map(|lineage| manager(lineage));
        let has_fields = own.any(|own| entries.clone().any(|entry| entry["manager"] == *own));
        let is_meant = plan.spec["collisions"] == "Adopt" || has_fields;
        assert!(is_meant || !is_living, "{name} is of another plan");
        self.kept.insert(uid(new));
    }

    /// Asserts that a plan creates an object only in its current stage, after all Jobs of earlier
    /// stages have succeeded. Also asserts that each run of a Job is created only once.
    fn may_come(&mut self, object: &Value, turn: &Turn<'_>) {
        let name = identity(object);
        if name.kind.kind == "Job" {
            let times = self.runs.entry(name.name.clone()).or_default();
            *times += 1;
            assert!(*times <= 1, "{name} is run again");
            return;
        }
        let spec = &turn.before.spec;
        let stages = spec["stages"].as_array().expect("stages");
        let is_in = |stage: &Value| {
            let mut resources = stage["resources"].as_array().into_iter().flatten();
            resources.any(|resource| identity(&resource["manifest"]) == name)
        };
        let at = stages.iter().position(is_in);
        let at = at.unwrap_or_else(|| panic!("{name} is no member"));
        for stage in &stages[..at] {
            for job in stage["jobs"].as_array().into_iter().flatten() {
                let mut known = turn.before.status.jobs.iter();
                let is_done = known.any(|known| {
                    let is_it = stage["name"] == *known.stage && job["name"] == *known.name;
                    is_it && known.state == JobState::Succeeded
                });
                assert!(is_done, "{name} comes before {}", job["name"]);
            }
        }
    }

    /// Asserts that the objects that a plan records for a transformation match its selection and do
    /// not exceed its limit.
    fn records(&self, turn: &Turn<'_>) {
        let Some(after) = turn.after else { return };
        let known = transformed(&turn.before.status);
        for one in &after.status.transformed {
            let written = &after.spec["transformations"][one.index as usize];
            let most = written["max"].as_u64().expect("a number");
            assert!(one.objects.len() as u64 <= most, "no more than may go");
            for taken in &one.objects {
                let Some(object) = turn.standing.get(&taken.uid) else {
                    continue;
                };
                if known.contains(taken.uid.as_str()) {
                    continue;
                }
                let (name, from) = (identity(object), &written["from"][0]);
                let is_named = from["name"] == *name.name;
                let label = &object["metadata"]["labels"]["app"];
                let is_labelled = *label == from["labelSelector"]["matchLabels"]["app"];
                let is_selected = is_named || (from["name"].is_null() && is_labelled);
                assert!(is_selected && name.kind.kind == "ConfigMap", "{name}");
                assert!(!has(&after.spec, &name), "{name} is a member");
            }
        }
    }

    /// Records that a plan is gone. The objects that its settings keep may stay forever.
    fn lets_go(&mut self, turn: &Turn<'_>, after: &LiveObjects, tally: &mut Tally) {
        tally.gone += 1;
        tally.given_up += u32::from(turn.gave_up);
        let plan = turn.before;
        let keeps_all = plan.is_abandoned || turn.gave_up;
        self.keeps(plan, keeps_all, after);
    }

    pub(super) fn keeps(&mut self, plan: &Ship, keeps_all: bool, after: &LiveObjects) {
        for (uid, object) in after {
            let Some(resource) = resource(&plan.spec, &identity(object)) else {
                continue;
            };
            let said = &resource["lifecycle"]["onPlanDeletion"];
            let said = said
                .as_str()
                .or(plan.spec["lifecycle"]["onPlanDeletion"].as_str());
            if keeps_all || said == Some("Keep") {
                self.kept.insert(uid.clone());
            }
        }
    }

    /// Returns true if an object may stay without its plan, because the settings of a plan keep it.
    pub(super) fn is_left(&self, object: &Value) -> bool {
        let (name, uid) = (identity(object), uid(object));
        let keeps = |spec: &Value| {
            let resource = resource(spec, &name);
            resource.is_some_and(|it| it["lifecycle"]["onRemoval"] == "Keep")
        };
        let is_excused = self.kept.contains(&uid) || self.ever(keeps) || is_precious(&name);
        name.kind.kind != "Job" && self.by_plans.contains(&uid) && !is_excused
    }
}
