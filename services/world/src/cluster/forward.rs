//! Forwards connections through the API server to a Pod of a Service.

use std::collections::BTreeMap;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::{Pod, Service};
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::api::ListParams;
use kube::{Api, Client};
use thiserror::Error;
use tokio::io::DuplexStream;

use crate::registry::{PortForward, ServicePort};

/// Forwards connections through the API server, as `kubectl port-forward` does.
pub(super) struct Forwarded(pub(super) Client);

/// The reason why the API server cannot forward to the Service.
#[derive(Debug, Error)]
enum Forward {
    /// The Service cannot be read.
    #[error("cannot read Service {service}: {why}")]
    Service {
        /// The namespace and name of the Service.
        service: String,
        /// The error of the request to the API server.
        why: String,
    },
    /// The Service does not exist.
    #[error("there is no Service {0}")]
    Gone(String),
    /// The Service does not have the port.
    #[error("Service {service} has no port {port}")]
    Port {
        /// The namespace and name of the Service.
        service: String,
        /// The port of the address.
        port: u16,
    },
    /// The Service has no selector for Pods.
    #[error("Service {0} selects no Pods")]
    Selector(String),
    /// The Pods cannot be listed.
    #[error("cannot list the Pods of Service {service}: {why}")]
    Pods {
        /// The namespace and name of the Service.
        service: String,
        /// The error of the request to the API server.
        why: String,
    },
    /// No Pod accepts connections.
    #[error("no Pod of Service {0} is ready")]
    NotReady(String),
    /// The API server refuses to forward to the port of the Pod.
    #[error("cannot forward port {port} of Pod {pod}: {why}")]
    Refused {
        /// The namespace and name of the Pod.
        pod: String,
        /// The port on which the Pod listens.
        port: u16,
        /// The error of the request to the API server.
        why: String,
    },
    /// No ready Pod has a port with the name in the Service.
    #[error("no Pod of Service {service} has a port {name}")]
    Named {
        /// The namespace and name of the Service.
        service: String,
        /// The name of the port in the Service.
        name: String,
    },
}

/// A ready Pod, and the port to which the connection is forwarded.
#[derive(Debug, PartialEq, Eq)]
struct PodEndpoint {
    pod: String,
    port: u16,
}

// === impl Forwarded ===

type Opened = Result<DuplexStream, Box<dyn std::error::Error + Send + Sync>>;

impl PortForward for Forwarded {
    fn open<'a>(&'a self, to: &'a ServicePort) -> BoxFuture<'a, Opened> {
        async { Ok(open(&self.0, to).await?) }.boxed()
    }
}

async fn open(client: &Client, at: &ServicePort) -> Result<DuplexStream, Forward> {
    let name = || at.to_string();
    let services: Api<Service> = Api::namespaced(client.clone(), &at.namespace);
    let service = services.get_opt(&at.service).await;
    let service = service.map_err(|error| Forward::Service {
        service: name(),
        why: message(&error),
    })?;
    let service = service.ok_or_else(|| Forward::Gone(name()))?;

    let pods: Api<Pod> = Api::namespaced(client.clone(), &at.namespace);
    let selected = ListParams::default().labels(&selector(&service, at)?);
    let listed = pods.list(&selected).await.map_err(|error| Forward::Pods {
        service: name(),
        why: message(&error),
    })?;
    let PodEndpoint { pod, port } = endpoint(&service, &listed.items, at)?;

    let refused = |why| Forward::Refused {
        pod: format!("{}/{pod}", at.namespace),
        port,
        why,
    };
    let forwarded = pods.portforward(&pod, &[port]).await;
    let mut forwarder = forwarded.map_err(|error| refused(message(&error)))?;
    let stream = forwarder.take_stream(port);
    stream.ok_or_else(|| refused("nothing was opened".to_owned()))
}

