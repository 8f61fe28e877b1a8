//! The contracts of Portolan's services, as Rust.
//!
//! Everything in here is generated from `proto/portolan` by `cargo run -p portolan-proto-generate`
//! and checked in; nobody needs protoc to build. The messages serialize to canonical protobuf
//! JSON with defaults emitted, which is what every `-o json` of the command line prints.
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

/// The resolver: which upgrades the catalogs offer.
pub mod resolver {
    /// Version 1 of the contract.
    pub mod v1 {
        include!("gen/portolan.resolver.v1.rs");
        include!("gen/portolan.resolver.v1.serde.rs");
    }
}

/// The encoded descriptors of all contracts and of what they import, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!("gen/descriptors.binpb");
