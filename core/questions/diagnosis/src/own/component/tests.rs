use portolan_core_olm::{FromJson, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::Procedure;
use crate::own::{OwnKind, OwnObjects, OwnQuestion, diagnose_own, tests::operator};
use crate::own_plan::live_tests;

fn read<K: FromJson>(object: Value) -> Arc<K> {
    let (object, faults) = read_value::<K>(object).expect("an object");
    assert_eq!(faults, []);
    Arc::new(object)
}

/// Returns a Deployment of a component with two Pods. `ready` is the number of ready Pods. The
/// other Pods crash-loop.
fn deployment(component: &str, ready: i32) -> RunningWorkload {
    let workloads = live_tests::workload("Deployment.apps", &live_tests::crashing());
    let mut workload = workloads.all.into_iter().next().expect("a workload");
    workload.object.namespace = "portolan".to_owned();
    workload.object.name = format!("portolan-{component}");
    workload.component = component.to_owned();
    (workload.ready, workload.desired) = (ready, 2);
    workload
}

fn lease(holder: &str, is_held: bool) -> ControllerLease {
    ControllerLease {
        namespace: "portolan".to_owned(),
        name: "portolan-controller".to_owned(),
        holder: holder.to_owned(),
        renewed: "2026-01-01T06:00:00Z".to_owned(),
        is_held,
    }
}

fn api_service(status: &str) -> Arc<ApiService> {
    read(json!({
        "metadata": {"name": "v2alpha1.packages.operators.coreos.com"},
        "status": {"conditions": [{
            "type": "Available", "status": status, "reason": "MissingEndpoints",
            "message": "endpoints for service/portolan-apiserver have no addresses",
        }]},
    }))
}

fn webhook(ca_bundle: &str) -> Arc<ValidatingWebhookConfiguration> {
    let service = json!({"namespace": "portolan", "name": "portolan-webhook"});
    read(json!({
        "metadata": {"name": "portolan-webhook"},
        "webhooks": [{
            "name": "a", "failurePolicy": "Ignore",
            "clientConfig": {"service": service, "caBundle": ca_bundle},
        }],
    }))
}

fn of(components: Components) -> Vec<Diagnosis> {
    let own = OwnObjects {
        operators: crate::Listed {
            objects: vec![operator("tug").into()],
            troubles: Vec::new(),
        },
        components,
        ..OwnObjects::default()
    };
    let kind = Some(OwnKind::Component);
    diagnose_own(
        &own,
        OwnQuestion {
            kind,
            ..OwnQuestion::default()
        },
    )
}

fn with(workload: RunningWorkload) -> Components {
    Components {
        workloads: Workloads {
            all: vec![workload],
            ..Workloads::default()
        },
        ..Components::default()
    }
}

fn line(diagnosis: &Diagnosis) -> String {
    let cause = diagnosis.cause.as_ref();
    let cause = cause.map(|it| format!(" {} {}: {}", it.code.as_str(), it.at_fault, it.message));
    format!(
        "{} {}{}",
        diagnosis.subject.object,
        diagnosis.state.as_str(),
        cause.unwrap_or_default()
    )
}

#[rstest]
#[case::down(
    0,
    "Broken",
    "Operators are not upgraded, because Portolan cannot read the catalogs."
)]
#[case::one_of_two(
    1,
    "Stuck",
    "1 of 2 Pods of Deployment.apps portolan/portolan-resolver are ready."
)]
fn failing_deployment_has_an_impact_and_a_pod(
    #[case] ready: i32,
    #[case] state: &str,
    #[case] impact: &str,
) {
    let all = of(with(deployment("resolver", ready)));
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(
        (all[0].state.as_str(), cause.code.as_str()),
        (state, "CrashLooping")
    );
    let headline = &all[0].headline;
    assert!(headline.contains(impact), "{headline}");
    assert!(cause.message.contains("exit code 3"), "{}", cause.message);
    assert_eq!(cause.quotes[0].text, "panic: no config");
    assert!(cause.remedy.look[0].action.text().ends_with("--previous"));
}

#[test]
fn deployment_without_pods_is_unavailable() {
    let mut workload = deployment("approval", 0);
    workload.below = None;
    let all = of(with(workload));
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(cause.code.as_str(), "ComponentUnavailable");
    assert!(
        cause
            .message
            .ends_with("portolan/portolan-approval has 0 of 2 ready Pods."),
        "{}",
        cause.message
    );
}

