//! Checks that unrelated objects and the order of objects do not change a Diagnosis.

use proptest::prelude::*;
use proptest::sample::select;

use super::kit::{Shop, Story, operator, read};
use super::stories;
use crate::{Cause, Diagnosis, Object};

fn names() -> impl Strategy<Value = (&'static str, Story)> {
    select(stories::all())
}

/// Clears the risk of changes to an OperatorGroup, because the risk lists all installed operators.
fn without_risk(cause: &mut Cause) {
    cause.below.iter_mut().for_each(without_risk);
    if cause.at_fault.kind == "OperatorGroup" {
        let changes = cause.remedy.fix.iter_mut().chain(&mut cause.remedy.decide);
        changes.for_each(|change| change.risk.clear());
    }
}

/// Removes the Diagnosis of one operator. Also removes this operator from the victims of the other
/// operators.
fn without(diagnoses: Vec<Diagnosis>, name: &str) -> Vec<Diagnosis> {
    let is_it = |object: &Object| object.name == name;
    let mut diagnoses: Vec<Diagnosis> = diagnoses;
    diagnoses.retain(|one| !is_it(&one.subject.object));
    for one in &mut diagnoses {
        one.victims.retain(|victim| !is_it(victim));
        one.cause.iter_mut().for_each(without_risk);
    }
    diagnoses
}

/// Adds an unrelated healthy operator, with its own catalog.
fn with_stranger(story: Story) -> Story {
    story
        .stall("olm", "island", Shop::Known(read("stranger: 1.0.0")))
        .with("stranger", "stranger.v1.0.0")
        .subscriptions("stranger", |subscription| {
            subscription.spec.source = "island".to_owned()
        })
}

/// Changes the order of all lists.
fn shuffled(story: Story, turns: usize) -> Story {
    story.change(|all| {
        all.stalls.reverse();
        all.elsewhere.reverse();
        all.policies.reverse();
        all.unpacks.reverse();
        let space = &mut all.namespace;
        turn(&mut space.subscriptions.objects, turns);
        turn(&mut space.groups.objects, turns);
        turn(&mut space.csvs.objects, turns);
        turn(&mut space.conditions.objects, turns);
        turn(&mut space.deployments.objects, turns);
        turn(&mut space.crds.objects, turns);
        turn(&mut space.served.objects, turns);
        for csv in &mut space.csvs.objects {
            turn(&mut csv.status.requirements, turns);
            turn(&mut csv.spec.custom_resources.owned, turns);
            turn(&mut csv.spec.install.spec.deployments, turns);
        }
    })
}

fn turn<T>(list: &mut [T], turns: usize) {
    if !list.is_empty() {
        let by = turns % list.len();
        list.rotate_left(by);
    }
}

/// Tests every scenario at least once.
#[test]
fn unrelated_operator_changes_no_diagnosis() {
    for (name, story) in stories::all() {
        let before = without(story.diagnose(), "stranger");
        let after = without(with_stranger(story).diagnose(), "stranger");
        similar_asserts::assert_eq!(before, after, "{name}");
    }
}

#[test]
fn healthy_catalog_changes_no_diagnosis() {
    for (name, story) in stories::all() {
        let before = story.diagnose();
        let island = Shop::Known(read("stranger: 1.0.0 -> 2.0.0"));
        let after = story.stall("olm", "island", island).diagnose();
        similar_asserts::assert_eq!(before, after, "{name}");
    }
}

#[test]
fn operator_of_another_namespace_changes_no_diagnosis() {
    for (name, story) in stories::all() {
        let before = story.diagnose();
        let after = story.change(|all| {
            let mut other = operator("stranger.v1.0.0");
            other.observed.object.namespace = "island".to_owned();
            all.elsewhere.push(other);
        });
        similar_asserts::assert_eq!(before, after.diagnose(), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn order_of_objects_changes_no_diagnosis((name, story) in names(), turns in 0_usize..5) {
        let before = story.diagnose();
        let after = shuffled(story, turns).diagnose();
        prop_assert_eq!(before, after, "{}", name);
    }

    #[test]
    fn unrelated_operator_in_any_order_changes_no_diagnosis((name, story) in names(), turns in 0_usize..5) {
        let before = without(story.diagnose(), "stranger");
        let after = without(shuffled(with_stranger(story), turns).diagnose(), "stranger");
        prop_assert_eq!(before, after, "{}", name);
    }
}
