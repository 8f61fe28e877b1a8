//! How plans take the place of others, story by story.

use portolan_api::plan::Phase;
use portolan_core_install::Succession;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use crate::decide::{definition, deployment, namespace, ship, told};
use crate::fleet::Fleet;
use crate::kit::{config_map, stage, with};
use crate::model::{Server, identity};

/// A plan of these objects, in one stage.
pub(crate) fn plan(manifests: &[Value]) -> Value {
    json!({"stages": [stage("all", manifests)]})
}

pub(crate) fn replacing(mut spec: Value, plans: &[&str]) -> Value {
    let names: Vec<_> = plans.iter().map(|name| json!({"name": name})).collect();
    spec["replaces"] = names.into();
    spec
}

pub(crate) fn changed(name: &str) -> Value {
    with(config_map(name), "/data", json!({"other": "new"}))
}

pub(crate) fn names(fleet: &Fleet) -> Vec<String> {
    fleet
        .server
        .objects
        .keys()
        .map(ToString::to_string)
        .collect()
}

pub(crate) fn deleted(fleet: &Fleet) -> Vec<String> {
    let deleted = fleet.server.deleted.iter();
    deleted.map(|object| identity(object).to_string()).collect()
}

pub(crate) fn said(fleet: &Fleet, name: &str) -> Vec<String> {
    told(&fleet.plan(name).status)
}

/// What a plan says of that.
pub(crate) fn about(fleet: &Fleet, name: &str, type_: &str) -> String {
    let said = said(fleet, name);
    let line = said.into_iter().find(|line| line.starts_with(type_));
    line.unwrap_or_else(|| format!("nothing of {type_}"))
}

pub(crate) fn object<'f>(fleet: &'f Fleet, manifest: &Value) -> &'f Value {
    &fleet.server.objects[&identity(manifest)]
}

/// A is ready: it has `same`, `changed`, `dropped`. B has `added` instead of the last.
pub(crate) fn two() -> Fleet {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&["same", "changed", "dropped"].map(config_map)));
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    fleet
}

pub(crate) fn second() -> Value {
    replacing(
        plan(&[config_map("same"), changed("changed"), config_map("added")]),
        &["a"],
    )
}

const BOTH: [&str; 3] = [
    "ConfigMap harbor/added",
    "ConfigMap harbor/changed",
    "ConfigMap harbor/same",
];

#[test]
fn a_plan_takes_the_place_of_another() {
    let mut fleet = two();
    let lineage = fleet.plan("a").uid.clone();
    let before = object(&fleet, &config_map("same")).clone();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    assert_same!(deleted(&fleet), ["ConfigMap harbor/dropped"]);
    assert_same!(object(&fleet, &config_map("same")), &before);
    assert_same!(
        object(&fleet, &config_map("changed"))["data"],
        json!({"other": "new"})
    );
    assert_same!(
        said(&fleet, "a"),
        [
            "Resting",
            "Valid True PlanValid the plan is valid",
            "Permitted True PermissionsHeld the ServiceAccount has all permissions",
            "Applied True AllApplied 3 objects were applied",
            "Ready False Resting b takes its place",
            "Replaced True HandedOver b has taken its place",
        ]
    );
    assert_same!(
        said(&fleet, "b")[4..],
        [
            "Ready True AllReady 3 objects are ready",
            "Replaced False NotReplaced no plan takes its place",
        ]
    );
    for name in ["a", "b"] {
        assert_same!(fleet.plan(name).status.lineage, Some(lineage.clone()));
        assert!(!fleet.plan(name).has_finalizer);
    }
    // Nothing more is to be done, and the old one may go.
    let writes = fleet.server.writes;
    fleet.run(None);
    assert_eq!(fleet.server.writes, writes);
    fleet.delete("a");
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn what_only_the_old_plan_has_is_there_until_the_new_one_is_ready() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&[config_map("old"), config_map("same")]));
    fleet.run(None);
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("same"), deployment("ferry")]), &["a"]),
    );
    fleet.run(None);
    assert_same!(deleted(&fleet), Vec::<String>::new());
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandingOver b takes its place"
    );
    // It is not lost if somebody deletes the old one now.
    assert!(fleet.plan("a").has_finalizer);
    fleet.delete("a");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Ready"),
        "Ready False Deleting b takes its place: it goes once b is ready, and has deleted what only this \
         plan made"
    );
    assert_same!(deleted(&fleet), Vec::<String>::new());
    fleet.server.stuck.clear();
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(deleted(&fleet), ["ConfigMap harbor/old"]);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
}

