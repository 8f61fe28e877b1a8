//! `portolan release`: returns an adopted operator to OLM.

use std::time::{Duration, Instant};

use clap::Parser;
use portolan_api::operator::Operator;
use portolan_core_names::text::listed;
use portolan_operators::{CsvId, OperatorClient};
use portolan_shell::parse_duration;
use portolan_world::Access;
use serde_json::{Value, json};

use crate::exit::{self, Exit};
use crate::facts::connect_cluster;
use crate::failure::Failure;
use crate::operator_write::{NO_CLUSTER, Waiting, print_done, report_error};
use crate::print;

/// The time between two checks if the ClusterServiceVersion of OLM exists.
const LOOK: Duration = Duration::from_secs(1);

/// Give an adopted operator back to OLM, at the installed version.
///
/// The command deletes the Operator and creates the Subscription again. OLM then installs the
/// operator over the existing objects. The objects keep their uids, and the Pods restart once. If
/// the operator has APIServices, the command waits until OLM has started, because OLM does not
/// adopt APIServices without owner labels. --dry-run prints the Subscription without changing
/// anything.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  the Subscription is created; with --dry-run: it can be created",
        "1  the API server rejects the request, or a step times out";
        "portolan release ferry --dry-run",
        "portolan release ferry"
    )
)]
pub(crate) struct ReleaseArgs {
    /// Name of the Operator.
    #[arg(value_name = "NAME")]
    name: String,

    /// Print the Subscription that would be created, without changing anything.
    #[arg(long)]
    dry_run: bool,

    /// Timeout for the deletion of the Operator and for the start of OLM, such as 90s or 10m.
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = parse_duration)]
    timeout: Duration,

    #[command(flatten)]
    access: Access,
}

// === impl ReleaseArgs ===

impl ReleaseArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = OperatorClient::of(cluster.client(), self.dry_run);
        let operator = match client.get(&self.name).await {
            Ok(operator) => operator,
            Err(error) => return report_error(error),
        };
        let subscription = subscription(&self.name, &operator)?;
        if self.dry_run {
            print::yaml(&subscription)?;
            return Ok(Exit::Answered);
        }
        let text = |at: &str| {
            let text = subscription.pointer(at).and_then(Value::as_str);
            text.unwrap_or_default()
        };
        let api_services = match client.api_services(&self.name).await {
            Ok(names) => names,
            Err(error) => return report_error(error),
        };
        if let Err(error) = client.keep_what_is_installed(&self.name).await {
            return report_error(error);
        }
        if let Err(error) = client.delete(&self.name).await {
            return report_error(error);
        }
        print_done(&self.name, "deleted; the installed objects are kept", false)?;
        let gone = Waiting::within(self.timeout).until_gone(&cluster, &self.name);
        match gone.await? {
            Exit::Answered => {}
            not_gone => {
                print::yaml(&subscription)?;
                return Ok(not_gone);
            }
        }
        let name = text("/metadata/name");
        match client.create_for_olm(&subscription).await {
            Ok(()) => {
                print::text(&format!(
                    "subscription.operators.coreos.com/{name} created\n"
                ))?;
                let csv = CsvId {
                    namespace: text("/metadata/namespace").to_owned(),
                    name: text("/spec/startingCSV").to_owned(),
                    ..CsvId::default()
                };
                self.give(&client, &api_services, &csv).await
            }
            Err(error) => {
                // The Operator is already deleted, so this output is the only copy of the
                // Subscription.
                print::yaml(&subscription)?;
                report_error(error)
            }
        }
    }
}

impl ReleaseArgs {
    /// Waits until the ClusterServiceVersion of OLM exists. Then labels the APIServices with this
    /// ClusterServiceVersion as their owner.
    async fn give(
        &self,
        client: &OperatorClient,
        api_services: &[String],
        csv: &CsvId,
    ) -> Result<Exit, Failure> {
        if api_services.is_empty() {
            return Ok(Exit::Answered);
        }
        let (names, owner) = (listed(api_services), csv.object());
        print::note(&format!(
            "{names}: OLM adopts only APIServices with owner labels, so this command labels the \
             APIServices when {owner} exists; approve the InstallPlan of OLM if it waits for \
             approval"
        ));
        let until = Instant::now() + self.timeout;
        while Instant::now() < until {
            match client.give_api_services(api_services, &owner).await {
                Ok(true) => {
                    print::text(&format!("{names}: given to {owner}\n"))?;
                    return Ok(Exit::Answered);
                }
                Ok(false) => tokio::time::sleep(LOOK).await,
                Err(error) => return report_error(error),
            }
        }
        let CsvId {
            namespace, name, ..
        } = csv;
        print::error(&format!(
            "{owner} does not exist yet. When it exists, run: kubectl label apiservices {} olm.owner={name} \
             olm.owner.kind=ClusterServiceVersion olm.owner.namespace={namespace}",
            api_services.join(" ")
        ));
        Ok(Exit::No)
    }
}

/// Returns the original Subscription. Its `startingCSV` is the installed version.
fn subscription(name: &str, operator: &Operator) -> Result<Value, Failure> {
    let status = operator.status.clone().unwrap_or_default();
    let adoption = status.adoption.ok_or_else(|| {
        Failure::usage(format!(
            "Operator {name} cannot be released, because its status does not contain an adoption from OLM"
        ))
    })?;
    let was = adoption.subscription.ok_or_else(|| {
        Failure::usage(format!(
            "Operator {name} cannot be released, because it had no Subscription when it was adopted from OLM"
        ))
    })?;
    let bundle = status.bundle.map(|bundle| bundle.name).unwrap_or_default();
    let mut spec = was.spec;
    spec["startingCSV"] = json!(bundle);
    Ok(json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "Subscription",
        "metadata": {"name": was.name, "namespace": adoption.namespace},
        "spec": spec,
    }))
}
