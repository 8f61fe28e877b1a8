use portolan_core_olm::{AnyDeployment, ClusterExtension, read_value};
use rstest::rstest;
use serde_json::{Value, json};

use crate::own_plan::live_tests;
use crate::{
    Cause, Code, Diagnosis, Listed, Object, OwnObjects, OwnQuestion, Quote, RunningWorkload, State,
    Workloads, diagnose_own,
};

const WEBHOOK: &str = "error for resolved bundle \"kelp.v2.0.0\" with version \"2.0.0\": Internal error occurred: failed \
                       calling webhook \"check.lights.example\": failed to call webhook: Post \
                       \"https://beam.lights.svc:443/check\": no endpoints available for service \"beam\"";

/// Returns a ClusterExtension with this installed bundle. Its condition `Progressing` has this
/// reason and message.
fn extension(name: &str, bundle: &str, reason: &str, message: &str) -> ClusterExtension {
    let install = (!bundle.is_empty()).then(|| json!({"bundle": {"name": bundle}}));
    let progress = json!({
        "type": "Progressing", "status": "True", "reason": reason, "message": message,
        "lastTransitionTime": "2026-01-01T06:00:00Z", "observedGeneration": 1,
    });
    let object = json!({
        "metadata": {"name": name, "generation": 1},
        "spec": {"namespace": name, "source": {"catalog": {"packageName": name}}},
        "status": {"conditions": [progress], "install": install},
    });
    read_value(object).expect("an extension").0
}

/// Returns the Deployment `lights/beam` of the ClusterExtension `lights`.
fn beam(replicas: i32, annotations: &Value, progress: &str) -> RunningWorkload {
    let labels = json!({"olm.operatorframework.io/owner-name": "lights"});
    let said = json!({"type": "Progressing", "status": "True", "reason": progress});
    let object = json!({
        "metadata": {
            "name": "beam", "namespace": "lights", "labels": labels, "annotations": annotations,
        },
        "spec": {"replicas": replicas}, "status": {"conditions": [said]},
    });
    let (deployment, _) = read_value::<AnyDeployment>(object).expect("a Deployment");
    RunningWorkload::of("Deployment.apps", &deployment)
}

/// Returns the diagnoses of the ClusterExtensions `kelp`, which waits for a webhook, and `lights`,
/// which serves this webhook.
fn diagnosed(nearby: Vec<RunningWorkload>) -> Vec<Diagnosis> {
    let kelp = extension("kelp", "", "Retrying", WEBHOOK);
    let lights = extension(
        "lights",
        "lights.v1.4.0",
        "Succeeded",
        "Desired state reached",
    );
    let own = OwnObjects {
        extensions: Listed {
            objects: vec![kelp.into(), lights.into()],
            troubles: Vec::new(),
        },
        workloads: Workloads {
            nearby,
            ..Workloads::default()
        },
        ..OwnObjects::default()
    };
    assert_eq!(own.namespaces_to_inspect(), ["lights"].into());
    diagnose_own(&own, OwnQuestion::default())
}

fn root(diagnosis: &Diagnosis) -> &Cause {
    diagnosis.cause.as_ref().expect("a cause")
}