/// One that is half way, and would go on, and would revert what the other one changes.
#[test]
fn a_plan_rests_before_another_takes_its_place() {
    let mut fleet = Fleet::new(Server::new());
    let manifests = [config_map("same"), deployment("ferry"), config_map("late")];
    let stages = manifests.each_ref().map(|one| {
        let name = one["metadata"]["name"].as_str().expect("a name");
        stage(name, std::slice::from_ref(one))
    });
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    let lifecycle = json!({"onDrift": "Revert", "onDeletion": "Recreate"});
    fleet.make("a", &json!({"lifecycle": lifecycle, "stages": stages}));
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[changed("same")]), &["a"]));
    fleet.server.stuck.clear();
    fleet.run_from(1, None);
    assert_same!(names(&fleet), ["ConfigMap harbor/same"]);
    assert_same!(
        object(&fleet, &changed("same"))["data"],
        json!({"other": "new"})
    );
    assert_same!(
        about(&fleet, "a", "Applied"),
        "Applied False Resting b takes its place"
    );
}

#[test]
fn a_plan_in_the_middle_is_passed_over() {
    let mut fleet = two();
    fleet.server.stuck = [identity(&deployment("ferry"))].into();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("same"), deployment("ferry")]), &["a"]),
    );
    fleet.run(None);
    fleet.make(
        "c",
        &replacing(plan(&[config_map("same"), config_map("third")]), &["b"]),
    );
    fleet.run(None);
    assert_same!(
        names(&fleet),
        ["ConfigMap harbor/same", "ConfigMap harbor/third"]
    );
    for name in ["a", "b"] {
        assert_same!(
            about(&fleet, name, "Replaced"),
            "Replaced True HandedOver c has taken its place"
        );
    }
    // The next one has it from the one in the middle, which never had it all.
    fleet.delete("c");
    fleet.server.stuck.clear();
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver b has taken its place"
    );
}

#[test]
fn of_two_successors_the_older_works() {
    let mut fleet = two();
    fleet.make("b", &second());
    fleet.make("c", &replacing(plan(&[config_map("third")]), &["a"]));
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    assert_same!(
        about(&fleet, "c", "Valid"),
        "Valid False AlreadyReplaced b replaces already what this plan would replace; delete one of \
         them, or write a plan that replaces b"
    );
    fleet.delete("b");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver c has taken its place"
    );
    assert!(names(&fleet).contains(&"ConfigMap harbor/third".to_owned()));
}

#[test]
fn one_that_cannot_be_carried_out_makes_room_for_another() {
    let mut fleet = two();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("x"), namespace()]), &["a"]),
    );
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Invalid));
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    fleet.make("c", &second());
    fleet.run(None);
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
}

/// One is told that the other is in its way, before it is known that the other cannot do it.
#[test]
fn of_two_successors_one_that_cannot_be_carried_out_makes_room() {
    let mut fleet = two();
    fleet.make(
        "b",
        &replacing(plan(&[config_map("x"), namespace()]), &["a"]),
    );
    fleet.make("c", &second());
    fleet.run_from(2, None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Invalid));
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
}

#[test]
fn a_plan_that_is_suspended_takes_no_place_and_keeps_the_one_it_has() {
    let mut fleet = two();
    let mut spec = second();
    spec["suspend"] = json!(true);
    fleet.make("b", &spec);
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Suspended));
    fleet.plan_mut("b").spec["suspend"] = json!(false);
    fleet.run(None);
    fleet.plan_mut("b").spec["suspend"] = json!(true);
    fleet.run(None);
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Resting));
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn a_plan_waits_with_its_end_for_one_that_may_take_its_place() {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&["same", "changed", "dropped"].map(config_map));
    spec["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("a", &spec);
    fleet.run(None);
    let mut other = second();
    other["suspend"] = json!(true);
    fleet.make("b", &other);
    fleet.delete("a");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Ready"),
        "Ready False Deleting b replaces it, and is not valid and permitted yet; delete one of them, or \
         wait"
    );
    assert_same!(deleted(&fleet), Vec::<String>::new());
    fleet.plan_mut("b").spec["suspend"] = json!(false);
    fleet.run(None);
    assert!(!fleet.has("a"));
    assert_same!(deleted(&fleet), ["ConfigMap harbor/dropped"]);
    assert_same!(names(&fleet), BOTH);
}

