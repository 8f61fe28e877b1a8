//! Tests with complete messages of the services.

use std::str::FromStr;

use portolan_core_operatorpolicy::{
    Allowance, Bundle, Catalog, Channel, HealthFact, Modes, NamespaceState, Obstacle, Offer,
    Operator, PlanReview, PlannedBundle, ReviewedPolicy as Policy, State, Verdict,
};
use portolan_plans::grants::ImageAnswer;
use portolan_proto::approval::v1 as approval;
use portolan_proto::resolver::v1 as resolver;
use rstest::rstest;
use serde_json::{Value, json};
use similar_asserts::assert_eq;

use super::*;
use crate::ask::followed::{Event, Message};
use crate::ask::streams::{CatalogStatus, HealthItem};

fn of<T: k8s_openapi::serde::de::DeserializeOwned>(message: Value) -> T {
    serde_json::from_value(message).expect("a message")
}

fn key(namespace: &str, kind: &str, name: &str) -> StreamKey {
    StreamKey {
        namespace: namespace.to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
    }
}

fn response<V>(event: Event<V>) -> Message<V> {
    let epoch = "life-1".to_owned();
    Message { epoch, event }
}

fn why<C: FromStr>(code: &str, message: &str) -> Why<C> {
    Why {
        code: code.into(),
        message: message.to_owned(),
    }
}

fn fact(kind: &str, name: &str, state: State, (code, message): (&str, &str)) -> HealthFact {
    HealthFact {
        kind: kind.to_owned(),
        namespace: "harbor".to_owned(),
        name: name.to_owned(),
        uid: format!("uid-{name}"),
        resource_version: "5".to_owned(),
        state,
        code: code.into(),
        message: message.to_owned(),
    }
}

/// Returns a fact in the form in which the health service sends it.
fn sent(kind: &str, name: &str, verdict: (&str, &str, &str), below: Vec<Value>) -> Value {
    let (state, code, message) = verdict;
    json!({
        "observed": {
            "object": {"kind": kind, "namespace": "harbor", "name": name},
            "uid": format!("uid-{name}"), "resourceVersion": "5"
        },
        "state": state, "code": code, "message": message, "facts": below
    })
}

#[test]
fn operator_is_decoded_with_all_its_objects() {
    let fine =
        |kind: &str, name: &str, below| sent(kind, name, ("YES", "Healthy", "It is there."), below);
    let crash = ("NO", "CrashLooping", "Its container ends again and again.");
    let behind = ("NO", "ReplicaSetBehind", "It has no Pod that is ready.");
    let down = (
        "NO",
        "DeploymentUnavailable",
        "It has 0 of 1 replica available.",
    );
    let slow = ("NOT_YET", "Pulling", "Its image is being pulled.");
    let pods = vec![
        sent("Pod", "x-1", slow, vec![]),
        sent(
            "ReplicaSet",
            "x",
            behind,
            vec![sent("Pod", "x-2", crash, vec![])],
        ),
    ];
    let message = json!({"epoch": "life-1", "revision": 4, "operator": {
        "subject": {"kind": "Subscription", "namespace": "harbor", "name": "ferry"},
        "package": "ferry", "csv": "ferry.v1",
        "verdict": {"state": "NO", "reasons": [{"code": "CrashLooping", "message": "It ends."}]},
        "facts": [
            fine("Subscription", "ferry", vec![fine("OperatorGroup", "all", vec![])]),
            fine("ClusterServiceVersion", "ferry.v1", vec![
                sent("Deployment", "ferry", down, pods),
                fine("ServiceAccount", "pilot", vec![]),
            ]),
        ]
    }});
    let there = ("Healthy", "It is there");
    let unavailable = (
        "DeploymentUnavailable",
        "It has 0 of 1 replica available: Its container ends again and again",
    );
    let operator = Operator {
        csv: "ferry.v1".to_owned(),
        verdict: Verdict {
            state: State::No,
            reasons: vec![why("CrashLooping", "It ends")],
        },
        facts: vec![
            fact("Subscription", "ferry", State::Yes, there),
            fact("OperatorGroup", "all", State::Yes, there),
            fact("ClusterServiceVersion", "ferry.v1", State::Yes, there),
            fact("Deployment", "ferry", State::No, unavailable),
            fact("ServiceAccount", "pilot", State::Yes, there),
        ],
    };
    let package = "ferry".to_owned();
    let expected = response(Event::Is(
        key("harbor", "Subscription", "ferry"),
        HealthItem::Operator { package, operator },
    ));
    assert_eq!(decode_health(of(message)), expected);
}

