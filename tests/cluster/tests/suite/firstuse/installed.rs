//! Tests the manifests of `deploy`. The test applies all objects, and runs the processes of the
//! Pods with their own arguments, ServiceAccounts and files. Like a kubelet, it replaces paths by
//! paths in a folder, and addresses by addresses with free ports.

mod pods;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kube::api::PostParams;
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Cluster, Component, Failure, Kind, PATIENCE, Seen, until};
use serde_json::{Value, json};

use self::pods::{Pod, Pods};
use super::manifests::with;
use super::{holder, up};
use crate::approval::policy::design;
use crate::editor::Editor;
use crate::kubectl::{Kubectl, ROOT};
use crate::own_world;
use crate::program::{Started, output, portolan};

/// A namespace that contains an operator. One user may view this namespace.
const HARBOR: &str = "harbor";
const VIEWER: &str = "viewer";

#[tokio::test]
async fn deployed_components_work_and_authorize_each_caller() -> Result<(), Failure> {
    let Some(world) = own_world("installed").await? else {
        return Ok(());
    };
    let kubectl = Kubectl::of(world.cluster());
    // Also creates the CRDs of kinds that only the diagnosis service reads. Otherwise the test
    // would not detect a missing permission.
    for crds in ["", "/installs", "/operators", "/policies"] {
        let crds = format!("deploy/crds{crds}");
        kubectl
            .run(&["apply", "--server-side", "-f", &crds])
            .await?;
    }
    let rendered = with(&["diagnosis"]).await?;
    let folder = TempFolder::empty();
    let file = folder.join("portolan.yaml");
    fs::write(&file, &rendered).map_err(Failure::touch("write manifests"))?;
    let file = file.display().to_string();
    // Applies the manifests twice, because a GitOps tool also applies them repeatedly.
    for _ in 0..2 {
        kubectl
            .run(&["apply", "--server-side", "-f", &file])
            .await?;
    }
    let mut pods = Pods::of(&rendered, world.cluster(), &kubectl).await?;
    let served = harbor(world.cluster(), &kubectl).await?;
    pods.ready().await?;

    works(world.cluster()).await?;
    diagnosis_requires_permission_in_all_namespaces(&kubectl, &pods).await?;
    is_permitted(world.cluster(), &pods)?;
    serves_all_metrics_of_the_dashboard(&pods).await?;
    // This check comes first, because the later steps prevent the process from renewing its Lease,
    // and it would exit.
    up_waits_for_the_lease_of_the_controller(world.cluster(), &mut pods).await?;
    authorizes_each_caller(world.cluster(), &kubectl, &pods).await?;
    serves_the_replaced_certificate(&pods).await?;
    drop(served);
    pods.end_in_order(&["approval", "diagnosis", "health", "resolver"])
        .await
}

