//! The approval of the next version of an Operator.

use portolan_api::operator::{APPROVE, ConditionType, Operator, Reason, Status};
use portolan_core_names::text::{pointer_step, shell_word};
use portolan_operators::OperatorClient;
use serde_json::{Value, json};

use super::{ApproveArgs, is_confirmed};
use crate::exit::Exit;
use crate::facts::connect_cluster;
use crate::failure::Failure;
use crate::operator_write::{NO_CLUSTER, report_error, resource};
use crate::print;
use crate::program_name::ProgramName;

// === impl ApproveArgs ===

impl ApproveArgs {
    /// Approves the next version of an Operator, if it has not changed since it was printed.
    pub(super) async fn operator(self, name: String) -> Result<Exit, Failure> {
        if self.digest.is_some() || self.account.is_some() || !self.overridden.is_empty() {
            return Err(Failure::usage(format!(
                "--digest, --account and --override-policy cannot be used with operator/{name}"
            )));
        }
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let client = OperatorClient::of(cluster.client(), self.dry_run);
        let read = match client.get(&name).await {
            Ok(read) => read,
            Err(error) => return report_error(error),
        };
        let Some(next) = awaited(&read) else {
            print::error(&format!(
                "Operator {name} has no version that waits for approval"
            ));
            return Ok(Exit::No);
        };
        print::note(&format!("{} -> {next}", installed(&read)));
        if !self.dry_run && !self.yes && !is_confirmed(|| no_terminal(&name))? {
            print::error(&format!("{next} is not approved"));
            return Ok(Exit::No);
        }
        match client.change(&read, vec![approval(&read, next)]).await {
            Ok(_) => self.print_approved(&name, next),
            Err(error) => report_error(error),
        }
    }

    fn print_approved(&self, name: &str, next: &str) -> Result<Exit, Failure> {
        let dry_run = if self.dry_run {
            " (server dry run)"
        } else {
            ""
        };
        print::text(&format!("{} approved {next}{dry_run}\n", resource(name)))?;
        Ok(Exit::Answered)
    }
}

/// Returns the bundle that waits for an approval. Returns None if the status describes an older
/// generation.
fn awaited(operator: &Operator) -> Option<&str> {
    let is_current = |status: &&Status| status.observed_generation == operator.metadata.generation;
    let status = operator.status.as_ref().filter(is_current)?;
    let installing = status.condition(ConditionType::Installing)?;
    let waits = installing.reason == Reason::ApprovalRequired.to_string();
    let next = status.path.first().filter(|_| waits)?;
    Some(&next.bundle)
}

fn installed(operator: &Operator) -> &str {
    let status = operator.status.as_ref();
    let bundle = status.and_then(|status| status.bundle.as_ref());
    bundle.map_or("nothing", |bundle| &bundle.name)
}

/// Returns a JSON patch operation that approves the bundle.
fn approval(operator: &Operator, bundle: &str) -> Value {
    match &operator.metadata.annotations {
        Some(_) => {
            let key = pointer_step(APPROVE);
            json!({"op": "add", "path": format!("/metadata/annotations/{key}"), "value": bundle})
        }
        None => json!({"op": "add", "path": "/metadata/annotations", "value": {APPROVE: bundle}}),
    }
}

fn no_terminal(name: &str) -> String {
    format!(
        "a confirmation requires a terminal; to approve without confirmation, use `{} approve {} --yes`",
        ProgramName::now().typed(),
        shell_word(&format!("operator/{name}"))
    )
}
