//! Prepares clusters for the tests of adoptions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::api::{Api, DynamicObject, ListParams};
use portolan_rig::{Catalog, Failure, Kind, Operator, PATIENCE, Seen, until, until_gone};
use serde_json::json;

use super::super::stage::{Harbor, harbor_on, version};
use super::super::standin::StandIn;
use crate::objects::api;
use crate::own_world;
use crate::program::{output, portolan};

/// The namespace in which OLM installs the operator.
pub(crate) const HOME: &str = "ferries";
/// The objects that the adoption must not replace.
const OBJECTS: [[&str; 4]; 8] = [
    ["apps/v1", "Deployment", HOME, "ferry-controller"],
    ["v1", "Service", HOME, "ferry-controller-service"],
    ["v1", "Secret", HOME, "ferry-controller-service-cert"],
    ["v1", "ServiceAccount", HOME, "ferryman"],
    [
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "",
        "ships.ferry.example",
    ],
    [
        "rbac.authorization.k8s.io/v1",
        "ClusterRole",
        "",
        "ships.ferry.example-v1-edit",
    ],
    [
        "apiregistration.k8s.io/v1",
        "APIService",
        "",
        "v1.tides.ferry.example",
    ],
    [
        "rbac.authorization.k8s.io/v1",
        "ClusterRoleBinding",
        "",
        "ferry-controller-service-system:auth-delegator",
    ],
];

/// An operator that OLM installed, with webhooks of all three types, and a controller for
/// Operators.
pub(crate) struct Wharf {
    pub(crate) harbor: Harbor,
    catalog: Catalog,
}

/// Creates a wharf with an operator that OLM has installed for these target namespaces.
pub(super) async fn wharf(
    test: &str,
    catalog: String,
    targets: &[&str],
) -> Result<Option<Wharf>, Failure> {
    let Some(wharf) = empty(test, catalog).await? else {
        return Ok(None);
    };
    wharf.install(targets).await?;
    Ok(Some(wharf))
}

/// Returns a wharf with an operator for all namespaces. The Pods of this operator answer requests
/// of the API server.
pub(super) async fn answering_wharf(
    test: &str,
    catalog: String,
) -> Result<Option<(Wharf, StandIn)>, Failure> {
    let Some(wharf) = empty(test, catalog).await? else {
        return Ok(None);
    };
    let service = [
        HOME,
        "ferry-controller-service",
        "ferry-controller-service-cert",
    ];
    let ports = ["443", "5443", "9443"];
    let (cluster, client) = (wharf.harbor.world().cluster(), wharf.harbor.client());
    let standin = StandIn::start(cluster, client, service, &ports);
    let ((), standin) = tokio::try_join!(wharf.install(&[]), standin)?;
    Ok(Some((wharf, standin)))
}

async fn empty(test: &str, catalog: String) -> Result<Option<Wharf>, Failure> {
    let Some(world) = own_world(test).await? else {
        return Ok(None);
    };
    let mut harbor = harbor_on(world, &[version("tug", "1.0.0")]).await?;
    harbor.kill();
    harbor.flags.push("--certificates".to_owned());
    harbor.start().await?;
    let folder = harbor.catalog_folder();
    fs::write(folder.join("catalog.yaml"), catalog).map_err(Failure::touch("write a catalog"))?;
    let cluster = harbor.world().cluster();
    // The controller deletes objects of OLM with the account that adopts them.
    cluster.allow_foreign_deletes(harbor.home());
    let catalog = cluster.catalog("olm", "demo", &folder).await?;
    Ok(Some(Wharf { harbor, catalog }))
}

/// Returns true if all Pods of a Deployment have its newest template.
pub(crate) fn is_rolled_out(deployment: &DynamicObject) -> bool {
    let status = &deployment.data["status"];
    status["observedGeneration"].as_i64() == deployment.metadata.generation
        && status["updatedReplicas"] == 1
        && status["replicas"] == 1
        && status["readyReplicas"] == 1
}

impl Wharf {
    pub(crate) fn of(harbor: Harbor, catalog: Catalog) -> Self {
        Self { harbor, catalog }
    }