#[test]
fn catalog_is_decoded_with_its_verdict() {
    let message = json!({"epoch": "life-1", "catalog": {
        "subject": {"kind": "CatalogSource", "namespace": "olm", "name": "shop"},
        "connectionState": "READY",
        "verdict": {"state": "NOT_YET", "reasons": [{"code": "Slow", "message": "It is slow."}]}
    }});
    let catalog = Catalog {
        name: "olm/shop".to_owned(),
        connection_state: "READY".to_owned(),
        verdict: Verdict {
            state: State::NotYet,
            reasons: vec![why("Slow", "It is slow")],
        },
    };
    let expected = response(Event::Is(
        key("olm", "CatalogSource", "shop"),
        HealthItem::Catalog(catalog),
    ));
    assert_eq!(decode_health(of(message)), expected);
}

#[rstest]
#[case::gone(
    json!({"gone": {"subject": {"kind": "Subscription", "namespace": "a", "name": "b"}}}),
    Event::Gone(key("a", "Subscription", "b"))
)]
#[case::synced(json!({"synced": {}}), Event::Synced)]
#[case::reset(json!({"reset": {}}), Event::Reset)]
#[case::heartbeat(json!({"heartbeat": {}}), Event::Nothing)]
#[case::unknown_values_of_later_versions(json!({}), Event::Nothing)]
fn decodes_other_messages_of_health(#[case] message: Value, #[case] expected: Event<HealthItem>) {
    let mut message = message;
    message["epoch"] = json!("life-1");
    assert_eq!(decode_health(of(message)), response(expected));
}

#[rstest]
#[case::yes("YES", State::Yes)]
#[case::no("NO", State::No)]
#[case::not_yet("NOT_YET", State::NotYet)]
#[case::never_sent("UNSPECIFIED", State::NotYet)]
fn review_is_decoded_completely(#[case] state: &str, #[case] expected: State) {
    let verdict = json!({"state": state, "reasons": [{"code": "NotAllowed", "message": "No."}]});
    let message = json!({"epoch": "life-1", "review": {
        "plan": {
            "object": {"kind": "InstallPlan", "namespace": "harbor", "name": "install-1"},
            "uid": "u-1", "resourceVersion": "7"
        },
        "verdict": verdict,
        "policies": [{
            "policy": {
                "object": {"kind": "OperatorPolicy", "namespace": "p", "name": "ferry"},
                "uid": "p-1"
            },
            "generation": 2, "package": "ferry"
        }],
        "bundles": [{
            "name": "ferry.v1", "package": "ferry", "version": "1.0.0", "verdict": verdict,
            "allowances": [{
                "policy": {"uid": "p-1", "object": {"namespace": "p", "name": "ferry"}},
                "generation": 2, "consent": "*", "neededBy": ["harbor.v1"]
            }],
            "fixes": [{"field": "spec.versions", "message": "Add ferry.v1 to it."}]
        }]
    }});
    let verdict = Verdict {
        state: expected,
        reasons: vec![why("NotAllowed", "No")],
    };
    let review = PlanReview {
        plan: "install-1".to_owned(),
        uid: "u-1".to_owned(),
        resource_version: "7".to_owned(),
        verdict: verdict.clone(),
        policies: vec![Policy {
            namespace: "p".to_owned(),
            name: "ferry".to_owned(),
            uid: "p-1".to_owned(),
            generation: 2,
        }],
        bundles: vec![PlannedBundle {
            name: "ferry.v1".to_owned(),
            package: "ferry".to_owned(),
            version: "1.0.0".to_owned(),
            verdict,
            allowances: vec![Allowance {
                uid: "p-1".to_owned(),
                needed_by: vec!["harbor.v1".to_owned()],
            }],
            fixes: vec!["Add ferry.v1 to it".to_owned()],
        }],
    };
    let place = key("harbor", "InstallPlan", "install-1");
    let message: approval::WatchResponse = of(message);
    assert_eq!(decode_approval(message), response(Event::Is(place, review)));
}

#[rstest]
#[case::gone(
    json!({"gone": {"plan": {"kind": "InstallPlan", "namespace": "a", "name": "b"}}}),
    Event::Gone(key("a", "InstallPlan", "b"))
)]
#[case::synced(json!({"synced": {}}), Event::Synced)]
#[case::reset(json!({"reset": {}}), Event::Reset)]
#[case::heartbeat(json!({"heartbeat": {}}), Event::Nothing)]
fn decodes_other_messages_of_approval(#[case] message: Value, #[case] expected: Event<PlanReview>) {
    let mut message = message;
    message["epoch"] = json!("life-1");
    assert_eq!(decode_approval(of(message)), response(expected));
}

