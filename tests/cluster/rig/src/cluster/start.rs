//! Starts the components of a control plane in the order in which they depend on each other.

mod node;
mod olm_pods;
mod olm_v1;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU16};
use std::sync::{Arc, Mutex};

use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::core::GroupVersionKind;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use super::template::Written;
use super::{ADMIN, Cluster, Parts, Rig};
use crate::binaries::{Binaries, built};
use crate::component::Component;
use crate::component::node::KWOK;
use crate::failure::Failure;
use crate::kind::Kind;
use crate::node::Programs;
use crate::own::DISTRIBUTION;
use crate::pki::Authority;
use crate::program::OLM_IMAGES;
use crate::site::Site;
use crate::supervisor::Supervisor;
use crate::wait::{Seen, until_object};
use crate::{kubeconfig, olm_v1 as v1};

const NODE: &str = "node-0";

/// Starts all components. Etcd starts with the data of another control plane if `written` is given.
pub(super) async fn everything(
    supervisor: &Path,
    parts: Parts,
    written: Option<&Written>,
) -> Result<Cluster, Failure> {
    let cluster = api_server(supervisor, parts, written).await?;
    if parts.has_node() {
        node::before_controllers(&cluster).await?;
    }
    controllers(&cluster).await?;
    if parts.has_node() {
        node::until_pods_can_run(&cluster).await?;
    }
    if parts.olm_pods {
        olm_pods::start(&cluster).await?;
    } else if parts.olm {
        olm(&cluster).await?;
    }
    if parts.olm_v1 {
        olm_v1::start(&cluster).await?;
    }
    Ok(cluster)
}

/// Starts etcd and the API server, and creates the CRDs of OLM if OLM is requested.
///
/// The CRDs are created before the controllers start, because the garbage collector discovers new
/// kinds only every 30 seconds. It does not orphan objects of a kind that it has not discovered
/// yet, but deletes them later.
pub(super) async fn api_server(
    supervisor: &Path,
    parts: Parts,
    written: Option<&Written>,
) -> Result<Cluster, Failure> {
    let cluster = found(supervisor, parts, written).await?;
    run_all(&cluster, &[Component::Etcd, Component::ApiServer])?;
    if parts.has_node() {
        run_all(&cluster, &[Component::Containerd])?;
    }
    if parts.has_registry() {
        run_all(&cluster, &[Component::Registry])?;
    }
    until_ready(&cluster).await?;
    if parts.has_olm() && written.is_none() {
        olm_kinds(&cluster).await?;
    }
    if parts.olm_v1 {
        olm_v1::kinds(&cluster, &cluster.client()?).await?;
    }
    Ok(cluster)
}

/// Starts the other components of Kubernetes. Returns when Pods can run.
async fn controllers(cluster: &Cluster) -> Result<(), Failure> {
    use Component::{ControllerManager, Kwok, Scheduler};
    run_all(cluster, &[ControllerManager, Scheduler, Kwok])?;
    let client = cluster.client()?;
    let has_node = cluster.rig.site.node().is_some();
    kwok_node(&client, has_node).await?;
    let name = if has_node { crate::node::NAME } else { NODE };
    until_pods_can_run(cluster, &client, name).await
}

fn run_all(cluster: &Cluster, components: &[Component]) -> Result<(), Failure> {
    let mut components = components.iter();
    components.try_for_each(|component| cluster.run(component.process(&cluster.rig.site)))
}

/// Creates the CRDs and the namespaces of OLM.
async fn olm_kinds(cluster: &Cluster) -> Result<(), Failure> {
    let client = cluster.client()?;
    crds(&client, cluster.binaries().crds()?).await?;
    for name in ["olm", "operators"] {
        let namespace = Kind::Namespace.object(name, json!({}))?;
        let namespaces = Kind::Namespace.everywhere(&client);
        namespaces
            .create(&PostParams::default(), &namespace)
            .await?;
    }
    Ok(())
}