/// Returns the message of an error of kube, for an error that already names the request.
fn message(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

/// Returns the label selector of the Service in the form `a=b,c=d`.
fn selector(service: &Service, at: &ServicePort) -> Result<String, Forward> {
    let none = BTreeMap::new();
    let spec = service.spec.as_ref();
    let labels = spec.and_then(|spec| spec.selector.as_ref());
    let labels = labels.unwrap_or(&none).iter();
    let labels: Vec<_> = labels
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    if labels.is_empty() {
        Err(Forward::Selector(at.to_string()))
    } else {
        Ok(labels.join(","))
    }
}

/// Returns the first ready Pod in the order of names, with the port to which the Service sends
/// connections.
fn endpoint(service: &Service, pods: &[Pod], at: &ServicePort) -> Result<PodEndpoint, Forward> {
    let spec = service.spec.as_ref();
    let mut ports = spec
        .and_then(|spec| spec.ports.as_ref())
        .into_iter()
        .flatten();
    let port = ports.find(|port| port.port == i32::from(at.port));
    let port = port.ok_or_else(|| Forward::Port {
        service: at.to_string(),
        port: at.port,
    })?;
    let mut ready: Vec<_> = pods.iter().filter(|pod| is_ready(pod)).collect();
    ready.sort_by_key(|pod| pod.metadata.name.clone());
    if ready.is_empty() {
        return Err(Forward::NotReady(at.to_string()));
    }
    let mut endpoints = ready.iter().filter_map(|pod| {
        let target = match &port.target_port {
            None => at.port,
            Some(IntOrString::Int(number)) => u16::try_from(*number).ok()?,
            Some(IntOrString::String(name)) => named(pod, name)?,
        };
        Some(PodEndpoint {
            pod: pod.metadata.name.clone()?,
            port: target,
        })
    });
    endpoints.next().ok_or_else(|| Forward::Named {
        service: at.to_string(),
        name: match &port.target_port {
            Some(IntOrString::String(name)) => name.clone(),
            Some(IntOrString::Int(number)) => number.to_string(),
            None => at.port.to_string(),
        },
    })
}

fn is_ready(pod: &Pod) -> bool {
    let status = pod.status.as_ref();
    let conditions = status.and_then(|status| status.conditions.as_ref());
    let mut conditions = conditions.into_iter().flatten();
    let is_going = pod.metadata.deletion_timestamp.is_some();
    !is_going && conditions.any(|each| each.type_ == "Ready" && each.status == "True")
}

/// Returns the number of the container port with this name. Returns None if there is no such port.
fn named(pod: &Pod, name: &str) -> Option<u16> {
    let containers = pod.spec.iter().flat_map(|spec| &spec.containers);
    let mut ports = containers.flat_map(|container| container.ports.iter().flatten());
    let port = ports.find(|port| port.name.as_deref() == Some(name))?;
    u16::try_from(port.container_port).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn at(port: u16) -> ServicePort {
        let address = format!("charts.olm.svc:{port}");
        let address: crate::registry::Address = address.parse().expect("the address must parse");
        address.service().expect("it must name a Service")
    }

    fn service(spec: &Value) -> Service {
        let service = json!({"metadata": {"name": "charts"}, "spec": spec});
        serde_json::from_value(service).expect("the Service must decode")
    }

    fn pod(name: &str, ready: &str, going: Option<&str>) -> Pod {
        let pod = json!({
            "metadata": {"name": name, "deletionTimestamp": going},
            "spec": {"containers": [{"name": "registry", "ports": [
                {"name": "http", "containerPort": 8080},
                {"name": "grpc", "containerPort": 50051}
            ]}]},
            "status": {"conditions": [{"type": "Ready", "status": ready}]}
        });
        serde_json::from_value(pod).expect("the Pod must decode")
    }

    #[rstest]
    #[case::the_same(json!({"port": 50051}), 50051)]
    #[case::another(json!({"port": 50051, "targetPort": 7}), 7)]
    #[case::by_name(json!({"port": 50051, "targetPort": "http"}), 8080)]
    fn endpoint_is_a_ready_pod_of_the_service(#[case] port: Value, #[case] expected: u16) {
        let service = service(&json!({"ports": [{"port": 1}, port]}));
        let pods = [
            pod("c", "True", None),
            pod("a", "False", None),
            pod("b", "True", None),
            pod("a-going", "True", Some("2026-11-23T10:00:00Z")),
        ];
        let found = endpoint(&service, &pods, &at(50051)).expect("there must be an endpoint");
        let expected = PodEndpoint {
            pod: "b".to_owned(),
            port: expected,
        };
        assert_eq!(found, expected, "the first that takes connections");
    }

    #[rstest]
    #[case::no_ready_pod(
        json!({"ports": [{"port": 50051}]}),
        "False",
        "no Pod of Service olm/charts is ready"
    )]
    #[case::no_such_name(
        json!({"ports": [{"port": 50051, "targetPort": "admin"}]}),
        "True",
        "no Pod of Service olm/charts has a port admin"
    )]
    #[case::no_such_port(
        json!({"ports": [{"port": 1}]}),
        "True",
        "Service olm/charts has no port 50051"
    )]
    #[case::no_ports(json!({}), "True", "Service olm/charts has no port 50051")]
    fn missing_endpoint_error_names_the_cause(
        #[case] spec: Value,
        #[case] ready: &str,
        #[case] sentence: &str,
    ) {
        let pods = [pod("a", ready, None)];
        let error = endpoint(&service(&spec), &pods, &at(50051)).expect_err("there is no endpoint");
        assert_eq!(error.to_string(), sentence);
    }

    #[test]
    fn pods_are_requested_by_all_labels_of_the_selector() {
        let one = service(&json!({"selector": {"b": "2", "a": "1"}}));
        assert_eq!(selector(&one, &at(1)).expect("it selects"), "a=1,b=2");
        for none in [json!({}), json!({"selector": {}})] {
            let error = selector(&service(&none), &at(1)).expect_err("it selects nothing");
            assert_eq!(error.to_string(), "Service olm/charts selects no Pods");
        }
    }
}
