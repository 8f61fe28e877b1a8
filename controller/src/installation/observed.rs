//! Reads the facts about a cluster for a check of the installation.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ListParams, ObjectMeta, PostParams};
use kube::{Api, Client, ResourceExt};
use portolan_runtime::certificates::valid_until;
use portolan_runtime::lease::{LeaseState, lease_state};
use portolan_shell::with_causes;

use super::decide::{Owner, owner};
use crate::controllers::{MissingForPlans, controllers};
use crate::crds::is_established;

/// The label selector of all Deployments of Portolan.
const PARTS: &str = "app.kubernetes.io/name=portolan";
const COMPONENT: &str = "app.kubernetes.io/component";
/// The suffix in the names of Secrets with serving certificates.
const SERVED: &str = "-tls";
/// The name of the ServiceAccount that installs Operators.
const ACCOUNT: &str = "portolan-installer";

/// The API group and resource of each kind that an installation creates.
const CREATED: [(&str, &str); 8] = [
    ("", "namespaces"),
    ("", "secrets"),
    ("", "services"),
    ("apps", "deployments"),
    ("rbac.authorization.k8s.io", "clusterroles"),
    ("rbac.authorization.k8s.io", "clusterrolebindings"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    (
        "admissionregistration.k8s.io",
        "validatingadmissionpolicies",
    ),
];

/// The facts about a cluster. If a fact is unknown, it is an error with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSetup {
    /// The major and minor version of Kubernetes.
    pub version: Result<(u32, u32), String>,
    /// The served API groups.
    pub groups: Result<BTreeSet<String>, String>,
    /// The resources that the user cannot create.
    pub denied: Result<Vec<String>, String>,
    /// The installation of Portolan. None if Portolan is not installed.
    pub setup: Result<Option<Setup>, String>,
}

/// The facts about an installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    pub namespace: String,
    pub owner: Owner,
    pub parts: Vec<DeployedPart>,
    /// The certificates, by the name of the Secret.
    pub certificates: BTreeMap<String, Result<ServingCertificate, String>>,
    /// The CRDs that the flags of the controller require. The value is None if the CRD is missing.
    /// Otherwise, it is true if the API server serves the CRD.
    pub crds: BTreeMap<String, Result<Option<bool>, String>>,
    /// The holder of the controller's Lease. None if no controller is installed.
    pub holder: Option<Result<Option<String>, String>>,
    /// The commands that create the objects that Operators need. None if Operators are not enabled.
    pub preparation: Option<Result<Vec<String>, String>>,
}

/// A Deployment of Portolan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployedPart {
    pub name: String,
    pub desired: i32,
    pub ready: i32,
}

/// The certificate of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServingCertificate {
    Missing,
    ValidUntil(Timestamp),
}

// === impl ClusterSetup ===

impl ClusterSetup {
    /// Reads the facts.
    pub async fn read(client: &Client) -> Self {
        Self {
            version: version(client).await,
            groups: groups(client).await,
            denied: denied(client).await,
            setup: setup(client).await,
        }
    }
}

async fn version(client: &Client) -> Result<(u32, u32), String> {
    let info = client.apiserver_version().await;
    let info = info.map_err(|error| with_causes(&error))?;
    // Some distributions add a plus sign to the minor version.
    let number = |text: &str| text.trim_end_matches('+').parse().ok();
    let numbers = number(&info.major).zip(number(&info.minor));
    numbers.ok_or_else(|| format!("the version {} is invalid", info.git_version))
}

async fn groups(client: &Client) -> Result<BTreeSet<String>, String> {
    let groups = client.list_api_groups().await;
    let groups = groups.map_err(|error| with_causes(&error))?;
    Ok(groups.groups.into_iter().map(|group| group.name).collect())
}

async fn denied(client: &Client) -> Result<Vec<String>, String> {
    let reviews: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let mut denied = Vec::new();
    for (group, resource) in CREATED {
        let review = SelfSubjectAccessReview {
            metadata: ObjectMeta::default(),
            spec: SelfSubjectAccessReviewSpec {
                resource_attributes: Some(ResourceAttributes {
                    group: Some(group.to_owned()),
                    resource: Some(resource.to_owned()),
                    verb: Some("create".to_owned()),
                    ..ResourceAttributes::default()
                }),
                ..SelfSubjectAccessReviewSpec::default()
            },
            status: None,
        };
        let answer = reviews.create(&PostParams::default(), &review).await;
        let answer = answer.map_err(|error| with_causes(&error))?;
        if !answer.status.is_some_and(|status| status.allowed) {
            denied.push(resource.to_owned());
        }
    }
    Ok(denied)
}

