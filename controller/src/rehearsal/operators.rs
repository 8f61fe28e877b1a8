//! The dry run of Operators.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_operators as operators;
use portolan_operators::{Home, Rehearsed};
use portolan_world::{AnyWorld, Ended};

use super::Proposed;
use crate::ask::{Connections, OperatorCatalogs};

/// The settings of a dry run of Operators. The decisions are the same as those of a controller with
/// the corresponding flags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorTerms {
    /// The namespace of the InstallPlans of Operators.
    pub namespace: String,
    /// The ServiceAccount in this namespace with whose permissions Operators are installed.
    pub installer: String,
    /// The namespaces whose CatalogSources may be used.
    pub catalog_namespaces: BTreeSet<String>,
}

/// A dry run of all Operators. Decisions are made again after each relevant change, but not
/// executed.
#[derive(Debug)]
pub struct OperatorRehearsal(operators::Rehearsal<OperatorCatalogs>);

impl OperatorRehearsal {
    /// Starts a dry run of all Operators in a proposed world.
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

    /// Returns the result for each Operator, sorted by name.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled(&mut self) -> Result<Vec<Rehearsed>, Ended> {
        self.0.settled().await
    }

    /// Returns the result for the Operators with these names, sorted by name. Other Operators are
    /// only facts for the decisions.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    pub async fn settled_for(&mut self, names: &BTreeSet<String>) -> Result<Vec<Rehearsed>, Ended> {
        self.0.settled_for(|name| names.contains(name)).await
    }

    /// Returns the reason why the Operators cannot be read. Returns None if they can be read.
    pub fn unseen(&self) -> Option<String> {
        self.0.unseen()
    }

    /// Waits until the result for an Operator may have changed.
    ///
    /// # Errors
    /// Returns an error if the world has ended.
    ///
    /// # Cancel safety
    /// This method is cancel safe. No changes are lost if the future is dropped early.
    pub async fn changed(&mut self) -> Result<(), Ended> {
        self.0.changed().await
    }
}
