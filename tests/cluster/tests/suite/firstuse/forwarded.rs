//! Tests registries that are only reachable through the port-forward of the API server. The catalog
//! is an image, as on most clusters. The test runs the code of the kubelet in front of the
//! registry.

use std::path::PathBuf;
use std::process::{Command, Output};

use kube::api::{Patch, PatchParams, PostParams};
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_rig::{
    Cluster, Failure, Guest, Kind, OwnProgram, PATIENCE, Seen, opm_serve, until, until_field,
};
use serde_json::{Value, json};

use crate::editor::Editor;
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_world;
use crate::permitted::may;
use crate::program::{output, portolan};

const KUBELET: OwnProgram = OwnProgram {
    name: "kubelet",
    package: ".",
    files: &[
        ("go.mod", include_str!("../../../programs/kubelet/go.mod")),
        ("go.sum", include_str!("../../../programs/kubelet/go.sum")),
        ("main.go", include_str!("../../../programs/kubelet/main.go")),
    ],
};

const NODE: &str = "node-0";

/// The namespace of the catalog. OLM creates a Service and a Pod in it.
const FAR: &str = "far";

/// The port of registries inside their Pods.
const INSIDE: u16 = 50051;

#[tokio::test]
async fn catalog_is_read_through_the_api_server() -> Result<(), Failure> {
    let Some(world) = own_world("forwarded").await? else {
        return Ok(());
    };
    let cluster = world.cluster();
    let client = cluster.client()?;
    let _far = Far::begin(cluster).await?;
    let rule =
        |resource, verbs| json!({"apiGroups": ["*"], "resources": [resource], "verbs": verbs});
    let look = rule("*", json!(["list", "watch"]));
    let read = rule("services", json!(["get"]));
    let forward = rule("pods/portforward", json!(["get", "create"]));
    may(&client, "outsider", json!([look, read, forward])).await?;
    let all = Observer::of("outsider", cluster).await?;

    let packages = all.until_answer(&["packages", "-o=json"]).await?;
    assert_eq!(packages["packages"][0]["name"], "ferry", "{packages:#}");
    // On a slow machine, a port-forward may take too long. The service then reports this, so the
    // test waits.
    until("the registry to be judged", PATIENCE, async || {
        let judged = all.json_answer(&["health", "-o=json"]).await?;
        Ok(if judged["catalogs"][0]["probe"]["packages"] == 2 {
            Seen::Yes(())
        } else {
            Seen::NotYet(format!("{judged:#}"))
        })
    })
    .await?;

    let folder = TempFolder::empty();
    let mut number = 0;
    let to = until("a whole dump", PATIENCE, async || {
        number += 1;
        let to = folder.join(number.to_string()).display().to_string();
        let dumped = all.asks(&["dump", &to]).await?;
        let message = String::from_utf8_lossy(&dumped.stderr).into_owned();
        Ok(if dumped.status.success() {
            Seen::Yes(to)
        } else {
            Seen::NotYet(message)
        })
    })
    .await?;
    let of_dump = all
        .json_answer(&["packages", "-o=json", "--world", &to])
        .await?;
    assert_same!(json: of_dump, packages);

    // If a user lacks the permission `pods/portforward`, the error contains it.
    may(&client, "onlooker", json!([look, read])).await?;
    let onlooker = Observer::of("onlooker", cluster).await?;
    let why = "cannot forward port 50051 of Pod far/charts-";
    let refused = onlooker.until_refused(why).await?;
    assert!(refused.contains("pods/portforward"), "{refused}");

    let audit = cluster.audit()?.by("outsider");
    assert_ne!(audit.records(), [], "it looks");
    assert_eq!(audit.writes().records(), [], "and no more");

    let pods = cluster.pods(FAR)?;
    pods.unready("olm.catalogSource=charts").await?;
    all.until_refused("no Pod of Service far/charts is ready")
        .await?;
    Ok(())
}

