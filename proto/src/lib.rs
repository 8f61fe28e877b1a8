//! The contracts of Portolan's services, as Rust.
//!
//! Everything in here is generated from `proto/portolan` by `cargo run --example generate`
//! and checked in; nobody needs protoc to build. The messages serialize to canonical protobuf
//! JSON with defaults emitted, which is what every `-o json` of the command line prints. The one
//! contract of somebody else, [`registry`], is from `proto/operators`; it has no JSON form.
//!
//! Contract types stop at the `wire` module of a service: no core type has one as a field.

#![expect(
    clippy::all,
    clippy::allow_attributes_without_reason,
    reason = "generated code follows the generators' taste"
)]

/// What every answer stands on: observed things and reasons.
pub mod basis {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.basis.v1.rs");
        include!("gen/portolan.basis.v1.serde.rs");
    }
}

/// Approval: which InstallPlans the policies of a cluster allow.
pub mod approval {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.approval.v1.rs");
        include!("gen/portolan.approval.v1.serde.rs");
    }
}

/// The resolver: which upgrades the catalogs offer.
pub mod resolver {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.resolver.v1.rs");
        include!("gen/portolan.resolver.v1.serde.rs");
    }
}

/// Health: whether operators and their catalogs do their work.
pub mod health {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.health.v1.rs");
        include!("gen/portolan.health.v1.serde.rs");
    }
}

/// Diagnosis: what is wrong with operators, who is to blame, and what to do.
pub mod diagnosis {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.diagnosis.v1.rs");
        include!("gen/portolan.diagnosis.v1.serde.rs");
    }
}

/// The registries of operators, whose contract is not ours: what `opm serve` and the pods of OLM's
/// catalogs answer.
pub mod registry {
    include!("gen/api.rs");
}

/// The encoded descriptors of all our contracts and of what they import, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptors.binpb");
