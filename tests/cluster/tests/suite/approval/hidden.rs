//! Tests the review for a user who cannot read Policies.

use std::process::Command;

use portolan_kit::catalog;
use portolan_rig::Failure;
use serde_json::json;

use super::crds::create_crd;
use super::policy::policy;
use super::stage::{Stage, stage_on};
use crate::operatorpolicy::fleet::kubeconfig_flag;
use crate::own_world;
use crate::permitted::may;
use crate::program::{output, portolan};

const KINDS: [&str; 2] = ["upgradepolicies", "upgradepolicybindings"];

/// A policy that the user cannot list may forbid a plan. If the cluster does not serve the kind,
/// there is no such policy.
#[tokio::test]
async fn limited_user_gets_not_yet_only_if_policies_may_exist() -> Result<(), Failure> {
    let Some(world) = own_world("hidden").await? else {
        return Ok(());
    };
    let mut stage = stage_on(world).await?;
    let _served = stage.serve(&catalog("hull: 1.0.0").installable()).await?;
    stage.subscribe(&["hull"], "Manual").await?;
    stage.author.editor.group("group").await?;
    let plan = stage.plan(&["hull.v1.0.0"]).await?;
    stage.author.write(&policy("hull")).await?;
    let allowed = [
        "RequiresApproval, waits: Yes",
        "hull.v1.0.0 of hull for hull: Yes, by hull: *",
    ];
    stage.watcher.until(&plan, &allowed).await;
    let reader = Reader::of(&stage).await?;

    let (message, code) = reader.types("review", &stage, &[&plan]).await?;
    assert!(message.contains("\nVerdict:       Yes\n"), "{message}");
    assert_eq!(code, Some(0), "{message}");

    for kind in KINDS {
        let name = format!("{kind}.operators.operatorframework.io");
        create_crd(stage.world.client(), &name).await?;
    }
    let (message, code) = reader.types("review", &stage, &[&plan]).await?;
    assert!(message.contains("\nVerdict:       NotYet\n"), "{message}");
    assert_eq!(code, Some(3), "{message}");
    let (reported, code) = reader.types("explain", &stage, &["-o=wide"]).await?;
    assert_eq!(code, Some(1), "{reported}");
    for (kind, kinds) in KINDS.into_iter().zip(["Policies", "PolicyBindings"]) {
        let begin = format!("{kinds} are not observed: unknown since ");
        let user = &reader.user;
        let why = format!(
            "User \"{user}\" cannot list resource \"{kind}\" in API group \"operators.operatorframework.io\" at the cluster scope; it requires the permission to list and watch {kind}.operators.operatorframework.io, which `portolan serve approval` has"
        );
        assert!(
            words(&message).contains(&begin) && words(&message).contains(&why),
            "{message}"
        );
        // A condition contains only the first reason.
        if kind == KINDS[0] {
            assert!(words(&reported).contains(&why), "{reported}");
        }
    }
    Ok(())
}

/// Joins the words of a message, because the line breaks depend on the terminal.
fn words(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A user who can read everything except Policies and PolicyBindings.
struct Reader {
    user: String,
    kubeconfig: String,
}

impl Reader {
    async fn of(stage: &Stage) -> Result<Self, Failure> {
        let user = format!("reader-of-{}", stage.world.namespace());
        let groups = [
            "",
            "apiextensions.k8s.io",
            "apiregistration.k8s.io",
            "apps",
            "batch",
            "operators.coreos.com",
            "policy.open-cluster-management.io",
        ];
        let all =
            json!([{"apiGroups": groups, "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
        may(stage.world.client(), &user, all).await?;
        Ok(Self {
            kubeconfig: kubeconfig_flag(&stage.world.cluster().admit(&user, None)?),
            user,
        })
    }

    /// Runs a command about the namespace of the test. Returns its output and exit code.
    async fn types(
        &self,
        query: &str,
        stage: &Stage,
        words: &[&str],
    ) -> Result<(String, Option<i32>), Failure> {
        let mut command = Command::new(portolan().await?);
        command
            .args([query, &self.kubeconfig, "-n", stage.world.namespace()])
            .args(words);
        let reported = output(command).await?;
        let [out, err] =
            [&reported.stdout, &reported.stderr].map(|text| String::from_utf8_lossy(text));
        Ok((format!("{out}{err}"), reported.status.code()))
    }
}
