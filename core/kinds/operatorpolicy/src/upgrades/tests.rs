use portolan_api::{Blocked, BlockingObject, Bundle as Stop, Installed, Next, Upgrades};
use rstest::rstest;
use serde_json::{Value, json};

use super::of;
use crate::kinds::INSTALL_PLAN;
use crate::tests::kit::{
    DATABASES, Stage, csv, design, established, merged, now, object, stage, subscription,
};
use crate::{
    Answer, Bundle, Obstacle, PlanReview, PlannedBundle, ReachableBundles, State, Unavailable,
    Verdict, Why,
};

const ONE: &str = "etcd.v1.0.0";

fn bundle(version: &str) -> Bundle {
    Bundle {
        name: format!("etcd.v{version}"),
        version: version.to_owned(),
        channels: vec!["beta".to_owned(), "stable".to_owned()],
        deprecation: None,
    }
}

fn bundles(versions: &[&str]) -> Vec<Bundle> {
    versions.iter().map(|version| bundle(version)).collect()
}

/// Returns the route from 1.0.0 over 2.0.0 to 3.0.0, with an edge to 1.5.0.
fn route() -> ReachableBundles {
    ReachableBundles {
        installed: ONE.to_owned(),
        channel: "stable".to_owned(),
        digests: vec!["sha256:1".to_owned()],
        reachable: bundles(&["3.0.0", "2.0.0", "1.5.0"]),
        walk: bundles(&["2.0.0", "3.0.0"]),
        blocked: Vec::new(),
    }
}

fn answer(stage: Stage, route: ReachableBundles) -> Stage {
    stage.with(|stage| stage.answers.route = Answer::Found(route))
}

/// Returns a stage in which the first version is installed and OLM upgrades the operator to
/// `current`.
fn at(policy: Value, current: &str) -> Stage {
    stage(policy)
        .object(subscription(
            json!({"status": {"installedCSV": ONE, "currentCSV": current}}),
        ))
        .object(csv(ONE, json!({"spec": {"version": "1.0.0"}})))
}

fn plan(other: Value) -> Value {
    let plan = json!({
        "spec": {
            "approval": "Manual",
            "clusterServiceVersionNames": ["etcd.v2.0.0"],
            "generation": 2,
        },
        "status": {"phase": "RequiresApproval"},
    });
    merged(object(INSTALL_PLAN, (DATABASES, "install-b"), plan), other)
}

fn judged(stage: &Stage) -> Option<Upgrades> {
    stage.case(of)
}

fn stop(version: &str) -> Stop {
    Stop {
        channel: Some("stable".to_owned()),
        name: format!("etcd.v{version}"),
        version: Some(version.to_owned()),
    }
}

fn stops(versions: &[&str]) -> Vec<Stop> {
    versions.iter().map(|version| stop(version)).collect()
}

fn next(version: &str, plan: Option<&str>) -> Option<Next> {
    let Stop {
        channel,
        name,
        version,
    } = stop(version);
    Some(Next {
        channel,
        name,
        plan: plan.map(str::to_owned),
        version,
    })
}

fn installed() -> Option<Installed> {
    Some(Installed {
        name: ONE.to_owned(),
        version: Some("1.0.0".to_owned()),
    })
}

/// Returns the upgrades of a stage in which every bundle is allowed and all facts are known.
fn whole() -> Upgrades {
    Upgrades {
        available: stops(&["3.0.0", "2.0.0", "1.5.0"]),
        blocked: Vec::new(),
        installed: installed(),
        next: next("2.0.0", None),
        path: stops(&["2.0.0", "3.0.0"]),
        target: Some(stop("3.0.0")),
    }
}

fn anything() -> Value {
    established(json!({}))
}

#[rstest]
#[case::includes_all_hops_to_the_head(answer(at(anything(), ONE), route()), whole())]
#[case::begins_with_the_bundle_of_the_plan(
    answer(at(anything(), "etcd.v2.0.0").object(plan(json!({}))), route()),
    Upgrades { next: next("2.0.0", Some("install-b")), ..whole() }
)]
#[case::begins_with_the_bundle_being_installed(
    answer(
        at(anything(), "etcd.v2.0.0").object(plan(json!({"status": {"phase": "Installing"}}))),
        route(),
    ),
    Upgrades { next: next("2.0.0", Some("install-b")), ..whole() }
)]
#[case::begins_with_the_bundle_chosen_by_olm_before_a_plan_exists(
    answer(at(anything(), "etcd.v2.0.0"), route()),
    whole()
)]
#[case::continues_from_the_bundle_chosen_by_olm(
    answer(at(anything(), "etcd.v3.0.0"), route()),
    Upgrades { next: next("3.0.0", None), path: stops(&["3.0.0"]), ..whole() }
)]
#[case::is_one_hop_if_olm_chose_an_unexpected_bundle(
    answer(at(anything(), "etcd.v1.5.0"), route()),
    Upgrades {
        next: next("1.5.0", None),
        path: stops(&["1.5.0"]),
        target: Some(stop("1.5.0")),
        ..whole()
    }
)]
#[case::is_empty_at_the_head(
    answer(at(anything(), ONE), ReachableBundles { reachable: vec![], walk: vec![], ..route() }),
    Upgrades { installed: installed(), ..Upgrades::default() }
)]
fn status_lists_the_upgrade_path(#[case] stage: Stage, #[case] upgrades: Upgrades) {
    assert_eq!(judged(&stage), Some(upgrades));
}

