//! The architecture as a table: which crate may depend on which, and what the pure ones may use.
//!
//! `tests/workspace.rs` holds the workspace against it. A new edge is a line here and a line in
//! an ADR; an edge that is gone leaves the table too.

mod files;

pub use files::unreached;

/// Every crate of the workspace with the crates of the workspace that it is built on. Tests
/// (dev-dependencies) may use [`TEST_TOOLS`] besides.
pub const EDGES: &[(&str, &[&str])] = &[
    // Contracts.
    ("portolan-proto", &[]),
    ("portolan-proto-generate", &[]),
    // Pure.
    ("portolan-names", &[]),
    ("portolan-catalog", &["portolan-names"]),
    ("portolan-core-approval", &["portolan-names"]),
    (
        "portolan-core-diagnose",
        &[
            "portolan-catalog",
            "portolan-core-approval",
            "portolan-core-health",
            "portolan-graph",
            "portolan-names",
            "portolan-olm-v0",
        ],
    ),
    ("portolan-core-health", &["portolan-names"]),
    ("portolan-graph", &["portolan-catalog", "portolan-names"]),
    ("portolan-olm-v0", &["portolan-catalog", "portolan-names"]),
    ("portolan-olm", &[]),
    (
        "portolan-resolve",
        &["portolan-catalog", "portolan-graph", "portolan-names"],
    ),
    // What people write.
    ("portolan-api", &["portolan-names"]),
    (
        "portolan-decide",
        &["portolan-api", "portolan-names", "portolan-olm"],
    ),
    // Shells.
    (
        "portolan-approval",
        &[
            "portolan-api",
            "portolan-core-approval",
            "portolan-guard",
            "portolan-names",
            "portolan-olm",
            "portolan-proto",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-diagnosis",
        &[
            "portolan-approval",
            "portolan-catalog",
            "portolan-core-approval",
            "portolan-core-diagnose",
            "portolan-core-health",
            "portolan-guard",
            "portolan-health",
            "portolan-names",
            "portolan-olm",
            "portolan-olm-v0",
            "portolan-proto",
            "portolan-resolver",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-health",
        &[
            "portolan-core-health",
            "portolan-guard",
            "portolan-names",
            "portolan-olm",
            "portolan-proto",
            "portolan-registry",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    ("portolan-guard", &["portolan-shell", "portolan-world"]),
    ("portolan-registry", &[]),
    ("portolan-settle", &[]),
    ("portolan-shell", &[]),
    (
        "portolan-world",
        &[
            "portolan-api",
            "portolan-olm",
            "portolan-registry",
            "portolan-settle",
        ],
    ),
    (
        "portolan-resolver",
        &[
            "portolan-catalog",
            "portolan-graph",
            "portolan-guard",
            "portolan-names",
            "portolan-olm",
            "portolan-olm-v0",
            "portolan-proto",
            "portolan-registry",
            "portolan-resolve",
            "portolan-settle",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-controller",
        &[
            "portolan-api",
            "portolan-decide",
            "portolan-names",
            "portolan-olm",
            "portolan-proto",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    // Programs.
    (
        "portolan",
        &[
            "portolan-api",
            "portolan-approval",
            "portolan-controller",
            "portolan-diagnosis",
            "portolan-health",
            "portolan-names",
            "portolan-olm",
            "portolan-proto",
            "portolan-resolver",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    // Tests.
    ("portolan-kit", &[]),
    ("portolan-stage", &["portolan-kit", "portolan-world"]),
    ("portolan-rig", &[]),
    ("portolan-cluster", &["portolan-rig"]),
    ("portolan-contract", &["portolan-proto", "portolan-shell"]),
    ("portolan-layers", &[]),
    (
        "portolan-peers",
        &[
            "portolan-catalog",
            "portolan-graph",
            "portolan-kit",
            "portolan-names",
            "portolan-proto",
            "portolan-resolve",
            "portolan-rig",
        ],
    ),
];

/// What tests of any crate may use.
pub const TEST_TOOLS: &[&str] = &["portolan-kit", "portolan-rig", "portolan-stage"];

/// The folder of the pure crates, and the only crates from outside that they are built on.
pub const PURE: (&str, &[&str]) = (
    "services/core/",
    &[
        "base64",
        "batsat",
        "cel",
        "granit-parser",
        "memchr",
        "petgraph",
        "semver",
        "serde",
        "serde_json",
        "sha2",
        "strsim",
        "thiserror",
    ],
);

/// Crates that talk to a cluster, and the folders that may.
pub const CLUSTER: (&[&str], &[&str]) = (
    &["kube", "kube-client", "kube-runtime"],
    &[
        "controller/",
        "services/guard/",
        "services/world/",
        "tests/",
    ],
);

/// Crates that know what objects look like and talk to nobody, and the folders that may as well.
pub const OBJECTS: (&[&str], &[&str]) = (
    &["k8s-openapi", "kube-core", "kube-derive"],
    &[
        "controller/",
        "services/guard/",
        "services/olm/",
        "services/world/",
        "tests/",
    ],
);
