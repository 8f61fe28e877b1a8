//! Tests of operators that move together, or one after the other.

use portolan_core_operator::{CommonRoute, Conditions, End};
use serde_json::json;
use similar_asserts::assert_eq;

use crate::cluster::{Cluster, move_to, wish};

fn end(package: &str) -> End {
    End {
        package: package.to_owned(),
        ..End::default()
    }
}

/// Returns two operators at 1.0.0 that both must move to 1.1.0.
fn two() -> Cluster {
    two_on(Cluster::with_ferry())
}

fn two_on(mut cluster: Cluster) -> Cluster {
    cluster
        .packages
        .insert("rope".to_owned(), vec!["1.0.0", "1.1.0"]);
    for name in ["ferry", "rope"] {
        let spec = wish(name, "1.0.0");
        cluster.put(name, spec);
    }
    cluster.settle();
    cluster.take_written();
    cluster
}

fn both_wish(cluster: &mut Cluster) {
    for name in ["ferry", "rope"] {
        let spec = wish(name, "1.1.0");
        cluster.put(name, spec);
    }
}

#[test]
fn creates_both_plans_before_it_releases_one() {
    let mut cluster = two();
    both_wish(&mut cluster);
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0"), move_to("rope", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(
        cluster.reported("ferry"),
        "False WaitingForOtherOperators: the operator is upgraded together with rope, which \
         cannot be upgraded to rope.v1.1.0 yet"
    );
    assert_eq!(cluster.status("ferry").path[0].with, ["rope"]);
    cluster.turn("rope", usize::MAX);
    cluster.carry_out();
    assert_eq!(cluster.take_written(), ["make ferry-2", "make rope-2"]);
    cluster.turn("rope", usize::MAX);
    // The new route contains no moves, so only the released plan of rope shows that ferry must
    // follow.
    cluster.routes = Some(vec![CommonRoute::default()]);
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(cluster.take_written(), ["let rope-2 go", "let ferry-2 go"]);
    let said = cluster.reported("ferry");
    assert!(said.starts_with("True Applying: "), "{said}");
}

#[test]
fn upgrades_no_partner_while_one_refuses_upgrades() {
    let mut cluster = Cluster::with_ferry();
    cluster.conditions.are_served = true;
    let mut cluster = two_on(cluster);
    let why = "the operator says that it migrates";
    cluster.conditions = Conditions {
        are_served: true,
        not_upgradeable: [("harbor/rope.v1.0.0".to_owned(), why.to_owned())].into(),
    };
    both_wish(&mut cluster);
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0"), move_to("rope", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.settle();
    assert_eq!(
        cluster.reported("rope"),
        format!("False NotUpgradeable: {why}")
    );
    let ferry = cluster.reported("ferry");
    assert!(
        ferry.starts_with("False WaitingForOtherOperators: "),
        "{ferry}"
    );
    assert_eq!(cluster.take_written(), ["make ferry-2"]);
}

