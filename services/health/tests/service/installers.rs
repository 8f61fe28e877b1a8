//! Tests with operators of installers other than OLM v0.

use jiff::Timestamp;
use portolan_health::Options;
use portolan_kit::World;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::operator::Manager;
use portolan_proto::health::v1::watch_response::Event;
use portolan_stage::Stage;
use portolan_world::{State, Trouble};
use serde_json::{Value, json};
use tonic::Code;

use crate::{Asking, edited, state, well};

fn object(version: &str, kind: &str, name: &str, conditions: &[[&str; 3]]) -> Value {
    let conditions = conditions.iter().map(|[type_, status, reason]| {
        json!({
            "type": type_, "status": status, "reason": reason, "message": "",
            "observedGeneration": 1, "lastTransitionTime": "2026-11-29T00:00:00Z",
        })
    });
    json!({
        "apiVersion": version, "kind": kind,
        "metadata": {"name": name, "uid": format!("uid-{name}"), "generation": 1},
        "spec": {"packageName": name},
        "status": {"observedGeneration": 1, "conditions": conditions.collect::<Vec<_>>()},
    })
}

fn plan(namespace: &str, name: &str, labels: &Value) -> Value {
    let steps = [
        ["Valid", "True", "PlanValid"],
        ["Permitted", "True", "PermissionsSufficient"],
        ["Applied", "True", "AllApplied"],
        ["Ready", "True", "AllReady"],
    ];
    let mut plan = object("plans.portolan.dev/v1alpha1", "InstallPlan", name, &steps);
    plan["metadata"]["namespace"] = namespace.into();
    plan["metadata"]["labels"] = labels.clone();
    plan
}

/// Returns a world with an operator of each installer. Each operator has the name of its manager.
fn installers() -> World {
    let settled = [
        ["Ready", "True", "Installed"],
        ["Installing", "False", "UpToDate"],
    ];
    let own = "operators.operatorframework.io/v1alpha1";
    let extended = [
        ["Installed", "True", "Succeeded"],
        ["Progressing", "True", "Succeeded"],
    ];
    well(&["olm"])
        .object(object(own, "Operator", "operator", &settled))
        .object(object(
            "olm.operatorframework.io/v1",
            "ClusterExtension",
            "extension",
            &extended,
        ))
        .object(object(
            "operators.coreos.com/v2alpha1",
            "Install",
            "install",
            &settled[..1],
        ))
        .object(plan("olm-system", "plan", &json!({})))
        .object(plan(
            "olm-system",
            "operator-1",
            &json!({"operators.portolan.dev/operator": "operator"}),
        ))
        .object(plan(
            "olm-system",
            "install-1",
            &json!({"operators.portolan.dev/install": "uid-install"}),
        ))
}

async fn list(asking: &mut Asking, namespace: &str) -> (Vec<String>, Vec<String>) {
    let request = pb::ListOperatorsRequest {
        namespace: namespace.to_owned(),
        ..pb::ListOperatorsRequest::default()
    };
    let listed = asking
        .client
        .list_operators(request)
        .await
        .expect("a list")
        .into_inner();
    let rows = listed.operators.iter().map(|operator| {
        let subject = operator.subject.clone().expect("a subject");
        let state = state(operator.verdict.as_ref());
        format!(
            "{} {}/{} {state}",
            operator.manager().as_str_name(),
            subject.namespace,
            subject.name
        )
    });
    (rows.collect(), listed.unread)
}

const OF_CLUSTER: [&str; 3] = [
    "CLUSTER_EXTENSION /extension YES",
    "INSTALL /install YES",
    "OPERATOR /operator YES",
];
const OF_NAMESPACE: [&str; 2] = ["OLM olm-system/olm YES", "INSTALL_PLAN olm-system/plan YES"];

#[tokio::test]
async fn lists_operators_of_every_installer() {
    let mut asking = Asking::at(&Stage::of(&installers())).await;
    let (rows, unread) = list(&mut asking, "").await;
    assert_eq!(rows, [&OF_CLUSTER[..], &OF_NAMESPACE].concat());
    assert!(unread.is_empty(), "{unread:?}");
    let handles = [
        Handle::Operator("operator".to_owned()),
        Handle::ClusterExtension("extension".to_owned()),
        Handle::Install("install".to_owned()),
        Handle::InstallPlan("plan".to_owned()),
    ];
    for handle in handles {
        let found = asking
            .operator("", handle.clone())
            .await
            .expect("an operator");
        let by_name = asking
            .named(&found.subject.clone().expect("a subject").name)
            .await;
        assert_eq!(found, by_name, "{handle:?}");
        assert_ne!(found.manager(), Manager::Olm);
    }
}

