//! Waits until a change of an Operator is complete.

use std::time::Duration;

use clap::Args;
use portolan_api::operator::{ConditionType, Operator};
use portolan_core_names::{Version, VersionRange};
use portolan_shell::parse_duration;
use portolan_world::{Cluster, State, World as _};
use tokio::time::timeout;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// The flags for waiting.
#[derive(Debug, Clone, Args)]
pub(crate) struct WaitArgs {
    /// Wait until the operation is complete, and report progress.
    #[arg(long)]
    wait: bool,

    /// Timeout for --wait, such as 90s or 10m.
    #[arg(long, value_name = "DURATION", default_value = "10m", requires = "wait", value_parser = parse_duration)]
    timeout: Duration,
}

/// A wait with a time limit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Waiting {
    longest: Duration,
}

// === impl WaitArgs ===

impl WaitArgs {
    /// Returns a wait if the user specified `--wait`.
    pub(crate) fn start(&self) -> Option<Waiting> {
        self.wait.then(|| Waiting::within(self.timeout))
    }
}

// === impl Waiting ===

impl Waiting {
    pub(crate) fn within(longest: Duration) -> Self {
        Self { longest }
    }

    /// Waits until the controller has observed the written generation or a later one, the Operator
    /// is ready, and its installed version is in the requested range.
    pub(crate) async fn until_ready(
        self,
        cluster: &Cluster,
        written: &Operator,
        requested: Option<VersionRange>,
    ) -> Result<Exit, Failure> {
        let name = written.metadata.name.as_deref().unwrap_or_default();
        // The first object that the watch returns may be older than the written object, so
        // generations are compared.
        let least = written.metadata.generation;
        let is_ready = |operator: Option<&Operator>| {
            operator.is_some_and(|operator| is_ready(operator, least, requested.as_ref()))
        };
        self.until(cluster, name, "ready", is_ready).await
    }

    /// Waits until an Operator no longer exists.
    pub(crate) async fn until_gone(self, cluster: &Cluster, name: &str) -> Result<Exit, Failure> {
        self.until(cluster, name, "gone", |operator| operator.is_none())
            .await
    }

    async fn until(
        self,
        cluster: &Cluster,
        name: &str,
        what: &str,
        is_end: impl Fn(Option<&Operator>) -> bool,
    ) -> Result<Exit, Failure> {
        let mut told = String::new();
        let ended = timeout(self.longest, follow(cluster, name, is_end, &mut told)).await;
        match ended {
            Ok(Ok(())) => {
                print::note(&format!("{name} is {what}"));
                Ok(Exit::Answered)
            }
            Ok(Err(failure)) => Err(failure),
            Err(_) => {
                let last = if told.is_empty() {
                    "the controller has not reported a status; check that the controller runs with --operators"
                } else {
                    told.as_str()
                };
                print::error(&format!(
                    "{name} is not {what} after {} s: {last}",
                    self.longest.as_secs_f64()
                ));
                Ok(Exit::No)
            }
        }
    }
}

/// Watches an Operator until `is_end` returns true. Prints each change of its status.
async fn follow(
    cluster: &Cluster,
    name: &str,
    is_end: impl Fn(Option<&Operator>) -> bool,
    told: &mut String,
) -> Result<(), Failure> {
    let mut operators = cluster.objects::<Operator>();
    let mut view = operators.now();
    loop {
        let mut all = view.objects.iter();
        let found = all.find(|(key, _)| *key.name == *name);
        let operator = found.map(|(_, operator)| operator.as_ref());
        if view.state == State::Synced && is_end(operator) {
            return Ok(());
        }
        let trouble = view.state.trouble().map(|(trouble, _)| trouble);
        if let Some(trouble) = trouble.filter(|trouble| !trouble.may_pass()) {
            return Err(Failure::unknown(format!(
                "cannot read Operators: {trouble}"
            )));
        }
        let trouble = trouble.map(|trouble| format!("Operators cannot be read: {trouble}"));
        let news = trouble.or_else(|| operator.and_then(news));
        let news = news.unwrap_or_default();
        if !news.is_empty() && news != *told {
            print::note(&format!("{name}: {news}"));
            *told = news;
        }
        let changed = operators.changed().await;
        changed.map_err(|ended| Failure::failed_to("cannot watch Operators", &ended))?;
        view = operators.now();
    }
}

/// Returns the reason and the message of the condition Installing.
fn news(operator: &Operator) -> Option<String> {
    let status = operator.status.as_ref()?;
    let installing = status.condition(ConditionType::Installing)?;
    Some(format!("{}: {}", installing.reason, installing.message))
}

fn is_ready(operator: &Operator, least: Option<i64>, requested: Option<&VersionRange>) -> bool {
    let Some(status) = &operator.status else {
        return false;
    };
    let generation = operator.metadata.generation;
    let is_seen = status.observed_generation == generation && generation >= least;
    let ready = status.condition(ConditionType::Ready);
    let installed = status.versions.installed.as_deref();
    let is_as_requested = requested.is_none_or(|requested| {
        let installed = installed.and_then(|version| Version::parse(version).ok());
        installed.is_some_and(|version| requested.matches(&version))
    });
    is_seen && is_as_requested && ready.is_some_and(|ready| ready.status == "True")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    fn operator(generation: i64, ready: &str, installed: &str) -> Operator {
        let condition = |type_: &str, status: &str| {
            json!({
                "type": type_,
                "status": status,
                "reason": "Settling",
                "message": "It waits.",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            })
        };
        let object = json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {"name": "ferry", "generation": 2},
            "spec": {"packageName": "ferry"},
            "status": {
                "observedGeneration": generation,
                "conditions": [condition("Ready", ready), condition("Installing", "True")],
                "versions": {"installed": installed},
            },
        });
        serde_json::from_value(object).expect("an Operator")
    }

    #[rstest]
    #[case::ready(2, "True", "1.1.0", true)]
    #[case::of_an_earlier_generation(1, "True", "1.1.0", false)]
    #[case::not_ready(2, "False", "1.1.0", false)]
    #[case::of_another_version(2, "True", "1.0.0", false)]
    #[case::of_no_version(2, "True", "", false)]
    fn is_ready_only_in_requested_version(
        #[case] generation: i64,
        #[case] ready: &str,
        #[case] installed: &str,
        #[case] expected: bool,
    ) {
        let operator = operator(generation, ready, installed);
        let requested = VersionRange::parse(">=1.1.0").expect("a range");
        assert_eq!(is_ready(&operator, Some(2), Some(&requested)), expected);
        // The object has generation 2, and the test waits for generation 3.
        assert!(!is_ready(&operator, Some(3), Some(&requested)));
        assert_eq!(news(&operator).as_deref(), Some("Settling: It waits."));
    }
}