#[test]
fn a_plan_that_is_gone_already_has_left_its_objects() {
    let mut fleet = two();
    let lineage = fleet.plan("a").uid.clone();
    fleet.delete("a");
    assert!(!fleet.has("a"));
    fleet.make("b", &second());
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_same!(fleet.plan("b").status.lineage, Some(lineage));
    assert_same!(
        object(&fleet, &config_map("changed"))["data"],
        json!({"other": "new"})
    );
    // What is in no plan any more stays, as the plan that had it said.
    assert!(names(&fleet).contains(&"ConfigMap harbor/dropped".to_owned()));
    // One that names nobody who is gone takes over nothing.
    fleet.delete("b");
    fleet.make("c", &plan(&[config_map("same")]));
    fleet.run(None);
    assert!(about(&fleet, "c", "Applied").starts_with("Applied False CollisionRefused"));
}

/// What goes once the new plan lacks it.
#[rstest]
#[case::usually(json!({}), true)]
#[case::it_is_to_stay(json!({"onRemoval": "Keep"}), false)]
#[case::whatever_becomes_of_it_with_its_plan(json!({"onPlanDeletion": "Keep"}), true)]
fn an_object_that_a_later_plan_lacks(#[case] lifecycle: Value, #[case] goes: bool) {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&[config_map("a"), definition(), namespace()]);
    spec["stages"][0]["order"] = json!("Any");
    spec["stages"][0]["resources"][0]["lifecycle"] = lifecycle;
    fleet.make("a", &spec);
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[config_map("b")]), &["a"]));
    fleet.run(None);
    assert_eq!(
        fleet
            .server
            .objects
            .contains_key(&identity(&config_map("a"))),
        !goes
    );
    // Others keep data in these.
    assert!(fleet.server.objects.contains_key(&identity(&definition())));
    assert!(fleet.server.objects.contains_key(&identity(&namespace())));
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver b has taken its place"
    );
}

#[test]
fn a_definition_that_a_later_plan_lacks_waits_for_its_objects() {
    let mut fleet = Fleet::new(Server::new());
    let mut spec = plan(&[namespace(), definition()]);
    spec["stages"][0]["resources"][1]["lifecycle"] = json!({"onRemoval": "Delete"});
    fleet.make("a", &spec);
    fleet.run(None);
    fleet.make("b", &replacing(plan(&[namespace(), ship("one")]), &["a"]));
    fleet.run(None);
    let why = "CustomResourceDefinition.apiextensions.k8s.io ship.ferry.example waits, as with it would \
               be lost what is to stay: 1 object, Ship.ferry.example harbor/one; delete these";
    assert_same!(
        about(&fleet, "b", "Replaced"),
        format!("Replaced False DeletionBlocked of what only a has, 1 object still there: {why}")
    );
    assert_eq!(fleet.server.events.len(), 1);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_eq!(fleet.server.lost, Vec::<Value>::new());
}

#[test]
fn what_the_old_plan_found_stays() {
    let mut fleet = Fleet::new(Server::new().with(config_map("found")));
    let mut spec = plan(&[config_map("found"), config_map("kept")]);
    spec["collisions"] = json!("Adopt");
    fleet.make("a", &spec);
    fleet.run(None);
    let mut second = replacing(plan(&[changed("found"), config_map("kept")]), &["a"]);
    second["lifecycle"] = json!({"onPlanDeletion": "Delete"});
    fleet.make("b", &second);
    fleet.run(None);
    fleet.make("c", &replacing(plan(&[config_map("kept")]), &["b"]));
    fleet.run(None);
    for name in ["a", "b", "c"] {
        fleet.delete(name);
    }
    fleet.run(None);
    assert!(fleet.plans.is_empty());
    assert!(names(&fleet).contains(&"ConfigMap harbor/found".to_owned()));
}

#[test]
fn the_right_to_delete_what_goes_is_asked_for_beforehand() {
    let mut fleet = two();
    fleet.server.denies = ["delete"].into();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(
        about(&fleet, "b", "Permitted"),
        r#"Permitted False PermissionMissing the ServiceAccount installer lacks rules, in namespace harbor: {"apiGroups":[""],"resources":["configmaps"],"verbs":["delete"]}; `portolan plan permissions b -n harbor` prints the roles to apply"#
    );
    assert_eq!(fleet.plan("a").status.phase, Some(Phase::Ready));
}