/// A caller with permission for one namespace must name the namespace in each request. The caller
/// gets no information about cluster-scoped objects.
#[tokio::test]
async fn request_for_namespace_returns_no_cluster_scoped_objects() {
    let stage = Stage::shared(&installers());
    let limited = Options {
        namespace: Some("olm-system".to_owned()),
        ..Options::default()
    };
    let of_one = Asking::of(stage.clone(), limited).await;
    for mut asking in [Asking::at(&stage).await, of_one] {
        assert_eq!(list(&mut asking, "olm-system").await.0, OF_NAMESPACE);
        for name in ["operator", "extension", "install"] {
            let refused = asking
                .operator("olm-system", Handle::Name(name.to_owned()))
                .await;
            assert_eq!(
                refused.expect_err("a refusal").code(),
                Code::NotFound,
                "{name}"
            );
        }
        let handles = |name: &str| {
            let name = name.to_owned();
            [
                Handle::Operator(name.clone()),
                Handle::ClusterExtension(name.clone()),
                Handle::Install(name),
            ]
        };
        // The errors are the same for existing and for missing objects.
        for name in ["operator", "extension", "install", "nothing"] {
            for handle in handles(name) {
                let refused = asking.operator("olm-system", handle).await;
                assert_eq!(
                    refused.expect_err("a refusal").code(),
                    Code::InvalidArgument,
                    "{name}"
                );
            }
        }
        let mut news = asking.listen("olm-system").await;
        let mut before = news.until("synced").await;
        before.retain(|event| !event.starts_with("CatalogSource"));
        assert_eq!(
            before,
            [
                "Subscription olm-system/olm YES",
                "InstallPlan olm-system/plan YES"
            ]
        );
    }
}

#[tokio::test]
async fn watch_reports_changes_of_every_installer() {
    let world = installers();
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    stage.show(&edited(
        &world,
        "ClusterExtension",
        "extension",
        |extension| {
            extension["status"]["conditions"][1]["status"] = "False".into();
            extension["status"]["conditions"][1]["reason"] = "Blocked".into();
        },
    ));
    assert_eq!(
        news.next_event().await,
        "ClusterExtension /extension NO InstallBlocked"
    );
    stage.show(&crate::without(&world, |object| {
        object["kind"] == "Operator"
    }));
    let mut events = [news.event().await, news.event().await, news.event().await];
    events.sort_by_key(|event| match event {
        Event::Gone(_) => 0,
        Event::Operator(operator) => operator.manager,
        _ => 9,
    });
    let gone = Event::Gone(pb::watch_response::Gone {
        subject: Some(portolan_proto::basis::v1::ObjectRef {
            kind: "Operator".to_owned(),
            namespace: String::new(),
            name: "operator".to_owned(),
        }),
    });
    assert_eq!(events[0], gone);
    // After the Operator was deleted, its InstallPlan has no owner.
    let rows = list(&mut asking, "").await.0;
    assert!(
        rows.contains(&"INSTALL_PLAN olm-system/operator-1 YES".to_owned()),
        "{rows:?}"
    );
}

/// Operators of a kind that cannot be listed may exist.
#[tokio::test]
async fn names_installers_that_cannot_be_listed() {
    let stage = Stage::of(&installers());
    let unknown = || State::Unknown {
        trouble: Trouble::Forbidden("no".to_owned()),
        since: Timestamp::UNIX_EPOCH,
    };
    stage.turn("ClusterExtension", unknown());
    let mut asking = Asking::at(&stage).await;
    let (rows, unread) = list(&mut asking, "").await;
    assert!(rows.contains(&OF_CLUSTER[2].to_owned()), "{rows:?}");
    assert_eq!(unread.len(), 1, "{unread:?}");
    assert!(
        unread[0].starts_with("ClusterExtensions are unknown"),
        "{unread:?}"
    );
    assert!(list(&mut asking, "olm-system").await.1.is_empty());
    let refused = asking
        .operator("", Handle::ClusterExtension("missing".to_owned()))
        .await;
    assert_eq!(refused.expect_err("a refusal").code(), Code::Unavailable);
}

#[tokio::test]
async fn operator_names_the_policy_that_manages_its_subscription() {
    let world = edited(&installers(), "Subscription", "olm", |subscription| {
        let annotations = &mut subscription["metadata"]["annotations"];
        annotations[portolan_api::MANAGED] = "policies.tug".into();
    });
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let found = asking.named("olm").await;
    assert_eq!(found.policy, "policies/tug");
    assert_eq!(found.manager(), Manager::Olm);
}
