//! Tests versions that users or tools have written to Operators.

use std::fs;
use std::process::{Command, Output};

use kube::api::{Patch, PatchParams};
use portolan_kit::TempFolder;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{CONDITION, configure, lone, wanted};
use crate::operators::stage::{Harbor, harbor, version};
use crate::program::{output, portolan};

const PAGE: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/updater.md"
));
const NAMES: [&str; 6] = ["boat", "buoy", "dock", "ferry", "pier", "rope"];
const ELSEWHERE: [&str; 3] = [CONDITION, "False", "VersionManagedElsewhere"];

/// The updater takes over versions that users wrote, if the ConfigMap permits this, and updates
/// them. It does not take over versions that tools wrote. With the documented procedure, a user can
/// hand over a version without `takeOver`. All requests of the program contain its name.
#[tokio::test]
async fn updater_replaces_versions_set_by_users_but_not_by_tools() -> Result<(), Failure> {
    let mut first: Vec<_> = NAMES.map(|name| version(name, "1.0.0")).into();
    first.push(version("isle", "1.0.0").own_namespace());
    let Some(harbor) = harbor("updater-taken", &first).await? else {
        return Ok(());
    };
    write_by_many(&harbor).await?;
    create(&harbor).await?;
    let entry = |name: &str, takes_over: bool| json!({"name": name, "takeOver": takes_over});
    let never = json!({"name": "isle", "version": "never"});
    let install = [entry("boat", false), never, entry("*", true)];
    configure(&harbor, &json!({"operators": {"install": install}})).await?;
    let (_, _running) = lone(&harbor).await?;
    publish(&harbor, &["1.0.0", "1.1.0"])?;
    for name in ["ferry", "pier", "rope"] {
        harbor.until_installed(name, "1.1.0").await?;
        assert_eq!(owners(&harbor, name).await?, ["portolan-updater"]);
    }
    for (name, why) in [
        (
            "boat",
            "spec.version is written by kubectl-create; to let the updater write spec.version, ",
        ),
        (
            "buoy",
            "spec.version is written by kubectl-client-side-apply, and argocd.argoproj.io/tracking-id ",
        ),
        ("dock", "spec.version is written by argocd-controller; "),
    ] {
        let reported = harbor.until(name, ELSEWHERE).await?;
        assert!(reported.starts_with(why), "{reported}");
        assert_eq!(wanted(&harbor, name).await?, "1.0.0");
    }

    let recipe = PAGE.lines().map(str::trim);
    let mut recipe = recipe.filter(|line| line.starts_with("kubectl patch operators."));
    let recipe = recipe.next().expect("the page must have the recipe");
    harbor
        .run_command_of(&recipe.replace("quay", "boat"))
        .await?;
    harbor.until_installed("boat", "1.1.0").await?;

    publish(&harbor, &["1.0.0", "1.1.0", "1.2.0"])?;
    for name in ["boat", "ferry", "pier", "rope"] {
        harbor.until_installed(name, "1.2.0").await?;
        harbor.until(name, [CONDITION, "True", "UpToDate"]).await?;
        assert_eq!(owners(&harbor, name).await?, ["portolan-updater"]);
    }
    for (name, owner) in [
        ("buoy", "kubectl-client-side-apply"),
        ("dock", "argocd-controller"),
    ] {
        assert_eq!(wanted(&harbor, name).await?, "1.0.0");
        assert_eq!(owners(&harbor, name).await?, [owner]);
    }
    update(&harbor).await?;
    until_named(&harbor).await
}

/// Creates an operator that watches only its own namespace, with the command `create`.
async fn create(harbor: &Harbor) -> Result<(), Failure> {
    let line = "create isle --version 1.0.0 --channel stable --catalog demo --namespace isle \
                --watch-namespace isle --wait --timeout 120";
    run(harbor, &line.split_whitespace().collect::<Vec<_>>()).await?;
    harbor.until_installed("isle", "1.0.0").await?;
    patch(harbor, "isle", &json!({"settleSeconds": 0})).await
}

/// Upgrades this operator with the command `update`. The error of a second `create` recommends this
/// command.
async fn update(harbor: &Harbor) -> Result<(), Failure> {
    let again = typed(harbor, &["create", "isle"]).await?;
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let stderr = String::from_utf8_lossy(&again.stderr);
    assert!(stderr.contains("portolan update isle@RANGE"), "{stderr}");
    let line = "update isle --version 1.1.0 --wait --timeout 120";
    run(harbor, &line.split_whitespace().collect::<Vec<_>>()).await?;
    let status = harbor.status("isle").await?;
    assert_eq!(status["versions"]["installed"], "1.1.0");
    assert_eq!(owners(harbor, "isle").await?, ["portolan"]);
    conflicts(harbor).await
}

/// The API server must respond with 409 to the patch that `update` sends, if the Operator has
/// changed since the command read it.
async fn conflicts(harbor: &Harbor) -> Result<(), Failure> {
    let outdated = json!([
        {"op": "replace", "path": "/metadata/resourceVersion", "value": "1"},
        {"op": "add", "path": "/spec/version", "value": "1.0.0"},
    ]);
    let outdated = serde_json::from_value(outdated).expect("a JSON patch");
    let outdated = Patch::<()>::Json(outdated);
    let operators = harbor.operators();
    match operators
        .patch("isle", &PatchParams::default(), &outdated)
        .await
    {
        Err(kube::Error::Api(status)) => assert_eq!(status.code, 409, "{status}"),
        patched => panic!("patched: {patched:?}"),
    }
    assert_eq!(wanted(harbor, "isle").await?, "1.1.0");
    Ok(())
}

