//! Property tests that hold for every removal.

use std::collections::BTreeSet;

use proptest::prelude::*;
use rstest::rstest;
use serde_json::{Map, Value, json};

use super::walk::{Walk, installed, leaving, made, reversed, unwanted, vault};
use crate::kinds::{CRD, CSV, SUBSCRIPTION};
use crate::tests::kit::merged;

type ConditionReason = Option<&'static str>;

/// The value of `removalBehavior` for each kind.
#[derive(Debug, Clone, Copy)]
struct Behavior {
    groups: ConditionReason,
    subscriptions: ConditionReason,
    csvs: ConditionReason,
    crds: ConditionReason,
    plans: ConditionReason,
}

impl Behavior {
    fn spec(self) -> Value {
        let Self {
            groups,
            subscriptions,
            csvs,
            crds,
            plans,
        } = self;
        let condition = [
            ("operatorGroups", groups),
            ("subscriptions", subscriptions),
            ("clusterServiceVersions", csvs),
            ("customResourceDefinitions", crds),
            ("installPlans", plans),
        ];
        let condition = condition
            .into_iter()
            .filter_map(|(kind, removal_action)| Some((kind.to_owned(), json!(removal_action?))));
        json!({"removalBehavior": condition.collect::<Map<_, _>>()})
    }

    /// Returns the objects that the removal must keep. The algorithm is simpler than the algorithm
    /// in the tested code.
    fn left(self, is_made: bool) -> BTreeSet<String> {
        let is_deleted = |removal_action: ConditionReason, by_default: bool| match removal_action {
            Some("Keep") => false,
            Some(_) => true,
            None => by_default,
        };
        let subscription = is_deleted(self.subscriptions, is_made);
        let csv = is_deleted(self.csvs, is_made);
        let is_unused = subscription && csv;
        let group = match self.groups {
            Some("Keep") => false,
            Some("Delete") => true,
            Some(_) => is_unused,
            None => is_unused && is_made,
        };
        let objects = [
            ("Namespace databases", false),
            ("CustomResourceDefinition backups.other.example", false),
            ("Subscription etcd", subscription),
            ("ClusterServiceVersion etcd.v1.0.0", csv),
            ("OperatorGroup etcd-group", group),
            (
                "CustomResourceDefinition clusters.etcd.example",
                is_deleted(self.crds, false),
            ),
            ("InstallPlan install-abc", is_deleted(self.plans, false)),
        ];
        let left = objects.into_iter().filter(|(_, goes)| !goes);
        left.map(|(name, _)| name.to_owned()).collect()
    }
}

const ORDER: &[&str] = &[
    "Subscription",
    "CustomResourceDefinition",
    "ClusterServiceVersion",
    "OperatorGroup",
    "InstallPlan",
];

fn place(deleted: &str) -> usize {
    let mut kinds = ORDER.iter();
    let kind = deleted.split(' ').next();
    kinds
        .position(|each| Some(*each) == kind)
        .expect("a deleted kind")
}

/// Behaviors 102, 105, 106, 107. Defect D16.
#[rstest]
fn leaving_policy_deletes_kinds_in_order_as_configured(
    #[values(None, Some("Keep"), Some("DeleteIfUnused"), Some("Delete"))] groups: ConditionReason,
    #[values(None, Some("Keep"), Some("Delete"))] subscriptions: ConditionReason,
    #[values(None, Some("Keep"), Some("Delete"))] csvs: ConditionReason,
    #[values(true, false)] is_made: bool,
) {
    let words = [None, Some("Keep"), Some("Delete")];
    let words = words.map(|crds| words.map(|plans| (crds, plans)));
    for (crds, plans) in words.concat() {
        let behavior = Behavior {
            groups,
            subscriptions,
            csvs,
            crds,
            plans,
        };
        let by = if is_made { made() } else { json!({}) };
        let walk = installed(leaving(behavior.spec()), &by).end(&[]);
        assert_eq!(walk.left(), behavior.left(is_made), "{behavior:?}");
        assert!(
            walk.deleted.is_sorted_by_key(|each| place(each)),
            "{:?}",
            walk.deleted
        );
        assert!(!walk.is_held(), "{behavior:?}");
    }
}

