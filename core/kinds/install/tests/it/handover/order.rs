//! Tests which plan takes over if several plans want to replace the same plan.

use portolan_api::plan::Phase;
use portolan_core_install::Succession;
use portolan_kit::assert_same;
use rstest::rstest;
use serde_json::{Value, json};

use super::{BOTH, about, names, plan, replacing, second, two};
use crate::decide::namespace;
use crate::fleet::Fleet;
use crate::kit::config_map;
use crate::model::{Server, identity};

#[test]
fn older_of_two_successors_is_active() {
    let mut fleet = two();
    fleet.make("b", &second());
    fleet.make("c", &replacing(plan(&[config_map("third")]), &["a"]));
    fleet.run(None);
    assert_same!(names(&fleet), BOTH);
    assert_same!(
        about(&fleet, "c", "Valid"),
        "Valid False AlreadyReplaced b already replaces the same plan; delete one of the two \
         plans, or create a plan that replaces b"
    );
    fleet.delete("b");
    fleet.run(None);
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver c has replaced this plan"
    );
    assert!(names(&fleet).contains(&"ConfigMap harbor/third".to_owned()));
}

#[test]
fn invalid_plan_does_not_block_another_plan() {
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

/// Two plans want to replace the same plan. The second waits for the first until the first is found
/// to be invalid.
#[test]
fn invalid_successor_does_not_block_the_other_successor() {
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
fn newest_plan_of_a_cycle_is_active_and_others_report_it() {
    let mut fleet = Fleet::new(Server::new());
    fleet.make("a", &replacing(plan(&[config_map("a")]), &["c"]));
    fleet.make("b", &replacing(plan(&[config_map("b")]), &["a"]));
    fleet.make("c", &replacing(plan(&[config_map("c")]), &["b"]));
    fleet.run(None);
    assert_same!(names(&fleet), ["ConfigMap harbor/c"]);
    assert_same!(
        about(&fleet, "a", "Replaced"),
        "Replaced True HandedOver c has replaced this plan; spec.replaces names c, which is newer \
         and replaces this plan, so this entry of spec.replaces is ignored"
    );
    assert_eq!(fleet.plan("c").status.phase, Some(Phase::Ready));
}

/// Returns a plan that replaces all plans of its application and sets one value.
fn of_ferry(value: &str) -> Value {
    let mut map = config_map("a");
    map["data"] = json!({"value": value});
    let mut spec = plan(&[map]);
    spec["replaces"] = json!([{"labelSelector": {"matchLabels": {"app": "ferry"}}}]);
    spec
}

/// Creation times have a resolution of one second, and uids are not ordered by age.
#[rstest]
#[case::ascending_uids(["a", "b", "c"])]
#[case::descending_uids(["c", "b", "a"])]
#[case::unordered_uids(["b", "c", "a"])]
fn newest_of_plans_created_in_the_same_second_takes_over(#[case] order: [&str; 3]) {
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

/// The order in which the plans were created is unknown. One of them becomes active and stays
/// active.
#[test]
fn one_of_several_simultaneous_plans_is_active() {
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

/// Returns the plans that are ready. No other plan has replaced them.
fn works(fleet: &Fleet) -> Vec<String> {
    let plans = fleet.plans.iter();
    let working = plans.filter(|it| it.status.phase == Some(Phase::Ready));
    working.map(|it| it.name.clone()).collect()
}

/// The names in `replaces` are random. The plans must still reach a stable state in which no plan
/// has two successors.
#[test]
fn random_relations_between_plans_are_consistent() {
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
                // If two plans replace the same plan, one of them replaces the other, or one of
                // them reports the other as a rival.
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

/// Each case contains the names in `replaces` of each plan, and the expected successors and
/// predecessors.
#[rstest]
#[case::unrelated("a; b", "a: -; b: -")]
#[case::chain("a; b a; c b", "a: -; b: a; c: b a")]
#[case::chain_with_a_redundant_edge("a; b a; c a b", "a: -; b: a; c: b a")]
#[case::two_successors("a; b a; c a", "a: -; b: a; c: - rival b")]
#[case::missing_plan("b a", "b: - missing a")]
#[case::cycle_of_two("a b; b a", "a: - circle b; b: a")]
#[case::plan_created_later("b a; a", "b: a; a: -")]
#[case::by_labels("a *; b *; c *", "a: -; b: a; c: b a")]
#[case::merge("a; b; c a b; d c", "a: -; b: -; c: b a; d: c b a")]
#[case::merge_with_one_plan_already_replaced("a; b; c b; d a b", "a: -; b: -; c: b; d: a rival c")]
#[case::three_rivals(
    "a; b; c; d a b; e b c; f c a",
    "a: -; b: -; c: -; d: b a; e: c rival d; f: - rival d"
)]
fn determines_predecessors_and_successor_of_each_plan(#[case] plans: &str, #[case] expected: &str) {
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
