//! Runs one Pod of each Deployment, as a process on this machine.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use portolan_kit::TempFolder;
use portolan_rig::{Cluster, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::firstuse::{documents, text};
use crate::kubectl::Kubectl;
use crate::program::{Started, portolan};

const NAMESPACE: &str = "portolan";

/// The Pods of the test. Dropping this value kills their processes.
pub(super) struct Pods(Vec<Pod>);

/// A process with the settings of a Deployment.
pub(super) struct Pod {
    component: String,
    account: String,
    /// The folder that acts as the root folder of the Pod.
    root: TempFolder,
    grpc: u16,
    probes: u16,
    process: Started,
}

/// The addresses and the certificate authority that all Pods share.
struct Town<'a> {
    cluster: &'a Cluster,
    kubectl: &'a Kubectl,
    portolan: PathBuf,
    /// The ports of each Pod, for gRPC and for probes.
    ports: BTreeMap<String, (u16, u16)>,
}

// === impl Pods ===

impl Pods {
    /// Starts one Pod for each Deployment that kustomize renders.
    pub(super) async fn of(
        rendered: &str,
        cluster: &Cluster,
        kubectl: &Kubectl,
    ) -> Result<Self, Failure> {
        let deployments: Vec<_> = documents(rendered)
            .into_iter()
            .filter(|object| object["kind"] == "Deployment")
            .collect();
        let ports = deployments.iter().map(|deployment| {
            let ports = (cluster.free_port(), cluster.free_port());
            (component(deployment), ports)
        });
        let town = Town {
            ports: ports.collect(),
            portolan: portolan().await?,
            cluster,
            kubectl,
        };
        let mut pods = Vec::new();
        for deployment in &deployments {
            pods.push(town.pod(deployment).await?);
        }
        let names: Vec<_> = pods.iter().map(|pod| pod.component.as_str()).collect();
        let expected = ["approval", "controller", "diagnosis", "health", "resolver"];
        assert_eq!(names, expected);
        Ok(Self(pods))
    }

    pub(super) fn all(&self) -> &[Pod] {
        &self.0
    }

    pub(super) fn one(&self, component: &str) -> &Pod {
        let mut pods = self.0.iter();
        let pod = pods.find(|pod| pod.component == component);
        pod.expect("a pod of each component")
    }

    /// Waits until the probes of all Pods report that they are ready.
    pub(super) async fn ready(&self) -> Result<(), Failure> {
        for pod in &self.0 {
            until(
                format!("{} to be ready", pod.component),
                PATIENCE,
                async || {
                    let reported = pod.asked("/readyz").await;
                    Ok(if reported.starts_with("HTTP/1.1 200") {
                        Seen::Yes(())
                    } else {
                        Seen::NotYet(format!("{reported}\n{}", pod.log()))
                    })
                },
            )
            .await?;
        }
        Ok(())
    }

    /// Returns the metrics of all Pods.
    pub(super) async fn metrics(&self) -> String {
        let mut all = String::new();
        for pod in &self.0 {
            all += &pod.asked("/metrics").await;
        }
        all
    }

    /// Stops the Pods of these components with SIGTERM, and waits until they have exited.
    pub(super) async fn end_in_order(&mut self, components: &[&str]) -> Result<(), Failure> {
        let is_meant = |pod: &&mut Pod| components.contains(&pod.component.as_str());
        for pod in self.0.iter_mut().filter(is_meant) {
            pod.process.terminate()?;
        }
        for pod in self.0.iter_mut().filter(is_meant) {
            let ended = pod.process.ended(&pod.component).await?;
            assert_eq!(ended, Some(0), "{}: {}", pod.component, pod.log());
        }
        Ok(())
    }
}

// === impl Pod ===

impl Pod {
    /// Returns the user name of the Pod in the audit log.
    pub(super) fn user(&self) -> String {
        format!("system:serviceaccount:{NAMESPACE}:{}", self.account)
    }

    pub(super) fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.grpc)
    }

    /// Returns the path on this machine for a path inside of the Pod.
    pub(super) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(inside.trim_start_matches('/'))
    }

    /// Returns the path of the CA certificate that all Pods trust.
    pub(super) fn ca(&self) -> PathBuf {
        self.root.join("ca.crt")
    }

    async fn asked(&self, path: &str) -> String {
        let asked = async {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.probes)).await?;
            let request =
                format!("GET {path} HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n");
            stream.write_all(request.as_bytes()).await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            std::io::Result::Ok(answer)
        };
        asked.await.unwrap_or_else(|error| error.to_string())
    }

    fn log(&self) -> String {
        fs::read_to_string(self.root.join("log")).unwrap_or_default()
    }
}

// === impl Town ===

