//! What OLM v0 has installed becomes an Operator's, and OLM's again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kube::api::{Api, DynamicObject, ListParams, PostParams};
use portolan_kit::proxy::Matcher;
use portolan_rig::{
    Catalog, Component, Failure, Kind, Operator, PATIENCE, Seen, World, until, until_gone,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::stage::{Harbor, api, harbor_on, version};
use super::standin::{StandIn, Traffic};
use crate::bundles::ferry;
use crate::detour;
use crate::health::written;
use crate::own_world;
use crate::program::{output, portolan};

/// Where OLM runs the operator.
const HOME: &str = "ferries";
/// What of it must be the same object ever after.
const OBJECTS: [[&str; 4]; 6] = [
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
];

/// An operator of OLM with webhooks of all three kinds, and a controller of Operators beside.
struct Wharf {
    harbor: Harbor,
    _catalog: Catalog,
}

/// With such an operator, for the namespaces that its OperatorGroup targets.
async fn wharf(story: &str, catalog: String, targets: &[&str]) -> Result<Option<Wharf>, Failure> {
    let Some(world) = own_world(story).await? else {
        return Ok(None);
    };
    let mut harbor = harbor_on(world, &[version("tug", "1.0.0")]).await?;
    harbor.kill();
    harbor.flags.push("--certificates".to_owned());
    harbor.start().await?;
    let folder = harbor.catalog_folder();
    fs::write(folder.join("catalog.yaml"), catalog).map_err(Failure::touch("write a catalog"))?;
    let cluster = harbor.world().cluster();
    let catalog = cluster.catalog("olm", "demo", &folder).await?;
    install(harbor.world(), &catalog, targets).await?;
    Ok(Some(Wharf {
        harbor,
        _catalog: catalog,
    }))
}

/// Has OLM install the first version.
async fn install(world: &World, catalog: &Catalog, targets: &[&str]) -> Result<(), Failure> {
    let client = world.client().clone();
    let make = async |manifest: Value| {
        let text = |at: &str| {
            manifest
                .pointer(at)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let place = ["/apiVersion", "/kind", "/metadata/namespace"].map(text);
        let object: DynamicObject =
            serde_json::from_value(manifest.clone()).map_err(Failure::read("a manifest"))?;
        api(client.clone(), place)
            .create(&Default::default(), &object)
            .await?;
        Ok::<_, Failure>(())
    };
    let namespaces: BTreeSet<_> = [HOME].iter().chain(targets).collect();
    for name in namespaces {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        make(namespace).await?;
    }
    let group = match targets {
        [] => json!({}),
        targets => json!({"targetNamespaces": targets}),
    };
    make(json!({
        "apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup",
        "metadata": {"name": "group", "namespace": HOME}, "spec": group,
    }))
    .await?;
    make(json!({
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
    // Its second look at the Subscription, and then these, come last.
    let deployments = api(client.clone(), ["apps/v1", "Deployment", HOME]);
    until("OLM to have configured it", PATIENCE, async || {
        let deployment = deployments.get("ferry-controller").await?;
        let spec = deployment.data["spec"].to_string();
        Ok(if spec.contains("DEBUG") && is_rolled_out(&deployment) {
            Seen::Yes(())
        } else {
            Seen::NotYet(deployment.data["status"].to_string())
        })
    })
    .await?;
    operator.until_phase("ferry.v1.0.0", "Succeeded").await?;
    for target in targets {
        let copies = Kind::ClusterServiceVersion.within(&client, target);
        until(format!("a copy in {target}"), PATIENCE, async || {
            let copy = copies.get_opt("ferry.v1.0.0").await?;
            Ok(copy.map_or(Seen::NotYet("none".to_owned()), |_| Seen::Yes(())))
        })
        .await?;
    }
    let roles = api(client, ["rbac.authorization.k8s.io/v1", "ClusterRole", ""]);
    until("OLM to have made all roles", PATIENCE, async || {
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

/// Two versions, the manifests of both in the catalog.
fn catalog(csv: &str) -> String {
    let documents = [
        json!({"schema": "olm.package", "name": "ferry", "defaultChannel": "stable"}),
        json!({"schema": "olm.channel", "package": "ferry", "name": "stable", "entries": [
            {"name": "ferry.v1.0.0"}, {"name": "ferry.v1.1.0", "replaces": "ferry.v1.0.0"},
        ]}),
    ];
    let bundles = ["1.0.0", "1.1.0"].map(|version| bundle(csv, version));
    written(documents.iter().chain(&bundles))
}

/// The ferry, and the rope that it requires.
fn catalog_of_two() -> String {
    let mut documents = Vec::new();
    for package in ["ferry", "rope"] {
        documents
            .push(json!({"schema": "olm.package", "name": package, "defaultChannel": "stable"}));
        documents.push(json!({
            "schema": "olm.channel", "package": package, "name": "stable",
            "entries": [{"name": format!("{package}.v1.0.0")}],
        }));
    }
    let mut ferry = bundle(&ferry::plain(), "1.0.0");
    let rope = ferry.to_string();
    let required = json!({"packageName": "rope", "versionRange": ">=1.0.0"});
    let properties = ferry["properties"].as_array_mut().expect("properties");
    properties.push(json!({"type": "olm.package.required", "value": required}));
    documents.push(ferry);
    documents.push(renamed(&rope));
    written(documents.iter())
}

/// The same bundle under another name, with all that is in it.
fn renamed(bundle: &str) -> Value {
    let mut bundle: Value = serde_json::from_str(&bundle.replace("ferry", "rope")).expect("JSON");
    for property in bundle["properties"].as_array_mut().expect("properties") {
        if let Some(data) = property["value"]["data"].as_str() {
            let text = STANDARD.decode(data).expect("base64");
            let text = String::from_utf8(text)
                .expect("text")
                .replace("ferry", "rope");
            // One plural, and one role of all that watch.
            let text = text
                .replace("ships", "knots")
                .replace("Ship", "Knot")
                .replace("ship", "knot");
            property["value"]["data"] = json!(STANDARD.encode(text));
        }
    }
    bundle
}

fn written<'d>(documents: impl Iterator<Item = &'d Value>) -> String {
    documents.map(|it| format!("---\n{it}\n")).collect()
}

fn bundle(csv: &str, version: &str) -> Value {
    let csv = csv.replace("1.0.0", version);
    let files = ferry::files(csv);
    let manifests = files
        .iter()
        .filter(|(name, _)| name.starts_with("manifests/"));
    let objects = manifests.map(|(_, text)| {
        let text = String::from_utf8_lossy(text).replace("namespace: system", "namespace: ferries");
        json!({"type": "olm.bundle.object", "value": {"data": STANDARD.encode(text)}})
    });
    let package = json!({"packageName": "ferry", "version": version});
    let own = [json!({"type": "olm.package", "value": package})];
    let properties: Vec<_> = own.into_iter().chain(objects).collect();
    json!({
        "schema": "olm.bundle", "package": "ferry", "name": format!("ferry.v{version}"),
        "image": "", "properties": properties,
    })
}

impl Wharf {
    fn api(&self, place: [&str; 3]) -> Api<DynamicObject> {
        api(self.harbor.client().clone(), place)
    }

    async fn create_once(&self, place: [&str; 3]) -> Result<(), Failure> {
        let manifest = json!({
            "apiVersion": place[0], "kind": place[1], "metadata": {"generateName": "once-"},
        });
        let object = serde_json::from_value(manifest).map_err(Failure::read("a manifest"))?;
        self.api(place)
            .create(&PostParams::default(), &object)
            .await?;
        Ok(())
    }

    /// What portolan prints, and whether it ends well.
    async fn portolan(&self, words: &[&str]) -> Result<(String, bool), Failure> {
        let mut command = std::process::Command::new(portolan().await?);
        let kubeconfig = self.harbor.world().cluster().kubeconfig();
        command.args(words).arg("--kubeconfig").arg(kubeconfig);
        let typed = output(command).await?;
        let text =
            [&typed.stdout, &typed.stderr].map(|it| String::from_utf8_lossy(it).into_owned());
        Ok((text.concat(), typed.status.success()))
    }

    /// The uids of what stays, and what the Deployment runs, and its Pods.
    async fn identities(&self) -> Result<BTreeMap<String, String>, Failure> {
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

    async fn until_step(&self, name: &str, step: &str) -> Result<(), Failure> {
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

    /// Looks as often as it can until something is so, not to miss what is soon over.
    async fn once(
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

    /// How a CustomResourceDefinition has its objects converted, and by how many authorities.
    async fn conversion(&self) -> Result<(String, usize), Failure> {
        let [version, kind, namespace, name] = OBJECTS[4];
        let definition = self.api([version, kind, namespace]).get(name).await?;
        let conversion = &definition.data["spec"]["conversion"];
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

    /// The objects of the cluster that still say that OLM holds them for this operator.
    async fn marked(&self) -> Result<Vec<String>, Failure> {
        let mut marked = Vec::new();
        for (version, kind) in [
            ("apps/v1", "Deployment"),
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

    async fn names_of_webhooks(&self) -> Result<Vec<String>, Failure> {
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

    /// Whether OLM has nothing of the operator any more, also once it was started again.
    async fn is_left_by_olm(&self) -> Result<(), Failure> {
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

/// With webhooks and a conversion it runs on: the same Pods, the same objects, and OLM restarted afterwards
/// touches nothing. Then it goes to the next version, and what only OLM had made goes.
#[tokio::test]
async fn what_olm_has_becomes_ours_without_a_restart() -> Result<(), Failure> {
    let Some(wharf) = wharf("adopted", catalog(&ferry::with_webhooks()), &[]).await? else {
        return Ok(());
    };
    let ship = ["ferry.example/v1", "Ship", HOME];
    let unanswered = wharf.create_once(ship).await;
    assert!(unanswered.is_err(), "its webhook must be asked");
    let standin = StandIn::start(
        wharf.harbor.world().cluster(),
        wharf.harbor.client(),
        [
            HOME,
            "ferry-controller-service",
            "ferry-controller-service-cert",
        ],
        &["443", "9443"],
    )
    .await?;
    until("the stand-in to answer", PATIENCE, async || {
        Ok(match wharf.create_once(ship).await {
            Ok(()) => Seen::Yes(()),
            Err(error) => Seen::NotYet(error.to_string()),
        })
    })
    .await?;
    let traffic = Traffic::start(wharf.harbor.client(), ship);
    let before = wharf.identities().await?;
    let webhooks = wharf.names_of_webhooks().await?;
    let (told, is_well) = wharf.portolan(&["adopt", "ferry", "--dry-run"]).await?;
    assert!(is_well, "{told}");
    for line in [
        "ferry 1.0.0\n",
        "  goes   Subscription ferries/ferry\n",
        "  goes   ClusterServiceVersion ferries/ferry.v1.0.0\n",
        "  stays  Deployment ferries/ferry-controller\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    let (told, is_well) = wharf.portolan(&["adopt", "ferry"]).await?;
    assert!(is_well, "{told}");
    wharf.until_step("ferry", "Adopted").await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    until("two authorities are trusted", PATIENCE, async || {
        let conversion = wharf.conversion().await?;
        Ok(if conversion == ("Webhook".to_owned(), 2) {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{conversion:?}"))
        })
    })
    .await?;
    let cluster = wharf.harbor.world().cluster();
    cluster.restart(Component::Olm).await?;
    cluster.restart(Component::OlmCatalog).await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);

    let next = json!({
        "adopt": true, "version": "1.1.0", "settleSeconds": 0, "namespace": HOME, "approval": "Automatic",
        "config": {"env": [{"name": "DEBUG", "value": "1"}]},
    });
    wharf.harbor.operator("ferry", next).await?;
    wharf.harbor.until_installed("ferry", "1.1.0").await?;
    wharf
        .harbor
        .until("ferry", ["Installing", "False", "UpToDate"])
        .await?;
    let after = wharf.identities().await?;
    for (object, uid) in before.iter().filter(|(object, _)| stays(object)) {
        assert_eq!(after.get(object), Some(uid), "{object}");
    }
    assert_eq!(wharf.names_of_webhooks().await?, webhooks);
    let roles = wharf.api(["rbac.authorization.k8s.io/v1", "ClusterRole", ""]);
    until("what only OLM had made goes", PATIENCE, async || {
        let all = roles.list(&ListParams::default()).await?.items;
        let names = all.into_iter().filter_map(|it| it.metadata.name);
        let left: Vec<_> = names
            .filter(|name| name.starts_with("ferry.v1.0.0"))
            .collect();
        Ok(if left.is_empty() {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{left:?}"))
        })
    })
    .await?;
    assert_eq!(wharf.conversion().await?.0, "Webhook");

    let (made, refused) = traffic.stop();
    assert_eq!(refused, [""; 0], "of {made}");
    let asked = standin.asked()?;
    println!("adopted: {made} objects were made, and the webhook was asked {asked} times");
    assert!(made > 50 && asked >= made, "{made} {asked}");
    let (told, is_well) = wharf.portolan(&["release", "ferry"]).await?;
    assert!(is_well, "{told}");
    let operator = Operator::of(wharf.harbor.client(), HOME, "ferry");
    operator.install("ferry.v1.1.0").await?;
    let released = wharf.identities().await?;
    for (object, uid) in before.iter().filter(|(object, _)| stays(object)) {
        assert_eq!(released.get(object), Some(uid), "{object}");
    }
    Ok(())
}

/// Whether an object is the same through versions.
fn stays(object: &str) -> bool {
    object != "what runs" && !object.starts_with("Pod")
}

/// For two namespaces, with copies in them: given back before OLM has let go of it, and taken over by a
/// controller that is killed while OLM does. The copies go.
#[tokio::test]
async fn what_watches_some_namespaces_goes_and_comes() -> Result<(), Failure> {
    let targets = ["north", "south"];
    let Some(mut wharf) = wharf("adopted-some", catalog(&ferry::plain()), &targets).await? else {
        return Ok(());
    };
    let before = wharf.identities().await?;
    let (operator, is_well) = wharf
        .portolan(&["adopt", "--all", "--dry-run", "-o", "json"])
        .await?;
    assert!(is_well, "{operator}");
    let operators: Value = serde_json::from_str(&operator).map_err(Failure::read("Operators"))?;
    let mut spec = operators[0]["spec"].clone();
    assert_eq!(spec["watchNamespaces"], json!(targets));

    wharf.harbor.operator("ferry", spec.clone()).await?;
    wharf
        .once("a plan is applied", async |wharf| {
            let plans = wharf.harbor.plan_names().await?;
            Ok(plans.iter().any(|(_, is_suspended)| !is_suspended))
        })
        .await?;
    wharf.harbor.kill();
    spec["adopt"] = json!(false);
    wharf.harbor.operator("ferry", spec.clone()).await?;
    let csvs = Kind::ClusterServiceVersion.within(wharf.harbor.client(), HOME);
    let is_held = csvs
        .get("ferry.v1.0.0")
        .await?
        .metadata
        .deletion_timestamp
        .is_none();
    wharf.harbor.start().await?;
    if is_held {
        wharf
            .harbor
            .until("ferry", ["Installing", "False", "InstalledByOlm"])
            .await?;
        assert_eq!(wharf.harbor.plan_names().await?, []);
        let csv = csvs.get("ferry.v1.0.0").await?;
        assert_eq!(csv.data["status"]["phase"], "Succeeded");
        let finalizers = csv.metadata.finalizers.unwrap_or_default();
        assert!(
            !finalizers.iter().any(|it| it.contains("portolan")),
            "{finalizers:?}"
        );
        assert_eq!(wharf.identities().await?, before);
    }

    spec["adopt"] = json!(true);
    wharf.harbor.operator("ferry", spec).await?;
    wharf
        .once("the ClusterServiceVersion goes", async |_| {
            let csv = csvs.get_opt("ferry.v1.0.0").await?;
            Ok(csv.is_none_or(|csv| csv.metadata.deletion_timestamp.is_some()))
        })
        .await?;
    wharf.harbor.kill();
    wharf.harbor.start().await?;
    wharf.until_step("ferry", "Adopted").await?;
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    Ok(())
}

/// One that another requires, each in its own namespace: it waits until the other one is taken over, and then
/// follows by itself.
#[tokio::test]
async fn one_that_is_required_follows_the_one_that_requires_it() -> Result<(), Failure> {
    let Some(wharf) = wharf("adopted-two", catalog_of_two(), &[HOME]).await? else {
        return Ok(());
    };
    let rope = Operator::of(wharf.harbor.client(), HOME, "rope");
    rope.until_phase("rope.v1.0.0", "Succeeded").await?;
    let (told, is_well) = wharf.portolan(&["adopt", "rope", "--dry-run"]).await?;
    let why = "ClusterServiceVersion ferries/ferry.v1.0.0 requires it";
    assert!(!is_well && told.contains(why), "{told}");

    let before = wharf.identities().await?;
    let (told, is_well) = wharf.portolan(&["adopt", "--all"]).await?;
    assert!(is_well, "{told}");
    for name in ["ferry", "rope"] {
        wharf.until_step(name, "Adopted").await?;
    }
    wharf.is_left_by_olm().await?;
    assert_eq!(wharf.identities().await?, before);
    let subscriptions = Kind::Subscription.everywhere(wharf.harbor.client());
    let left = subscriptions.list(&ListParams::default()).await?.items;
    assert_eq!(left.len(), 0, "{left:?}");
    Ok(())
}

/// Killed at a write, once each, and in the soak at every single one, it is taken over by whoever comes after;
/// each time OLM gets it back.
#[tokio::test]
#[ignore = "soak: OLM installs it again for each write"]
async fn whoever_comes_after_one_that_was_killed_takes_it_over() -> Result<(), Failure> {
    let text = catalog(&ferry::with_webhooks());
    let Some(mut wharf) = wharf("adopted-killed", text, &[]).await? else {
        return Ok(());
    };
    wharf.harbor.kill();
    let writes = wharf.play(None).await?;
    println!("adopted: {writes} writes without a fault");
    for at in detour::kills(writes) {
        wharf.play(Some(at)).await?;
        println!("adopted: killed at write {at} of {writes}");
    }
    Ok(())
}

/// Whether all Pods of a Deployment are of its newest template.
fn is_rolled_out(deployment: &DynamicObject) -> bool {
    let status = &deployment.data["status"];
    status["observedGeneration"].as_i64() == deployment.metadata.generation
        && status["updatedReplicas"] == 1
        && status["replicas"] == 1
        && status["readyReplicas"] == 1
}

impl Wharf {
    /// Takes it over, by a controller that is killed at a write, and gives it back. Returns how many writes
    /// there were.
    async fn play(&mut self, killed: Option<usize>) -> Result<usize, Failure> {
        let proxy = detour::proxy(self.harbor.world().cluster()).await?;
        let landed = Arc::new(Notify::new());
        if let Some(at) = killed {
            detour::kill_at(&proxy, at, &landed);
        }
        let (through, _folder) = written::through(&proxy);
        self.harbor.start_at(&through).await;
        let before = self.identities().await?;
        let (told, is_well) = self.portolan(&["adopt", "ferry"]).await?;
        assert!(is_well, "{told}");
        let is_killed = tokio::select! {
            ended = self.until_step("ferry", "Adopted") => {
                ended?;
                false
            }
            () = landed.notified(), if killed.is_some() => true,
        };
        if is_killed {
            self.harbor.kill();
            self.harbor.start().await?;
            self.until_step("ferry", "Adopted").await?;
        }
        self.is_left_by_olm().await?;
        assert_eq!(self.identities().await?, before, "killed at {killed:?}");
        let writes = proxy.count(Matcher::writes());
        let (told, is_well) = self.portolan(&["release", "ferry"]).await?;
        assert!(is_well, "{told}");
        self.harbor.kill();
        self.until_installed_by_olm().await?;
        Ok(writes)
    }

    async fn until_installed_by_olm(&self) -> Result<(), Failure> {
        let operator = Operator::of(self.harbor.client(), HOME, "ferry");
        operator.install("ferry.v1.0.0").await?;
        let deployments = self.api(["apps/v1", "Deployment", HOME]);
        until("OLM to hold all of it", PATIENCE, async || {
            let deployment = deployments.get("ferry-controller").await?;
            let owners = deployment.metadata.owner_references.as_ref();
            let owners = owners.map_or(0, Vec::len);
            let spec = deployment.data["spec"].to_string();
            Ok(
                if owners == 1 && spec.contains("DEBUG") && is_rolled_out(&deployment) {
                    Seen::Yes(())
                } else {
                    Seen::NotYet(format!("{owners} owners, {}", deployment.data["status"]))
                },
            )
        })
        .await
    }
}
