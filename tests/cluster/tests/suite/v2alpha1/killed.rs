//! Tests controllers that are killed while an Operator and its dependency are installed from a
//! catalog, upgraded, and deleted.

use std::path::Path;

use portolan_rig::{Cluster, Failure, PATIENCE, Seen, until as until_seen};
use serde_json::{Value, json};

use super::catalog::{Fruits, fruits, is_there, operator, until};
use super::image::{GIVEN, INSTALLS};
use super::stage::{Quay, V2, quay};
use crate::mortal::{Play, kill_after_each_write};

const INSTALL: &str = "installs.operators.coreos.com/plum";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Create,
    /// After the approval, the controller upgrades to the newest version.
    Approve,
    Delete,
}

const ACTS: [(Act, usize); 3] = [(Act::Create, 6), (Act::Approve, 10), (Act::Delete, 4)];

struct Story {
    quay: Quay,
    fruits: Fruits,
}

#[tokio::test]
async fn controller_killed_at_any_write_installs_the_same() -> Result<(), Failure> {
    let Some(mut quay) = quay().await? else {
        return Ok(());
    };
    let fruits = fruits(&mut quay).await?;
    quay.applies(GIVEN).await?;
    kill_after_each_write(&mut Story { quay, fruits }, &ACTS).await
}

impl Play for Story {
    type Act = Act;

    fn cluster(&self) -> &Cluster {
        self.quay.cluster()
    }

    fn kills(&mut self) {
        self.quay.kills_controller();
    }

    async fn starts_at(&mut self, kubeconfig: &Path) {
        let resolver = &self.fruits.resolver.flag;
        self.quay
            .starts_controller_at(kubeconfig, &INSTALLS, resolver)
            .await;
    }

    async fn begin(&self, act: Act) -> Result<(), Failure> {
        let quay = &self.quay;
        match act {
            Act::Create => {
                let source = "package: plum, channel: stable, entrypoint: plum.v1.0.0";
                quay.applies(&operator(quay, "plum", source)).await
            }
            Act::Approve => {
                let approved = json!({"spec": {"approval": "Approved"}}).to_string();
                let patch = ["patch", INSTALL, "--type=merge", "-p", &approved];
                quay.run(&patch).await.map(drop)
            }
            Act::Delete => {
                let delete = ["delete", V2, "plum", "--wait=false"];
                quay.run(&delete).await.map(drop)
            }
        }
    }

    async fn until_ended(&self, act: Act) -> Result<(), Failure> {
        let quay = &self.quay;
        match act {
            Act::Create => {
                let pending = "True InstallNotApproved";
                let reported = until(quay, "plum", "InstallPendingApproval", pending);
                reported.await.map(drop)
            }
            Act::Approve => {
                let all = ["plum.v2.0.0", "pear.v2.0.0"].join(", ");
                let what = format!("{all} to be installed");
                let reported = quay.until_operator("plum", &what, |it| {
                    let status = it["status"].to_string();
                    let is_whole = status.contains("ComponentsAsInstalled");
                    is_whole && status.contains(&format!("its Install has {all}"))
                });
                reported.await?;
                // The status already contains the bundles before the Install contains them. So the
                // test also checks the Deployments.
                is_there(quay, &["plum:2.0.0", "pear:2.0.0"]).await?;
                // The controller deletes the previous plan when the next plan is ready.
                self.until_plans(1).await
            }
            Act::Delete => {
                let operator = format!("{V2}/plum");
                let gone: [&[&str]; 4] = [
                    &["get", &operator],
                    &["get", INSTALL],
                    &["-n=plum", "get", "deployment/plum"],
                    &["-n=pear", "get", "deployment/pear"],
                ];
                for words in gone {
                    quay.until_output(words, "not found").await?;
                }
                self.until_plans(0).await
            }
        }
    }

    async fn end(&self) -> Result<String, Failure> {
        let install = self.there(&["get", INSTALL]).await?;
        let content = &install["spec"]["content"];
        let record = &install["metadata"]["annotations"]["operators.portolan.dev/bundles"];
        let operator = self.there(&["get", V2, "plum"]).await?;
        let finalizers = &operator["metadata"]["finalizers"];
        let mut images = Vec::new();
        for name in ["plum", "pear"] {
            let namespace = format!("-n={name}");
            let deployment = self.there(&[&namespace, "get", "deployment", name]).await?;
            images.push(deployment["spec"]["template"]["spec"]["containers"][0]["image"].clone());
        }
        Ok(format!(
            "content {content}, record {record}, finalizers {finalizers}, images {images:?}"
        ))
    }
}

impl Story {
    /// Waits until exactly this number of plans exists.
    async fn until_plans(&self, wanted: usize) -> Result<(), Failure> {
        let all = [
            "-n=portolan-installs",
            "get",
            "installplans.plans.portolan.dev",
        ];
        until_seen(format!("{wanted} plans"), PATIENCE, async || {
            let output = self.quay.run(&[&all[..], &["-o=name"]].concat()).await?;
            let is_so = output.lines().count() == wanted;
            Ok(if is_so {
                Seen::Yes(())
            } else {
                Seen::NotYet(output)
            })
        })
        .await
    }

    /// Returns an object, or null if it does not exist.
    async fn there(&self, words: &[&str]) -> Result<Value, Failure> {
        let words = [words, &["-o=json", "--ignore-not-found"]].concat();
        let output = self.quay.run(&words).await?;
        Ok(serde_json::from_str(&output).unwrap_or_default())
    }
}