#[test]
fn a_delete_of_a_leftover_that_is_refused_is_told() {
    let mut fleet = two();
    fleet.server.refuses = [identity(&config_map("dropped"))].into();
    fleet.make("b", &second());
    fleet.run(None);
    assert_same!(
        about(&fleet, "b", "Replaced"),
        "Replaced False DeletionBlocked ConfigMap harbor/dropped is refused: it is needed"
    );
    assert_same!(
        about(&fleet, "b", "Ready True"),
        "Ready True AllReady 3 objects are ready"
    );
}

#[test]
fn plans_in_a_circle_are_told_and_the_newest_works() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &replacing(plan(&[config_map("a")]), &["c"]));
    fleet.make("b", &replacing(plan(&[config_map("b")]), &["a"]));
    fleet.make("c", &replacing(plan(&[config_map("c")]), &["b"]));
    fleet.run(None);
    assert_same!(names(&fleet), ["ConfigMap harbor/c"]);
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver c has taken its place; it names c, newer and replacing it, which does \
         not count"
    );
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
}

/// One that replaces all plans of its application, and sets one thing.
fn of_ferry(value: &str) -> Value {
    let mut map = config_map("a");
    map["data"] = json!({"value": value});
    let mut spec = plan(&[map]);
    spec["replaces"] = json!([{"labelSelector": {"matchLabels": {"app": "ferry"}}}]);
    spec
}

/// The times at which objects were made have whole seconds, and uids say nothing of age.
#[rstest]
#[case::whose_uids_rise(["a", "b", "c"])]
#[case::whose_uids_fall(["c", "b", "a"])]
#[case::whose_uids_do_neither(["b", "c", "a"])]
fn of_plans_of_one_second_the_last_one_works(#[case] order: [&str; 3]) {
    for first in 0..3 {
        let mut fleet = Fleet::new(Server::new());
        for name in order {
            fleet.make_at_once(name, &of_ferry(name));
            fleet.run_from(first, None);
            assert_eq!(works(&fleet), [name], "{order:?}, turn {first}");
        }
        let data = &fleet.server.objects[&identity(&config_map("a"))]["data"];
        assert_eq!(data["value"], order[2]);
    }
}

/// Which of them came first nobody can tell then; it is one of them, and stays that one.
#[test]
fn of_plans_that_come_at_once_one_works() {
    for first in 0..3 {
        let mut fleet = Fleet::new(Server::new());
        for name in ["a", "b", "c"] {
            fleet.make_at_once(name, &of_ferry(name));
        }
        fleet.run_from(first, None);
        let working = works(&fleet);
        assert_eq!(working.len(), 1, "{working:?}");
        for turn in 0..3 {
            fleet.run_from(turn, None);
            assert_eq!(works(&fleet), working);
        }
        fleet.make("d", &of_ferry("d"));
        fleet.run(None);
        assert_eq!(works(&fleet), ["d"]);
    }
}

/// The plans that have their place.
fn works(fleet: &Fleet) -> Vec<String> {
    let plans = fleet.plans.iter();
    let working = plans.filter(|it| it.status.phase == Some(Phase::Ready));
    working.map(|it| it.name.clone()).collect()
}

/// Whoever names whom, there is an end to it, and nobody has two successors.
#[test]
fn plans_that_name_each_other_at_random() {
    let mut related = 0;
    for seed in 0..500 {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let mut fleet = Fleet::new(Server::new());
        let names = ["a", "b", "c", "d", "e", "f"];
        for name in names {
            let others = names
                .iter()
                .filter(|other| **other != name && rng.u8(..4) == 0);
            let others: Vec<_> = others.copied().collect();
            let mut spec = replacing(plan(&[config_map("a")]), &others);
            if rng.u8(..6) == 0 {
                spec["replaces"] = json!([{"labelSelector": {"matchLabels": {"app": "ferry"}}}]);
            }
            fleet.make(name, &spec);
            if rng.u8(..3) == 0 {
                let gone = rng.usize(..fleet.plans.len());
                fleet.plans.remove(gone);
            }
        }
        let peers = fleet.peers();
        let all: Vec<_> = peers
            .iter()
            .map(|peer| (peer, Succession::of(&peer.uid, &peers)))
            .collect();
        for (peer, succession) in &all {
            let before: Vec<_> = succession.predecessors.iter().map(|one| &one.uid).collect();
            assert!(
                !before.contains(&&peer.uid),
                "seed {seed}: {} before itself",
                peer.name
            );
            related += before.len();
            for (other, theirs) in &all {
                let theirs: Vec<_> = theirs.predecessors.iter().map(|one| &one.uid).collect();
                let is_after = theirs.contains(&&peer.uid);
                let is_before = before.contains(&&other.uid);
                assert!(
                    !is_after || !is_before,
                    "seed {seed}: {} and {}",
                    peer.name,
                    other.name
                );
                // Two that come after one come one after the other, or one of them has a rival.
                for one in before.iter().filter(|one| theirs.contains(one)) {
                    let is_same = peer.uid == other.uid;
                    let is_ordered = is_same || is_after || is_before;
                    let has_rival = all.iter().any(|(_, any)| any.rival.is_some());
                    assert!(
                        is_ordered || has_rival,
                        "seed {seed}: {one} has two successors"
                    );
                }
            }
        }
    }
    assert!(related > 500, "{related}");
}

