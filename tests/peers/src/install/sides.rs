//! The tools that install objects. Each tool has its own user and its own namespace.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use portolan_rig::Cluster;
use serde_json::{Value, json};

use super::cargo::Cargo;
use crate::catalogs::scratch;
use crate::ended::Ended;
use crate::failure::Failure;
use crate::pair::free_port;
use crate::process;
use crate::server::Server;
use crate::writer::{Writer, namespace};

/// The time to wait for the audit log, which the API server writes shortly after its response.
const AUDITED: Duration = Duration::from_secs(2);

/// The cost of an installation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    /// The time in seconds.
    pub(super) time: f64,
    pub(super) requests: usize,
    /// The peak memory in bytes.
    pub(super) peak: f64,
}

/// A user with all permissions.
struct User<'a> {
    cluster: &'a Cluster,
    name: &'static str,
    kubeconfig: PathBuf,
}

/// Another tool, whose command does the whole installation.
pub(super) struct Theirs<'a> {
    /// The name of the command in the table.
    called: &'static str,
    user: User<'a>,
    program: PathBuf,
    words: Vec<String>,
}

/// Our controller, and the user who runs our commands.
pub(super) struct Ours<'a> {
    controller: User<'a>,
    typist: User<'a>,
    server: Server,
    portolan: &'a Path,
    kubectl: &'a Path,
    manifests: PathBuf,
    /// The name of the plan. None before the plan is created.
    plan: Option<String>,
}

// === impl User ===

impl<'a> User<'a> {
    async fn new(
        cluster: &'a Cluster,
        writer: &Writer,
        name: &'static str,
    ) -> Result<Self, Failure> {
        let mut place = namespace(name);
        place["metadata"]["labels"] = json!({"plans.portolan.dev/enabled": "true"});
        writer.create(place).await?;
        let kubeconfig = cluster.admit(name, Some("system:masters"))?;
        Ok(Self {
            cluster,
            name,
            kubeconfig,
        })
    }

    /// Returns the number of requests of the user so far. A watch counts as one request.
    fn requests(&self) -> Result<usize, Failure> {
        Ok(self.cluster.audit()?.by(self.name).len())
    }
}

// === impl Theirs ===

impl<'a> Theirs<'a> {
    pub(super) async fn kubectl(
        kubectl: &Path,
        cluster: &'a Cluster,
        writer: &Writer,
        cargo: &Cargo,
    ) -> Result<Self, Failure> {
        let user = User::new(cluster, writer, "by-kubectl").await?;
        let all = cargo.manifests().display().to_string();
        // Without --force-conflicts, kubectl does not revert fields of other field managers.
        let words = [
            "apply",
            "--server-side",
            "--force-conflicts",
            "--namespace",
            user.name,
            "-f",
            &all,
        ];
        Ok(Self {
            called: "kubectl apply",
            words: words.map(str::to_owned).to_vec(),
            program: kubectl.to_owned(),
            user,
        })
    }

    pub(super) async fn helm(
        helm: &Path,
        cluster: &'a Cluster,
        writer: &Writer,
        cargo: &Cargo,
    ) -> Result<Self, Failure> {
        let user = User::new(cluster, writer, "by-helm").await?;
        let chart = cargo.chart().display().to_string();
        // With --install, the same command also makes the first installation.
        let words = [
            "upgrade",
            "--install",
            "--namespace",
            user.name,
            "cargo",
            &chart,
        ];
        Ok(Self {
            called: "helm",
            words: words.map(str::to_owned).to_vec(),
            program: helm.to_owned(),
            user,
        })
    }

    pub(super) async fn kapp(
        kapp: &Path,
        cluster: &'a Cluster,
        writer: &Writer,
        cargo: &Cargo,
    ) -> Result<Self, Failure> {
        let user = User::new(cluster, writer, "by-kapp").await?;
        let all = cargo.manifests().display().to_string();
        let words = [
            "deploy",
            "--yes",
            "--app",
            "cargo",
            "--namespace",
            user.name,
            "-f",
            &all,
        ];
        Ok(Self {
            called: "kapp",
            words: words.map(str::to_owned).to_vec(),
            program: kapp.to_owned(),
            user,
        })
    }

    pub(super) fn called(&self) -> &'static str {
        self.called
    }

    pub(super) fn namespace(&self) -> &str {
        self.user.name
    }

    pub(super) async fn install(&mut self) -> Result<Spent, Failure> {
        let before = self.user.requests()?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.words)
            .env("KUBECONFIG", &self.user.kubeconfig);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let start = || {
            command
                .spawn()
                .map_err(Failure::touch("run", &self.program))
        };
        let Ended { status, cost } = Ended::of(&self.program, start)?;
        if !status.success() {
            return Err(Failure::Expect(format!("{command:?} ends with {status}")));
        }
        tokio::time::sleep(AUDITED).await;
        Ok(Spent {
            time: cost.time,
            requests: self.user.requests()? - before,
            peak: cost.peak,
        })
    }
}

