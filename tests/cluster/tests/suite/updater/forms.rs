//! Tests the other ways to run the updater: once, as a job outside of the cluster, and with a pull
//! request.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_kit::TempFolder;
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, until};
use serde_json::{Value, json};

use super::stage::{configure, configure_by, flags, frozen, install, turn_off, wanted};
use crate::operators::stage::{Harbor, version};
use crate::program::{output, portolan};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/updater");

/// `portolan serve updater --once` prints its changes and applies them. Its exit code shows if a
/// user must act. Then both scripts give the same result.
#[tokio::test]
async fn once_mode_and_both_scripts_give_the_same_result() -> Result<(), Failure> {
    let first = ["ferry", "rope"].map(|name| version(name, "1.0.0"));
    let Some(harbor) = frozen("updater-forms", &first).await? else {
        return Ok(());
    };
    let rope = version("rope", "1.0.0");
    harbor.publish(&[version("ferry", "1.0.0"), version("ferry", "1.1.0"), rope])?;
    until_offered(&harbor, "1.1.0").await?;
    once(&harbor).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    let all = ["ferry", "rope"].map(|name| versions.map(|it| version(name, it)));
    harbor.publish(&all.into_iter().flatten().collect::<Vec<_>>())?;
    until_offered(&harbor, "1.2.0").await?;
    job(&harbor).await?;
    pull_request(&harbor).await
}

async fn once(harbor: &Harbor) -> Result<(), Failure> {
    let kubeconfig = harbor.world().cluster().kubeconfig();
    let reported = flags(harbor, &kubeconfig);
    let run = async |more: &[&str]| {
        let mut command = Command::new(portolan().await?);
        command
            .args(["serve", "updater", "--once"])
            .args(&reported)
            .args(more);
        let Output {
            status,
            stdout,
            stderr,
        } = output(command).await?;
        let [stdout, stderr] = [stdout, stderr].map(|it| String::from_utf8_lossy(&it).into_owned());
        Ok::<_, Failure>((status.code(), stdout, stderr))
    };
    let (code, _, stderr) = run(&[]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(
        stderr.contains("ConfigMap portolan-updater does not exist"),
        "{stderr}"
    );

    configure_by(harbor, "operators: []").await?;
    let (code, _, stderr) = run(&[]).await?;
    assert_eq!(code, Some(2), "{stderr}");
    assert!(stderr.contains("operators is not a map; "), "{stderr}");

    let rules = [("ferry", "latest"), ("quay", "latest")];
    configure(harbor, &json!({"operators": install(&rules)})).await?;
    let (code, stdout, stderr) = run(&["--dry-run"]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        stdout,
        "ferry: DryRun: it would go from 1.0.0 to 1.1.0, in a dry run\n"
    );
    assert!(
        stderr.contains("Operators of ConfigMap portolan-updater not found: quay"),
        "{stderr}"
    );
    assert_eq!(wanted(harbor, "ferry").await?, "");

    let (code, stdout, stderr) = run(&[]).await?;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        stdout,
        "ferry: Updating: it goes from 1.0.0 to 1.1.0, by latest\n"
    );
    assert_eq!(wanted(harbor, "ferry").await?, "1.1.0");
    turn_off(harbor).await
}

/// Waits until the status of `ferry` contains this version as available.
async fn until_offered(harbor: &Harbor, version: &str) -> Result<(), Failure> {
    until(format!("{version} to be offered"), PATIENCE, async || {
        let status = harbor.status("ferry").await?;
        let is_offered = status["versions"]["available"][0] == version;
        Ok(if is_offered {
            Seen::Yes(())
        } else {
            Seen::NotYet(status["versions"].to_string())
        })
    })
    .await
}

/// The job becomes the owner of only the versions that it changes. It does not change a version
/// that the updater owns.
async fn job(harbor: &Harbor) -> Result<(), Failure> {
    let script = Path::new(SCRIPTS).join("apply.sh");
    let apply = async |requirements: &str, manager: &str| {
        let mut command = with_programs(&script).await?;
        let kubeconfig = harbor.world().cluster().kubeconfig();
        command
            .env("KUBECONFIG", kubeconfig)
            .env("REQUIREMENTS", requirements);
        command.env("GENERATE", format!("--server {}", harbor.resolver()));
        command.env("MANAGER", manager);
        let reported = output(command).await?;
        let stderr = String::from_utf8_lossy(&reported.stderr).into_owned();
        Ok::<_, Failure>((reported.status.success(), stderr))
    };
    let (is_applied, stderr) = apply("ferry=latest", "portolan-job").await?;
    assert!(!is_applied, "{stderr}");
    assert!(
        stderr.contains("conflict with \"portolan-updater\""),
        "{stderr}"
    );
    assert_eq!(wanted(harbor, "ferry").await?, "1.1.0");

    for _ in ["it changes", "nothing changes"] {
        let (is_applied, stderr) = apply("rope=latest", "portolan-job").await?;
        assert!(is_applied, "{stderr}");
        assert_eq!(wanted(harbor, "rope").await?, "1.2.0");
    }
    let version = json!({"f:spec": {"f:version": {}}});
    assert_eq!(owned(harbor, "rope").await?, [version]);
    assert_eq!(owned(harbor, "ferry").await?, [Value::Null; 0]);

    let (is_applied, stderr) = apply("ferry=latest", "portolan-updater").await?;
    assert!(is_applied, "{stderr}");
    harbor.until_installed("ferry", "1.2.0").await
}

