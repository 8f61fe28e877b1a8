//! The installed operators, with the APIs that they provide and require. Queries about several
//! operators need them.

mod file;
mod olm_objects;

use std::collections::BTreeMap;

use portolan_api::inventory::{self, Manager};
use portolan_proto::resolver::v1::InstalledOperator;
use portolan_world::AnyWorld;

pub(crate) use self::file::read_bytes;
pub(crate) use self::olm_objects::OlmObjects;
use crate::facts::{CatalogArgs, HealthConnection, ResolverConnection};
use crate::failure::Failure;
use crate::subscribed::{self, InstalledEntry, Source};

/// The installed operators, or a server that can list them.
pub(crate) enum InstalledSource {
    Operators(Vec<InstalledOperator>),
    /// A server that lists installed operators with their name, package and version. Other
    /// properties come from the catalogs.
    ByServer(HealthConnection),
}

/// Returns the resolver and the installed operators.
///
/// The operators come from `file`, or else from the data source. A source with only catalogs has no
/// installed operators. The file is read before any service is called.
pub(crate) async fn read_installed(
    facts: &CatalogArgs,
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
        Source::World(world, _) => InstalledSource::Operators(in_world(&world, namespace).await?),
        Source::Server(health) => InstalledSource::ByServer(health),
    };
    Ok((resolver, known))
}

async fn in_world(world: &AnyWorld, namespace: &str) -> Result<Vec<InstalledOperator>, Failure> {
    let told = OlmObjects::installed_in(world, namespace).await?;
    let mut operators = file::operators(&told)
        .map_err(|(key, why)| Failure::usage(format!("{key}: {why}{}", olm_objects::OTHERWISE)))?;
    let inventory = subscribed::inventory(world, namespace).await;
    for other in inventory.within(namespace) {
        let is_new = !operators.iter().any(|it| it.name == other.bundle);
        if other.manager != Manager::Olm && !other.bundle.is_empty() && is_new {
            operators.push(described_by_catalogs(other));
        }
    }
    operators.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(operators)
}

/// Converts an operator that OLM v0 does not manage. Its provided and required APIs are not listed
/// here, because they come from the catalogs.
fn described_by_catalogs(operator: &inventory::InstalledOperator) -> InstalledOperator {
    InstalledOperator {
        name: operator.bundle.clone(),
        version: operator.version.clone(),
        package: operator.package.clone(),
        ..InstalledOperator::default()
    }
}

/// Converts the operators that a server lists. A bundle that is installed in several namespaces is
/// listed once.
pub(crate) fn of_server(all: Vec<InstalledEntry>) -> Vec<InstalledOperator> {
    let operators = all.into_iter().map(|installed| {
        let start = installed.start;
        let operator = InstalledOperator {
            name: start.bundle.clone(),
            version: start.version,
            package: start.package,
            ..InstalledOperator::default()
        };
        (start.bundle, operator)
    });
    let operators: BTreeMap<_, _> = operators.collect();
    operators.into_values().collect()
}
