//! Prints the result after a command has written an Operator to a cluster.

mod settings;
mod wait;
mod writing;

use clap::ValueEnum;
use portolan_api::operator::{GROUP, Operator};
use portolan_operators::NotWritten;
use serde_json::Value;

pub(crate) use self::settings::SettingArgs;
pub(crate) use self::wait::{WaitArgs, Waiting};
pub(crate) use self::writing::WriteArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;
use crate::program_name::ProgramName;

/// The message if the command line selects no cluster.
pub(crate) const NO_CLUSTER: &str =
    "no cluster found; select a cluster with --context or --kubeconfig";
/// The Kustomize component with the CRD for Operators.
const COMPONENT: &str = "deploy/overlays/operators";

/// Returns the name of an Operator in the format of kubectl.
pub(crate) fn resource(name: &str) -> String {
    format!("operator.{GROUP}/{name}")
}

/// Prints the action that the command has done.
pub(crate) fn print_done(name: &str, done: &str, is_dry_run: bool) -> Result<(), Failure> {
    let dry = if is_dry_run { " (dry run)" } else { "" };
    print::text(&format!("{} {done}{dry}\n", resource(name)))
}

/// The formats in which a written Operator is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OperatorFormat {
    /// The Operator as YAML.
    Yaml,
    /// The Operator as JSON.
    Json,
    /// The name of the Operator, as kubectl get -o name prints it.
    Name,
}

/// Prints the Operator that the command has written.
fn print_operator(
    operator: &Operator,
    form: Option<OperatorFormat>,
    done: &str,
    is_dry_run: bool,
) -> Result<(), Failure> {
    let name = operator.metadata.name.as_deref().unwrap_or_default();
    match form {
        Some(OperatorFormat::Yaml) => print::yaml(&printed(operator, is_dry_run)?),
        Some(OperatorFormat::Json) => print::json(&printed(operator, is_dry_run)?),
        Some(OperatorFormat::Name) => print::text(&format!("{}\n", resource(name))),
        None => print_done(name, done, is_dry_run),
    }
}

/// Returns an Operator without its managed fields. For a dry run, also removes the fields that the
/// API server generated, so that users can apply the output.
fn printed(operator: &Operator, is_dry_run: bool) -> Result<Value, Failure> {
    let mut object = serde_json::to_value(operator).map_err(Failure::failed)?;
    let made_up = ["creationTimestamp", "generation", "resourceVersion", "uid"];
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
        metadata.retain(|key, _| !is_dry_run || !made_up.contains(&key.as_str()));
    }
    Ok(object)
}

/// Reports the reason why a command could not write the Operator, and returns the exit code.
pub(crate) fn report_error(error: NotWritten) -> Result<Exit, Failure> {
    match error {
        NotWritten::NotServed => Err(Failure::usage(format!(
            "{error}: the CRD is not installed; run `{} install crds`, or apply the Kustomize component {COMPONENT} to install the CRD and the controller",
            ProgramName::now().typed()
        ))),
        NotWritten::Exists(ref name) => Err(Failure::usage(format!(
            "{error}; to change the Operator, run: {} update {name}@RANGE",
            ProgramName::now().typed()
        ))),
        NotWritten::NotFound(_) => Err(Failure::usage(format!(
            "{error}; to list existing Operators, run: kubectl get operators.{GROUP}"
        ))),
        NotWritten::Changed(_) => {
            print::error(&format!(
                "{error}; nothing was written. Run the command again to write the settings anyway"
            ));
            Ok(Exit::No)
        }
        NotWritten::Refused(why) => {
            print::error(&format!("the API server rejects the request: {why}"));
            Ok(Exit::No)
        }
        NotWritten::Unanswered(_) => Err(Failure::failed(error)),
    }
}
