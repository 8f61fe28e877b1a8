//! Parses operator bundles (registry+v1), validates them, and renders the manifests that install
//! them.
//!
//! ```text
//! layers of an image --\
//! files of a folder ----> Folder -> Bundle     the parsed files, or all their faults
//!                                     |
//!                                     +-> validate   defects that OLM v1 or an API server rejects
//!                                     +-> render     the manifests, or all obstacles
//!                                           |
//!                                           +-> permissions   granted and required permissions
//!                                           +-> difference    the effects of an upgrade
//! ```
//!
//! The crate parses bundles like OLM v1: it converts YAML 1.1 to JSON, and JSON to the types of
//! OLM. It drops and reports unknown fields. It reports all faults at once, each with file and
//! line. It renders manifests like OLM v1, and adds features of OLM v0 on which operators and users
//! rely. [`Options::of_olm_v1`] renders exactly like OLM v1.
//!
//! The crate differs from OLM v1 if an API server would reject the result of OLM v1 ([`Oddities`]).
//! The crate identifies kinds by group and kind, and not by the kind alone. It keeps quantities
//! unchanged, and follows no links.
//!
//! The crate does no I/O. It does not check whether an object exists, which user may create an
//! object, or whether a certificate is valid. It creates no private keys. If webhooks need a
//! private key, the manifests contain the name of its Secret ([`certificates`]).
//!
//! ```
//! use portolan_core_bundle::{Bundle, Folder, Limits, Options, render, validate};
//!
//! let csv = "
//! apiVersion: operators.coreos.com/v1alpha1
//! kind: ClusterServiceVersion
//! metadata: {name: ferry.v1.0.0}
//! spec:
//!   version: 1.0.0
//!   installModes: [{type: AllNamespaces, supported: true}]
//!   install:
//!     spec:
//!       clusterPermissions:
//!       - serviceAccountName: ferryman
//!         rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]
//! ";
//! let annotations = "annotations: {operators.operatorframework.io.bundle.package.v1: ferry}";
//! let files = [("manifests/csv.yaml", csv), ("metadata/annotations.yaml", annotations)];
//! let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
//!
//! let limits = Limits::default();
//! let bundle = Bundle::read(Folder::of_files(files, &limits).unwrap(), &limits).unwrap();
//! assert_eq!(validate(&bundle)[0].to_string(), "manifests/csv.yaml:2: \
//!     the ClusterServiceVersion has no deployment, so nothing will run");
//!
//! let manifests = render(&bundle, &Options::new("ferries")).unwrap();
//! assert_eq!(manifests[0].identity().to_string(), "ServiceAccount ferries/ferryman");
//! ```

#![warn(clippy::wildcard_enum_match_arm)]

mod bundle;
mod csv;
mod difference;
mod fault;
mod folder;
mod go;
mod json;
mod object;
mod permissions;
mod read;
mod removed;
mod render;
mod typed;
mod validate;

pub use bundle::{Api, Bundle, PACKAGE};
pub use difference::{
    Break, Difference, Migration, Release, Versions, applied, breaks, breaks_on_cluster,
    difference, fill_in_schemas, images, lacks_schemas, manifest_images, migration,
};
pub use fault::{BundleFault, Code, Severity};
pub use folder::{Below, Content, Entry, Folder, Layer, Limits, below};
pub use object::Title;
pub use permissions::{Beyond, Extent, Grant, Permission, Permissions, Rule, permissions};
pub use portolan_core_catalog::Property;
pub use render::{
    Additions, Certificate, Certificates, Config, Manifest, Oddities, Options, Proxy,
    RenderRefusal, Targets, certificates, cluster_service_version, namespace, render,
};
pub use validate::validate;