#[test]
fn later_operator_on_a_route_waits_for_the_first() {
    let mut cluster = two();
    both_wish(&mut cluster);
    let steps = [[move_to("rope", "1.1.0")], [move_to("ferry", "1.1.0")]].map(Vec::from);
    cluster.routes = Some(vec![CommonRoute {
        steps: steps.to_vec(),
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    assert_eq!(
        cluster.reported("ferry"),
        "False WaitingForDependencies: the upgrade waits until rope is upgraded to 1.1.0"
    );
    cluster.sick.insert("rope.v1.1.0".to_owned());
    for _ in 0..3 {
        cluster.turn("rope", usize::MAX);
        cluster.carry_out();
    }
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.turn("ferry", usize::MAX);
    assert_eq!(
        cluster.reported("ferry"),
        "False Settling: the upgrade waits until rope 1.1.0 has been healthy for the required time"
    );
    cluster.sick.clear();
    cluster.carry_out();
    cluster.turn("ferry", usize::MAX);
    let last = cluster.take_written().pop();
    assert_eq!(last.as_deref(), Some("make ferry-2"));
}

/// A plan was created to move together with the plan of another operator. The other operator then
/// moved alone, so the plan must not be released.
#[test]
fn keeps_plan_suspended_if_the_partner_was_upgraded_alone() {
    let mut cluster = two();
    let spec = |name: &str, approval: &str| {
        let mut spec = wish(name, "1.1.0");
        spec["approval"] = json!(approval);
        spec
    };
    for name in ["ferry", "rope"] {
        cluster.put(name, spec(name, "Manual"));
    }
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0"), move_to("rope", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.settle();
    assert_eq!(cluster.take_written(), ["make ferry-2", "make rope-2"]);
    let alone = |name: &str| CommonRoute {
        steps: vec![vec![move_to(name, "1.1.0")]],
        ends: vec![end(name)],
    };
    // Another condition blocks the release of rope, so the plan of rope is not checked.
    cluster
        .refused
        .insert("rope.v1.1.0".to_owned(), "it is gone".to_owned());
    cluster.routes = Some(vec![alone("ferry"), alone("rope")]);
    cluster.put("ferry", spec("ferry", "Automatic"));
    for _ in 0..3 {
        cluster.carry_out();
        cluster.turn("ferry", usize::MAX);
    }
    cluster.routes = Some(vec![CommonRoute::default(), alone("rope")]);
    cluster.carry_out();
    cluster.turn("rope", usize::MAX);
    let written = cluster.take_written();
    assert_eq!(
        written,
        ["delete ferry-2", "make ferry-2", "let ferry-2 go"]
    );
    assert_eq!(
        cluster.reported("rope"),
        "False BundleNotInstallable: rope.v1.1.0: it is gone"
    );
}

/// Two operators with broken versions may move to other versions together.
#[test]
fn upgrades_operators_with_broken_versions_together() {
    let mut cluster = Cluster::with_ferry();
    let versions = vec!["1.0.0", "1.1.0", "1.2.0"];
    cluster.packages.insert("rope".to_owned(), versions);
    cluster.sick.insert("rope.v1.1.0".to_owned());
    for name in ["ferry", "rope"] {
        cluster.put(name, wish(name, "1.1.0"));
    }
    cluster.settle();
    cluster.take_written();
    for name in ["ferry", "rope"] {
        cluster.put(name, wish(name, "1.2.0"));
    }
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.2.0"), move_to("rope", "1.2.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    for _ in 0..4 {
        cluster.carry_out();
        cluster.turn("ferry", usize::MAX);
        cluster.turn("rope", usize::MAX);
    }
    let written = cluster.take_written();
    for plan in ["ferry-2", "rope-2"] {
        assert!(written.contains(&format!("let {plan} go")), "{written:?}");
    }
}

/// An operator that is being drained or is not installed yet cannot move, so the other operators
/// wait for it.
#[test]
fn operators_wait_for_partner_that_cannot_be_upgraded() {
    let mut cluster = two();
    cluster.sick.insert("rope.v1.0.0".to_owned());
    cluster.put("rope", wish("rope", ">=1.0.0 <1.1.0"));
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![vec![move_to("ferry", "1.1.0")]],
        ends: vec![end("ferry"), end("rope")],
    }]);
    for _ in 0..3 {
        cluster.carry_out();
        cluster.turn("ferry", usize::MAX);
    }
    assert_eq!(
        cluster.reported("ferry"),
        "False Settling: the upgrade waits until rope 1.0.0 has been healthy for the required time"
    );
    assert_eq!(cluster.take_written(), [""; 0]);
}

/// Another Operator waits for a version that a user must approve.
#[test]
fn later_operators_name_the_operator_that_waits_for_approval() {
    let mut cluster = two();
    cluster.put(
        "rope",
        json!({"packageName": "rope", "version": "1.1.0", "approval": "Manual", "settleSeconds": 0}),
    );
    cluster.put("ferry", wish("ferry", "1.1.0"));
    cluster.routes = Some(vec![CommonRoute {
        steps: vec![
            vec![move_to("rope", "1.1.0")],
            vec![move_to("ferry", "1.1.0")],
        ],
        ends: vec![end("ferry"), end("rope")],
    }]);
    cluster.settle();
    assert_eq!(
        cluster.reported("ferry"),
        "False WaitingForDependencies: the upgrade waits until rope is upgraded to 1.1.0; Operator rope \
         waits for approval of rope.v1.1.0"
    );
}