/// Starts OLM. Its CRDs must exist already. Returns when OLM reconciles.
async fn olm(cluster: &Cluster) -> Result<(), Failure> {
    let client = cluster.client()?;
    let groups = Kind::OperatorGroup.within(&client, "operators");
    let group = Kind::OperatorGroup.object("global-operators", json!({"spec": {}}))?;
    groups.create(&PostParams::default(), &group).await?;
    for component in [Component::OlmCatalog, Component::Olm] {
        cluster.run(component.process(&cluster.rig.site))?;
    }
    let seen = |group: &DynamicObject| group.data.pointer("/status/lastUpdated").is_some();
    until_object(&groups, "global-operators", "seen by OLM", seen).await?;
    cluster.look()
}

/// Waits until the API server is ready. Returns an error if the API server exits.
pub(super) async fn until_ready(cluster: &Cluster) -> Result<(), Failure> {
    let check = async || {
        // Creates a new client for each attempt. A client with a broken connection would use this
        // connection again.
        let asked = cluster.client()?.request_text(ready()?).await;
        Ok(match asked {
            Ok(_) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    };
    cluster.until("the API server to be ready", check).await
}

fn ready() -> Result<http::Request<Vec<u8>>, Failure> {
    http::Request::get("/readyz")
        .body(Vec::new())
        .map_err(Failure::read("the path /readyz"))
}

/// Starts the supervisor, and writes the files that the components need before they start.
async fn found(
    supervisor: &Path,
    parts: Parts,
    written: Option<&Written>,
) -> Result<Cluster, Failure> {
    let built = tokio::task::spawn_blocking(move || {
        let programs = parts.has_node().then(Programs::ready).transpose()?;
        if parts.olm_pods {
            built(&OLM_IMAGES)?;
        }
        let olm_v1 = parts.olm_v1.then(v1::Programs::ready).transpose()?;
        let registry = parts.has_registry().then(|| DISTRIBUTION.program());
        let binaries = Binaries::ready()?;
        Ok::<_, Failure>((binaries, programs, olm_v1, registry.transpose()?))
    });
    let (binaries, programs, olm_v1, registry) = built
        .await
        .map_err(Failure::read("the end of the build"))??;
    let supervisor = Supervisor::launch(supervisor, parts.has_node())?;
    let mut site = Site::new(binaries, supervisor.folder(), supervisor.first_port());
    let mut users = Component::CLIENTS.map(Component::name).to_vec();
    users.push(ADMIN);
    if let Some(programs) = programs {
        site = site.with_node(programs);
        users.extend(Component::CLIENTS_OF_NODE.map(Component::name));
    }
    if let Some(programs) = olm_v1 {
        site = site.with_olm_v1(programs);
        users.extend(Component::CLIENTS_OF_OLM_V1.map(Component::name));
    }
    if let Some(registry) = registry {
        site = site.with_registry(registry);
    }
    let authority = match written {
        Some(written) => written.lay(site.folder())?,
        None => {
            let authority = Authority::found(&site.pki(), site.host())?;
            for user in &users {
                authority.admit(&site.pki(), user, user, Some("system:masters"))?;
            }
            Arc::new(authority)
        }
    };
    for user in users {
        kubeconfig::write(&site, user)?;
    }
    let registry = include_str!("../../config/registry.yaml")
        .replace("{folder}", &site.folder().display().to_string())
        .replace("{registry}", &site.registry());
    for (name, text) in [
        ("stages.yaml", include_str!("../../config/stages.yaml")),
        ("audit.yaml", include_str!("../../config/audit.yaml")),
        ("registry.yaml", &registry),
    ] {
        fs::write(site.file(name), text).map_err(Failure::touch(format!("write {name}")))?;
    }
    if parts.has_node() {
        node::files(&site, &authority)?;
    }
    if parts.olm_v1 {
        v1::write(&site, &authority)?;
    }
    Ok(Cluster {
        rig: Arc::new(Rig {
            supervisor,
            site,
            authority,
            catalogs: AtomicU16::new(0),
            taken: Mutex::default(),
            audit: Mutex::default(),
            is_free: AtomicBool::new(false),
        }),
    })
}

/// Creates the Node that kwok manages. If another node runs the containers of Pods, the Node has a
/// taint, so that only Pods with a toleration are scheduled to it.
async fn kwok_node(client: &Client, has_node: bool) -> Result<(), Failure> {
    let (label, value) = KWOK;
    let labels = json!({
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": NODE,
        label: value,
    });
    let mut body = json!({"metadata": {"labels": labels}});
    if has_node {
        body["spec"]["taints"] = json!([{"key": label, "value": value, "effect": "NoSchedule"}]);
    }
    let node = Kind::Node.object(NODE, body)?;
    let nodes = Kind::Node.everywhere(client);
    nodes.create(&PostParams::default(), &node).await?;
    Ok(())
}

/// Waits until the ServiceAccount `default` exists and the node is ready without taints, because
/// Pods need both. The taint is removed shortly after the node becomes ready.
async fn until_pods_can_run(cluster: &Cluster, client: &Client, node: &str) -> Result<(), Failure> {
    let accounts = Kind::ServiceAccount.within(client, "default");
    until_object(
        &accounts,
        "default",
        "made by the controller manager",
        |_| true,
    )
    .await?;
    let nodes = Kind::Node.everywhere(client);
    let what = format!("{node} to be ready and without taints");
    let opened = cluster.until(what, async || {
        Ok(match nodes.get_opt(node).await? {
            Some(node) if is_open(&node) => Seen::Yes(()),
            Some(node) => Seen::NotYet(node.data["status"]["conditions"].to_string()),
            None => Seen::NotYet("no such Node".to_owned()),
        })
    });
    let has_node = cluster.rig.site.node().is_some();
    opened.await.map_err(|failure| {
        if has_node {
            explained(failure, cluster)
        } else {
            failure
        }
    })
}

fn is_open(node: &DynamicObject) -> bool {
    node.data.pointer("/spec/taints").is_none() && is_true(node, "Ready")
}

/// Adds the end of the logs of kubelet and containerd to the failure, because the node depends on
/// both.
fn explained(mut failure: Failure, cluster: &Cluster) -> Failure {
    let logs = [Component::Kubelet, Component::Containerd].map(|it| {
        let tail = cluster.rig.supervisor.log_tail(it.name());
        format!("\nthe end of the log of {}:\n{tail}", it.name())
    });
    match &mut failure {
        Failure::Wait { seen: text, .. } | Failure::Ended { tail: text, .. } => {
            *text += &logs.concat();
        }
        _ => {}
    }
    failure
}

async fn crds(client: &Client, files: Vec<PathBuf>) -> Result<(), Failure> {
    let crds = Kind::CustomResourceDefinition.everywhere(client);
    let mut names = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(Failure::touch("read a CRD of OLM's"))?;
        let crd: DynamicObject =
            serde_saphyr::from_str(&text).map_err(Failure::read("a CRD of OLM's"))?;
        names.push(crd.name_any());
        crds.create(&PostParams::default(), &crd).await?;
    }
    for name in names {
        let is_served = |crd: &DynamicObject| is_true(crd, "Established");
        until_object(&crds, &name, "established", is_served).await?;
    }
    Ok(())
}

/// Creates the objects in a YAML text.
async fn apply_all(client: &Client, text: &str) -> Result<(), Failure> {
    let objects: Vec<DynamicObject> =
        serde_saphyr::from_multiple(text).map_err(Failure::read("the manifests of OLM"))?;
    for object in &objects {
        apply(client, object).await?;
    }
    Ok(())
}

async fn apply(client: &Client, object: &DynamicObject) -> Result<(), Failure> {
    let types = object.types.clone().unwrap_or_default();
    let (group, version) = types
        .api_version
        .split_once('/')
        .unwrap_or(("", &types.api_version));
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, &types.kind));
    let objects: Api<DynamicObject> = match object.namespace() {
        Some(namespace) => Api::namespaced_with(client.clone(), &namespace, &kind),
        None => Api::all_with(client.clone(), &kind),
    };
    let params = PatchParams::apply(ADMIN).force();
    let name = object.name_any();
    objects.patch(&name, &params, &Patch::Apply(object)).await?;
    Ok(())
}

fn is_true(object: &DynamicObject, condition: &str) -> bool {
    object
        .data
        .pointer("/status/conditions")
        .and_then(Value::as_array)
        .is_some_and(|conditions| {
            conditions
                .iter()
                .any(|it| it["type"] == condition && it["status"] == "True")
        })
}