#[test]
fn deployment_that_kube_downscaler_stopped_is_at_fault_for_the_webhook() {
    let annotations = json!({"downscaler/original-replicas": "3"});
    let all = diagnosed(vec![beam(0, &annotations, "NewReplicaSetAvailable")]);
    let [kelp, lights] = all.as_slice() else {
        panic!("{all:?}");
    };
    let at_fault = Object::new("Deployment.apps", "lights", "beam");
    let cause = root(kelp);
    assert_eq!(
        (kelp.state, cause.code, &cause.at_fault),
        (State::Stuck, Code::ScaledToZero, &at_fault)
    );
    let message = "OLM v1 installs nothing. The API server cannot call webhook check.lights.example of Service \
                   lights/beam, so it refuses an object of kelp.v2.0.0. Deployment.apps lights/beam is scaled to \
                   0. kube-downscaler scaled it down, as its annotation downscaler/original-replicas: \"3\" shows. \
                   The schedule is in the settings of kube-downscaler, or in the annotations of namespace lights.";
    assert_eq!(cause.message, message);
    let said =
        "Post \"https://beam.lights.svc:443/check\": no endpoints available for service \"beam\"";
    assert_eq!(cause.quotes[0].text, said);
    let commands: Vec<_> = cause.remedy.changes().flat_map(|it| it.texts()).collect();
    let scale = "kubectl scale deployments.apps/beam -n lights --replicas=3";
    let exclude =
        "kubectl annotate --overwrite deployments.apps/beam -n lights downscaler/exclude=true";
    assert_eq!(commands, [exclude, scale]);
    let who = "the administrator of namespace lights, with the owner of ClusterExtension lights";
    assert_eq!(cause.responsible.who, who);
    let innocent = "ClusterExtension kelp needs no change: OLM v1 retries by itself.";
    assert!(cause.responsible.action.ends_with(innocent));
    let described = "describe clusterextensions";
    let mut looks = cause.remedy.look.iter();
    assert!(looks.all(|it| !it.action.text().contains(described)));

    assert_eq!(
        (lights.state, root(lights).code),
        (State::Broken, Code::ScaledToZero)
    );
    let headline = "lights.v1.4.0 does not work. Because of this, the API server refuses objects that its webhook must check, and OLM v1 cannot install or upgrade ClusterExtension kelp. OLM v1 retries by itself.";
    assert_eq!(lights.headline, headline);
    assert_eq!(cause.blocked_by.as_ref(), Some(&lights.subject.object));
    assert_eq!(lights.victims, std::slice::from_ref(&kelp.subject.object));
    assert_eq!(
        kelp.headline,
        "ClusterExtension kelp has been blocked since 2026-01-01 06:00 UTC. It has never been installed."
    );
}

#[test]
fn schedule_of_kube_downscaler_is_quoted() {
    let uptime = "Mon-Fri 07:00-19:00 Europe/Berlin";
    let annotations = json!({"downscaler/original-replicas": "3", "downscaler/uptime": uptime});
    let all = diagnosed(vec![beam(0, &annotations, "NewReplicaSetAvailable")]);
    let quoted = Quote::of(
        "the annotations of the Deployment",
        &format!("downscaler/uptime: {uptime}"),
    );
    assert_eq!(root(&all[1]).quotes.first(), quoted.as_ref());
    assert_eq!(root(&all[0]).quotes.last(), quoted.as_ref());
    assert!(!root(&all[1]).message.contains("schedule"));
}

#[rstest]
#[case::starting(1, "ReplicaSetUpdated", State::Well)]
#[case::down(1, "NewReplicaSetAvailable", State::Broken)]
fn extension_without_a_ready_pod_is_broken_unless_it_is_starting(
    #[case] replicas: i32,
    #[case] progress: &str,
    #[case] expected: State,
) {
    let all = diagnosed(vec![beam(replicas, &json!({}), progress)]);
    assert_eq!(all[1].state, expected);
}

#[test]
fn extension_reports_the_crashing_pod_of_its_deployment() {
    let crashing = live_tests::workload("Deployment.apps", &live_tests::crashing());
    let mut workload = crashing.all.into_iter().next().expect("a workload");
    workload.extension = "lights".to_owned();
    let all = diagnosed(vec![workload]);
    let cause = root(&all[1]);
    assert_eq!(
        (all[1].state, cause.code),
        (State::Broken, Code::CrashLooping)
    );
    let end = "OLM v1 still reports ClusterExtension lights as installed, because it does not check workloads.";
    assert!(cause.message.ends_with(end), "{}", cause.message);
    assert_eq!(cause.quotes[0].text, "panic: no config");
}

/// If several Deployments do not run, the Deployment with the name of the Service is assumed to
/// serve the webhook.
#[test]
fn deployment_with_the_name_of_the_service_is_preferred() {
    let mut other = beam(0, &json!({}), "NewReplicaSetAvailable");
    other.object.name = "another".to_owned();
    let all = diagnosed(vec![other, beam(0, &json!({}), "NewReplicaSetAvailable")]);
    let cause = root(&all[0]);
    assert_eq!(cause.at_fault.name, "beam");
    let risk = "It is unknown why the Deployment was scaled down.";
    assert_eq!(cause.remedy.decide[0].risk, risk);
    assert_eq!(cause.remedy.later, []);
}