#[test]
fn lists_at_most_ten_upgrades_with_channel_if_different() {
    let versions: Vec<_> = (2..14).rev().map(|minor| format!("1.{minor}.0")).collect();
    let versions: Vec<_> = versions.iter().map(String::as_str).collect();
    let mut many = route();
    many.reachable = bundles(&versions);
    many.reachable[0].channels = vec!["beta".to_owned()];
    many.reachable[1].version = String::new();
    let mut available = stops(&versions[..10]);
    available[0].channel = Some("beta".to_owned());
    available[1].version = None;
    let upgrades = Upgrades {
        available,
        ..whole()
    };
    assert_eq!(judged(&answer(at(anything(), ONE), many)), Some(upgrades));
}

fn policy() -> BlockingObject {
    BlockingObject {
        api_version: "policy.open-cluster-management.io/v1beta1".to_owned(),
        kind: "OperatorPolicy".to_owned(),
        name: "etcd-policy".to_owned(),
        namespace: Some("local-cluster".to_owned()),
    }
}

fn olm(kind: &str, name: &str) -> BlockingObject {
    BlockingObject {
        api_version: "operators.coreos.com/v1alpha1".to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        namespace: Some(DATABASES.to_owned()),
    }
}

fn blocked(reason: &str, message: &str, object: Option<BlockingObject>) -> Blocked {
    Blocked {
        message: Some(message.to_owned()),
        object,
        reason: Some(reason.to_owned()),
    }
}

fn unlisted(bundle: &str, field: &str) -> Blocked {
    let message = format!("{field} does not allow {bundle}. Add {bundle} to {field}");
    blocked("NotAllowed", &message, Some(policy()))
}

/// Returns a stage in which the approval service rejects the InstallPlan. Its message is about this
/// bundle.
fn refusing(about: &str) -> Stage {
    let verdict = |code: &str, message: &str| Verdict {
        state: State::No,
        reasons: vec![Why {
            code: code.into(),
            message: message.to_owned(),
        }],
    };
    let review = PlanReview {
        plan: "install-b".to_owned(),
        uid: "install-b-uid".to_owned(),
        resource_version: "1".to_owned(),
        verdict: verdict("NotWritten", "OLM has not written all of it."),
        policies: Vec::new(),
        bundles: vec![PlannedBundle {
            name: about.to_owned(),
            verdict: verdict(
                "NotAllowed",
                &format!("It allows 1.0.0, and {about} is 2.0.0."),
            ),
            fixes: vec!["Add it.".to_owned()],
            ..PlannedBundle::default()
        }],
    };
    let policy = established(json!({"versions": ["etcd.v1.0.0"]}));
    let stage = at(policy, "etcd.v2.0.0").object(plan(json!({})));
    answer(stage, route()).with(|stage| stage.answers.reviews = Answer::Found(vec![review]))
}

/// Returns the two expected entries about a rejected bundle.
fn refused(about: &str) -> [Blocked; 2] {
    let plan = || Some(olm("InstallPlan", "install-b"));
    let not_allowed = format!("It allows 1.0.0, and {about} is 2.0.0. Add it");
    [
        blocked("NotWritten", "OLM has not written all of it", plan()),
        blocked("NotAllowed", &not_allowed, plan()),
    ]
}

