//! `portolan uninstall`: deletes Portolan from a cluster.

use std::time::Duration;

use clap::Parser;
use portolan_controller::{
    Deletion, Freed, INSTALLER, MANAGED_BY, ObjectInstaller, ObjectNotChanged, Owner,
    certificate_secrets,
};
use portolan_world::Access;
use serde_json::{Value, json};

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::install::{CERTIFIED, NAMESPACE, Profile, manifests, reference};
use crate::print;
use crate::program_name::ProgramName;

/// The maximum time to wait until the Pods of the controller no longer exist.
const STOPPED: Duration = Duration::from_secs(120);
const CONTROLLER: &str = "deployment/portolan-controller";

/// Remove Portolan from a cluster.
///
/// Stops the controller, removes the finalizers of Portolan from all objects, and deletes the
/// objects that `install` created. CRDs and their objects, running operators, and the
/// namespace are kept. To uninstall an operator, use `delete`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  Portolan is removed; with --dry-run: it can be removed",
        "1  an object is not removed; each such object is listed with the reason";
        "portolan uninstall --dry-run",
        "portolan uninstall"
    )
)]
pub(crate) struct UninstallArgs {
    /// Rejected: names of operators, which this command does not delete.
    #[arg(hide = true)]
    operators: Vec<String>,

    /// Send server-side dry runs, and change nothing.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    access: Access,
}

/// The result of an uninstall so far.
#[derive(Debug, Default)]
struct Removal {
    deleted: usize,
    failed: usize,
    /// The owner of an object that `portolan install` did not create.
    other: Option<Owner>,
}

// === impl UninstallArgs ===

impl UninstallArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if let Some(operator) = self.operators.first() {
            let program = ProgramName::now();
            let program = program.typed();
            return Err(Failure::usage(format!(
                "`uninstall` removes Portolan itself; to delete an operator: {program} delete {operator}"
            )));
        }
        let client = self.access.client().await.map_err(Failure::refused)?;
        let installer = ObjectInstaller::new(client, self.dry_run);
        let mut objects = manifests(Profile::Manage, None)?;
        objects.extend(secrets());
        // Keeps the namespace, because it may also contain objects of users.
        objects.retain(|object| object["kind"] != "Namespace");
        objects.reverse();
        let (controller, others): (Vec<_>, Vec<_>) = objects
            .iter()
            .partition(|object| reference(object) == CONTROLLER);
        let mut removal = Removal::default();
        for object in controller {
            let deletion = installer.delete_with_dependents(object, STOPPED).await;
            removal.add(object, deletion, self.dry_run)?;
        }
        if removal.failed > 0 {
            return Ok(Exit::No);
        }
        if removal.other.is_none() {
            let freed = installer.release(|line| println!("{line}")).await;
            check_released(&freed.map_err(Failure::failed)?)?;
        }
        for object in others {
            let deletion = installer.delete(object).await;
            removal.add(object, deletion, self.dry_run)?;
        }
        Ok(removal.ended())
    }
}

/// Returns an error if objects still have finalizers. Without the controller, these objects could
/// not be deleted later.
fn check_released(freed: &Freed) -> Result<(), Failure> {
    match freed.failures.len() {
        0 => Ok(()),
        count => Err(Failure::unknown(format!(
            "{count} objects still have finalizers; run the command again"
        ))),
    }
}

// === impl Removal ===

impl Removal {
    fn add(
        &mut self,
        object: &Value,
        deletion: Result<Deletion, ObjectNotChanged>,
        is_dry_run: bool,
    ) -> Result<(), Failure> {
        let name = reference(object);
        match deletion {
            Ok(Deletion::Deleted) => {
                self.deleted += 1;
                let dry = if is_dry_run { " (dry run)" } else { "" };
                print::text(&format!("{name} deleted{dry}\n"))?;
            }
            Ok(Deletion::Absent) => {}
            Ok(Deletion::Kept(owner)) => self.other = Some(owner),
            Err(error) if error.is_unknown() => return Err(Failure::failed(error)),
            Err(error) => {
                self.failed += 1;
                print::error(&format!("{name} is not deleted: {error}"));
            }
        }
        Ok(())
    }

    /// Prints which objects are kept, and returns the exit code.
    fn ended(self) -> Exit {
        match (&self.other, self.deleted) {
            (Some(owner), 0) => {
                print::error(&format!(
                    "Portolan was installed by {owner}; use {owner} to uninstall Portolan"
                ));
                return Exit::No;
            }
            (None, 0) => print::note("no object of `portolan install` exists"),
            (Some(_) | None, _) => print::note(
                "the CRDs with their objects and the namespace portolan are kept; to delete the namespace: kubectl \
                 delete namespace portolan",
            ),
        }
        Exit::no_if(self.failed > 0)
    }
}

/// Returns the Secrets that `portolan install` creates.
fn secrets() -> Vec<Value> {
    let secret = |name: String| {
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {
            "name": name, "namespace": NAMESPACE, "labels": {MANAGED_BY: INSTALLER},
        }})
    };
    let names = certificate_secrets(&CERTIFIED).into_iter();
    names.map(secret).collect()
}
