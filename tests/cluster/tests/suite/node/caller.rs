//! A client in a Pod. It calls the resolver without a pause, and reports each call that fails.

use std::env;
use std::time::Duration;

use kube::api::PostParams;
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_rig::{Failure, Kind, PATIENCE, Seen, until};
use portolan_shell::Credentials;
use portolan_shell::client::{Terms, remote};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{interval, sleep};

use super::deployed::Deployed;
use super::stage::restricted;
use crate::objects::make;

/// The environment variable with the URL of the resolver. It is set only in the Pod.
const SERVER: &str = "PORTOLAN_TEST_SERVER";
const CA: &str = "/etc/portolan/ca";
const TOKEN: &str = "/var/run/secrets/portolan.dev";
/// The number of clients that send calls at the same time. Each client has its own connection.
const CLIENTS: usize = 4;

/// The number of successful calls so far, and the failures.
#[derive(Debug, Clone, Default)]
struct Calls {
    answered: u64,
    failed: u64,
}

/// Runs as the program of the Pod. Outside of the Pod, this test does nothing.
#[tokio::test]
#[ignore = "other tests run it in a Pod"]
async fn client_reports_failed_calls() {
    let Ok(server) = env::var(SERVER) else {
        return;
    };
    let calls = watch::Sender::new(Calls::default());
    for _ in 0..CLIENTS {
        tokio::spawn(call(server.clone(), calls.clone()));
    }
    let mut ticks = interval(Duration::from_millis(200));
    loop {
        ticks.tick().await;
        let Calls { answered, failed } = calls.borrow().clone();
        println!("answered {answered}, failed {failed}");
    }
}

async fn call(server: String, calls: watch::Sender<Calls>) {
    let credentials = Credentials {
        ca: Some(format!("{CA}/ca.crt").into()),
        token: Some(format!("{TOKEN}/token").into()),
    };
    let terms = Terms::queries(DESCRIPTORS, Duration::from_secs(30)).with(credentials);
    let connection = remote(&server, terms).expect("a URL");
    let mut client = ResolverClient::new(connection);
    loop {
        let question = ListUpgradesRequest {
            catalog: "olm/ferries".to_owned(),
            package: "ferry".to_owned(),
            installed: "ferry.v1.0.0".to_owned(),
            ..Default::default()
        };
        let answer = client.list_upgrades(question).await;
        let failure = match answer {
            Ok(answer) if answer.get_ref().recommended.is_empty() => Some(format!("{answer:?}")),
            Ok(_) => None,
            Err(status) => Some(format!("{status:?}")),
        };
        calls.send_modify(|calls| match &failure {
            None => calls.answered += 1,
            Some(failure) => {
                calls.failed += 1;
                println!("failure: {failure}");
            }
        });
        sleep(Duration::from_millis(5)).await;
    }
}

/// A running client.
pub(super) struct Caller<'d> {
    deployed: &'d Deployed,
    namespace: String,
}

// === impl Caller ===

impl<'d> Caller<'d> {
    /// Starts the client in a namespace. Its ServiceAccount may call the services.
    pub(super) async fn start(deployed: &'d Deployed, namespace: &str) -> Result<Self, Failure> {
        let account = json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": {"name": "caller", "namespace": namespace},
        });
        let binding = json!({
            "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
            "metadata": {"name": "caller"},
            "subjects": [{"kind": "ServiceAccount", "name": "caller", "namespace": namespace}],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                "name": "portolan-view",
            },
        });
        for object in [account, binding] {
            make(&deployed.client, &object).await?;
        }
        let program = env::current_exe().map_err(Failure::touch("find this program"))?;
        let pod = pod(&deployed.image, &program.display().to_string());
        let pod = Kind::Pod.object("caller", pod)?;
        let pods = Kind::Pod.within(&deployed.client, namespace);
        pods.create(&PostParams::default(), &pod).await?;
        let caller = Self {
            deployed,
            namespace: namespace.to_owned(),
        };
        caller.answers_more(100).await?;
        Ok(caller)
    }

    /// Waits until this number of additional calls has succeeded. Checks that no call has failed.
    pub(super) async fn answers_more(&self, count: u64) -> Result<u64, Failure> {
        let mut wanted = None;
        until("answers to the client", PATIENCE, async || {
            let log = self.log().await?;
            let failures: Vec<_> = log.iter().filter(|it| it.starts_with("failure")).collect();
            assert!(failures.is_empty(), "{failures:#?}");
            let mut counts = log.iter().filter_map(|line| answered(line));
            let Some(last) = counts.next_back() else {
                return Ok(Seen::NotYet(format!("{log:?}")));
            };
            let wanted = *wanted.get_or_insert(last + count);
            Ok(if last >= wanted {
                Seen::Yes(last)
            } else {
                Seen::NotYet(format!("{last} answers, not {wanted}"))
            })
        })
        .await
    }

    async fn log(&self) -> Result<Vec<String>, Failure> {
        let words = ["logs", "-n", &self.namespace, "caller"];
        let log = self.deployed.kubectl.try_run(&words).await?;
        let log = log.unwrap_or_default();
        Ok(log.lines().map(str::to_owned).collect())
    }
}

fn answered(line: &str) -> Option<u64> {
    let (count, _) = line.strip_prefix("answered ")?.split_once(',')?;
    count.parse().ok()
}

/// Returns the Pod. It runs the program of this test from the disk of the node. The image contains
/// only the libraries of the program.
fn pod(image: &str, program: &str) -> Value {
    let token = json!({"audience": "portolan.dev", "path": "token"});
    json!({"spec": {
        "serviceAccountName": "caller",
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "containers": [{
            "name": "caller",
            "image": image,
            "command": ["/caller"],
            "args": ["--exact", "node::caller::client_reports_failed_calls", "--nocapture", "--ignored"],
            "env": [{"name": SERVER, "value": "https://portolan-resolver.portolan.svc:50051"}],
            "securityContext": restricted(),
            "volumeMounts": [
                {"name": "program", "mountPath": "/caller", "readOnly": true},
                {"name": "ca", "mountPath": CA, "readOnly": true},
                {"name": "token", "mountPath": TOKEN, "readOnly": true},
            ],
        }],
        "volumes": [
            {"name": "program", "hostPath": {"path": program, "type": "File"}},
            {"name": "ca", "configMap": {"name": "portolan-ca"}},
            {"name": "token", "projected": {"sources": [{"serviceAccountToken": token}]}},
        ],
    }})
}