    /// Installs the first version with OLM.
    async fn install(&self, targets: &[&str]) -> Result<(), Failure> {
        let (client, catalog) = (self.harbor.client().clone(), &self.catalog);
        let namespaces: BTreeSet<_> = [HOME].iter().chain(targets).collect();
        for name in namespaces {
            let namespace =
                json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            self.harbor.make(&namespace).await?;
        }
        let group = match targets {
            [] => json!({}),
            targets => json!({"targetNamespaces": targets}),
        };
        self.harbor
            .make(&json!({
                "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
                "metadata": {"name": "group", "namespace": HOME}, "spec": group,
            }))
            .await?;
        self.harbor
            .make(&json!({
                "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
                "metadata": {"name": "ferry", "namespace": HOME, "labels": {"team": "pier"}},
                "spec": {
                    "name": "ferry", "channel": "stable", "source": catalog.name(),
                    "sourceNamespace": catalog.namespace(), "startingCSV": "ferry.v1.0.0",
                    "installPlanApproval": "Manual",
                    "config": {"env": [{"name": "DEBUG", "value": "1"}]},
                },
            }))
            .await?;
        let operator = Operator::of(&client, HOME, "ferry");
        operator.install("ferry.v1.0.0").await?;
        // OLM creates these objects last.
        self.until_configured().await?;
        operator.until_phase("ferry.v1.0.0", "Succeeded").await?;
        for target in targets {
            let copies = Kind::ClusterServiceVersion.within(&client, target);
            until(format!("a copy in {target}"), PATIENCE, async || {
                let copy = copies.get_opt("ferry.v1.0.0").await?;
                Ok(copy.map_or(Seen::NotYet("not found".to_owned()), |_| Seen::Yes(())))
            })
            .await?;
        }
        let roles = api(&client, ["rbac.authorization.k8s.io/v1", "ClusterRole", ""]);
        until("OLM to have created all roles", PATIENCE, async || {
            let all = roles.list(&ListParams::default()).await?.items;
            let names = all.into_iter().filter_map(|it| it.metadata.name);
            let made = names.filter(|name| name.starts_with("ships.ferry.example-v1-"));
            let count = made.count();
            Ok(if count == 4 {
                Seen::Yes(())
            } else {
                Seen::NotYet(format!("{count} of 4"))
            })
        })
        .await
    }

    /// Waits until OLM has reconciled the Subscription a second time. This changes the Deployment
    /// again.
    pub(super) async fn until_configured(&self) -> Result<(), Failure> {
        let deployments = self.api(["apps/v1", "Deployment", HOME]);
        until("OLM to configure the Deployment", PATIENCE, async || {
            let deployment = deployments.get("ferry-controller").await?;
            let spec = deployment.data["spec"].to_string();
            Ok(if spec.contains("DEBUG") && is_rolled_out(&deployment) {
                Seen::Yes(())
            } else {
                Seen::NotYet(deployment.data["status"].to_string())
            })
        })
        .await
    }

    pub(crate) fn api(&self, place: [&str; 3]) -> Api<DynamicObject> {
        api(self.harbor.client(), place)
    }