/// Behaviors 97, 102, 105, 106, 107.
#[rstest]
fn mustnothave_policy_deletes_kinds_in_order_as_configured(
    #[values(None, Some("Keep"), Some("DeleteIfUnused"))] groups: ConditionReason,
    #[values(None, Some("Keep"), Some("Delete"))] subscriptions: ConditionReason,
    #[values(None, Some("Keep"), Some("Delete"))] csvs: ConditionReason,
    #[values(true, false)] is_made: bool,
) {
    for crds in [None, Some("Keep"), Some("Delete")] {
        let behavior = Behavior {
            groups,
            subscriptions,
            csvs,
            crds,
            plans: None,
        };
        let by = if is_made { made() } else { json!({}) };
        let named = json!({"operatorGroup": {"name": "etcd-group"}});
        let spec = merged(behavior.spec(), named);
        let walk = installed(unwanted(spec), &by).end(&[]);
        assert_eq!(walk.left(), behavior.left(is_made), "{behavior:?}");
        let deleted = &walk.deleted;
        assert!(deleted.is_sorted_by_key(|each| place(each)), "{deleted:?}");
    }
}

fn removal_action() -> impl Strategy<Value = ConditionReason> {
    prop_oneof![Just(None), Just(Some("Keep")), Just(Some("Delete"))]
}

fn behavior() -> impl Strategy<Value = Behavior> {
    let groups = prop_oneof![
        Just(None),
        Just(Some("Keep")),
        Just(Some("DeleteIfUnused")),
        Just(Some("Delete"))
    ];
    (
        groups,
        removal_action(),
        removal_action(),
        removal_action(),
        removal_action(),
    )
        .prop_map(|(groups, subscriptions, csvs, crds, plans)| Behavior {
            groups,
            subscriptions,
            csvs,
            crds,
            plans,
        })
}

/// Generates a removal of an operator. The policy created the operator or not. Some objects have
/// finalizers. The namespace may have a second operator.
fn walk() -> impl Strategy<Value = Walk> {
    let flags = prop::array::uniform5(any::<bool>());
    (behavior(), flags).prop_map(
        |(behavior, [is_made, has_other, on_one, on_two, on_three])| {
            let by = if is_made { made() } else { json!({}) };
            let mut walk = installed(leaving(behavior.spec()), &by);
            let finalizers = json!({"metadata": {"finalizers": ["some/finalizer"]}});
            for (kind, is_held) in [(SUBSCRIPTION, on_one), (CSV, on_two), (CRD, on_three)] {
                if is_held {
                    walk.merge(kind, &finalizers);
                }
            }
            if has_other {
                walk.stage.objects.push(vault());
            }
            walk
        },
    )
}

proptest! {
    #[test]
    fn interrupted_removal_ends_like_an_uninterrupted_one(
        walk in walk(),
        crashes in prop::collection::vec(0_usize..3, 0..12),
    ) {
        let whole = walk.clone().end(&[]);
        let broken = walk.end(&crashes);
        prop_assert_eq!(whole.stage.objects, broken.stage.objects);
        prop_assert_eq!(whole.deleted, broken.deleted);
        prop_assert_eq!(
            whole.stage.policy["metadata"]["finalizers"].clone(),
            broken.stage.policy["metadata"]["finalizers"].clone()
        );
    }

    #[test]
    fn objects_that_the_policy_keeps_are_never_deleted(
        mut walk in walk(),
        at in 0_usize..6,
        later in behavior(),
        crashes in prop::collection::vec(0_usize..3, 0..6),
    ) {
        for round in 0..at {
            walk.take(crashes.get(round).copied().unwrap_or(usize::MAX));
            walk.settle();
        }
        // From here on, the removal continues with a changed policy.
        let before = walk.deleted.len();
        let spec = json!({"spec": {"removalBehavior": null}});
        walk.stage.policy = merged(walk.stage.policy, spec);
        walk.stage.policy = merged(walk.stage.policy, json!({"spec": later.spec()}));
        let walk = walk.end(&[]);
        let kept = [
            ("Subscription", later.subscriptions),
            ("ClusterServiceVersion", later.csvs),
            ("OperatorGroup", later.groups),
            ("InstallPlan", later.plans.or(Some("Keep"))),
            ("CustomResourceDefinition", later.crds.or(Some("Keep"))),
        ];
        for (kind, removal_action) in kept {
            let deleted = walk.deleted[before..].iter();
            let is_deleted = deleted.into_iter().any(|each| each.starts_with(kind));
            prop_assert!(!(is_deleted && removal_action == Some("Keep")), "{} is kept", kind);
        }
        prop_assert!(!walk.deleted.iter().any(|each| each.ends_with(" vault")));
    }

    #[test]
    fn decision_does_not_depend_on_the_order_of_objects(
        mut walk in walk(),
        rounds in 0_usize..5,
    ) {
        for _ in 0..rounds {
            walk.take(usize::MAX);
            let observed = walk.observed();
            prop_assert_eq!(
                walk.desired_of(&observed),
                walk.desired_of(&reversed(observed.clone()))
            );
            walk.settle();
        }
    }
}
