//! The controller of Operators v2alpha1. It watches the objects with OLM's labels of operators,
//! gets decisions from `core/kinds/components`, and writes the result for each Operator to an
//! annotation of the stored object.
//!
//! ```text
//! metadata of Operators, of all kinds of components,   ComponentCache -- ComponentSnapshot --> ComponentReconciler
//! of the definition                                --->    ^                                      |     |
//!                                                          |  kinds of definitions, objects       |     +--> writes
//!                                                          +--- that are waited for --------------+
//!                                     Catalogs <---- what a decision asks for ----------------------+
//! ```
//!
//! The controller also adds version v2alpha1 to the CRD of OLM, or removes it again. `portolan
//! webhook` converts objects, but this crate does not depend on it, because it reads and writes
//! everything in the version of OLM.
//!
//! # When it reconciles
//!
//! The controller reconciles when an Operator, a component, the CRD, a Subscription or a catalog
//! changes. If Installs are created, it also reconciles when an Install or a ClusterServiceVersion
//! changes. The controller does not poll. It only retries the watch of a kind from time to time if
//! the watch is denied.
//!
//! # What it costs
//!
//! The controller needs one watch for each kind, regardless of the number of operators, and keeps
//! the metadata of all objects of these kinds in memory. If the status shows the conditions of an
//! object, each version of the object is read once.

mod cache;
mod client;
mod definition;
mod fleet;
mod index;
mod readings;
mod reconcile;
mod watched;
mod writes;

pub use cache::{ComponentCache, ComponentReport, ComponentSnapshot};
pub use client::{AssociationClient, NotAssociated};
pub use portolan_core_components::{
    Answer, Ask, Association, Bundle, CatalogFacts, ContentAnswer, ConversionService, Csv,
    PermittedUpdate, ProvidedApi, Question, Resident, ResidentFacts, Stored, Subscription,
    Traveler, UpdateRoute, WantedDefinition, WantedPackage, associated_with, brought,
};
pub use reconcile::ComponentReconciler;

/// The source of knowledge about the catalogs.
pub trait Catalogs: std::fmt::Debug + Send + Sync + 'static {
    /// Waits until a result may have changed. Only one task may wait.
    ///
    /// # Cancel safety
    /// This method is cancel safe. No changes are lost if the future is dropped early.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns the answer of a catalog about an installed bundle.
    fn answer(&self, question: &Question) -> impl Future<Output = Answer> + Send;

    /// Returns the catalogs' result for the content of an Install.
    fn content(&self, ask: &Ask) -> impl Future<Output = ContentAnswer> + Send;
}
