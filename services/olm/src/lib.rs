//! The objects that Portolan reads, as far as it reads them.
//!
//! A struct holds the fields of its kind that are used and no others; what else an object has is
//! skipped, and what it lacks is empty, so that older and newer versions of OLM read alike. A
//! field of another type than it should be costs itself and nothing more: [`read`] leaves it out
//! and says so.
//!
//! The crate knows what fields mean, such as where the registry of a [`CatalogSource`] answers. It
//! knows no client and no files: `services/world` brings objects in.
//!
//! ```
//! use portolan_olm::{CatalogSource, read};
//!
//! let shop = r#"{
//!     "metadata": {"name": "shop", "namespace": "olm"},
//!     "spec": {"sourceType": "grpc", "address": "10.0.0.7:50051", "priority": "high"}
//! }"#;
//! let (shop, faults) = read::<CatalogSource>(shop)?;
//! assert_eq!(shop.address().as_deref(), Ok("10.0.0.7:50051"));
//! assert_eq!(shop.spec.priority, 0);
//! assert_eq!(faults[0].field, "spec.priority");
//! # Ok::<_, portolan_olm::Unreadable>(())
//! ```

mod catalog_source;
mod cluster_catalog;
mod cluster_service_version;
mod condition;
mod identity;
mod operator;
mod operator_group;
mod properties;
mod reading;
mod resource;
mod subscription;

pub use catalog_source::{
    CatalogSource, CatalogSourceSpec, CatalogSourceStatus, ConnectionState, NoAddress,
    RegistryService, RegistryState, SourceType,
};
pub use cluster_catalog::{
    Availability, CatalogImage, CatalogImageSource, CatalogUrls, ClusterCatalog,
    ClusterCatalogSpec, ClusterCatalogStatus, NotServed,
};
pub use cluster_service_version::{
    ClusterServiceVersion, ClusterServiceVersionSpec, ClusterServiceVersionStatus, CustomResource,
    Described, ServedApi,
};
pub use condition::Condition;
pub use identity::Identity;
pub use operator::{Api, Operator, Property, RequiredPackage, Requires};
pub use operator_group::{OperatorGroup, OperatorGroupSpec, UpgradeStrategy};
pub use reading::{Fault, Unreadable, read, read_value};
pub use subscription::{
    Approval, InstallPlanRef, Subscription, SubscriptionSpec, SubscriptionStatus,
};
