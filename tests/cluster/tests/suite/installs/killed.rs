//! Kills the controller while three Installs are created, approved, changed and deleted. The first
//! Install contains manifests, and the second refers to an image. A user approves both with the
//! command. The webhook stamps the approval of the third Install.

use std::path::Path;

use portolan_kit::oci::Registry;
use portolan_rig::{Cluster, Failure};
use serde_json::Value;

use super::images::bundle;
use super::stage::{APPROVER, HOME, Yard, condition, is_observed, yard_of_approvals};
use crate::mortal::{Play, kill_after_each_write};

const ALL: [&str; 3] = ["plumbus", "plum", "quince"];

/// An act on all three Installs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Create,
    Approve,
    Change,
    Delete,
}

/// The acts. In a normal run, this number of controllers is killed during each act, one after the
/// other. Each controller is killed after one write.
const ACTS: [(Act, usize); 4] = [
    (Act::Create, 5),
    (Act::Approve, 7),
    (Act::Change, 5),
    (Act::Delete, 3),
];

struct Scenario {
    yard: Yard,
    host: String,
}

/// Returns the manifest of an Install. The second Install refers to an image, and all others
/// contain manifests.
fn raw(name: &str, value: &str) -> String {
    format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: {name}}}
spec:
  content:
  - type: Raw
    raw: {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, namespace: harbor}}, data: {{a: {value}}}}}
"
    )
}

fn installs(host: &str, value: &str) -> String {
    let image = format!(
        "
apiVersion: operators.coreos.com/v2alpha1
kind: Install
metadata: {{name: plum}}
spec:
  namespaces: [{{from: default, to: harbor}}]
  content: [{{type: ManifestImage, manifestImage: '{host}/plum:{value}'}}]
"
    );
    [raw("plumbus", value), image, raw("quince", value)].join("---")
}

#[tokio::test]
async fn next_controller_grants_and_installs_same_after_kill() -> Result<(), Failure> {
    let Some(mut yard) = yard_of_approvals().await? else {
        return Ok(());
    };
    yard.applies(APPROVER).await?;
    let registry = Registry::start().await;
    for value in ["one", "two"] {
        registry.serve("plum", value, &bundle(value));
    }
    let host = registry.host();
    yard.asks(&[&host]).await?;
    kill_after_each_write(&mut Scenario { yard, host }, &ACTS).await
}

impl Play for Scenario {
    type Act = Act;

    fn cluster(&self) -> &Cluster {
        self.yard.cluster()
    }

    fn kills(&mut self) {
        self.yard.kills();
    }

    async fn starts_at(&mut self, kubeconfig: &Path) {
        self.yard.starts_at(kubeconfig).await;
    }

    async fn begin(&self, act: Act) -> Result<(), Failure> {
        begin(&self.yard, &self.host, act).await
    }

    async fn until_ended(&self, act: Act) -> Result<(), Failure> {
        until_ended(&self.yard, act).await
    }

    async fn end(&self) -> Result<String, Failure> {
        end(&self.yard).await
    }
}

async fn begin(yard: &Yard, host: &str, act: Act) -> Result<(), Failure> {
    match act {
        Act::Create => yard.applies(&installs(host, "one")).await,
        Act::Change => yard.applies(&installs(host, "two")).await,
        Act::Approve => {
            for name in ["plumbus", "plum"] {
                let (is_done, message) = yard.approves("approver", name).await?;
                assert!(is_done, "{message}");
            }
            yard.until_approved_by("approver", "quince").await
        }
        Act::Delete => {
            for name in ALL {
                let install = format!("install.operators.coreos.com/{name}");
                yard.run(&["delete", &install, "--wait=false"]).await?;
            }
            Ok(())
        }
    }
}

async fn until_ended(yard: &Yard, act: Act) -> Result<(), Failure> {
    let is_asking = |it: &Value| {
        is_observed(it) && condition(it, "PendingApproval") == "True UnsatisfiedPermissions"
    };
    let is_ready = |it: &Value| is_observed(it) && condition(it, "Ready") == "True Installed";
    for name in ALL {
        match act {
            Act::Create => drop(yard.until_install(name, "asks", is_asking).await?),
            Act::Approve | Act::Change => {
                yard.until_install(name, "ready", is_ready).await?;
            }
            Act::Delete => {
                let install = format!("install.operators.coreos.com/{name}");
                yard.until_gone(&[&install]).await?;
            }
        }
    }
    match act {
        Act::Create => Ok(()),
        // The old plan is deleted after the new plan is ready.
        Act::Approve | Act::Change => {
            let all = |message: &str| message.lines().count() == ALL.len();
            yard.until_output(&plans(), all).await
        }
        Act::Delete => {
            let accounts = ["-n", HOME, "get", "serviceaccounts", "-o=name"];
            let is_none =
                |message: &str| !ALL.iter().any(|it| message.contains(&format!("/{it}-")));
            yard.until_output(&accounts, is_none).await
        }
    }
}

fn plans() -> [&'static str; 5] {
    [
        "-n",
        HOME,
        "get",
        "installplans.plans.portolan.dev",
        "-o=name",
    ]
}

/// Returns the final state, without names that differ between runs.
async fn end(yard: &Yard) -> Result<String, Failure> {
    let mut settings = Vec::new();
    for name in ["plumbus", "quince"] {
        let map = format!("configmap/{name}");
        let data = "-o=jsonpath={.data.a}";
        let words = ["-n=harbor", "get", "--ignore-not-found", &map, data];
        settings.push(yard.run(&words).await?);
    }
    let image = "-o=jsonpath={.spec.template.spec.containers[0].image}";
    let deployment = ["-n=harbor", "get", "--ignore-not-found", "deployment/plum"];
    let image = yard.run(&[&deployment[..], &[image]].concat()).await?;
    let plans = yard.run(&plans()).await?.lines().count();
    let roles = ["-n=harbor", "get", "roles,rolebindings", "-o=name"];
    let roles = yard.run(&roles).await?;
    let is_own = |line: &&str| ALL.iter().any(|it| line.contains(&format!("/{it}-")));
    let roles = roles.lines().filter(is_own).count();
    // The garbage collector deletes these objects later.
    let roles = if plans == 0 && image.is_empty() {
        0
    } else {
        roles
    };
    Ok(format!(
        "settings {settings:?}, image {image:?}, {plans} plans, {roles} roles and bindings"
    ))
}
