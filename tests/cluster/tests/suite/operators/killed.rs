//! Tests controllers that are killed while an operator is installed, upgraded and deleted.

use std::path::Path;

use portolan_rig::{Cluster, Failure};
use serde_json::json;

use super::stage::{Harbor, harbor, spec_at, version};
use crate::mortal::{Play, kill_after_each_write};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    Install,
    Upgrade,
    Delete,
}

/// The acts, each with a number of controllers. Outside of a soak test, this number of controllers
/// is killed, each after one write.
const ACTS: [(Act, usize); 3] = [(Act::Install, 8), (Act::Upgrade, 8), (Act::Delete, 4)];

struct Scenario {
    harbor: Harbor,
}

#[tokio::test]
async fn next_controller_reaches_same_state_after_kill() -> Result<(), Failure> {
    let versions = ["1.0.0", "1.1.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor("operators-killed", &versions).await? else {
        return Ok(());
    };
    kill_after_each_write(&mut Scenario { harbor }, &ACTS).await
}

impl Play for Scenario {
    type Act = Act;

    fn cluster(&self) -> &Cluster {
        self.harbor.world().cluster()
    }

    fn kills(&mut self) {
        self.harbor.kill();
    }

    async fn starts_at(&mut self, kubeconfig: &Path) {
        self.harbor.start_at(kubeconfig).await;
    }

    async fn begin(&self, act: Act) -> Result<(), Failure> {
        match act {
            Act::Install => self.harbor.operator("ferry", spec_at("1.0.0")).await,
            Act::Upgrade => self.harbor.operator("ferry", spec_at("1.1.0")).await,
            Act::Delete => self.harbor.delete("ferry").await,
        }
    }

    async fn until_ended(&self, act: Act) -> Result<(), Failure> {
        match act {
            Act::Install => self.until_at("1.0.0").await,
            Act::Upgrade => self.until_at("1.1.0").await,
            Act::Delete => self.harbor.until_gone("ferry").await,
        }
    }

    async fn end(&self) -> Result<String, Failure> {
        let operator = self.harbor.operators().get_opt("ferry").await?;
        let status = operator.map(|operator| operator.data["status"].clone());
        // The controller suspends a replaced plan a moment later. So the result does not contain
        // this field.
        let plans = self.harbor.plan_names().await?;
        let plans: Vec<_> = plans.into_iter().map(|(name, _)| name).collect();
        let end = json!({
            "plans": plans,
            "runs": self.harbor.runs("ferry").await?,
            "versions": status.as_ref().map(|status| &status["versions"]),
            "plan": status.as_ref().map(|status| &status["plan"]),
        });
        Ok(end.to_string())
    }
}

impl Scenario {
    async fn until_at(&self, version: &str) -> Result<(), Failure> {
        let Self { harbor } = self;
        harbor.until_installed("ferry", version).await?;
        harbor
            .until("ferry", ["Installing", "False", "UpToDate"])
            .await?;
        Ok(())
    }
}