/// Who is whose successor and predecessor, by what each says.
#[rstest]
#[case::nobody("a; b", "a: -; b: -")]
#[case::one_after_the_other("a; b a; c b", "a: -; b: a; c: b a")]
#[case::over_one_in_between("a; b a; c a b", "a: -; b: a; c: b a")]
#[case::two_of_one("a; b a; c a", "a: -; b: a; c: - rival b")]
#[case::one_that_is_gone("b a", "b: - missing a")]
#[case::a_circle_of_two("a b; b a", "a: - circle b; b: a")]
#[case::one_that_comes_later("b a; a", "b: a; a: -")]
#[case::by_labels("a *; b *; c *", "a: -; b: a; c: b a")]
#[case::a_merge("a; b; c a b; d c", "a: -; b: -; c: b a; d: c b a")]
#[case::a_merge_of_which_one_is_taken("a; b; c b; d a b", "a: -; b: -; c: b; d: a rival c")]
#[case::three_that_contest(
    "a; b; c; d a b; e b c; f c a",
    "a: -; b: -; c: -; d: b a; e: c rival d; f: - rival d"
)]
fn succession(#[case] plans: &str, #[case] expected: &str) {
    let mut fleet = Fleet::new(Server::new());
    for written in plans.split("; ") {
        let words: Vec<_> = written.split(' ').collect();
        let (name, replaces) = words.split_first().expect("a name");
        let mut spec = replacing(plan(&[config_map("a")]), replaces);
        if replaces == ["*"] {
            spec["replaces"] = json!([{"labelSelector": {"matchLabels": {"app": "ferry"}}}]);
        }
        fleet.make(name, &spec);
    }
    let peers = fleet.peers();
    let said = peers.iter().map(|peer| {
        let succession = Succession::of(&peer.uid, &peers);
        let names: Vec<_> = succession
            .predecessors
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        let mut said = format!(
            "{}: {}",
            peer.name,
            if names.is_empty() {
                "-".to_owned()
            } else {
                names.join(" ")
            }
        );
        for (what, name) in succession
            .rival
            .iter()
            .map(|name| ("rival", name))
            .chain(succession.missing.iter().map(|name| ("missing", name)))
            .chain(succession.circle.iter().map(|name| ("circle", name)))
        {
            said.push_str(&format!(" {what} {name}"));
        }
        said
    });
    assert_same!(said.collect::<Vec<_>>().join("; "), expected);
}

/// An object that both plans have with the same manifest costs neither a dry run nor a write.
#[test]
fn only_changed_objects_are_tried_and_written() {
    let names: Vec<_> = (0..20).map(|at| format!("c{at}")).collect();
    let all: Vec<_> = names.iter().map(|name| config_map(name)).collect();
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &plan(&all));
    fleet.run(None);
    assert_eq!((fleet.server.trials.get(), fleet.server.applies), (20, 0));
    let mut next = all.clone();
    next[3] = changed("c3");
    next[7] = changed("c7");
    fleet.make("b", &replacing(plan(&next), &["a"]));
    fleet.run(None);
    assert_eq!(fleet.plan("b").status.phase, Some(Phase::Ready));
    assert_eq!((fleet.server.trials.get(), fleet.server.applies), (22, 2));
}

/// A changed object is tried, so that a conflict with another owner is reported before the first write.
#[test]
fn conflict_of_a_changed_object_is_found_before_the_first_write() {
    let mut fleet = two();
    fleet.server.edit(
        &config_map("changed"),
        "/data/other",
        json!("theirs"),
        "editor",
    );
    let writes = fleet.server.applies;
    fleet.make("b", &second());
    fleet.run(None);
    assert!(about(&fleet, "b", "Applied").starts_with("Applied False FieldsOwned"));
    assert_eq!(fleet.server.applies, writes);
    assert!(!names(&fleet).contains(&"ConfigMap harbor/added".to_owned()));
}