// === impl Ours ===

impl<'a> Ours<'a> {
    /// Starts a controller, and waits until it is ready.
    pub(super) async fn begin(
        portolan: &'a Path,
        kubectl: &'a Path,
        cluster: &'a Cluster,
        writer: &Writer,
        cargo: &Cargo,
    ) -> Result<Self, Failure> {
        let typist = User::new(cluster, writer, "by-plan").await?;
        let controller = User {
            cluster,
            name: "portolan-plans",
            kubeconfig: cluster.admit("portolan-plans", Some("system:masters"))?,
        };
        for manifest in installer(typist.name) {
            writer.create(manifest).await?;
        }
        let probes = free_port()?;
        let mut command = Command::new(portolan);
        command.args(["controller", "--enforce", "--plans", "--no-lease"]);
        command.arg(format!("--only-namespace={}", typist.name));
        command.arg(format!("--probes-listen=127.0.0.1:{probes}"));
        command.arg("--kubeconfig").arg(&controller.kubeconfig);
        let mut server = Server::start(command, probes, scratch()?)?;
        server.until_ready("controller", probes).await?;
        Ok(Self {
            controller,
            typist,
            server,
            portolan,
            kubectl,
            manifests: cargo.manifests(),
            plan: None,
        })
    }

    pub(super) fn namespace(&self) -> &str {
        self.typist.name
    }

    /// Makes the plan revert changes by other clients.
    pub(super) async fn revert(&self) -> Result<(), Failure> {
        let plan = self.plan.as_deref().unwrap_or_default();
        let change = json!({"spec": {"lifecycle": {"onDrift": "Revert"}}}).to_string();
        let words = ["patch", "pplan", plan, "--type=merge", "-p", &change];
        self.types(&words).map(drop)
    }

    /// Runs kubectl as the user, and returns its output.
    fn types(&self, words: &[&str]) -> Result<Vec<u8>, Failure> {
        let mut command = Command::new(self.kubectl);
        command.args(["--namespace", self.typist.name]).args(words);
        command.env("KUBECONFIG", &self.typist.kubeconfig);
        printed(&mut command)
    }

    /// Creates a plan from the manifests, and applies it. Returns the name of the plan.
    fn apply(&self) -> Result<String, Failure> {
        let mut make = Command::new(self.portolan);
        make.args(["plan", "make", "--name=cargo", "-o=json"]);
        make.arg("--namespace").arg(self.typist.name);
        make.arg("--on-plan-deletion=delete").arg(&self.manifests);
        let made = printed(&mut make)?;
        let folder = scratch()?;
        let file = folder.path().join("plan.json");
        std::fs::write(&file, &made).map_err(Failure::touch("write", &file))?;
        let file = file.display().to_string();
        let said = self.types(&["apply", "--server-side", "-o=name", "-f", &file])?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let plan = said
            .lines()
            .find_map(|line| line.strip_prefix("installplan.plans.portolan.dev/"));
        let plan = plan.map(str::to_owned);
        plan.ok_or_else(|| Failure::Expect(format!("no plan is applied: {said}")))
    }

    pub(super) async fn install(&mut self) -> Result<Spent, Failure> {
        let before = self.controller.requests()? + self.typist.requests()?;
        let begun = Instant::now();
        let plan = self.apply()?;
        let waits = [
            "wait",
            "--for=condition=Ready",
            "--timeout=300s",
            "pplan",
            &plan,
        ];
        self.types(&waits)?;
        let time = begun.elapsed().as_secs_f64();
        self.plan = Some(plan);
        self.server.check_running()?;
        let peak = process::peak_memory(self.server.pid())? as f64;
        tokio::time::sleep(AUDITED).await;
        Ok(Spent {
            time,
            requests: self.controller.requests()? + self.typist.requests()? - before,
            peak,
        })
    }
}

/// Returns the ServiceAccount of the plan, and its permissions for everything in its namespace.
fn installer(namespace: &str) -> [Value; 2] {
    let subject = json!({"kind": "ServiceAccount", "name": "installer", "namespace": namespace});
    let role = json!({
        "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin",
    });
    let metadata = json!({"name": "installer", "namespace": namespace});
    [
        json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}),
        json!({
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": role,
            "subjects": [subject],
        }),
    ]
}

/// Returns the output of a command. Returns an error if the command fails.
fn printed(command: &mut Command) -> Result<Vec<u8>, Failure> {
    let program = PathBuf::from(command.get_program());
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(Failure::touch("run", &program))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Failure::Expect(format!(
        "{command:?} ends with {}: {said}",
        output.status
    )))
}
