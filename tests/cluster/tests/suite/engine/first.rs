//! Runs the commands of the documentation page about plans. The controller has the permissions of
//! the overlay.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use portolan_kit::TempFolder;
use portolan_rig::{Failure, Record};

use super::ground::{Ground, own};
use crate::firstuse::manifests::with;
use crate::operatorpolicy::fleet;
use crate::permitted::is_refusal;
use crate::program::output;

const USER: &str = "controller-of-plans";
const ROLE: &str = "portolan-controller-plans";
/// Each command on the page has the result that the page describes.
#[tokio::test]
async fn documented_first_plan_is_applied() -> Result<(), Failure> {
    let Some(ground) = own("first").await? else {
        return Ok(());
    };
    deliver(&ground).await?;
    let flags = [
        fleet::kubeconfig_flag(&ground.cluster.admit(USER, None)?),
        "--no-lease".to_owned(),
        "--plans".to_owned(),
    ];
    let _controller = fleet::controller(flags).await;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/install-plans.md");
    let page = fs::read_to_string(&path);
    let page = page.map_err(Failure::touch(format!("read {}", path.display())))?;
    let blocks = blocks(&page);
    let [opens, rest @ ..] = blocks.as_slice() else {
        panic!("the page has commands");
    };
    assert_eq!(rest.len(), 6, "the commands of the page");
    // On the page, the controller has a ServiceAccount. In this test, the controller is a user.
    let script = format!(
        "{opens}\nkubectl -n harbor create rolebinding plans-of-user --user={USER} \
         --clusterrole=portolan-plans-namespace\n{}",
        rest.join("\n")
    );
    let printed = typed(&ground, &script).await?;
    let missing = r#"in namespace harbor: {"apiGroups":[""],"resources":["configmaps","serviceaccounts"],"verbs":["create","delete","get","patch"]}"#;
    assert!(printed.contains(missing), "{printed}");
    assert!(printed.contains("ferry-1   Ready"), "{printed}");

    let asked = ground.cluster.audit()?.by(USER);
    // The command also tries to read policies, but the user of this test has no permission for
    // them.
    let refused = asked.clone().only(|record| {
        let is_look = matches!(record.verb.as_str(), "list" | "watch");
        !is_look && is_refusal(record) && !is_missing(record)
    });
    assert!(refused.is_empty(), "{:#?}", refused.records());
    let events = asked.of("events").writes();
    assert!(!events.is_empty(), "events report the outcome of the plan");
    Ok(())
}

/// Returns true if the requested object does not exist, or if the object to create already exists.
fn is_missing(record: &Record) -> bool {
    record.code == 404 || record.code == 409
}

/// Applies the manifests of a release, and binds their role to the user of the controller.
async fn deliver(ground: &Ground) -> Result<(), Failure> {
    let folder = TempFolder::empty();
    let file = folder.join("all.yaml");
    fs::write(&file, with(&["plans"]).await?).map_err(Failure::touch("write manifests"))?;
    let file = file.display().to_string();
    let kubectl = ground.kubectl();
    kubectl
        .run(&["apply", "--server-side", "-f", &file])
        .await?;
    let (role, user) = (format!("--clusterrole={ROLE}"), format!("--user={USER}"));
    kubectl
        .run(&["create", "clusterrolebinding", USER, &role, &user])
        .await?;
    Ok(())
}

/// Runs a script in a shell. The script stops at the first command that fails.
async fn typed(ground: &Ground, script: &str) -> Result<String, Failure> {
    let begun = Instant::now();
    let mut command = Command::new("sh");
    let binaries = ground.cluster.binaries().folder().to_owned();
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = TempFolder::empty();
    command
        .args(["-euc", script])
        .current_dir(&*folder)
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("KUBECONFIG", ground.cluster.kubeconfig());
    let output = output(command).await?;
    let [printed, complaint] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    println!("engine: {printed}");
    if output.status.success() {
        Ok(printed)
    } else {
        Err(Failure::Wait {
            what: "the commands of the page".to_owned(),
            waited: begun.elapsed(),
            seen: complaint,
        })
    }
}

/// Returns the shell code blocks of a page.
fn blocks(page: &str) -> Vec<&str> {
    let parts = page.split("```sh\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).collect()
}