#[rstest]
#[case::changed(
    json!({"changed": {
        "name": "olm/shop", "state": "FAILED", "since": "2026-03-01T00:00:00Z", "priority": 3, "labels": {"tier": "gold"},
        "digest": "sha256:1", "reasons": [{"code": "Gone", "message": "Its Pod is gone."}]
    }}),
    Event::Is(key("", "", "olm/shop"), CatalogStatus {
        state: resolver::catalog::State::Failed,
        digest: "sha256:1".to_owned(),
        priority: 3,
        labels: [("tier".to_owned(), "gold".to_owned())].into(),
        since: "2026-03-01T00:00:00Z".to_owned(),
        why: "Its Pod is gone".to_owned(),
    })
)]
#[case::gone(json!({"gone": {"name": "olm/shop"}}), Event::Gone(key("", "", "olm/shop")))]
#[case::synced(json!({"synced": {}}), Event::Synced)]
#[case::reset(json!({"reset": {}}), Event::Reset)]
#[case::heartbeat(json!({"heartbeat": {}}), Event::Nothing)]
fn decodes_catalog_events_of_the_resolver(
    #[case] message: Value,
    #[case] expected: Event<CatalogStatus>,
) {
    let mut message = message;
    message["epoch"] = json!("life-1");
    assert_eq!(decode_catalogs(of(message)), response(expected));
}

#[test]
fn package_is_decoded_with_its_channel_heads() {
    let message = json!({
        "catalogs": [{"name": "olm/shop", "digest": "sha256:1", "stale": true}],
        "name": "ferry", "defaultChannel": "stable", "deprecation": "Use tug.",
        "channels": [
            {"name": "beta", "deprecation": "Use stable."},
            {"name": "stable", "heads": [{"channel": "stable", "name": "ferry.v1"}]}
        ],
        "bundles": [{
            "name": "ferry.v1", "version": "1.0.0", "channels": ["stable"], "deprecation": "Old."
        }]
    });
    let offer = Offer {
        catalog: "olm/shop".to_owned(),
        digest: "sha256:1".to_owned(),
        default_channel: "stable".to_owned(),
        suggested_namespace: None,
        deprecation: Some("Use tug.".to_owned()),
        channels: vec![
            Channel {
                name: "beta".to_owned(),
                deprecation: Some("Use stable.".to_owned()),
            },
            Channel {
                name: "stable".to_owned(),
                deprecation: None,
            },
        ],
        bundles: vec![Bundle {
            name: "ferry.v1".to_owned(),
            version: "1.0.0".to_owned(),
            channels: vec!["stable".to_owned()],
            deprecation: Some("Old.".to_owned()),
        }],
    };
    let heads = [("stable".to_owned(), "ferry.v1".to_owned())].into();
    assert_eq!(decode_package(of(message)), Packaged { offer, heads });
}

#[rstest]
#[case::given(
    json!([{"name": "AllNamespaces", "supported": true}, {"name": "OwnNamespace"}]),
    Some(vec!["AllNamespaces".to_owned()])
)]
#[case::no_modes(json!([{"name": "OwnNamespace"}]), Some(vec![]))]
#[case::not_given(json!([]), None)]
fn decodes_install_modes(#[case] sent: Value, #[case] supported: Option<Vec<String>>) {
    let message = json!({"name": "ferry.v1", "installModes": sent});
    let bundle = "ferry.v1".to_owned();
    assert_eq!(decode_modes(of(message)), Modes { bundle, supported });
}

const ANNOTATIONS: &str = r#"{"operatorframework.io/suggested-namespace": "harbor"}"#;

#[rstest]
#[case::a_manifest(
    format!(r#"{{"kind": "ClusterServiceVersion", "metadata": {{"annotations": {ANNOTATIONS}}}}}"#),
    Some("harbor")
)]
#[case::metadata(format!(r#"{{"annotations": {ANNOTATIONS}}}"#), Some("harbor"))]
#[case::another_kind(
    format!(r#"{{"kind": "Secret", "metadata": {{"annotations": {ANNOTATIONS}}}}}"#),
    None
)]
#[case::no_annotation(r#"{"annotations": {}}"#.to_owned(), None)]
#[case::no_json("harbor".to_owned(), None)]
fn decodes_suggested_namespaces(#[case] object: String, #[case] expected: Option<&str>) {
    let message = resolver::GetBundleResponse {
        objects: vec!["[]".to_owned(), object],
        ..Default::default()
    };
    assert_eq!(decode_suggestion(&message).as_deref(), expected);
}

