//! The gRPC APIs of Portolan's services, as Rust.
//!
//! Code is generated from `proto/portolan` by `cargo run --example generate` and checked in, except
//! the module `script`. Building it does not require protoc. The messages serialize to canonical protobuf JSON with
//! defaults emitted, which every `-o json` of the command line prints. [`registry`] is the API of
//! another project. It is generated from `proto/operators` and has no JSON form.
//!
//! The `wire` module of each service converts these types. No core type has one as a field.

#![expect(
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code follows the generators' taste"
)]

mod script;

/// Types that all services share: observed objects and reasons.
pub mod basis {
    /// Version 1 of the API.
    pub mod v1 {
        include!("gen/portolan.basis.v1.rs");
        include!("gen/portolan.basis.v1.serde.rs");
    }
}

/// The Approval service: reviews of InstallPlans and upgrades by policies.
pub mod approval {
    /// Version 1 of the API.
    pub mod v1 {
        include!("gen/portolan.approval.v1.rs");
        include!("gen/portolan.approval.v1.serde.rs");
    }
}

/// The Resolver service: catalogs, upgrades and dependencies of operators.
pub mod resolver {
    /// Version 1 of the API.
    pub mod v1 {
        include!("gen/portolan.resolver.v1.rs");
        include!("gen/portolan.resolver.v1.serde.rs");
    }
}

/// The Health service: the health of operators and their catalogs.
pub mod health {
    /// Version 1 of the API.
    pub mod v1 {
        include!("gen/portolan.health.v1.rs");
        include!("gen/portolan.health.v1.serde.rs");
    }
}

/// The Diagnosis service: the cause of each problem, the object at fault, and the fix.
pub mod diagnosis {
    /// Version 1 of the API.
    pub mod v1 {
        include!("gen/portolan.diagnosis.v1.rs");
        include!("gen/portolan.diagnosis.v1.serde.rs");
    }
}

/// The API of operator registries: `opm serve`, and the Pods that OLM runs for its catalogs.
pub mod registry {
    include!("gen/api.rs");
}

/// The encoded descriptors of all Portolan services and of their imports, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptors.binpb");
