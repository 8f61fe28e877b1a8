//! What is installed, with all that it provides and requires: for questions about several operators
//! at once.

mod file;
mod olm_objects;

use portolan_proto::resolver::v1::InstalledOperator;
use portolan_world::AnyWorld;

pub(crate) use self::file::read_bytes;
pub(crate) use self::olm_objects::OlmObjects;
use crate::facts::{CatalogFacts, HealthConnection, ResolverConnection};
use crate::failure::Failure;
use crate::subscribed::Source;

/// What is installed, or who may say it.
pub(crate) enum InstalledSource {
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
) -> Result<(ResolverConnection, InstalledSource), Failure> {
    if let Some(file) = file {
        let operators = file::read(file)?;
        return Ok((
            facts.connect().await?,
            InstalledSource::Operators(operators),
        ));
    }
    if facts.are_only_catalogs() {
        return Ok((
            facts.connect().await?,
            InstalledSource::Operators(Vec::new()),
        ));
    }
    let (resolver, source) = facts.connect_with_installed(None).await?;
    let known = match source {
        Source::World(world) => InstalledSource::Operators(in_world(&world, namespace).await?),
        Source::Server(health) => InstalledSource::ByServer(health),
    };
    Ok((resolver, known))
}

async fn in_world(world: &AnyWorld, namespace: &str) -> Result<Vec<InstalledOperator>, Failure> {
    let told = OlmObjects::installed_in(world, namespace).await?;
    let operators = file::operators(&told);
    operators
        .map_err(|(key, why)| Failure::taught(format!("{key}: {why}{}", olm_objects::OTHERWISE)))
}