#[test]
fn reachable_bundles_have_the_details_of_the_offer() {
    let offered = Bundle {
        name: "ferry.v2".to_owned(),
        version: "2.0.0".to_owned(),
        channels: vec!["stable".to_owned()],
        deprecation: Some("Old.".to_owned()),
    };
    let unknown = Bundle {
        name: "ferry.v3".to_owned(),
        version: "3.0.0".to_owned(),
        ..Bundle::default()
    };
    let offer = Offer {
        bundles: vec![offered.clone()],
        ..Offer::default()
    };
    let message = json!({
        "catalogs": [{"name": "olm/shop", "digest": "sha256:1"}],
        "installed": {"name": "ferry.v1"},
        "reachable": [
            {"name": "ferry.v3", "version": "3.0.0", "hops": 2},
            {"name": "ferry.v2", "version": "2.0.0", "hops": 1}
        ]
    });
    let expected = portolan_core_operatorpolicy::ReachableBundles {
        installed: "ferry.v1".to_owned(),
        channel: "stable".to_owned(),
        digests: vec!["sha256:1".to_owned()],
        reachable: vec![unknown, offered],
        walk: Vec::new(),
        blocked: Vec::new(),
    };
    assert_eq!(decode_upgrades(of(message), ("stable", &offer)), expected);
}

type DecodedPath = (Vec<Bundle>, Vec<Obstacle>, Option<String>);

fn hop(name: &str, version: &str) -> Bundle {
    Bundle {
        name: name.to_owned(),
        version: version.to_owned(),
        channels: vec!["stable".to_owned()],
        deprecation: None,
    }
}

fn obstacle() -> Obstacle {
    Obstacle {
        reason: "NoSuccessor".to_owned(),
        message: "Nothing leads on".to_owned(),
    }
}

#[rstest]
#[case::reached(
    json!({"reached": {"hops": [
        {"from": "a.v1", "to": "a.v2", "version": "2.0.0", "channels": ["stable"]},
        {"from": "a.v2", "to": "a.v3", "version": "3.0.0", "channels": ["stable"]}
    ]}}),
    (vec![hop("a.v2", "2.0.0"), hop("a.v3", "3.0.0")], vec![], None)
)]
#[case::already_at_the_head(json!({"alreadyThere": {}}), (vec![], vec![], None))]
#[case::blocked_at_once(
    json!({"blocked": {
        "furthest": {"name": "a.v1", "version": "1.0.0", "hops": 0},
        "reasons": [{"code": "NoSuccessor", "message": "Nothing leads on."}]
    }}),
    (vec![], vec![obstacle()], None)
)]
#[case::blocked_on_the_path(
    json!({"blocked": {
        "furthest": {"name": "a.v2", "version": "2.0.0", "hops": 1},
        "reasons": [{"code": "NoSuccessor", "message": "Nothing leads on."}]
    }}),
    (vec![], vec![obstacle()], Some("2.0.0".to_owned()))
)]
#[case::unknown_values_of_later_versions(json!({}), (vec![], vec![], None))]
fn decodes_paths(#[case] message: Value, #[case] expected: DecodedPath) {
    let message: resolver::FindPathResponse = of(message);
    assert_eq!(decode_path(message.answer), expected);
}

fn blame(kind: &str, name: &str) -> Value {
    json!({
        "object": {"kind": kind, "namespace": "harbor", "name": name},
        "why": "It is wrong.", "remedy": "Mend it."
    })
}

#[rstest]
#[case::those_to_blame(
    json!({"failed": {"blames": [blame("Subscription", "tug"), blame("CatalogSource", "shop")]}}),
    Some(
        "Subscription harbor/tug\n├── It is wrong\n└── Mend it\n\
         CatalogSource harbor/shop\n├── It is wrong\n└── Mend it"
    )
)]
#[case::a_bundle(
    json!({"failed": {"blames": [{
        "object": {"kind": "Bundle", "name": "a.v1"}, "channel": "beta", "catalog": "olm/shop",
        "why": "It is wrong."
    }]}}),
    Some("Bundle a.v1 of channel beta of olm/shop\n└── It is wrong")
)]
#[case::no_object_at_fault(
    json!({"failed": {"message": "it cannot be."}}),
    Some("it cannot be")
)]
#[case::unavailable(
    json!({"silent": {"cause": {"code": "NoOperatorGroup", "message": "There is none."}}}),
    Some("OLM does nothing: There is none")
)]
#[case::no_problem(json!({"settled": {}}), None)]
#[case::unknown_values_of_later_versions(json!({}), None)]
fn decodes_predictions(#[case] message: Value, #[case] expected: Option<&str>) {
    assert_eq!(decode_prediction(&of(message)).as_deref(), expected);
}