/// Reads the installation. It consists of the Deployments with Portolan's label.
async fn setup(client: &Client) -> Result<Option<Setup>, String> {
    let all: Api<Deployment> = Api::all(client.clone());
    let listed = all.list(&ListParams::default().labels(PARTS)).await;
    let listed = listed.map_err(|error| with_causes(&error))?.items;
    let Some(first) = listed.first() else {
        return Ok(None);
    };
    let namespace = first.namespace().unwrap_or_default();
    let of = |component: &str| {
        let mut parts = listed.iter();
        parts.find(|it| it.labels().get(COMPONENT).is_some_and(|it| it == component))
    };
    let args = of("controller").map(args).unwrap_or_default();
    let has_operators = args.iter().any(|arg| arg == "--operators");
    let holder = match of("controller") {
        Some(_) => Some(holder(client, &namespace).await),
        None => None,
    };
    let preparation = if has_operators {
        Some(preparation(client, &namespace).await)
    } else {
        None
    };
    Ok(Some(Setup {
        owner: owner(&first.metadata),
        parts: listed.iter().map(part).collect(),
        certificates: certificates(client, &namespace, &listed).await,
        crds: crds(client, &args).await,
        holder,
        preparation,
        namespace,
    }))
}

fn part(deployment: &Deployment) -> DeployedPart {
    let spec = deployment.spec.as_ref();
    let status = deployment.status.as_ref();
    // If the status belongs to an older generation, its numbers do not count the current Pods.
    let is_observed =
        status.and_then(|status| status.observed_generation) >= deployment.metadata.generation;
    let ready = status.and_then(|status| status.available_replicas);
    DeployedPart {
        name: deployment.name_any(),
        desired: spec.and_then(|spec| spec.replicas).unwrap_or(1),
        ready: ready.filter(|_| is_observed).unwrap_or(0),
    }
}

fn args(deployment: &Deployment) -> Vec<String> {
    let pod = deployment.spec.as_ref();
    let pod = pod.and_then(|spec| spec.template.spec.as_ref());
    let container = pod.and_then(|pod| pod.containers.first());
    container.and_then(|it| it.args.clone()).unwrap_or_default()
}

/// Reads the certificates that the Deployments mount.
async fn certificates(
    client: &Client,
    namespace: &str,
    deployments: &[Deployment],
) -> BTreeMap<String, Result<ServingCertificate, String>> {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), namespace);
    let pods = deployments.iter().filter_map(|it| it.spec.as_ref());
    let pods = pods.filter_map(|spec| spec.template.spec.as_ref());
    let volumes = pods.flat_map(|pod| pod.volumes.iter().flatten());
    let names = volumes.filter_map(|volume| volume.secret.as_ref()?.secret_name.clone());
    let names: BTreeSet<_> = names.filter(|name| name.ends_with(SERVED)).collect();
    let mut certificates = BTreeMap::new();
    for name in names {
        let secret = secrets.get_opt(&name).await;
        let certificate = secret.map_err(|error| with_causes(&error));
        certificates.insert(
            name,
            certificate.and_then(|secret| certificate_of(secret.as_ref())),
        );
    }
    certificates
}

fn certificate_of(secret: Option<&Secret>) -> Result<ServingCertificate, String> {
    let Some(secret) = secret else {
        return Ok(ServingCertificate::Missing);
    };
    let certificate = secret.data.as_ref().and_then(|data| data.get("tls.crt"));
    let certificate = certificate.map(|bytes| String::from_utf8_lossy(&bytes.0));
    valid_until(&certificate.unwrap_or_default()).map(ServingCertificate::ValidUntil)
}

/// Reads the CRDs of the controllers that these flags enable.
async fn crds(client: &Client, args: &[String]) -> BTreeMap<String, Result<Option<bool>, String>> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    let is_on = |flags: &[&str]| flags.iter().any(|flag| args.iter().any(|arg| arg == flag));
    let needed = controllers().filter(|it| is_on(it.flags));
    let needed: BTreeSet<&str> = needed.flat_map(|it| it.crds.iter().copied()).collect();
    let mut crds = BTreeMap::new();
    for name in needed {
        let crd = api.get_opt(name).await.map_err(|error| with_causes(&error));
        let crd = crd.map(|crd| crd.as_ref().map(is_established));
        crds.insert(name.to_owned(), crd);
    }
    crds
}

async fn holder(client: &Client, namespace: &str) -> Result<Option<String>, String> {
    let state = lease_state(client, namespace, "portolan-controller").await;
    match state.map_err(|error| with_causes(&error))? {
        LeaseState::HeldBy(holder) => Ok(Some(holder)),
        LeaseState::Free | LeaseState::NoNamespace => Ok(None),
    }
}

async fn preparation(client: &Client, namespace: &str) -> Result<Vec<String>, String> {
    let missing = MissingForPlans::read(client, namespace, ACCOUNT).await;
    let missing = missing.map_err(|error| with_causes(&error))?;
    Ok(missing.commands(namespace, ACCOUNT))
}
