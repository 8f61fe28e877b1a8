//! Runs the tutorial that tries Portolan with one command, on a cluster on which nothing is
//! installed. Checks the output of its commands.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use kube::api::{Api, DynamicObject, PostParams};
use portolan_kit::TempFolder;
use portolan_kit::blocks::{self, blocks, commands, matches};
use portolan_rig::{Cluster, Failure, Kind, PATIENCE, Seen, until, until_object};
use serde_json::{Value, json};

use super::holder;
use crate::kubectl::{Kubectl, ROOT};
use crate::own_cluster;
use crate::program::{Started, output, portolan};

/// An Install without an approval, and a Policy.
const OTHERS: &str = "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {name: timetable}
spec:
  content:
  - type: Raw
    raw: '{apiVersion: v1, kind: ConfigMap, metadata: {name: timetable}}'
---
apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {name: nights}
spec:
  schedule: [{start: 00 22 * * *, end: 00 06 * * *}]
";

const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";

/// A cluster, and the environment in which the commands run.
struct Trial {
    cluster: Cluster,
    folder: TempFolder,
    path: String,
}

/// A running `portolan up`, and the file that contains its output.
struct Up {
    process: Started,
    output: PathBuf,
}

#[tokio::test]
async fn documented_trial_installs_an_operator() -> Result<(), Failure> {
    let Some(cluster) = own_cluster().await? else {
        return Ok(());
    };
    let trial = Trial::on(cluster).await?;
    trial.dry_run_creates_nothing().await?;
    trial.crd_of_another_program_is_kept().await?;
    let page = fs::read_to_string(format!("{ROOT}/docs/trial.md"));
    let page = page.map_err(Failure::touch("read the page"))?;
    let all = blocks(&page);
    let consoles = all.iter().filter(|block| block.language == "console");
    let mut running: Option<Up> = None;
    for command in consoles.flat_map(commands) {
        if !command.typed.starts_with("portolan up ") {
            trial.types(&command).await?;
            if let Some(up) = running.as_ref().filter(|_| is_install(&command)) {
                let line = "The CRDs of Operators have been installed. To run the controller of Operators, restart this process";
                let any = "...".to_owned();
                up.until_it_prints(&[any.clone(), line.to_owned(), any])
                    .await?;
            }
            continue;
        }
        if let Some(up) = running.take() {
            up.stop().await?;
        }
        let up = trial.up(&command.typed, running_name(&command)).await?;
        up.until_it_prints(&command.shown).await?;
        running = Some(up);
    }
    trial.installs_and_policies_get_a_status().await?;
    trial.second_process_waits_for_the_lease().await?;
    running.expect("the page runs everything").stop().await?;
    for lease in ["portolan-controller", "portolan-updater"] {
        let holder = holder(&trial.cluster.client()?, "portolan", lease).await?;
        assert_eq!(holder, "", "the Lease {lease} is released");
    }
    trial.crds_are_unchanged_the_second_time().await
}

fn is_install(command: &blocks::Command) -> bool {
    command.typed.starts_with("portolan install crds")
}

/// Returns the name of the file for the output of a command.
fn running_name(command: &blocks::Command) -> &'static str {
    if command.typed.contains("--updater") {
        "all"
    } else {
        "none"
    }
}

// === impl Trial ===

impl Trial {
    async fn on(cluster: Cluster) -> Result<Self, Failure> {
        let folder = TempFolder::empty();
        let file = folder.join("kubeconfig");
        fs::copy(cluster.kubeconfig(), &file).map_err(Failure::touch("copy a file"))?;
        let program = portolan().await?;
        let program = program.parent().expect("a folder").display().to_string();
        let binaries = cluster.binaries().folder().to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{program}:{}:{path}", binaries.display());
        let trial = Self {
            cluster,
            folder,
            path,
        };
        let rename = "kubectl config rename-context $(kubectl config current-context) trial";
        trial.run(rename).await?;
        Ok(trial)
    }

    fn shell(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-euc", script])
            .current_dir(ROOT)
            .env("PATH", &self.path)
            .env("KUBECACHEDIR", self.folder.join("cache"))
            .env("KUBECONFIG", self.folder.join("kubeconfig"));
        command
    }

    /// Runs a command. Returns its exit code, and the lines of its output.
    async fn run(&self, typed: &str) -> Result<(Option<i32>, Vec<String>), Failure> {
        let run = output(self.shell(&format!("exec 2>&1; {typed}"))).await?;
        let text = String::from_utf8_lossy(&run.stdout).into_owned();
        println!("$ {typed}\n{text}");
        Ok((run.status.code(), text.lines().map(str::to_owned).collect()))
    }

    /// Runs a command of the page. Checks that its output equals the output on the page.
    async fn types(&self, command: &blocks::Command) -> Result<(), Failure> {
        let (code, lines) = self.run(&command.typed).await?;
        assert_eq!(code, Some(0), "{}", command.typed);
        assert!(
            matches(&lines, &command.shown),
            "{} prints\n{}",
            command.typed,
            lines.join("\n")
        );
        Ok(())
    }

    /// Starts `portolan up` on free ports.
    async fn up(&self, typed: &str, name: &str) -> Result<Up, Failure> {
        let output = self.folder.join(name);
        let file = File::create(&output).map_err(Failure::touch("make a file"))?;
        let other = file.try_clone().map_err(Failure::touch("share a file"))?;
        let ports = "--listen=127.0.0.1:0 --probes-listen=127.0.0.1:0";
        let mut command = self.shell(&format!("exec {typed} {ports}"));
        let command = command.stdin(Stdio::null()).stdout(file).stderr(other);
        let process = Started::by(command)?;
        Ok(Up { process, output })
    }

