use std::sync::Arc;

use portolan_api::operator::Operator;
use portolan_api::plan::InstallPlan;
use serde_json::{Value, json};

use crate::own_plan::live_tests;
use crate::{
    Cause, Code, Diagnosis, Listed, Object, OwnKind, OwnObjects, OwnQuestion, State, Workloads,
    diagnose_own,
};

fn condition(type_: &str, status: &str, reason: &str, time: &str) -> Value {
    json!({
        "type": type_, "status": status, "reason": reason, "message": "why it is so",
        "lastTransitionTime": time,
    })
}

const EARLIER: &str = "2026-03-01T05:00:00Z";
const LATER: &str = "2026-04-02T07:30:00Z";

/// Returns an Operator with these conditions. `more` contains additional fields of the status.
fn operator(name: &str, conditions: [Value; 2], more: &Value) -> Operator {
    let mut status = json!({
        "observedGeneration": 1, "conditions": conditions,
        "plan": {"namespace": "portolan", "name": format!("{name}-1")},
        "bundle": {"name": format!("{name}.v2.3.0"), "catalog": "demo"},
        "path": [{"bundle": format!("{name}.v3.0.0"), "version": "3.0.0"}],
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        status[field] = value.clone();
    }
    let env = json!([
        {"name": "KNOT", "valueFrom": {"secretKeyRef": {"name": "rope-key", "key": "knot"}}},
        {"name": "BEND", "valueFrom": {"secretKeyRef": {"name": "rope-key", "key": "bend"}}},
        {"name": "OTHER", "valueFrom": {"secretKeyRef": {"name": "other", "key": "bend"}}},
    ]);
    let operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": name},
        "spec": {"packageName": name, "config": {"env": env}}, "status": status,
    });
    serde_json::from_value(operator).expect("an Operator")
}

/// Returns an Operator that waits for this package. `installed` is the installed version of the
/// package.
fn waiting(name: &str, package: &str, installed: Option<&str>) -> Operator {
    let next = format!("{name}.v3.0.0");
    let dependencies = json!({"dependencies": [
        {"name": "unrelated", "bundle": format!("{name}.v2.3.0"), "satisfied": true},
        {
            "name": package, "bundle": next, "range": ">=2.4.0", "satisfied": false,
            "installed": installed,
        },
    ]});
    let conditions = [
        condition("Ready", "True", "Installed", EARLIER),
        condition("Installing", "False", "WaitingForDependencies", EARLIER),
    ];
    operator(name, conditions, &dependencies)
}

fn healthy(name: &str) -> Operator {
    let conditions = [
        condition("Ready", "True", "Installed", EARLIER),
        condition("Installing", "False", "UpToDate", EARLIER),
    ];
    operator(name, conditions, &json!({"path": []}))
}

/// Returns an Operator whose Pod does not run.
fn broken(name: &str) -> Operator {
    let conditions = [
        condition("Ready", "False", "NotReady", LATER),
        condition("Installing", "False", "Settling", EARLIER),
    ];
    operator(name, conditions, &Value::Null)
}

/// Returns the InstallPlan of an Operator. The plan contains a CRD.
fn plan(operator: &str) -> InstallPlan {
    let mut plan = live_tests::plan("Applied", "Ready", "False", "MembersFailed");
    plan.metadata.name = Some(format!("{operator}-1"));
    plan.metadata.namespace = Some("portolan".to_owned());
    let label = (
        "operators.portolan.dev/operator".to_owned(),
        operator.to_owned(),
    );
    plan.metadata.labels = Some([label].into());
    let crd = json!({"kind": "CustomResourceDefinition", "spec": {"names": {"kind": "Mooring"}}});
    let stages = json!({
        "serviceAccountName": "installer", "stages": [{"resources": [{"manifest": crd}]}],
    });
    plan.spec = serde_json::from_value(stages).expect("a spec");
    plan
}

/// Returns workloads with a Pod that refers to a missing Secret.
fn without_secret() -> Workloads {
    let container = json!({
        "name": "main", "image": "anchor:1", "ready": false,
        "state": {"waiting": {
            "reason": "CreateContainerConfigError", "message": "secret \"rope-key\" not found",
        }},
    });
    live_tests::workload("Deployment.apps", &container)
}

fn diagnosed(operators: Vec<Operator>, plans: Vec<InstallPlan>) -> Vec<Diagnosis> {
    let own = OwnObjects {
        operators: Listed {
            objects: operators.into_iter().map(Arc::new).collect(),
            troubles: Vec::new(),
        },
        plans: Listed {
            objects: plans.into_iter().map(Arc::new).collect(),
            troubles: Vec::new(),
        },
        workloads: without_secret(),
        ..OwnObjects::default()
    };
    let asked = OwnQuestion {
        kind: Some(OwnKind::Operator),
        ..OwnQuestion::default()
    };
    diagnose_own(&own, asked)
}

fn root(diagnosis: &Diagnosis) -> &Cause {
    diagnosis.cause.as_ref().expect("a cause")
}