/// A catalog whose registry is only reachable from inside of the cluster.
struct Far {
    _opm: Guest,
    _kubelet: Guest,
    _content: TempFolder,
}

impl Far {
    async fn begin(cluster: &Cluster) -> Result<Self, Failure> {
        let client = cluster.client()?;
        let namespace = Kind::Namespace.object(FAR, json!({}))?;
        let namespaces = Kind::Namespace.everywhere(&client);
        let params = PostParams::default();
        namespaces.create(&params, &namespace).await?;

        let content = catalog("ferry: 1.0.0 -> 1.1.0; pilot: 3.0.0").temp();
        let opm_port = cluster.free_port();
        let args = opm_serve(&content, opm_port);
        let opm = cluster.guest("opm-far", &cluster.binaries().program("opm"), args)?;

        let kubelet_port = cluster.free_port();
        let program = tokio::task::spawn_blocking(|| KUBELET.program());
        let program = program
            .await
            .map_err(Failure::read("the end of a build"))??;
        let args = vec![
            format!("127.0.0.1:{kubelet_port}"),
            format!("{INSIDE}=127.0.0.1:{opm_port}"),
        ];
        let kubelet = cluster.guest("kubelet", &program, args)?;
        let here = json!({"status": {
            "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet_port}},
        }});
        let nodes = Kind::Node.everywhere(&client);
        let (params, here) = (PatchParams::default(), Patch::Merge(here));
        nodes.patch_status(NODE, &params, &here).await?;

        let editor = Editor::of(&client, FAR);
        let spec = json!({"sourceType": "grpc", "image": "registry.example/charts:v1"});
        let body = json!({"spec": spec});
        editor.create(Kind::CatalogSource, "charts", body).await?;
        let sources = editor.objects(Kind::CatalogSource);
        let address = format!("charts.{FAR}.svc:{INSIDE}");
        let field = "/status/connectionState/address";
        until_field(&sources, "charts", field, address).await?;
        Ok(Self {
            _opm: opm,
            _kubelet: kubelet,
            _content: content,
        })
    }
}

/// A user outside of the cluster. The user runs the built program.
struct Observer {
    portolan: PathBuf,
    kubeconfig: PathBuf,
}

impl Observer {
    async fn of(user: &str, cluster: &Cluster) -> Result<Self, Failure> {
        Ok(Self {
            portolan: portolan().await?,
            kubeconfig: cluster.admit(user, None)?,
        })
    }

    async fn asks(&self, words: &[&str]) -> Result<Output, Failure> {
        let mut command = Command::new(&self.portolan);
        command.args(words);
        if !words.contains(&"--world") {
            command.arg(kubeconfig_flag(&self.kubeconfig));
        }
        output(command).await
    }

    /// Returns the JSON output of a query.
    async fn json_answer(&self, words: &[&str]) -> Result<Value, Failure> {
        let output = self.asks(words).await?;
        serde_json::from_slice(&output.stdout).map_err(Failure::read("an answer"))
    }

    /// Returns the JSON output of a query. Repeats the query until there is no warning.
    async fn until_answer(&self, words: &[&str]) -> Result<Value, Failure> {
        until("an answer", PATIENCE, async || {
            let output = self.asks(words).await?;
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            let answer = serde_json::from_slice(&output.stdout);
            Ok(match answer {
                Ok(answer) if message.is_empty() => Seen::Yes(answer),
                Ok(_) | Err(_) => Seen::NotYet(message),
            })
        })
        .await
    }

    /// Waits until a query for packages fails with an error that contains this text. Returns the
    /// error.
    async fn until_refused(&self, why: &str) -> Result<String, Failure> {
        until(why, PATIENCE, async || {
            let output = self.asks(&["packages"]).await?;
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            Ok(if message.contains(why) {
                Seen::Yes(message)
            } else {
                Seen::NotYet(message)
            })
        })
        .await
    }
}
