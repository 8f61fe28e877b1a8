//! What is installed, with all that it provides and requires: for questions about several operators
//! at once.

mod file;
mod told;

use portolan_proto::resolver::v1::InstalledOperator;
use portolan_world::AnyWorld;

pub(crate) use self::file::read_bytes;
pub(crate) use self::told::Told;
use crate::facts::{CatalogFacts, HealthConnection, ResolverConnection};
use crate::failure::Failure;
use crate::subscribed::Source;

/// What is installed, or who may say it.
pub(crate) enum Known {
    Operators(Vec<InstalledOperator>),
    /// A server, which knows names and versions and no more.
    ByServer(HealthConnection),
}

/// Who answers, and what is installed: what the file says, else what the facts are of. With catalogs
/// alone it is nothing. The file is read before anybody is asked.
pub(crate) async fn known(
    facts: &CatalogFacts,
    file: Option<&str>,
    namespace: &str,
) -> Result<(ResolverConnection, Known), Failure> {
    if let Some(file) = file {
        let operators = file::read(file)?;
        return Ok((facts.connect().await?, Known::Operators(operators)));
    }
    if facts.are_only_catalogs() {
        return Ok((facts.connect().await?, Known::Operators(Vec::new())));
    }
    let (resolver, source) = facts.connect_with_installed(None).await?;
    let known = match source {
        Source::World(world) => Known::Operators(in_world(&world, namespace).await?),
        Source::Server(health) => Known::ByServer(health),
    };
    Ok((resolver, known))
}

async fn in_world(world: &AnyWorld, namespace: &str) -> Result<Vec<InstalledOperator>, Failure> {
    let told = Told::installed_in(world, namespace).await?;
    let operators = file::operators(&told);
    operators.map_err(|(key, why)| Failure::taught(format!("{key}: {why}{}", told::OTHERWISE)))
}