#[rstest]
#[case::at_the_first_bundle_that_is_not_allowed(
    answer(at(design(json!({"allowedCSVs": ["etcd@<3.0.0"]})), ONE), route()),
    Upgrades {
        blocked: vec![unlisted("etcd.v3.0.0", "spec.allowedCSVs")],
        path: stops(&["2.0.0"]),
        target: Some(stop("2.0.0")),
        ..whole()
    }
)]
#[case::before_a_bundle_that_is_allowed_only_later(
    answer(at(established(json!({"versions": ["etcd.v3.0.0"]})), ONE), route()),
    Upgrades {
        blocked: vec![unlisted("etcd.v2.0.0", "spec.versions")],
        path: vec![],
        target: None,
        ..whole()
    }
)]
#[case::if_the_resolver_reports_an_obstacle(
    answer(
        at(anything(), ONE),
        ReachableBundles {
            blocked: vec![Obstacle {
                reason: "NoSuccessor".to_owned(),
                message: "Nothing replaces etcd.v3.0.0.".to_owned(),
            }],
            ..route()
        },
    ),
    Upgrades {
        blocked: vec![blocked("NoSuccessor", "Nothing replaces etcd.v3.0.0", None)],
        ..whole()
    }
)]
#[case::if_manual_approval_is_required(
    answer(at(established(json!({"upgradeApproval": "None"})), ONE), route()),
    Upgrades {
        blocked: vec![blocked(
            "UpdatesNotAllowed",
            "No upgrade is approved because spec.upgradeApproval is None. Set spec.upgradeApproval \
             to Automatic",
            Some(policy()),
        )],
        ..whole()
    }
)]
#[case::if_the_approval_service_rejects_the_plan(
    refusing("etcd.v2.0.0"),
    Upgrades {
        blocked: refused("etcd.v2.0.0").into(),
        next: next("2.0.0", Some("install-b")),
        path: vec![],
        target: None,
        ..whole()
    }
)]
#[case::if_the_approval_service_rejects_a_bundle_with_the_same_prefix(
    refusing("etcd.v2.0.0-1"),
    Upgrades {
        blocked: [&refused("etcd.v2.0.0-1")[..], &[unlisted("etcd.v2.0.0", "spec.versions")]].concat(),
        next: next("2.0.0", Some("install-b")),
        path: vec![],
        target: None,
        ..whole()
    }
)]
#[case::if_olm_skips_the_allowed_bundle(
    answer(at(established(json!({"versions": ["etcd.v1.5.0"]})), "etcd.v2.0.0"), route()),
    Upgrades {
        blocked: vec![
            blocked(
                "AllowedVersionSkippedByOLM",
                "OLM upgrades from etcd.v1.0.0 directly to etcd.v2.0.0, skipping etcd.v1.5.0, \
                 which \
                 spec.versions allows. Add etcd.v2.0.0 to spec.versions. Or set \
                 spec.subscription.channel to a channel other than stable that leads to \
                 etcd.v1.5.0. Or install the operator again with etcd.v1.5.0 as \
                 spec.subscription.startingCSV",
                Some(olm("Subscription", "etcd")),
            ),
            unlisted("etcd.v2.0.0", "spec.versions"),
        ],
        path: vec![],
        target: None,
        ..whole()
    }
)]
fn status_reports_why_the_upgrade_path_is_blocked(
    #[case] stage: Stage,
    #[case] upgrades: Upgrades,
) {
    assert_eq!(judged(&stage), Some(upgrades));
}

/// Changes the previous status so that it names this bundle as the installed bundle.
fn with_installed(stage: Stage, name: &str) -> Stage {
    stage.status(json!({"upgrades": {"installed": {"name": name}}}))
}

fn unavailable() -> Answer<ReachableBundles> {
    Answer::Unavailable(Unavailable {
        service: "resolver",
        since: Some(now()),
        why: "timed out".to_owned(),
    })
}

fn only_installed() -> Upgrades {
    Upgrades {
        installed: installed(),
        ..Upgrades::default()
    }
}

#[rstest]
#[case::stay_unchanged(with_installed(at(anything(), ONE), ONE).with(|it| it.answers.route = unavailable()), None)]
#[case::stay_unchanged_while_the_resolver_is_not_queried(
    with_installed(at(anything(), ONE), ONE),
    None
)]
#[case::stay_unchanged_if_the_response_is_for_another_bundle(
    answer(with_installed(at(anything(), ONE), ONE), ReachableBundles { installed: "etcd.v0.9.0".into(), ..route() }),
    None
)]
#[case::stay_unchanged_if_the_response_is_for_another_channel(
    answer(with_installed(at(anything(), ONE), ONE), ReachableBundles { channel: "beta".into(), ..route() }),
    None
)]
#[case::are_removed_if_they_were_for_another_bundle(
    with_installed(at(anything(), ONE), "etcd.v0.9.0").with(|it| it.answers.route = unavailable()),
    Some(only_installed())
)]
#[case::are_created_without_an_earlier_status(at(anything(), ONE), Some(only_installed()))]
#[case::are_empty_without_a_subscription(stage(anything()), Some(Upgrades::default()))]
#[case::contain_only_the_plan_before_the_first_installation(
    stage(anything())
        .object(subscription(json!({"status": {"currentCSV": "etcd.v2.0.0"}})))
        .object(plan(json!({}))),
    Some(Upgrades { next: next("2.0.0", Some("install-b")), ..Upgrades::default() })
)]
#[case::contain_only_the_next_bundle_if_the_operator_was_deleted(
    answer(at(anything(), "etcd.v2.0.0").without(crate::kinds::CSV), route()),
    Some(Upgrades { next: next("2.0.0", None), ..Upgrades::default() })
)]
fn updates_upgrades_in_status_without_the_resolver(
    #[case] stage: Stage,
    #[case] upgrades: Option<Upgrades>,
) {
    assert_eq!(judged(&stage), upgrades);
}