/// Writes each Operator with a different tool, and waits until all are installed.
async fn write_by_many(harbor: &Harbor) -> Result<(), Failure> {
    let folder = TempFolder::empty();
    let file = folder.join("manifests");
    let path = file.display().to_string();
    let save = |text: &[u8]| fs::write(&file, text).map_err(Failure::touch("write manifests"));

    run(harbor, &["create", "ferry", "--version", "1.0.0"]).await?;
    let server = format!("--server={}", harbor.resolver());
    save(&generated(&["rope=1.0.0", &server]).await?)?;
    harbor.kubectl(&["apply", "-f", &path]).await?;
    save(operator("boat", Some("1.0.0")).to_string().as_bytes())?;
    harbor.kubectl(&["create", "-f", &path]).await?;
    save(operator("pier", None).to_string().as_bytes())?;
    harbor.kubectl(&["create", "-f", &path]).await?;
    patch(harbor, "pier", &json!({"version": "1.0.0"})).await?;
    let mut buoy = operator("buoy", Some("1.0.0"));
    buoy["metadata"]["annotations"] = json!({"argocd.argoproj.io/tracking-id": "fleet:buoy"});
    save(buoy.to_string().as_bytes())?;
    harbor.kubectl(&["apply", "-f", &path]).await?;
    let by = PatchParams::apply("argocd-controller");
    let dock = Patch::Apply(operator("dock", Some("1.0.0")));
    harbor.operators().patch("dock", &by, &dock).await?;

    let expected = [
        ("boat", "kubectl-create"),
        ("buoy", "kubectl-client-side-apply"),
        ("dock", "argocd-controller"),
        ("ferry", "portolan"),
        ("pier", "kubectl-patch"),
        ("rope", "kubectl-client-side-apply"),
    ];
    for (name, owner) in expected {
        assert_eq!(owners(harbor, name).await?, [owner], "{name}");
        patch(harbor, name, &json!({"settleSeconds": 0})).await?;
    }
    for name in NAMES {
        harbor.until_installed(name, "1.0.0").await?;
    }
    Ok(())
}

fn operator(name: &str, version: Option<&str>) -> Value {
    let mut operator = json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
        "metadata": {"name": name}, "spec": {"packageName": name},
    });
    if let Some(version) = version {
        operator["spec"]["version"] = version.into();
    }
    operator
}

async fn patch(harbor: &Harbor, name: &str, spec: &Value) -> Result<(), Failure> {
    let patch = json!({"spec": spec}).to_string();
    let kind = "operators.operators.operatorframework.io";
    let words = ["patch", kind, name, "--type=merge", "-p", &patch];
    harbor.kubectl(&words).await.map(drop)
}

/// Runs `portolan` with these arguments on the cluster.
async fn typed(harbor: &Harbor, words: &[&str]) -> Result<Output, Failure> {
    let mut command = Command::new(portolan().await?);
    command.args(words);
    command
        .arg("--kubeconfig")
        .arg(harbor.world().cluster().kubeconfig());
    output(command).await
}

/// Runs `portolan` with these arguments on the cluster. The exit code must be 0.
async fn run(harbor: &Harbor, words: &[&str]) -> Result<(), Failure> {
    let ran = typed(harbor, words).await?;
    assert!(ran.status.success(), "{words:?}: {ran:?}");
    Ok(())
}

async fn generated(words: &[&str]) -> Result<Vec<u8>, Failure> {
    let mut command = Command::new(portolan().await?);
    command.arg("generate").args(words);
    let ran = output(command).await?;
    assert!(ran.status.success(), "{words:?}: {ran:?}");
    Ok(ran.stdout)
}

fn publish(harbor: &Harbor, versions: &[&str]) -> Result<(), Failure> {
    let all = NAMES
        .iter()
        .flat_map(|name| versions.iter().map(|it| version(name, it)));
    let isle = versions
        .iter()
        .map(|it| version("isle", it).own_namespace());
    harbor.publish(&all.chain(isle).collect::<Vec<_>>())
}

/// Returns the field managers that own the version in the spec of an Operator.
async fn owners(harbor: &Harbor, name: &str) -> Result<Vec<String>, Failure> {
    let operator = harbor.operators().get(name).await?;
    let entries = operator.metadata.managed_fields.unwrap_or_default();
    let owning = entries.into_iter().filter(|entry| {
        let fields = entry.fields_v1.as_ref();
        fields.is_some_and(|fields| fields.0.pointer("/f:spec/f:version").is_some())
    });
    Ok(owning.filter_map(|entry| entry.manager).collect())
}

/// Waits until the audit log contains the requests of the command. Checks that all requests of the
/// program contain its name as the user agent.
async fn until_named(harbor: &Harbor) -> Result<(), Failure> {
    let cluster = harbor.world().cluster();
    let program = concat!("portolan/", env!("CARGO_PKG_VERSION"));
    let command = format!("{program} (cli)");
    until("the create of the command", PATIENCE, async || {
        let created = cluster.audit()?.verb("create").of("operators");
        let created = created.only(|it| it.user_agent == command);
        Ok(match created.first() {
            Some(record) if record.name == "ferry" || record.name.is_empty() => Seen::Yes(()),
            other => Seen::NotYet(format!("{other:?}")),
        })
    })
    .await?;
    for user in ["updater", "controller"] {
        let asked = cluster.audit()?.by(user);
        assert!(!asked.is_empty(), "{user}");
        let nameless = asked.only(|it| !it.user_agent.starts_with(program));
        assert_eq!(nameless.records(), [], "{user}");
    }
    Ok(())
}