#[test]
fn namespace_request_contains_the_objects_that_olm_reads() {
    let read = |object: Value| std::sync::Arc::new(of::<portolan_core_olm::Subscription>(object));
    let state = NamespaceState {
        name: "harbor".to_owned(),
        groups: vec![std::sync::Arc::new(of(json!({
            "metadata": {"name": "all"},
            "spec": {"upgradeStrategy": "TechPreviewUnsafeFailForward"}
        })))],
        subscriptions: vec![
            read(json!({
                "metadata": {"name": "ferry"},
                "spec": {"name": "ferry", "channel": "stable", "source": "shop",
                    "sourceNamespace": "market", "startingCSV": "ferry.v0",
                    "installPlanApproval": "Manual"},
                "status": {"installedCSV": "ferry.v1", "currentCSV": "ferry.v2",
                    "installPlanRef": {"name": "install-1"},
                    "conditions": [{"type": "InstallPlanFailed", "status": "True"}]}
            })),
            read(json!({"metadata": {"name": "tug"}, "spec": {"name": "tug", "source": "own"}})),
        ],
        csvs: vec![std::sync::Arc::new(of(json!({
            "metadata": {"name": "ferry.v1",
                "annotations": {"operatorframework.io/properties": "{}"}},
            "spec": {"version": "1.0.0", "replaces": "ferry.v0", "customresourcedefinitions": {
                "owned": [{"name": "ferries.demo.example", "version": "v1", "kind": "Ferry"}],
                "required": [{"name": "tides.demo.example", "version": "v1", "kind": "Tide"}]
            }},
            "status": {"phase": "Succeeded"}
        })))],
        ..NamespaceState::default()
    };
    let expected: resolver::PredictOlmRequest = of(json!({
        "namespace": "harbor", "globalNamespace": "market",
        "operatorGroups": [{"name": "all", "failsForward": true}],
        "subscriptions": [
            {"name": "ferry", "package": "ferry", "channel": "stable", "catalog": "market/shop",
                "startingCsv": "ferry.v0", "installedCsv": "ferry.v1", "currentCsv": "ferry.v2",
                "approvedByHand": true, "hasPlan": true, "planFailed": true},
            {"name": "tug", "package": "tug", "catalog": "own"}
        ],
        "csvs": [{"name": "ferry.v1", "version": "1.0.0", "replaces": "ferry.v0",
            "phase": "Succeeded", "properties": "{}",
            "provides": [{"group": "demo.example", "version": "v1", "kind": "Ferry"}],
            "requires": [{"group": "demo.example", "version": "v1", "kind": "Tide"}]}]
    }));
    assert_eq!(encode_state(&state), expected);
}

#[test]
fn image_is_described_by_its_cluster_service_version() {
    let csv = json!({
        "metadata": {"name": "plum.v1.0.0"},
        "spec": {
            "displayName": "Plum", "description": "Fruit.", "version": "1.0.0",
            "customresourcedefinitions": {
                "owned": [{"name": "plums.fruits.test", "version": "v1", "kind": "Plum"}],
            },
        },
    });
    let rendered = |csv: &str| resolver::RenderBundleResponse {
        manifests: vec![resolver::render_bundle_response::Manifest {
            object: "{}".to_owned(),
            ..Default::default()
        }],
        cluster_service_version: csv.to_owned(),
        ..Default::default()
    };
    let bundle = |csv: &str| match decode_image(&rendered(csv)) {
        ImageAnswer::Read(image) => json!(image.bundle),
        ImageAnswer::Failed(fault) => panic!("{fault:?}"),
    };
    let plum = json!({"group": "fruits.test", "version": "v1", "kind": "Plum", "plural": "plums"});
    let expected = json!({
        "name": "plum.v1.0.0", "version": "1.0.0", "displayName": "Plum", "description": "Fruit.",
        "provides": [plum],
    });
    assert_eq!(bundle(&csv.to_string()), expected);
    // A resolver of an earlier version sends no ClusterServiceVersion.
    assert_eq!(bundle(""), Value::Null);
}
