//! Compares the objects that OLM v0 creates from a bundle with the objects that Portolan renders.
//!
//! The rendered objects first go through a dry run, so that both sets contain the defaults of the
//! API server.

mod compared;
mod expected;

use std::collections::BTreeMap;

use kube::Client;
use kube::api::PostParams;
use portolan_core_bundle::{Bundle, Options, Targets, render};
use portolan_kit::catalog::{Api as Provided, Catalog, Channel, Entry, Package};
use portolan_kit::{TempFolder, files, real_bundles};
use portolan_rig::{Failure, Kind, Namespace, Operator, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::ferry;
use super::server::{Answer, Server};
use super::{Files, read};
use compared::{Side, compared};

use crate::objects::listed;

/// The kinds that are compared, in all namespaces.
const KINDS: [[&str; 2]; 14] = [
    ["v1", "ConfigMap"],
    ["v1", "Secret"],
    ["v1", "Service"],
    ["v1", "ServiceAccount"],
    [
        "admissionregistration.k8s.io/v1",
        "MutatingWebhookConfiguration",
    ],
    [
        "admissionregistration.k8s.io/v1",
        "ValidatingWebhookConfiguration",
    ],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition"],
    ["apps/v1", "Deployment"],
    ["policy/v1", "PodDisruptionBudget"],
    ["rbac.authorization.k8s.io/v1", "ClusterRole"],
    ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
    ["rbac.authorization.k8s.io/v1", "Role"],
    ["rbac.authorization.k8s.io/v1", "RoleBinding"],
    ["scheduling.k8s.io/v1", "PriorityClass"],
];

/// Real bundles. The first bundle supports only one namespace. The second bundle has more objects.
/// The third bundle has a webhook. The fourth bundle has webhooks of all types, several Deployments
/// and more kinds of objects.
const REAL: [&str; 4] = [
    "percona-postgresql-operator/1.4.0",
    "virt-git-sync/0.1.4",
    "kube-green/0.6.0",
    "dynatrace-operator/0.8.0",
];

/// More real bundles. Together they cover every feature of bundles: each install mode, webhooks of
/// each type, several deployments, their own ServiceAccounts, many kinds of objects, and no CRDs.
///
/// No bundle repeats all of its `permissions` in its `clusterPermissions`, as
/// skupper-operator/1.6.0 does. For such a bundle OLM starts to create a ClusterRole and a binding
/// for each Role, and stops when it sees that the account already has all permissions
/// (`ensureRBACInTargetNamespace`). The objects that it has created by then are random. Most often
/// only a ClusterRole is left, which is never deleted.
const MORE: [&str; 16] = [
    "beegfs-csi-driver-operator/1.2.1",
    "customized-user-remediation/0.1.0",
    "deployment-validation-operator/0.3.0",
    "flux-operator/0.17.0",
    "flux/0.25.2",
    "grafana-operator/4.0.2",
    "k8gb/0.11.4",
    "keda/2.0.0",
    "konveyor-operator/0.4.0",
    "opentelemetry-operator/0.112.0",
    "patterns-operator/0.0.71",
    "rabbitmq-messaging-topology-operator/1.14.2",
    "self-node-remediation/0.9.0",
    "service-binding-operator/0.9.1",
    "snapscheduler/2.1.0",
    "stolostron/0.2.2",
];

/// A bundle that OLM installs in this test.
struct Installed {
    bundle: Bundle,
    files: Files,
    namespace: Namespace,
}

#[tokio::test]
async fn olm_creates_the_same_objects_except_known_differences() -> Result<(), Failure> {
    let all_are_there = |found: usize| found > REAL.len();
    compare(bundles(&REAL), expected::few(), all_are_there).await
}

#[tokio::test]
#[ignore = "soak: OLM installs twenty real bundles"]
async fn olm_creates_same_objects_of_twenty_real_bundles() -> Result<(), Failure> {
    let names = [&REAL[..], &MORE[..]].concat();
    let all_are_there = |found: usize| found > names.len();
    compare(bundles(&names), expected::many(), all_are_there).await
}

/// Installs bundles with OLM, and compares all objects. If all real bundles are available, each row
/// of the known differences must be needed.
async fn compare(
    bundles: Vec<(String, Files)>,
    known: Vec<expected::Row>,
    all_are_there: impl Fn(usize) -> bool,
) -> Result<(), Failure> {
    // A separate cluster: OLM must not create objects for other tests at the same time.
    let Some(world) = crate::own_world("beside-olm").await? else {
        return Ok(());
    };
    let (cluster, client) = (world.cluster(), world.client());
    let mut all = Vec::new();
    for (name, files) in bundles {
        let bundle = read(&name, files.clone());
        let mode = if watches_all(&bundle) { "all" } else { "own" };
        let test = format!("{mode}-{}", name.replace(['/', '.'], "-"));
        all.push(Installed {
            bundle,
            files,
            namespace: cluster.namespace(&test).await?,
        });
    }
    let server = Server::of(client.clone()).await?;
    let mut ours = Vec::new();
    for installed in &all {
        ours.extend(installed.rendered(&server).await?);
    }
    let before = everything(client).await?;
    let folder = offered(&all);
    let catalog = cluster.catalog("olm", "real", &folder).await?;
    let installs = all
        .iter()
        .map(|installed| installed.install(client, &catalog));
    futures::future::try_join_all(installs).await?;
    let csvs: Vec<_> = all.iter().map(|it| it.bundle.name().to_owned()).collect();
    let is_expected = "OLM to create the expected objects";
    until(is_expected, PATIENCE, async || {
        let mut theirs = everything(client).await?;
        theirs.retain(|name, _| !before.contains_key(name));
        let theirs: Vec<_> = theirs.into_values().collect();
        let differences = compared(&Side::of(&ours, &csvs), &Side::of(&theirs, &csvs));
        let unexpected = expected::beyond(&differences, &known, all_are_there(all.len()));
        Ok(match unexpected.as_slice() {
            [] => Seen::Yes(()),
            lines => Seen::NotYet(format!("\n{}", lines.join("\n"))),
        })
    })
    .await
}

/// Returns the bundle of this test suite, and the real bundles that are available.
fn bundles(names: &[&str]) -> Vec<(String, Files)> {
    let mut bundles = vec![("ferry".to_owned(), ferry::files(ferry::with_webhooks()))];
    for path in real_bundles() {
        if let Some(name) = names.iter().find(|name| path.ends_with(name)) {
            bundles.push(((*name).to_owned(), files(&path)));
        }
    }
    bundles
}

fn watches_all(bundle: &Bundle) -> bool {
    bundle.install_modes().contains(&"AllNamespaces")
}

/// Returns all objects of the compared kinds in the cluster.
async fn everything(client: &Client) -> Result<BTreeMap<String, Value>, Failure> {
    let mut found = BTreeMap::new();
    for [api_version, kind] in KINDS {
        for object in listed(client, [api_version, kind, ""]).await? {
            let object = serde_json::to_value(object).map_err(Failure::read("an object"))?;
            let place = &object["metadata"];
            let name = format!("{kind} {} {}", place["namespace"], place["name"]);
            found.insert(name, object);
        }
    }
    Ok(found)
}

/// Writes a catalog that contains the bundles with their manifests.
fn offered(all: &[Installed]) -> TempFolder {
    let packages = all.iter().map(Installed::package).collect();
    Catalog { packages }.temp()
}

// === impl Installed ===

impl Installed {
    /// Returns the rendered objects in the form in which the API server would store them.
    async fn rendered(&self, server: &Server) -> Result<Vec<Value>, Failure> {
        let namespace = self.namespace.to_string();
        let targets = if watches_all(&self.bundle) {
            Targets::All
        } else {
            Targets::Of([namespace.clone()].into())
        };
        let options = Options {
            targets,
            ..Options::new(namespace)
        };
        let manifests = render(&self.bundle, &options).expect("manifests");
        let mut kept = Vec::new();
        for manifest in manifests {
            match server.answer(&manifest.object).await? {
                Answer::Taken(object) => kept.push(object),
                no => panic!("{}: {no:?}", manifest.identity()),
            }
        }
        Ok(kept)
    }

    fn package(&self) -> Package {
        let bundle = &self.bundle;
        let manifests = self
            .files
            .iter()
            .filter(|(name, _)| name.starts_with("manifests/"));
        let objects: Vec<Value> = manifests
            .map(|(name, bytes)| {
                let text = String::from_utf8_lossy(bytes);
                let object = serde_saphyr::from_str(&text);
                object.unwrap_or_else(|error| panic!("{name}: {error}"))
            })
            .collect();
        let csv = objects
            .iter()
            .find(|object| object["kind"] == "ClusterServiceVersion");
        let csv = csv.expect("a ClusterServiceVersion");
        let owned = csv["spec"]["customresourcedefinitions"]["owned"].as_array();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let provides = owned.into_iter().flatten().map(|owned| Provided {
            group: text(&owned["name"])
                .split_once('.')
                .expect("a group")
                .1
                .to_owned(),
            kind: text(&owned["kind"]),
            version: text(&owned["version"]),
        });
        let entry = Entry {
            name: bundle.name().to_owned(),
            ..Entry::default()
        };
        Package {
            name: bundle.package().to_owned(),
            default_channel: Some("stable".to_owned()),
            channels: vec![Channel {
                name: "stable".to_owned(),
                entries: vec![entry],
                deprecated: None,
            }],
            bundles: vec![portolan_kit::catalog::Bundle {
                name: bundle.name().to_owned(),
                version: text(&csv["spec"]["version"]),
                provides: provides.collect(),
                objects,
                ..Default::default()
            }],
            deprecated: None,
        }
    }

    async fn install(
        &self,
        client: &Client,
        catalog: &portolan_rig::Catalog,
    ) -> Result<(), Failure> {
        if watches_all(&self.bundle) {
            let group = Kind::OperatorGroup.object("group", json!({"spec": {}}))?;
            let groups = Kind::OperatorGroup.within(client, &self.namespace);
            groups.create(&PostParams::default(), &group).await?;
        }
        let operator = Operator::of(client, &self.namespace, self.bundle.package());
        operator.subscribe(catalog, "stable", None).await?;
        operator.install(self.bundle.name()).await
    }
}