/// Returns the fields of an Operator that the job owns.
async fn owned(harbor: &Harbor, name: &str) -> Result<Vec<Value>, Failure> {
    let operator = harbor.operators().get(name).await?;
    let entries = operator.metadata.managed_fields.unwrap_or_default();
    let own = entries.into_iter().filter(|entry| {
        let manager = entry.manager.as_deref();
        manager == Some("portolan-job")
    });
    Ok(own.filter_map(|entry| Some(entry.fields_v1?.0)).collect())
}

/// The script pushes a branch for an update. When it runs again, it detects the branch and pushes
/// nothing.
async fn pull_request(harbor: &Harbor) -> Result<(), Failure> {
    let folder = TempFolder::empty();
    let bare = folder.join("fleet.git");
    repository(&folder, &bare).await?;
    let catalog = format!("--catalog demo={}", harbor.catalog_folder().display());
    let propose = async || {
        let mut command = with_programs(&Path::new(SCRIPTS).join("propose.sh")).await?;
        command
            .env("REPOSITORY", &bare)
            .env("FILE", "operators.yaml");
        command
            .env("REQUIREMENTS", "ferry=latest")
            .env("GENERATE", &catalog);
        command.env("PROPOSE", "echo \"$BRANCH: $TITLE\"; echo \"$BODY\"");
        let reported = output(command).await?;
        let stderr = String::from_utf8_lossy(&reported.stderr);
        assert!(reported.status.success(), "{stderr}");
        Ok::<_, Failure>(String::from_utf8_lossy(&reported.stdout).into_owned())
    };
    let first = propose().await?;
    assert!(first.contains(": Update operators: "), "{first}");
    assert!(
        first.contains("ferry   1.2.0     1.0.0      1.1.0"),
        "{first}"
    );
    let again = propose().await?;
    assert!(again.ends_with(" is proposed already\n"), "{again}");
    let branch = again.split_whitespace().next().unwrap_or_default();
    let shown = git(&bare, &["show", &format!("{branch}:operators.yaml")]).await?;
    assert!(shown.contains("version: \"1.2.0\""), "{shown}");
    let base = git(&bare, &["show", "main:operators.yaml"]).await?;
    assert!(base.contains("version: 1.0.0"), "{base}");
    Ok(())
}

/// Creates a bare Git repository. Its branch `main` contains a file with one Operator.
async fn repository(folder: &Path, bare: &Path) -> Result<(), Failure> {
    let operator = "apiVersion: operators.operatorframework.io/v1alpha1\nkind: Operator\nmetadata:\n  \
                    name: ferry\nspec:\n  packageName: ferry\n  version: 1.0.0\n";
    let work = folder.join("work");
    let (bare, work) = (bare.display().to_string(), work.display().to_string());
    git(
        folder,
        &["init", "--quiet", "--bare", "--initial-branch=main", &bare],
    )
    .await?;
    git(folder, &["clone", "--quiet", &bare, &work]).await?;
    let work = PathBuf::from(work);
    std::fs::write(work.join("operators.yaml"), operator).map_err(Failure::touch("write"))?;
    for words in [
        &["checkout", "--quiet", "-B", "main"][..],
        &["add", "operators.yaml"],
        &["commit", "--quiet", "-m", "one operator"],
        &["push", "--quiet", "origin", "main"],
    ] {
        git(&work, words).await?;
    }
    Ok(())
}

/// Returns the command for a script. Its environment contains `portolan`, `kubectl` and an author
/// for commits.
async fn with_programs(script: &Path) -> Result<Command, Failure> {
    let own = portolan().await?;
    let own = own.parent().unwrap_or(Path::new("")).display().to_string();
    let binaries = Binaries::ready()?.folder().display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("sh");
    command
        .arg(script)
        .env("PATH", format!("{own}:{binaries}:{path}"));
    author(&mut command);
    Ok(command)
}

async fn git(at: &Path, words: &[&str]) -> Result<String, Failure> {
    let mut command = Command::new("git");
    command.args(words).current_dir(at);
    author(&mut command);
    let reported = output(command).await?;
    let complaint = String::from_utf8_lossy(&reported.stderr);
    assert!(reported.status.success(), "{words:?}: {complaint}");
    Ok(String::from_utf8_lossy(&reported.stdout).into_owned())
}

fn author(command: &mut Command) {
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "a person");
        command.env(format!("GIT_{role}_EMAIL"), "person@example.com");
    }
}
