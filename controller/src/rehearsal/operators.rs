//! The dry run of Operators.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_operators as operators;
use portolan_operators::{Home, Rehearsed};
use portolan_world::{AnyWorld, Ended};

use super::Proposed;
use crate::ask::{Connections, OperatorCatalogs};

/// The terms under which Operators are rehearsed: as a controller with these flags would carry them
/// out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorTerms {
    /// The namespace of plans of Operators that name no ServiceAccount.
    pub namespace: String,
    /// The ServiceAccount of that namespace as which they are installed.
    pub installer: String,
    /// The namespaces whose CatalogSources count.
    pub catalog_namespaces: BTreeSet<String>,
}

/// Operators whose decisions are recomputed on each relevant change, without carrying them out.
#[derive(Debug)]
pub struct OperatorRehearsal(operators::Rehearsal<OperatorCatalogs>);

impl OperatorRehearsal {
    /// Rehearses all Operators of a world as it would be from now on.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(world: &Proposed<AnyWorld>, services: Connections, terms: OperatorTerms) -> Self {
        let catalogs = OperatorCatalogs::over(services, terms.catalog_namespaces);
        let catalogs = catalogs.asked_once();
        let home = Home {
            namespace: terms.namespace,
            service_account: terms.installer,
            version: env!("CARGO_PKG_VERSION"),
        };
        let worlds = (world, world.under());
        Self(operators::Rehearsal::of(worlds, Arc::new(catalogs), home))
    }

    /// Returns what would become of each Operator, by name.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled(&mut self) -> Result<Vec<Rehearsed>, Ended> {
        self.0.settled().await
    }

    /// Returns the reason why the Operators are unknown, if they are.
    pub fn unseen(&self) -> Option<String> {
        self.0.unseen()
    }

    /// Waits until the result for some Operator may change.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    ///
    /// # Cancel safety
    /// This method is cancel safe: dropping the future early loses nothing.
    pub async fn changed(&mut self) -> Result<(), Ended> {
        self.0.changed().await
    }
}