impl Town<'_> {
    async fn pod(&self, deployment: &Value) -> Result<Pod, Failure> {
        let component = component(deployment);
        let spec = &deployment["spec"]["template"]["spec"];
        let account = text(&spec["serviceAccountName"]);
        let [container] = &spec["containers"].as_array().expect("containers")[..] else {
            panic!("a pod has one container");
        };
        let root = TempFolder::empty();
        let identity = self.cluster.server_identity(&component, &["127.0.0.1"])?;
        put(&root.join("ca.crt"), &identity.authority);
        let mounts = container["volumeMounts"].as_array().expect("mounts");
        for mount in mounts {
            let mut volumes = spec["volumes"].as_array().expect("volumes").iter();
            let volume = volumes.find(|volume| volume["name"] == mount["name"]);
            let volume = volume.expect("what is mounted must be a volume");
            let to = root.join(text(&mount["mountPath"]).trim_start_matches('/'));
            fs::create_dir_all(&to).map_err(Failure::touch("make a mount"))?;
            assert_eq!(mount["readOnly"], true, "nothing is written");
            for (name, content) in self
                .content(volume, &component, &account, &identity)
                .await?
            {
                put(&to.join(name), &content);
            }
        }
        let (grpc, probes) = self.ports[&component];
        let kubeconfig = self.kubeconfig(&account, &root).await?;
        let log = File::create(root.join("log")).map_err(Failure::touch("make a log"))?;
        let args = container["args"].as_array().expect("args");
        let args = args
            .iter()
            .map(|arg| self.placed(&text(arg), &root, (grpc, probes)));
        let mut command = Command::new(&self.portolan);
        command
            .args(args)
            .env_clear()
            .env("KUBECONFIG", kubeconfig)
            .env("HOSTNAME", format!("{component}-0"))
            .current_dir(&root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log);
        let process = Started::by(&mut command)?;
        Ok(Pod {
            component,
            account,
            root,
            grpc,
            probes,
            process,
        })
    }

    /// Writes the files of a volume.
    async fn content(
        &self,
        volume: &Value,
        component: &str,
        account: &str,
        identity: &portolan_rig::Identity,
    ) -> Result<Vec<(String, String)>, Failure> {
        let file = |name: &str, content: &str| (name.to_owned(), content.to_owned());
        if let Some(secret) = volume["secret"]["secretName"].as_str() {
            assert_eq!(secret, format!("portolan-{component}-tls"));
            let pair = [
                ("tls.crt", &identity.certificate),
                ("tls.key", &identity.key),
            ];
            return Ok(pair.map(|(name, pem)| file(name, pem)).to_vec());
        }
        if let Some(map) = volume["configMap"]["name"].as_str() {
            return Ok(match (map, &volume["configMap"]["optional"]) {
                ("portolan-ca", Value::Null) => vec![file("ca.crt", &identity.authority)],
                (_, Value::Bool(true)) => Vec::new(),
                _ => panic!("unknown ConfigMap {map}"),
            });
        }
        let source = &volume["projected"]["sources"][0]["serviceAccountToken"];
        let audience = format!("--audience={}", text(&source["audience"]));
        let lasts = format!("--duration={}s", source["expirationSeconds"]);
        let token = self.token(account, &[&audience, &lasts]).await?;
        Ok(vec![file(&text(&source["path"]), &token)])
    }

    async fn token(&self, account: &str, words: &[&str]) -> Result<String, Failure> {
        let create = ["-n", NAMESPACE, "create", "token", account];
        self.kubectl.run(&[&create[..], words].concat()).await
    }

    /// Writes a kubeconfig. It replaces the configuration that a Pod would get inside of a cluster.
    async fn kubeconfig(&self, account: &str, root: &Path) -> Result<PathBuf, Failure> {
        let token = self.token(account, &[]).await?;
        let authority = root.join("ca.crt");
        let text = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "pod",
            "clusters": [{"name": "pod", "cluster": {
                "server": self.cluster.address(),
                "certificate-authority": authority,
            }}],
            "users": [{"name": "pod", "user": {"token": token}}],
            "contexts": [{"name": "pod", "context": {"cluster": "pod", "user": "pod"}}],
        });
        let path = root.join("kubeconfig");
        put(&path, &text.to_string());
        Ok(path)
    }

    /// Converts an argument of a Pod to an argument on this machine.
    fn placed(&self, arg: &str, root: &Path, (grpc, probes): (u16, u16)) -> String {
        let mut arg = arg.replace("$(POD_NAMESPACE)", NAMESPACE);
        for (component, (port, _)) in &self.ports {
            let there = format!("https://portolan-{component}.{NAMESPACE}.svc:50051");
            arg = arg.replace(&there, &format!("https://127.0.0.1:{port}"));
        }
        let arg = arg.replace("=[::]:50051", &format!("=127.0.0.1:{grpc}"));
        let arg = arg.replace("=[::]:8081", &format!("=127.0.0.1:{probes}"));
        assert!(
            !arg.starts_with("--probes-listen=[::]"),
            "of all who run here: {arg}"
        );
        let root = root.display();
        let arg = arg.replace("=/etc/portolan/", &format!("={root}/etc/portolan/"));
        arg.replace("=/var/run/secrets/", &format!("={root}/var/run/secrets/"))
    }
}

fn put(path: &Path, content: &str) {
    fs::write(path, content).expect("a folder of the test can be written");
}

fn component(deployment: &Value) -> String {
    text(&deployment["metadata"]["labels"]["app.kubernetes.io/component"])
}
