//! The architecture as a table: the allowed dependencies of each crate, and the external crates
//! that pure crates may use.
//!
//! `tests/workspace.rs` compares the workspace with this table. A new dependency needs a line here
//! and a line in an ADR. If a dependency is removed, its line must be removed too.

mod files;
pub mod kept_by;
pub mod site;

pub use files::{files_with, sources, unreached};

/// The crates of the workspace. Each crate has the list of workspace crates that it may depend on.
/// Its tests (dev-dependencies) may also use [`TEST_TOOLS`].
pub const EDGES: &[(&str, &[&str])] = &[
    // The crates with the gRPC contracts.
    ("portolan-proto", &[]),
    // The pure crates.
    ("portolan-core-names", &[]),
    ("portolan-core-rules", &["portolan-core-names"]),
    ("portolan-core-templates", &["portolan-api"]),
    ("portolan-core-console", &["portolan-core-names"]),
    (
        "portolan-core-catalog",
        &["portolan-core-names", "portolan-core-rules"],
    ),
    (
        "portolan-core-bundle",
        &[
            "portolan-core-catalog",
            "portolan-core-certificate",
            "portolan-core-names",
        ],
    ),
    ("portolan-core-certificate", &[]),
    (
        "portolan-core-components",
        &["portolan-api", "portolan-core-names", "portolan-core-olm"],
    ),
    (
        "portolan-core-approval",
        &[
            "portolan-api",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-rules",
        ],
    ),
    (
        "portolan-core-diagnosis",
        &[
            "portolan-api",
            "portolan-core-catalog",
            "portolan-core-approval",
            "portolan-core-health",
            "portolan-core-graph",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-forecast",
        ],
    ),
    (
        "portolan-core-health",
        &["portolan-api", "portolan-core-names", "portolan-core-olm"],
    ),
    (
        "portolan-core-graph",
        &["portolan-core-catalog", "portolan-core-names"],
    ),
    (
        "portolan-core-forecast",
        &[
            "portolan-core-catalog",
            "portolan-core-names",
            "portolan-core-olm",
        ],
    ),
    (
        "portolan-core-olm",
        &["portolan-core-catalog", "portolan-core-names"],
    ),
    (
        "portolan-core-solver",
        &[
            "portolan-core-catalog",
            "portolan-core-graph",
            "portolan-core-names",
        ],
    ),
    (
        "portolan-core-route",
        &[
            "portolan-core-catalog",
            "portolan-core-graph",
            "portolan-core-names",
            "portolan-core-solver",
        ],
    ),
    // The crates with the texts and objects that users write.
    (
        "portolan-api",
        &[
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-rules",
        ],
    ),
    (
        "portolan-core-install",
        &[
            "portolan-api",
            "portolan-core-health",
            "portolan-core-names",
            "portolan-core-olm",
        ],
    ),
    (
        "portolan-core-grants",
        &[
            "portolan-api",
            "portolan-core-install",
            "portolan-core-names",
        ],
    ),
    (
        "portolan-core-installed",
        &["portolan-api", "portolan-core-install", "portolan-core-olm"],
    ),
    (
        "portolan-core-operator",
        &[
            "portolan-api",
            "portolan-core-approval",
            "portolan-core-bundle",
            "portolan-core-certificate",
            "portolan-core-install",
            "portolan-core-names",
            "portolan-core-olm",
        ],
    ),
    (
        "portolan-core-generate",
        &[
            "portolan-api",
            "portolan-core-names",
            "portolan-core-operator",
        ],
    ),
    (
        "portolan-core-operatorpolicy",
        &["portolan-api", "portolan-core-names", "portolan-core-olm"],
    ),
    // The shell crates.
    (
        "portolan-approval",
        &[
            "portolan-api",
            "portolan-core-approval",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-rules",
            "portolan-proto",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-diagnosis",
        &[
            "portolan-api",
            "portolan-approval",
            "portolan-core-approval",
            "portolan-core-catalog",
            "portolan-core-diagnosis",
            "portolan-core-forecast",
            "portolan-core-health",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-health",
            "portolan-proto",
            "portolan-resolver",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-health",
        &[
            "portolan-api",
            "portolan-core-health",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-proto",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    ("portolan-scaffold", &["portolan-shell", "portolan-world"]),
    (
        "portolan-images",
        &[
            "portolan-core-bundle",
            "portolan-core-names",
            "portolan-shell",
        ],
    ),
    ("portolan-shell", &[]),
    (
        "portolan-world",
        &[
            "portolan-api",
            "portolan-core-install",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-templates",
            "portolan-shell",
        ],
    ),
    (
        "portolan-resolver",
        &[
            "portolan-core-bundle",
            "portolan-core-catalog",
            "portolan-core-forecast",
            "portolan-core-generate",
            "portolan-core-graph",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-operator",
            "portolan-core-route",
            "portolan-core-solver",
            "portolan-images",
            "portolan-proto",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-runtime",
        &[
            "portolan-api",
            "portolan-core-certificate",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-plans",
        &[
            "portolan-api",
            "portolan-core-grants",
            "portolan-core-install",
            "portolan-core-olm",
            "portolan-runtime",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-operators",
        &[
            "portolan-api",
            "portolan-core-approval",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-operator",
            "portolan-runtime",
            "portolan-world",
        ],
    ),
    (
        "portolan-components",
        &[
            "portolan-api",
            "portolan-core-components",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-runtime",
            "portolan-world",
        ],
    ),
    (
        "portolan-apiserver",
        &[
            "portolan-api",
            "portolan-core-certificate",
            "portolan-core-installed",
            "portolan-core-olm",
            "portolan-runtime",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-webhook",
        &[
            "portolan-api",
            "portolan-core-certificate",
            "portolan-core-components",
            "portolan-core-grants",
            "portolan-core-install",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-templates",
            "portolan-runtime",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-console",
        &[
            "portolan-api",
            "portolan-core-bundle",
            "portolan-core-console",
            "portolan-core-generate",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-rules",
            "portolan-operators",
            "portolan-proto",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-updater",
        &[
            "portolan-api",
            "portolan-core-generate",
            "portolan-core-names",
            "portolan-proto",
            "portolan-runtime",
            "portolan-shell",
            "portolan-world",
        ],
    ),
    (
        "portolan-controller",
        &[
            "portolan-api",
            "portolan-components",
            "portolan-core-approval",
            "portolan-core-bundle",
            "portolan-core-certificate",
            "portolan-core-components",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-operator",
            "portolan-core-operatorpolicy",
            "portolan-operators",
            "portolan-plans",
            "portolan-proto",
            "portolan-runtime",
            "portolan-shell",
            "portolan-webhook",
            "portolan-world",
        ],
    ),
    // The programs.
    (
        "portolan",
        &[
            "portolan-api",
            "portolan-apiserver",
            "portolan-approval",
            "portolan-components",
            "portolan-console",
            "portolan-controller",
            "portolan-core-approval",
            "portolan-core-bundle",
            "portolan-core-catalog",
            "portolan-core-console",
            "portolan-core-diagnosis",
            "portolan-core-generate",
            "portolan-core-graph",
            "portolan-core-install",
            "portolan-core-installed",
            "portolan-core-names",
            "portolan-core-olm",
            "portolan-core-route",
            "portolan-core-rules",
            "portolan-diagnosis",
            "portolan-health",
            "portolan-operators",
            "portolan-plans",
            "portolan-proto",
            "portolan-resolver",
            "portolan-scaffold",
            "portolan-shell",
            "portolan-updater",
            "portolan-webhook",
            "portolan-world",
        ],
    ),
    // The test tools.
    ("portolan-kit", &[]),
    ("portolan-stage", &["portolan-kit", "portolan-world"]),
    ("portolan-rig", &[]),
    ("portolan-cluster", &["portolan-rig"]),
    ("portolan-test-operator", &[]),
    ("portolan-contract", &["portolan-proto", "portolan-shell"]),
    ("portolan-layers", &[]),
    (
        "portolan-peers",
        &[
            "portolan-core-catalog",
            "portolan-core-graph",
            "portolan-kit",
            "portolan-core-names",
            "portolan-proto",
            "portolan-core-solver",
            "portolan-rig",
        ],
    ),
];

/// The crates with tools that the tests of each crate may use.
pub const TEST_TOOLS: &[&str] = &["portolan-kit", "portolan-rig", "portolan-stage"];

/// The maximum number of crates outside of `tests/`. If only one crate uses some code, this code
/// must be a module of that crate (ADR 26).
pub const MOST_CRATES: usize = 42;

/// The folder of the pure crates, and the external crates that they may use. The only Kubernetes
/// crates in this list are those that contain just types.
pub const PURE: (&str, &[&str]) = (
    "core/",
    &[
        "base64",
        "batsat",
        "cel",
        "croner",
        "flate2",
        "granit-parser",
        "jiff",
        "k8s-openapi",
        "kube-core",
        "kube-derive",
        "memchr",
        "petgraph",
        "regex",
        "regorus",
        "ruzstd",
        "schemars",
        "semver",
        "serde",
        "serde-saphyr",
        "serde_json",
        "sha1",
        "sha2",
        "strsim",
        "thiserror",
    ],
);

/// Modules of shell crates that must be as pure as the crates of [`PURE`]. Each entry is the folder
/// of the crate and the name of the module.
pub const PURE_MODULES: &[(&str, &str)] = &[("controller/webhook/", "admission")];

/// The groups of crates. The first group is the most basic group. A crate depends only on crates of
/// its own group and of earlier groups. Tests may use all crates.
pub const GROUPS: &[&str] = &[
    "core/base/",
    "core/questions/",
    "core/kinds/",
    "core/views/",
    "proto/",
    "services/",
    "controller/",
    "cli/",
];

/// Crates that send requests to a cluster, and the only folders whose crates may use them.
pub const CLUSTER: (&[&str], &[&str]) = (
    &["kube", "kube-client", "kube-runtime"],
    &[
        "controller/",
        "services/scaffold/",
        "services/world/",
        "tests/",
    ],
);

/// Crates with the types of Kubernetes objects. They send no requests. The folders in this list may
/// use them, in addition to the folders of [`CLUSTER`].
pub const OBJECTS: (&[&str], &[&str]) = (
    &["k8s-openapi", "kube-core", "kube-derive"],
    &[
        "controller/",
        "core/base/api/",
        "core/base/bundle/",
        "core/base/olm/",
        "core/kinds/generate/",
        "core/kinds/grants/",
        "core/kinds/install/",
        "core/kinds/operator/",
        "core/kinds/operatorpolicy/",
        "core/questions/approval/",
        "core/questions/diagnosis/",
        "core/questions/health/",
        "core/views/installed/",
        "services/scaffold/",
        "services/world/",
        "tests/",
    ],
);