    /// Runs `portolan`. Returns its output, and true if it succeeds.
    pub(super) async fn portolan(&self, words: &[&str]) -> Result<(String, bool), Failure> {
        let mut command = std::process::Command::new(portolan().await?);
        let kubeconfig = self.harbor.world().cluster().kubeconfig();
        command.args(words).arg("--kubeconfig").arg(kubeconfig);
        let typed = output(command).await?;
        let text =
            [&typed.stdout, &typed.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
        Ok((text.concat(), typed.status.success()))
    }

    /// Runs `portolan` until it succeeds, and returns its output. When OLM sees its own writes, the
    /// ClusterServiceVersion is briefly not `Succeeded`. The operator also seems to be in an
    /// upgrade to the next version, until OLM reports that approval is required.
    pub(crate) async fn portolan_until_success(&self, words: &[&str]) -> Result<String, Failure> {
        until(format!("{words:?} to succeed"), PATIENCE, async || {
            let (message, is_well) = self.portolan(words).await?;
            Ok(if is_well {
                Seen::Yes(message)
            } else {
                let is_soon_over = ["not Succeeded", "is being upgraded to"];
                let is_soon_over = is_soon_over.iter().any(|it| message.contains(it));
                assert!(is_soon_over, "{message}");
                Seen::NotYet(message)
            })
        })
        .await
    }

    /// Returns the uids of the objects that the adoption must not replace, the spec of the
    /// Deployment, and the uids of the Pods.
    pub(super) async fn identities(&self) -> Result<BTreeMap<String, String>, Failure> {
        let mut found = BTreeMap::new();
        for [version, kind, namespace, name] in OBJECTS {
            let Some(object) = self.api([version, kind, namespace]).get_opt(name).await? else {
                continue;
            };
            let uid = object.metadata.uid.unwrap_or_default();
            found.insert(format!("{kind} {name}"), uid);
            if kind == "Deployment" {
                found.insert("what runs".to_owned(), object.data["spec"].to_string());
            }
        }
        let pods = self
            .api(["v1", "Pod", HOME])
            .list(&ListParams::default())
            .await?;
        let pods = pods.items.into_iter().filter_map(|pod| pod.metadata.uid);
        found.extend(pods.map(|uid| (format!("Pod {uid}"), uid.clone())));
        Ok(found)
    }

    pub(crate) async fn until_step(&self, name: &str, step: &str) -> Result<(), Failure> {
        until(format!("{name} to be {step}"), PATIENCE, async || {
            let status = self.harbor.status(name).await?;
            Ok(if status["adoption"]["step"] == step {
                Seen::Yes(())
            } else {
                Seen::NotYet(status.to_string())
            })
        })
        .await
    }

    /// Waits until a condition is true. Checks it every 2 ms, because the condition may be true
    /// only briefly.
    pub(super) async fn once(
        &self,
        what: &str,
        is_so: impl AsyncFn(&Self) -> Result<bool, Failure>,
    ) -> Result<(), Failure> {
        let looking = async {
            while !is_so(self).await? {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
            Ok(())
        };
        let looked = tokio::time::timeout(PATIENCE, looking).await;
        looked.unwrap_or_else(|_| panic!("{what}: not within {PATIENCE:?}"))
    }

    /// Returns the conversion strategy of a CRD, and the number of certificate authorities of its
    /// webhook.
    pub(super) async fn conversion(&self) -> Result<(String, usize), Failure> {
        let [version, kind, namespace, name] = OBJECTS[4];
        let crd = self.api([version, kind, namespace]).get(name).await?;
        let conversion = &crd.data["spec"]["conversion"];
        let bundle = conversion["webhook"]["clientConfig"]["caBundle"].as_str();
        let bundle = STANDARD
            .decode(bundle.unwrap_or_default())
            .unwrap_or_default();
        let text = String::from_utf8_lossy(&bundle);
        let strategy = conversion["strategy"].as_str().unwrap_or_default();
        Ok((
            strategy.to_owned(),
            text.matches("BEGIN CERTIFICATE").count(),
        ))
    }

    /// Returns the objects on the cluster that still have OLM's labels for an operator, and the
    /// Deployments that have an owner.
    pub(super) async fn marked(&self) -> Result<Vec<String>, Failure> {
        let mut marked = Vec::new();
        for (version, kind) in [
            ("apps/v1", "Deployment"),
            ("apiregistration.k8s.io/v1", "APIService"),
            ("v1", "Service"),
            ("v1", "Secret"),
            ("v1", "ServiceAccount"),
            ("rbac.authorization.k8s.io/v1", "Role"),
            ("rbac.authorization.k8s.io/v1", "RoleBinding"),
            ("rbac.authorization.k8s.io/v1", "ClusterRole"),
            ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
            ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
            (
                "admissionregistration.k8s.io/v1",
                "ValidatingWebhookConfiguration",
            ),
            (
                "admissionregistration.k8s.io/v1",
                "MutatingWebhookConfiguration",
            ),
        ] {
            let all = self
                .api([version, kind, ""])
                .list(&ListParams::default())
                .await?;
            for object in all {
                let name = object.metadata.name.clone().unwrap_or_default();
                let labels = object.metadata.labels.unwrap_or_default();
                let is_marked = labels.keys().any(|key| {
                    key.starts_with("operators.coreos.com/ferry.")
                        || key == "olm.owner.kind"
                            && labels
                                .get("olm.owner.kind")
                                .is_some_and(|kind| kind != "OperatorGroup")
                });
                if is_marked
                    || !object
                        .metadata
                        .owner_references
                        .unwrap_or_default()
                        .is_empty()
                        && kind == "Deployment"
                {
                    marked.push(format!("{kind} {name}"));
                }
            }
        }
        Ok(marked)
    }

    pub(super) async fn webhook_names(&self) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        for kind in [
            "ValidatingWebhookConfiguration",
            "MutatingWebhookConfiguration",
        ] {
            let all = self.api(["admissionregistration.k8s.io/v1", kind, ""]);
            let all = all.list(&ListParams::default()).await?;
            names.extend(all.items.into_iter().filter_map(|it| it.metadata.name));
        }
        Ok(names)
    }

    /// Waits until no ClusterServiceVersion and no Subscription of the operator is left. Checks
    /// that no object is marked as owned by OLM.
    pub(crate) async fn is_left_by_olm(&self) -> Result<(), Failure> {
        let csvs = Kind::ClusterServiceVersion.everywhere(self.harbor.client());
        until("no ClusterServiceVersion is left", PATIENCE, async || {
            let left = csvs.list(&ListParams::default()).await?.items;
            Ok(match left.len() {
                0 => Seen::Yes(()),
                count => Seen::NotYet(format!("{count}")),
            })
        })
        .await?;
        let subscriptions = Kind::Subscription.within(self.harbor.client(), HOME);
        until_gone(&subscriptions, "ferry").await?;
        assert_eq!(self.marked().await?, [""; 0]);
        Ok(())
    }
}
