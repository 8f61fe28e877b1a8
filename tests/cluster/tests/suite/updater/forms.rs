//! The other forms: once, from a job outside of the cluster, and by a pull request.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use portolan_kit::TempFolder;
use portolan_rig::{Binaries, Failure, PATIENCE, Seen, until};
use serde_json::json;

use super::stage::{configure, configure_by, flags, frozen, install, turn_off, wanted};
use crate::operators::stage::{Harbor, version};
use crate::program::{output, portolan};

const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/updater");

/// `portolan updater --once` tells what it would do, does it, and says by its exit code whether people are needed;
/// then both scripts.
#[tokio::test]
async fn what_one_job_does_each_script_does() -> Result<(), Failure> {
    let Some(harbor) = frozen("updater-forms", &[version("ferry", "1.0.0")]).await? else {
        return Ok(());
    };
    harbor.publish(&["1.0.0", "1.1.0"].map(|it| version("ferry", it)))?;
    until_offered(&harbor, "1.1.0").await?;
    once(&harbor).await?;
    harbor.until_installed("ferry", "1.1.0").await?;
    let versions = ["1.0.0", "1.1.0", "1.2.0"];
    harbor.publish(&versions.map(|it| version("ferry", it)))?;
    until_offered(&harbor, "1.2.0").await?;
    job(&harbor).await?;
    pull_request(&harbor).await
}

async fn once(harbor: &Harbor) -> Result<(), Failure> {
    let kubeconfig = harbor.world().cluster().kubeconfig();
    let told = flags(harbor, &kubeconfig);
    let run = async |more: &[&str]| {
        let mut command = Command::new(portolan().await?);
        command.args(["updater", "--once"]).args(&told).args(more);
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
        stderr.contains("there is no ConfigMap portolan-updater"),
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
    assert!(stderr.contains("there is no Operator quay"), "{stderr}");
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

/// Waits until the catalog that has a version is read.
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

/// What the job owns stays; it does not take what the updater owns.
async fn job(harbor: &Harbor) -> Result<(), Failure> {
    let script = Path::new(SCRIPTS).join("apply.sh");
    let mut command = with_programs(&script).await?;
    let kubeconfig = harbor.world().cluster().kubeconfig();
    command
        .env("KUBECONFIG", kubeconfig)
        .env("WISHES", "ferry=latest");
    command.env("GENERATE", format!("--server {}", harbor.resolver()));
    let told = output(command).await?;
    let stderr = String::from_utf8_lossy(&told.stderr);
    assert!(!told.status.success(), "{stderr}");
    assert!(
        stderr.contains("conflict with \"portolan-updater\""),
        "{stderr}"
    );
    assert_eq!(wanted(harbor, "ferry").await?, "1.1.0");

    let mut command = with_programs(&script).await?;
    let kubeconfig = harbor.world().cluster().kubeconfig();
    command
        .env("KUBECONFIG", kubeconfig)
        .env("WISHES", "ferry=latest");
    command.env("MANAGER", "portolan-updater");
    command.env("GENERATE", format!("--server {}", harbor.resolver()));
    let told = output(command).await?;
    let stderr = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{stderr}");
    harbor.until_installed("ferry", "1.2.0").await
}

/// A branch is pushed once, and the command hears of it.
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
            .env("WISHES", "ferry=latest")
            .env("GENERATE", &catalog);
        command.env("PROPOSE", "echo \"$BRANCH: $TITLE\"; echo \"$BODY\"");
        let told = output(command).await?;
        let stderr = String::from_utf8_lossy(&told.stderr);
        assert!(told.status.success(), "{stderr}");
        Ok::<_, Failure>(String::from_utf8_lossy(&told.stdout).into_owned())
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

/// A bare repository with one Operator on its branch main.
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

/// A script that finds `portolan`, `kubectl` and who commits.
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
    let told = output(command).await?;
    let complaint = String::from_utf8_lossy(&told.stderr);
    assert!(told.status.success(), "{words:?}: {complaint}");
    Ok(String::from_utf8_lossy(&told.stdout).into_owned())
}

fn author(command: &mut Command) {
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "a person");
        command.env(format!("GIT_{role}_EMAIL"), "person@example.com");
    }
}