#[test]
fn api_service_that_is_down_names_its_deployment() {
    let alone = Components {
        api_services: vec![api_service("False")],
        ..Components::default()
    };
    let printed = line(&of(alone)[0]);
    let expected = "APIService v2alpha1.packages.operators.coreos.com Broken ApiMissing APIService \
                    v2alpha1.packages.operators.coreos.com: API servers get no answer for \
                    v2alpha1.packages.operators.coreos.com: endpoints for service/portolan-apiserver \
                    have no addresses.";
    assert!(printed.starts_with(expected), "{printed}");
    let both = Components {
        api_services: vec![api_service("False")],
        ..with(deployment("apiserver", 0))
    };
    let all = of(both);
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(
        cause.at_fault.to_string(),
        "Deployment.apps portolan/portolan-apiserver"
    );
    assert_eq!(cause.below[0].code.as_str(), "CrashLooping");
    let well = Components {
        api_services: vec![api_service("True")],
        ..Components::default()
    };
    assert_eq!(of(well)[0].state, State::Well);
}

#[rstest]
#[case::without_certificate(webhook(""), None, "caBundle is empty")]
#[case::without_pod(webhook("LS0t"), Some(0), "its Deployment has no ready Pod")]
fn failing_webhook_names_the_missing_checks(
    #[case] webhook: Arc<ValidatingWebhookConfiguration>,
    #[case] ready: Option<i32>,
    #[case] why: &str,
) {
    let workloads = ready
        .map(|ready| with(deployment("webhook", ready)))
        .unwrap_or_default();
    let all = of(Components {
        webhooks: vec![webhook],
        ..workloads
    });
    let is_webhook = |it: &&Diagnosis| {
        it.subject.object.name == "portolan-webhook" && it.subject.object.namespace.is_empty()
    };
    let diagnosis = all.iter().find(is_webhook).expect("a diagnosis");
    let headline = &diagnosis.headline;
    let effect = "API servers accept objects of Portolan without validation. Conditions report errors later.";
    assert!(headline.ends_with(effect), "{headline}");
    let cause = diagnosis.cause.as_ref().expect("a cause");
    assert_eq!(cause.code.as_str(), "ComponentUnavailable");
    assert!(cause.message.contains(why), "{}", cause.message);
}

#[test]
fn running_webhook_is_healthy() {
    let all = of(Components {
        webhooks: vec![webhook("LS0t")],
        ..with(deployment("webhook", 1))
    });
    let states = all.iter().map(|it| it.state).collect::<Vec<_>>();
    assert!(states.contains(&State::Well), "{states:?}");
}

#[rstest]
#[case::held(Some(lease("a-0", true)), "Working NotObserved")]
#[case::expired(Some(lease("a-0", false)), "Stuck ControllerNotRunning")]
#[case::released(Some(lease("", false)), "Stuck ControllerNotRunning")]
#[case::absent(None, "Working NotObserved")]
fn operator_without_a_status_names_the_stopped_controller(
    #[case] lease: Option<ControllerLease>,
    #[case] expected: &str,
) {
    let own = OwnObjects {
        operators: crate::Listed {
            objects: vec![operator("tug").into()],
            troubles: Vec::new(),
        },
        components: Components {
            leases: Some(lease.clone().into_iter().collect()),
            ..Components::default()
        },
        ..OwnObjects::default()
    };
    let all = diagnose_own(&own, OwnQuestion::default());
    let cause = all[0].cause.as_ref().expect("a cause");
    assert_eq!(
        format!("{} {}", all[0].state.as_str(), cause.code.as_str()),
        expected
    );
    let is_stopped = lease.as_ref().is_some_and(|it| !it.is_held);
    assert_eq!(all.len(), if is_stopped { 2 } else { 1 });
    assert_eq!(all[0].unknowns.len(), usize::from(lease.is_none()));
    if is_stopped {
        assert!(
            cause.message.starts_with("No controller runs: "),
            "{}",
            cause.message
        );
        assert_eq!(
            all[1].subject.object.to_string(),
            "Lease portolan/portolan-controller"
        );
        assert_eq!(all[1].state, State::Stuck);
    }
}

