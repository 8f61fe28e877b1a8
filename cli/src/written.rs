//! An Operator that is made or deleted on a cluster: what is told of it, and the wait for it.

mod wait;

use portolan_api::operator::GROUP;
use portolan_operators::NotWritten;

pub(crate) use self::wait::{Wait, Waiting};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print;

/// The message if there is no cluster.
pub(crate) const NO_CLUSTER: &str = "Operators are written to a cluster, and there is none";
/// The component that brings the kind.
const COMPONENT: &str = "deploy/overlays/operators";

/// The name of an Operator in kubectl.
pub(crate) fn resource(name: &str) -> String {
    format!("operator.{GROUP}/{name}")
}

/// Says that something was done.
pub(crate) fn say(name: &str, done: &str, is_dry_run: bool) -> Result<(), Failure> {
    let dry = if is_dry_run { " (dry run)" } else { "" };
    print::text(&format!("{} {done}{dry}\n", resource(name)))
}

/// The outcome of a command whose Operator was not written.
pub(crate) fn refused(error: NotWritten) -> Result<Exit, Failure> {
    match error {
        NotWritten::NotServed => Err(Failure::taught(format!(
            "{error}: nobody has applied their definition; the component {COMPONENT} of an overlay \
             brings it, and what its controller needs to carry them out"
        ))),
        NotWritten::Exists(ref name) => Err(Failure::taught(format!(
            "{error}; another version is written into its spec.version: kubectl edit {}",
            resource(name)
        ))),
        NotWritten::NotFound(_) => Err(Failure::taught(format!(
            "{error}; kubectl get operators.{GROUP} lists those that there are"
        ))),
        NotWritten::Refused(why) => {
            print::error(&format!("the cluster refuses it: {why}"));
            Ok(Exit::No)
        }
        NotWritten::Unanswered(_) => Err(Failure::failed(error)),
    }
}