    fn crds(&self) -> Result<Api<DynamicObject>, Failure> {
        Ok(Kind::CustomResourceDefinition.everywhere(&self.cluster.client()?))
    }

    async fn dry_run_creates_nothing(&self) -> Result<(), Failure> {
        let (code, lines) = self.run("portolan install crds --dry-run").await?;
        assert_eq!((code, lines.len()), (Some(0), 7), "{lines:?}");
        let is_dry = |line: &String| line.ends_with(" created (dry run)");
        assert!(lines.iter().all(is_dry), "{lines:?}");
        assert_eq!(self.crds()?.get_opt(POLICIES).await?, None);
        Ok(())
    }

    /// Checks that the uninstall keeps the CRD of Open Cluster Management. Then deletes this CRD.
    async fn crd_of_another_program_is_kept(&self) -> Result<(), Failure> {
        let schema = json!({"type": "object", "properties": {
            "spec": {"type": "object", "properties": {"versions": {"type": "array", "items": {"type": "string"}}}},
        }});
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": POLICIES},
            "spec": {
                "group": "policy.open-cluster-management.io", "scope": "Namespaced",
                "names": {
                    "kind": "OperatorPolicy", "plural": "operatorpolicies", "singular": "operatorpolicy",
                },
                "versions": [{
                    "name": "v1beta1", "served": true, "storage": true,
                    "schema": {"openAPIV3Schema": schema},
                }],
            },
        });
        let crd: DynamicObject = serde_json::from_value(crd).map_err(Failure::read("a CRD"))?;
        let crds = self.crds()?;
        crds.create(&PostParams::default(), &crd).await?;
        let is_established = |crd: &DynamicObject| {
            let conditions = crd.data["status"]["conditions"].as_array();
            let mut conditions = conditions.into_iter().flatten();
            conditions.any(|it: &Value| it["type"] == "Established" && it["status"] == "True")
        };
        until_object(&crds, POLICIES, "Established", is_established).await?;
        let before = crds.get(POLICIES).await?;
        let (code, lines) = self.run("portolan install crds operatorpolicies").await?;
        let expected = format!(
            "error: CRD {POLICIES} is not installed: the CRD belongs to another program: its \
             schema lacks the field spec.allowedCSVs"
        );
        assert_eq!((code, lines), (Some(1), vec![expected]));
        let after = crds.get(POLICIES).await?;
        assert_eq!(
            after.metadata.resource_version,
            before.metadata.resource_version
        );
        let kubectl = Kubectl::of(&self.cluster);
        kubectl.run(&["delete", "crd", POLICIES, "--wait"]).await?;
        Ok(())
    }

    async fn crds_are_unchanged_the_second_time(&self) -> Result<(), Failure> {
        let (code, lines) = self.run("portolan install crds").await?;
        assert_eq!((code, lines.len()), (Some(0), 7), "{lines:?}");
        let is_unchanged = |line: &String| line.ends_with(" unchanged");
        assert!(lines.iter().all(is_unchanged), "{lines:?}");
        Ok(())
    }

    /// Checks that the controllers for Installs and for Policies also run.
    async fn installs_and_policies_get_a_status(&self) -> Result<(), Failure> {
        let file = self.folder.join("others.yaml");
        fs::write(&file, OTHERS).map_err(Failure::touch("write manifests"))?;
        let apply = format!("kubectl apply -f {}", file.display());
        let (code, lines) = self.run(&apply).await?;
        assert_eq!(code, Some(0), "{lines:?}");
        for object in [
            "installs.operators.coreos.com/timetable",
            "upgradepolicies.operators.operatorframework.io/nights",
        ] {
            let (code, lines) = self
                .run(&format!(
                    "kubectl wait {object} --for=jsonpath='{{.status.conditions[0].type}}' --timeout=120s"
                ))
                .await?;
            assert_eq!(code, Some(0), "{lines:?}");
        }
        let (code, lines) = self
            .run(&format!("kubectl delete -f {}", file.display()))
            .await?;
        assert_eq!(code, Some(0), "{lines:?}");
        Ok(())
    }

    /// Checks that a second process prints the holder of the Lease, and does not acquire the Lease.
    async fn second_process_waits_for_the_lease(&self) -> Result<(), Failure> {
        let client = self.cluster.client()?;
        let held = holder(&client, "portolan", "portolan-controller").await?;
        assert_ne!(held, "", "the first process holds the Lease");
        let second = self
            .up("portolan up --context trial --enforce", "second")
            .await?;
        let line = format!(
            "Lease portolan/portolan-controller is held by {held}; this process writes nothing until the Lease is released"
        );
        let waits = "…waiting for leadership…".to_owned();
        let shown = [
            "...".to_owned(),
            line,
            "...".to_owned(),
            waits,
            "...".to_owned(),
        ];
        second.until_it_prints(&shown).await?;
        second.stop().await?;
        let after = holder(&client, "portolan", "portolan-controller").await?;
        assert_eq!(after, held);
        Ok(())
    }
}

// === impl Up ===

impl Up {
    async fn until_it_prints(&self, shown: &[String]) -> Result<(), Failure> {
        until(format!("the output {shown:#?}"), PATIENCE, async || {
            let text = fs::read_to_string(&self.output).unwrap_or_default();
            let lines: Vec<_> = text.lines().collect();
            Ok(if matches(&lines, shown) {
                Seen::Yes(())
            } else {
                Seen::NotYet(text)
            })
        })
        .await
    }

    /// Stops the process with SIGINT, like Ctrl-C. Checks that it exits without an error.
    async fn stop(mut self) -> Result<(), Failure> {
        self.process.terminate()?;
        let text = || fs::read_to_string(&self.output).unwrap_or_default();
        assert_eq!(
            self.process.ended("portolan up").await?,
            Some(0),
            "{}",
            text()
        );
        Ok(())
    }
}