/// Checks that the controller enforces a policy.
async fn works(cluster: &Cluster) -> Result<(), Failure> {
    let editor = Editor::of(&cluster.client()?, HARBOR);
    let policy = design("yawl", &["yawl.v1.0.0"])
        .asks("channel", "stable".into())
        .asks("source", "fleet".into())
        .asks("sourceNamespace", HARBOR.into())
        .with(
            "operatorGroup",
            json!({"name": "own", "target": {"namespaces": [HARBOR]}}),
        );
    let kind = Kind::OperatorPolicy;
    editor.create(kind, "yawl", policy.body(HARBOR)).await?;
    let policies = editor.objects(kind);
    until("the policy to be compliant", PATIENCE, async || {
        let status = policies.get("yawl").await?.data["status"].clone();
        Ok(if status["compliant"] == "Compliant" {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{status:#}"))
        })
    })
    .await
}

/// A diagnosis contains names of objects in other namespaces and of cluster-scoped objects. So a
/// user with access to only one namespace gets no diagnosis, not even for this namespace.
async fn diagnosis_requires_permission_in_all_namespaces(
    kubectl: &Kubectl,
    pods: &Pods,
) -> Result<(), Failure> {
    let create = ["-n", HARBOR, "create"];
    let auditor = ["serviceaccount", "auditor"];
    kubectl.run(&[&create[..], &auditor].concat()).await?;
    let account = format!("--serviceaccount={HARBOR}:auditor");
    let bind = ["create", "clusterrolebinding", "auditor"];
    let role = ["--clusterrole=portolan-view", account.as_str()];
    kubectl.run(&[&bind[..], &role].concat()).await?;
    let token = async |account| {
        let token = ["token", account, "--audience=portolan.dev"];
        kubectl.run(&[&create[..], &token].concat()).await
    };
    let (viewer, auditor) = (token(VIEWER).await?, token("auditor").await?);
    let asker = Asker::of(pods.one("diagnosis"), "diagnose").await?;
    let policy = ["operatorpolicy/yawl"];
    asker.until_answer(&auditor, &policy, "Well").await?;
    let everywhere = "cannot get diagnoses of the API group portolan.dev in all namespaces";
    for words in [&["-n", HARBOR][..], &policy, &["operator/yawl"]] {
        asker.gets(&viewer, words, everywhere).await?;
    }
    Ok(())
}

/// The Pods must export each metric in the dashboard and in the alerts of the documentation.
async fn serves_all_metrics_of_the_dashboard(pods: &Pods) -> Result<(), Failure> {
    let reported = pods.metrics().await;
    let reported: BTreeSet<_> = reported
        .lines()
        .filter_map(|line| line.split(['{', ' ']).next())
        .collect();
    for page in [
        "deploy/overlays/monitoring/dashboard.json",
        "docs/operations.md",
    ] {
        let text = fs::read_to_string(Path::new(ROOT).join(page));
        let text = text.map_err(Failure::touch("read a page"))?;
        let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let ours = ["grpc_server_", "portolan_controller_", "cluster_policy_"];
        let named: BTreeSet<_> = words
            .filter(|word| ours.iter().any(|ours| word.starts_with(ours)))
            .collect();
        assert!(named.len() > 5, "{page} names {named:?}");
        let reported =
            |name: &&str| reported.contains(name) || reported.contains(&*format!("{name}_count"));
        let missing: Vec<_> = named.iter().filter(|name| !reported(name)).collect();
        assert_eq!(missing, Vec::<&&str>::new(), "{page}");
    }
    Ok(())
}

/// `portolan up --enforce` acts as another replica of the controller. It waits for the Lease, which
/// the deployed controller holds.
async fn up_waits_for_the_lease_of_the_controller(
    cluster: &Cluster,
    pods: &mut Pods,
) -> Result<(), Failure> {
    let folder = TempFolder::empty();
    let message = folder.join("said");
    let log = File::create(&message).map_err(Failure::touch("make a log"))?;
    let mut command = up(&cluster.kubeconfig(), &["--enforce"]).await?;
    let mut heir = Started::by(command.stdout(Stdio::null()).stderr(log))?;
    let reported = || fs::read_to_string(&message).unwrap_or_default();
    until("the heir to wait for the Lease", PATIENCE, async || {
        Ok(if reported().contains("waiting for leadership") {
            Seen::Yes(())
        } else {
            Seen::NotYet(reported())
        })
    })
    .await?;
    let client = cluster.client()?;
    let lease = async || holder(&client, "portolan", "portolan-controller").await;
    let leader = lease().await?;
    assert!(leader.starts_with("controller-0"), "{leader}");
    pods.end_in_order(&["controller"]).await?;
    until("the heir to lead", PATIENCE, async || {
        let now = lease().await?;
        Ok(if now.is_empty() || now == leader {
            Seen::NotYet(format!("{now}\n{}", reported()))
        } else {
            Seen::Yes(())
        })
    })
    .await?;
    heir.terminate()?;
    assert_eq!(heir.ended("the heir").await?, Some(0), "{}", reported());
    Ok(())
}

/// Checks that no component sends a request that its role does not permit.
fn is_permitted(cluster: &Cluster, pods: &Pods) -> Result<(), Failure> {
    let audit = cluster.audit()?;
    for pod in pods.all() {
        let all = audit.clone().by(&pod.user());
        assert_ne!(all.records(), [], "{} asks", pod.user());
        let refused = all.only(|record| [401, 403].contains(&record.code));
        assert_eq!(refused.records(), [], "{}", pod.user());
    }
    Ok(())
}

/// Checks the responses for a user who may read only one namespace.
async fn authorizes_each_caller(
    cluster: &Cluster,
    kubectl: &Kubectl,
    pods: &Pods,
) -> Result<(), Failure> {
    let health = pods.one("health");
    let viewer = Asker::of(health, "health").await?;
    let token = ["-n", HARBOR, "create", "token", VIEWER];
    let ours = kubectl
        .run(&[&token[..], &["--audience=portolan.dev"]].concat())
        .await?;
    let of_the_cluster = kubectl.run(&token).await?;

    // The controller manager aggregates the rules of the bound role after a short time, so the test
    // waits.
    viewer
        .until_answer(&ours, &["-n", HARBOR], "yawl.v1.0.0")
        .await?;
    let everywhere = format!(
        "system:serviceaccount:{HARBOR}:{VIEWER} cannot get health of the API group portolan.dev in \
         all namespaces"
    );
    viewer.gets(&ours, &[], &everywhere).await?;
    let nothing = ["-n", HARBOR, "csv/nobody"];
    let here = format!("namespace {HARBOR} has no object with that name");
    viewer.gets(&ours, &nothing, &here).await?;
    let tokenless = "this server requires a token of the cluster";
    viewer.gets("", &["-n", HARBOR], tokenless).await?;
    let unknown = "the cluster does not recognize the token";
    viewer.gets("not.a.token", &["-n", HARBOR], unknown).await?;
    viewer
        .gets(&of_the_cluster, &["-n", HARBOR], unknown)
        .await?;

    let accounts = Kind::ServiceAccount.within(&cluster.client()?, HARBOR);
    let uid = accounts.get(VIEWER).await?.metadata.uid.unwrap_or_default();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let hour = Duration::from_secs(3600);
    let fresh = cluster.token(&claims(&uid, now - hour, now + hour))?;
    viewer.gets(&fresh, &["-n", HARBOR], "yawl.v1.0.0").await?;
    let expired = cluster.token(&claims(&uid, now - 2 * hour, now - hour))?;
    viewer.gets(&expired, &["-n", HARBOR], unknown).await?;

    let unbind = ["-n", HARBOR, "delete", "rolebinding", VIEWER];
    kubectl.run(&unbind).await?;
    let here = format!("cannot get health of the API group portolan.dev in namespace {HARBOR}");
    viewer.until_answer(&ours, &["-n", HARBOR], &here).await?;

    cluster.kill(Component::ApiServer)?;
    let silent = "the cluster failed to authenticate the caller";
    viewer.until_answer(&ours, &["-n", HARBOR], silent).await?;
    cluster.revive(Component::ApiServer).await?;
    viewer.until_answer(&ours, &["-n", HARBOR], &here).await
}

fn claims(uid: &str, from: Duration, to: Duration) -> Value {
    json!({
        "iss": "https://kubernetes.default.svc",
        "aud": ["portolan.dev"],
        "sub": format!("system:serviceaccount:{HARBOR}:{VIEWER}"),
        "iat": from.as_secs(),
        "nbf": from.as_secs(),
        "exp": to.as_secs(),
        "kubernetes.io": {
            "namespace": HARBOR,
            "serviceaccount": {"name": VIEWER, "uid": uid},
        },
    })
}

/// If a certificate file is replaced, the next connection uses the new certificate.
async fn serves_the_replaced_certificate(pods: &Pods) -> Result<(), Failure> {
    let health = pods.one("health");
    let next = portolan_kit::Authority::default();
    let asker = Asker::of(health, "health").await?;
    fs::write(&asker.ca, next.pem()).map_err(Failure::touch("write a certificate"))?;
    asker.gets("a.b.c", &[], "TLS handshake with ").await?;
    next.vouch("127.0.0.1")
        .write(&health.path("/etc/portolan/tls"));
    let known = "the cluster does not recognize the token";
    asker.until_answer("a.b.c", &[], known).await?;
    Ok(())
}

/// Creates a namespace with a catalog, and a user who may view the namespace.
async fn harbor(cluster: &Cluster, kubectl: &Kubectl) -> Result<portolan_rig::Catalog, Failure> {
    let client = cluster.client()?;
    let namespace = Kind::Namespace.object(HARBOR, json!({}))?;
    let namespaces = Kind::Namespace.everywhere(&client);
    namespaces
        .create(&PostParams::default(), &namespace)
        .await?;
    kubectl
        .run(&["-n", HARBOR, "create", "serviceaccount", VIEWER])
        .await?;
    let account = format!("--serviceaccount={HARBOR}:{VIEWER}");
    let bind = [
        "-n",
        HARBOR,
        "create",
        "rolebinding",
        VIEWER,
        "--clusterrole=view",
        &account,
    ];
    kubectl.run(&bind).await?;
    let offered = catalog("yawl: 1.0.0 -> 1.1.0").installable().temp();
    cluster.catalog(HARBOR, "fleet", &offered).await
}

/// A user who queries a service with the program and a token.
struct Asker {
    portolan: PathBuf,
    /// The command of the program.
    question: &'static str,
    url: String,
    folder: TempFolder,
    ca: PathBuf,
}

impl Asker {
    async fn of(pod: &Pod, question: &'static str) -> Result<Self, Failure> {
        let folder = TempFolder::empty();
        let ca = folder.join("ca.crt");
        fs::copy(pod.ca(), &ca).map_err(Failure::touch("copy a certificate"))?;
        Ok(Self {
            portolan: portolan().await?,
            question,
            url: pod.url(),
            folder,
            ca,
        })
    }

    async fn asks(&self, token: &str, words: &[&str]) -> Result<String, Failure> {
        let path = self.folder.join("token");
        fs::write(&path, token).map_err(Failure::touch("write a token"))?;
        let shown = ["--token-file".into(), path.into_os_string()];
        let shown = shown.into_iter().filter(|_| !token.is_empty());
        let mut command = Command::new(&self.portolan);
        command
            .args([self.question, "--server", &self.url])
            .arg("--ca")
            .arg(&self.ca)
            .args(shown)
            .args(words)
            .current_dir(Path::new(env!("CARGO_TARGET_TMPDIR")));
        let output = output(command).await?;
        let texts = [&output.stdout, &output.stderr];
        Ok(texts
            .map(|text| String::from_utf8_lossy(text).into_owned())
            .concat())
    }

    async fn gets(&self, token: &str, words: &[&str], wanted: &str) -> Result<(), Failure> {
        let reported = self.asks(token, words).await?;
        assert!(
            reported.contains(wanted),
            "{words:?}: {wanted:?} is not in {reported}"
        );
        Ok(())
    }

    async fn until_answer(&self, token: &str, words: &[&str], wanted: &str) -> Result<(), Failure> {
        until(format!("the answer {wanted}"), PATIENCE, async || {
            let reported = self.asks(token, words).await?;
            Ok(if reported.contains(wanted) {
                Seen::Yes(())
            } else {
                Seen::NotYet(reported)
            })
        })
        .await
    }
}
