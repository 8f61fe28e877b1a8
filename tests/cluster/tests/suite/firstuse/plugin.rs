//! Tests the commands in the documentation of the kubectl plugin, on a cluster without Portolan.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use kube::api::PostParams;
use portolan_kit::blocks::{blocks, commands, matches};
use portolan_kit::{TempFolder, catalog};
use portolan_rig::{Catalog, Cluster, Failure, Kind, PATIENCE, Seen, until, until_field};
use serde_json::json;

use crate::editor::Editor;
use crate::own_world;
use crate::program::{output, portolan};

const README: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/kubectl.md");

/// The user who runs the commands, with all permissions.
const NEWCOMER: &str = "newcomer";

/// The namespace that the documentation uses.
const HARBOR: &str = "harbor";

#[tokio::test]
async fn three_commands_report_broken_operators_and_safe_upgrades() -> Result<(), Failure> {
    let Some(world) = own_world("plugin").await? else {
        return Ok(());
    };
    let _catalog = harbor(world.cluster()).await?;
    let terminal = Terminal::at(world.cluster()).await?;
    let page = fs::read_to_string(PAGE).map_err(Failure::touch("read a page"))?;
    let blocks = blocks(&page);
    let typed = blocks.iter().filter(|block| block.language == "console");
    let mut asked = 0;
    for command in typed.flat_map(commands) {
        until(&*command.typed, PATIENCE, async || {
            let printed = terminal.types(&command.typed).await?;
            let lines: Vec<_> = printed.lines().collect();
            Ok(if matches(&lines, &command.shown) {
                Seen::Yes(())
            } else {
                Seen::NotYet(printed)
            })
        })
        .await?;
        asked += 1;
    }
    assert!(asked >= 3, "the page must show something");
    dumped(&terminal).await?;
    let audit = world.cluster().audit()?.by(NEWCOMER);
    assert_ne!(audit.records(), [], "it reads");
    assert_eq!(audit.writes().records(), [], "and no more");
    Ok(())
}

/// The first commands of the README give the same result for a dump that kubectl has written.
async fn dumped(terminal: &Terminal) -> Result<(), Failure> {
    let readme = fs::read_to_string(README).map_err(Failure::touch("read a page"))?;
    let blocks = blocks(&readme);
    let first = blocks.iter().find(|block| block.language == "sh");
    let lines = first.expect("the README begins with a dump").lines.clone();
    let [dump, diagnose] = lines[..] else {
        panic!("a line that dumps and one that diagnoses, not {lines:?}");
    };
    assert_eq!(terminal.types(dump).await?, "", "nothing to complain of");
    let reported = terminal.types(diagnose).await?;
    for cause in ["CrashLooping", "ImagePullFailing", "ChannelMissing"] {
        assert!(reported.contains(cause), "no {cause}:\n{reported}");
    }
    Ok(())
}

/// Creates a namespace with three operators that have updates. Each operator has another problem.
async fn harbor(cluster: &Cluster) -> Result<Catalog, Failure> {
    let client = cluster.client()?;
    let editor = Editor::of(&client, HARBOR);
    let namespace = Kind::Namespace.object(HARBOR, json!({}))?;
    let namespaces = Kind::Namespace.everywhere(&client);
    namespaces
        .create(&PostParams::default(), &namespace)
        .await?;
    let first = catalog("ferry: 1.0.0; lighthouse: 2.0.0; pilot: 3.0.0").installable();
    let mut served = cluster.catalog(HARBOR, "charts", &first.temp()).await?;
    editor.group("own").await?;
    let installed = ["ferry.v1.0.0", "lighthouse.v2.0.0", "pilot.v3.0.0"];
    for package in installed.map(package_of) {
        let spec = json!({
            "name": package, "channel": "stable", "source": "charts", "sourceNamespace": HARBOR,
        });
        let body = json!({"spec": spec});
        editor.create(Kind::Subscription, package, body).await?;
    }
    let versions = editor.objects(Kind::ClusterServiceVersion);
    for csv in installed {
        until_field(&versions, csv, "/status/phase", "Succeeded").await?;
    }
    // From here on, OLM makes no automatic upgrades.
    for package in installed.map(package_of) {
        let manual = json!({"spec": {"installPlanApproval": "Manual"}});
        editor.patch(Kind::Subscription, package, manual).await?;
    }
    let gone = json!({"spec": {"channel": "fast"}});
    editor.patch(Kind::Subscription, "pilot", gone).await?;
    // If there were an earlier InstallPlan, OLM would wait for it and ignore the new channel.
    let subscriptions = editor.objects(Kind::Subscription);
    until("OLM to miss the channel", PATIENCE, async || {
        let status = subscriptions.get("pilot").await?.data["status"].clone();
        let mut conditions = status["conditions"].as_array().into_iter().flatten();
        let failed =
            conditions.any(|it| it["type"] == "ResolutionFailed" && it["status"] == "True");
        Ok(if failed {
            Seen::Yes(())
        } else {
            Seen::NotYet(status.to_string())
        })
    })
    .await?;
    let more = "ferry: 1.0.0 -> 1.1.0 -> 1.2.0; 1.1.0 deprecated \"It loses passengers.\"; 1.2.0 covers >=1.0.0 <1.2.0
                lighthouse: 2.0.0 -> 2.1.0 -> 2.2.0
                pilot: 3.0.0 -> 3.1.0";
    served.serve(&catalog(more).installable().temp()).await?;
    let pods = cluster.pods(HARBOR)?;
    pods.crash_looping("operator=ferry").await?;
    pods.unpullable("operator=lighthouse").await?;
    Ok(served)
}

fn package_of(bundle: &'static str) -> &'static str {
    bundle.split('.').next().unwrap_or(bundle)
}

/// A shell of a user. PATH contains kubectl and the plugin, as the documentation describes.
struct Terminal {
    links: TempFolder,
    path: String,
    kubeconfig: String,
}

impl Terminal {
    async fn at(cluster: &Cluster) -> Result<Self, Failure> {
        let portolan = portolan().await?;
        let links = TempFolder::empty();
        for name in ["portolan", "kubectl-operator", "kubectl_complete-operator"] {
            let link = symlink(&portolan, links.join(name));
            link.map_err(Failure::touch("link the plugin"))?;
        }
        let others = std::env::var("PATH").unwrap_or_default();
        let kubectl = cluster.binaries().folder().display();
        Ok(Self {
            path: format!("{}:{kubectl}:{others}", links.display()),
            kubeconfig: cluster
                .admit(NEWCOMER, Some("system:masters"))?
                .display()
                .to_string(),
            links,
        })
    }

    /// Returns the output of a command line, including errors.
    async fn types(&self, line: &str) -> Result<String, Failure> {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("{{ {line}; }} 2>&1")])
            .env("PATH", &self.path)
            .env("KUBECONFIG", &self.kubeconfig)
            .env_remove("PORTOLAN_SERVER")
            .env_remove("PORTOLAN_WORLD")
            .current_dir(Path::new(&*self.links));
        let output = output(command).await?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}