#[test]
fn controller_is_not_required_without_objects() {
    let own = OwnObjects {
        components: Components {
            leases: Some(vec![lease("", false)]),
            ..Components::default()
        },
        ..OwnObjects::default()
    };
    assert_eq!(diagnose_own(&own, OwnQuestion::default()), []);
}

fn crd(name: &str, version: &str) -> Arc<CustomResourceDefinition> {
    let labels = json!({"app.kubernetes.io/version": version});
    read(json!({"metadata": {"name": name, "labels": labels}}))
}

/// Returns a working Deployment of a component with this version.
fn versioned(component: &str, tag: &str) -> RunningWorkload {
    RunningWorkload {
        version: crate::running::version(tag),
        ..deployment(component, 2)
    }
}

/// Returns a controller and a resolver of the given versions, and two CRDs of the given versions.
fn skewed([controller, resolver]: [&str; 2], crds: [&str; 2]) -> Components {
    let [plans, operators] = crds;
    Components {
        workloads: Workloads {
            all: vec![
                versioned("controller", controller),
                versioned("resolver", resolver),
            ],
            ..Workloads::default()
        },
        crds: vec![crd("plans", plans), crd("operators", operators)],
        ..Components::default()
    }
}

#[rstest]
#[case::equal(skewed(["0.2.0", "v0.2.0"], ["0.2.0", "0.2.0"]), "", "")]
#[case::unknown(skewed(["latest", "0.2.0"], ["", "0.1.0"]), "", "")]
#[case::crds(
    skewed(["0.2.0", "0.2.0"], ["0.1.1", "0.1.0"]),
    "Deployment.apps portolan/portolan-controller Stuck ComponentOutdated CustomResourceDefinition operators: \
     CustomResourceDefinition operators and 1 other are of version 0.1.0",
    "portolan install crds"
)]
#[case::one_crd(
    skewed(["0.2.0", "0.2.0"], ["0.2.0", "0.1.0"]),
    "Deployment.apps portolan/portolan-controller Stuck ComponentOutdated CustomResourceDefinition operators: \
     CustomResourceDefinition operators is of version 0.1.0, but Deployment.apps portolan/portolan-controller \
     runs version 0.2.0.",
    "portolan install crds"
)]
#[case::service(
    skewed(["0.2.0", "0.1.0"], ["0.2.0", "0.2.0"]),
    "Deployment.apps portolan/portolan-resolver Stuck ComponentOutdated Deployment.apps portolan/portolan-resolver: \
     Deployment.apps portolan/portolan-resolver runs version 0.1.0, and Deployment.apps \
     portolan/portolan-controller has version 0.2.0.",
    ""
)]
#[case::controller(
    skewed(["0.1.0", "0.2.0"], ["0.2.0", "0.2.0"]),
    "Deployment.apps portolan/portolan-controller Stuck ComponentOutdated Deployment.apps portolan/portolan-controller: \
     Deployment.apps portolan/portolan-controller runs version 0.1.0",
    ""
)]
fn older_components_of_portolan_are_named(
    #[case] components: Components,
    #[case] expected: &str,
    #[case] fix: &str,
) {
    let all = of(components);
    let outdated: Vec<_> = all.iter().filter(|it| it.state != State::Well).collect();
    let lines: Vec<_> = outdated.iter().map(|it| line(it)).collect();
    assert_eq!(lines.len(), usize::from(!expected.is_empty()), "{lines:?}");
    assert!(lines.concat().starts_with(expected), "{lines:?}");
    let causes = outdated.iter().filter_map(|it| it.cause.as_ref());
    let fixes = causes
        .flat_map(|it| &it.remedy.fix)
        .flat_map(Procedure::texts);
    assert_eq!(fixes.collect::<String>(), fix);
}

/// Returns a diagnosis for each code that a component of Portolan can have.
pub(crate) fn stories() -> Vec<Diagnosis> {
    let mut down = deployment("health", 0);
    down.below = None;
    let of_lease = of(Components {
        leases: Some(vec![lease("", false)]),
        ..with(down)
    });
    let skewed = of(skewed(["0.2.0", "0.2.0"], ["0.2.0", "0.1.0"]));
    of_lease.into_iter().chain(skewed).collect()
}
