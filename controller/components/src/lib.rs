//! The controller of Operators v2alpha1. It watches the objects with OLM's component labels, which
//! assign objects to operators. The crate `core/kinds/components` makes the decisions. The
//! controller writes the result for each Operator to an annotation of the stored object.
//!
//! ```text
//! metadata of Operators, of all kinds of components,   ComponentCache -- ComponentSnapshot --> ComponentReconciler
//! of the definition                                --->    ^                                      |     |
//!                                                          |  kinds of definitions, objects       |     +--> writes
//!                                                          +--- that are waited for --------------+
//!                                     Catalogs <---- what a decision asks for ----------------------+
//! ```
//!
//! The controller also adds version v2alpha1 to the CRD of OLM, or removes this version. The
//! webhook converts objects between versions. This crate does not depend on the webhook, because it
//! reads and writes all objects in OLM's version.
//!
//! # When it reconciles
//!
//! The controller reconciles when an Operator, a component, the CRD, a Subscription or a catalog
//! changes. If the process creates Installs, the controller also reconciles when an Install or a
//! ClusterServiceVersion changes. The controller does not poll. If the watch of a kind is denied,
//! the controller tries to open the watch again from time to time.
//!
//! # What it costs
//!
//! The controller has one watch for each kind, regardless of the number of operators. It keeps the
//! metadata of all objects of these kinds in memory. If the status of an Operator shows the
//! conditions of a component, each version of this component is read once.

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

/// Answers queries about catalogs.
pub trait Catalogs: std::fmt::Debug + Send + Sync + 'static {
    /// Waits until an answer may have changed. Only one task may call this method at a time.
    ///
    /// # Cancel safety
    /// This method is cancel safe. No changes are lost if the future is dropped early.
    fn changed(&self) -> impl Future<Output = ()> + Send;

    /// Returns the answer of the catalogs about an installed bundle.
    fn answer(&self, question: &Question) -> impl Future<Output = Answer> + Send;

    /// Returns the data of the catalogs that determine the content of an Install.
    fn content(&self, ask: &Ask) -> impl Future<Output = ContentAnswer> + Send;
}