#[test]
fn operator_behind_a_broken_operator_names_the_missing_secret() {
    let all = diagnosed(
        vec![waiting("kelp", "anchor", Some("2.3.0")), broken("anchor")],
        vec![plan("anchor")],
    );
    let [kelp, anchor] = all.as_slice() else {
        panic!("{all:?}");
    };
    let secret = Object::new("Secret", "harbor", "rope-key");
    let cause = root(kelp);
    assert_eq!(
        (kelp.state, cause.code, &cause.at_fault),
        (State::Stuck, Code::ContainerNotCreated, &secret)
    );
    assert!(cause.is_at_fault_missing());
    let message = "Secret harbor/rope-key does not exist. Container main of Pod harbor/ferry-x cannot be created \
                   (CreateContainerConfigError). The controller of Portolan does not upgrade an Operator that does not work. So \
                   Operator anchor stays at version 2.3.0. kelp.v3.0.0 requires anchor >=2.4.0.";
    assert_eq!(cause.message, message);
    assert_eq!(
        cause.responsible.who,
        "the administrator of namespace harbor"
    );
    let action = "Create Secret harbor/rope-key with the keys bend and knot, to which spec.config.env of \
                  Operator anchor refers. Kubernetes then starts the container by itself. Portolan then upgrades \
                  Operator anchor and, some minutes later, Operator kelp, by itself.";
    assert_eq!(cause.responsible.action, action);
    let create = "kubectl create secret generic rope-key -n harbor --from-literal=bend=VALUE --from-literal=knot=VALUE";
    assert_eq!(cause.remedy.decide[0].texts().next(), Some(create));
    let headline = "anchor.v2.3.0 has not worked since 2026-04-02 07:30 UTC. Meanwhile, its custom resources (Mooring) \
                    remain, but changes to them have no effect, and failures are not repaired. It is unknown if the \
                    workloads that it has created before still run. Because of this, kelp waits for anchor. kelp.v2.3.0 \
                    keeps running. The upgrade to kelp.v3.0.0 has been blocked since 2026-03-01 05:00 UTC.";
    assert_eq!(kelp.headline, headline);
    assert_eq!(cause.blocked_by.as_ref(), Some(&anchor.subject.object));
    assert_eq!(anchor.victims, std::slice::from_ref(&kelp.subject.object));
    assert_eq!(root(anchor).at_fault, secret);
    let other = "If the operator does not need variables KNOT and BEND, remove them from spec.config.env of \
                 Operator anchor.";
    assert_eq!(root(anchor).remedy.decide[1].title, other);
}

#[test]
fn chain_of_waiting_operators_ends_at_the_last_operator() {
    let all = diagnosed(
        vec![
            waiting("kelp", "buoy", Some("2.0.0")),
            waiting("buoy", "anchor", Some("2.3.0")),
            broken("anchor"),
        ],
        vec![plan("anchor")],
    );
    let cause = root(&all[0]);
    let chain = "The controller of Portolan does not upgrade Operator anchor, because this Operator does not work. kelp.v3.0.0 requires buoy >=2.4.0. Version 2.0.0 of buoy is installed. Operator buoy in turn waits \
                 for Operator anchor.";
    assert!(cause.message.contains(chain), "{}", cause.message);
    assert_eq!(cause.blocked_by.as_ref(), Some(&all[2].subject.object));
    assert_eq!(all[2].victims.len(), 2);
}

#[test]
fn operators_that_wait_for_each_other_end() {
    let all = diagnosed(
        vec![
            waiting("kelp", "buoy", Some("2.0.0")),
            waiting("buoy", "kelp", Some("2.3.0")),
        ],
        Vec::new(),
    );
    let code = Code::DependencyOutOfRange;
    assert_eq!(
        all.iter().map(|it| root(it).code).collect::<Vec<_>>(),
        [code; 2]
    );
}

#[test]
fn healthy_operator_at_an_old_version_must_change_its_version() {
    let operators = vec![waiting("kelp", "anchor", Some("2.3.0")), healthy("anchor")];
    let all = diagnosed(operators, Vec::new());
    let cause = root(&all[0]);
    assert_eq!(
        (all[0].state, cause.code, &cause.at_fault),
        (
            State::Stuck,
            Code::DependencyOutOfRange,
            &all[1].subject.object
        )
    );
    let action = "Let Operator anchor reach a version of anchor >=2.4.0: change its spec.version or its \
                  catalog. Operator kelp needs no change: it follows by itself.";
    assert_eq!(cause.responsible.action, action);
}

#[test]
fn installed_dependency_of_another_installer_is_never_called_missing() {
    let all = diagnosed(vec![waiting("kelp", "anchor", Some("2.3.0"))], Vec::new());
    let cause = root(&all[0]);
    assert_eq!(cause.code, Code::DependencyOutOfRange);
    assert!(!cause.is_at_fault_missing());
    assert_eq!(
        cause.message,
        "kelp.v3.0.0 requires anchor >=2.4.0. Version 2.3.0 of anchor is installed."
    );
    assert!(!cause.responsible.action.contains("Install"));
}

#[test]
fn dependency_that_is_not_installed_is_missing() {
    let all = diagnosed(vec![waiting("kelp", "anchor", None)], Vec::new());
    let cause = root(&all[0]);
    assert_eq!(
        (cause.code, cause.is_at_fault_missing()),
        (Code::DependencyMissing, true)
    );
    let action =
        "Install anchor >=2.4.0, which is not installed. The Operator then continues by itself.";
    assert_eq!(cause.responsible.action, action);
}
