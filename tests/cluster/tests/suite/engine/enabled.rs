//! Tests which namespaces are enabled for plans, with the permissions of the controller in the
//! overlay.

use std::fs;

use portolan_kit::TempFolder;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::ground::{Ground, own};
use crate::firstuse::manifests::with;

const ROLE: &str = include_str!("../../../../../deploy/overlays/plans/cluster-role-namespace.yaml");
const CONTROLLER: &str = "--as=system:serviceaccount:portolan:portolan-controller";

/// At first, the controller can impersonate no user. An administrator runs the commands in the
/// comment of the role. Then the controller can impersonate only the ServiceAccounts of this
/// namespace.
#[tokio::test]
async fn administrator_enables_a_namespace_for_plans() -> Result<(), Failure> {
    let Some(ground) = own("opened").await? else {
        return Ok(());
    };
    let kubectl = ground.kubectl();
    let folder = TempFolder::empty();
    let file = folder.join("all.yaml");
    fs::write(&file, with(&["plans"]).await?).map_err(Failure::touch("write manifests"))?;
    let file = file.display().to_string();
    kubectl
        .run(&["apply", "--server-side", "-f", &file])
        .await?;

    for (verb, resource) in [
        ("watch", "installplans.plans.portolan.dev"),
        ("update", "installplans.plans.portolan.dev/status"),
        ("get", "resourcemanifests.plans.portolan.dev"),
        ("create", "subjectaccessreviews.authorization.k8s.io"),
    ] {
        until_may(&ground, verb, resource, "default").await?;
    }
    kubectl.run(&["create", "namespace", "harbor"]).await?;
    assert!(!impersonates(&ground, "harbor").await?);
    for command in commands() {
        let words: Vec<_> = command.split_whitespace().skip(1).collect();
        kubectl.run(&words).await?;
    }
    until_may(&ground, "impersonate", "serviceaccounts", "harbor").await?;
    assert!(!impersonates(&ground, "default").await?);

    let label = "jsonpath={.metadata.labels.plans\\.portolan\\.dev/enabled}";
    let label = kubectl
        .run(&["get", "namespace", "harbor", "-o", label])
        .await?;
    assert_eq!(label, "true");
    Ok(())
}

/// Returns the commands in the comment of the role.
fn commands() -> Vec<String> {
    let lines = ROLE.lines().filter_map(|line| line.strip_prefix("#   "));
    let text = lines.collect::<Vec<_>>().join("\n").replace("\\\n", " ");
    let commands: Vec<_> = text.lines().map(str::to_owned).collect();
    assert_eq!(commands.len(), 2, "{commands:?}");
    commands
}

async fn impersonates(ground: &Ground, namespace: &str) -> Result<bool, Failure> {
    may(ground, "impersonate", "serviceaccounts", namespace).await
}

/// Waits until a role takes effect. This happens shortly after it is written.
async fn until_may(
    ground: &Ground,
    verb: &str,
    resource: &str,
    namespace: &str,
) -> Result<(), Failure> {
    until(format!("{verb} {resource}"), PATIENCE, async || {
        Ok(if may(ground, verb, resource, namespace).await? {
            Seen::Yes(())
        } else {
            Seen::NotYet("not permitted".to_owned())
        })
    })
    .await
}

async fn may(
    ground: &Ground,
    verb: &str,
    resource: &str,
    namespace: &str,
) -> Result<bool, Failure> {
    let words = ["auth", "can-i", verb, resource, "-n", namespace, CONTROLLER];
    let answer = ground.kubectl().try_run_uncached(&words).await?;
    Ok(answer.is_ok_and(|answer| answer == "yes"))
}
