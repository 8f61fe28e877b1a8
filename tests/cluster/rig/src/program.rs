//! The programs of the control plane. A Go module pins the version of each program, and there are
//! build flags.
//!
//! The text of the modules is part of this crate. Therefore all test binaries build the same
//! control plane on each machine, and the key of the cache changes if a pinned version changes.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// A Go module that pins the versions of programs, which are its tools.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: &'static str,
    pub(crate) go_mod: &'static str,
    pub(crate) go_sum: &'static str,
}

/// A program, identified by the name of its executable file.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) module: &'static Module,
    package: &'static str,
    tags: &'static str,
}

/// CRDs that a Go module contains in addition to its programs.
#[derive(Debug)]
pub(crate) struct Crds {
    pub(crate) module: &'static Module,
    /// The path of the Go module that contains the CRDs.
    pub(crate) path: &'static str,
    pub(crate) folder: &'static str,
}

const OLM_PATH: &str = "github.com/operator-framework/operator-lifecycle-manager";
const OLM_V1_PATH: &str = "github.com/operator-framework/operator-controller";

const KUBERNETES: Module = Module {
    name: "kubernetes",
    go_mod: include_str!("../go/kubernetes/go.mod"),
    go_sum: include_str!("../go/kubernetes/go.sum"),
};

const OLM: Module = Module {
    name: "olm",
    go_mod: include_str!("../go/olm/go.mod"),
    go_sum: include_str!("../go/olm/go.sum"),
};

const TOOLS: Module = Module {
    name: "tools",
    go_mod: include_str!("../go/tools/go.mod"),
    go_sum: include_str!("../go/tools/go.sum"),
};

const OLM_PODS: Module = Module {
    name: "olm-pods",
    go_mod: include_str!("../go/olm-pods/go.mod"),
    go_sum: include_str!("../go/olm-pods/go.sum"),
};

const CATALOGD: Module = Module {
    name: "catalogd",
    go_mod: include_str!("../go/catalogd/go.mod"),
    go_sum: include_str!("../go/catalogd/go.sum"),
};

const OPERATOR_CONTROLLER: Module = Module {
    name: "operator-controller",
    go_mod: include_str!("../go/operator-controller/go.mod"),
    go_sum: include_str!("../go/operator-controller/go.sum"),
};

const CONTAINERD: Module = Module {
    name: "containerd",
    go_mod: include_str!("../go/containerd/go.mod"),
    go_sum: include_str!("../go/containerd/go.sum"),
};

/// Programs that are built together, into one folder of the cache.
#[derive(Debug)]
pub(crate) struct Set {
    /// The beginning of the folder name.
    pub(crate) name: &'static str,
    /// The name of the programs in progress messages.
    pub(crate) called: &'static str,
    pub(crate) modules: &'static [&'static Module],
    /// The programs. The program whose build takes longest comes first.
    pub(crate) programs: &'static [Program],
    /// The CRDs that are copied into the subfolder `crds`.
    pub(crate) crds: &'static [Crds],
}

pub(crate) const CONTROL_PLANE: Set = Set {
    name: "rig",
    called: "the test control plane",
    modules: &[&KUBERNETES, &OLM, &TOOLS],
    programs: &PROGRAMS,
    crds: &[Crds {
        module: &OLM,
        path: OLM_PATH,
        folder: "deploy/chart/crds",
    }],
};

/// The programs that only a rig with a node needs.
pub(crate) const NODE: Set = Set {
    name: "node",
    called: "the test node",
    modules: &[&KUBERNETES, &CONTAINERD],
    programs: &[
        containerd(
            "containerd",
            "github.com/containerd/containerd/v2/cmd/containerd",
        ),
        kubernetes("kubelet", "k8s.io/kubernetes/cmd/kubelet"),
        kubernetes("kube-proxy", "k8s.io/kubernetes/cmd/kube-proxy"),
        // containerd expects this program in its own folder.
        containerd(
            "containerd-shim-runc-v2",
            "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
        ),
    ],
    crds: &[],
};

/// The programs that only a rig with OLM v1 needs. The two programs have different versions,
/// because the module proxy lacks a module that operator-controller requires since v1.6.
pub(crate) const OLM_V1: Set = Set {
    name: "olm-v1",
    called: "OLM v1",
    modules: &[&OPERATOR_CONTROLLER, &CATALOGD],
    programs: &[
        olm_v1(
            "operator-controller",
            &OPERATOR_CONTROLLER,
            "github.com/operator-framework/operator-controller/cmd/operator-controller",
        ),
        olm_v1(
            "catalogd",
            &CATALOGD,
            "github.com/operator-framework/operator-controller/cmd/catalogd",
        ),
    ],
    crds: &[
        Crds {
            module: &OPERATOR_CONTROLLER,
            path: OLM_V1_PATH,
            folder: "config/base/operator-controller/crd/bases",
        },
        Crds {
            module: &CATALOGD,
            path: OLM_V1_PATH,
            folder: "helm/olmv1/base/catalogd/crd/standard",
        },
    ],
};

/// The additional programs in the images of OLM. Only a rig with OLM as Pods needs them.
pub(crate) const OLM_IMAGES: Set = Set {
    name: "olm-pods",
    called: "OLM for Pods",
    modules: &[&OLM_PODS],
    programs: &[
        olm_pods(
            "package-server",
            "github.com/operator-framework/operator-lifecycle-manager/cmd/package-server",
        ),
        olm_pods(
            "cpb",
            "github.com/operator-framework/operator-lifecycle-manager/util/cpb",
        ),
        olm_pods(
            "grpc_health_probe",
            "github.com/grpc-ecosystem/grpc-health-probe",
        ),
        olm_pods(
            "copy-content",
            "github.com/operator-framework/operator-lifecycle-manager/cmd/copy-content",
        ),
    ],
    crds: &[],
};

const PROGRAMS: [Program; 10] = [
    kubernetes("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
    kubernetes(
        "kube-controller-manager",
        "k8s.io/kubernetes/cmd/kube-controller-manager",
    ),
    kubernetes("kube-scheduler", "k8s.io/kubernetes/cmd/kube-scheduler"),
    kubernetes("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
    kubernetes("etcd", "go.etcd.io/etcd/server/v3"),
    kubernetes("kwok", "sigs.k8s.io/kwok/cmd/kwok"),
    olm(
        "catalog",
        "github.com/operator-framework/operator-lifecycle-manager/cmd/catalog",
    ),
    olm(
        "olm",
        "github.com/operator-framework/operator-lifecycle-manager/cmd/olm",
    ),
    olm(
        "opm",
        "github.com/operator-framework/operator-registry/cmd/opm",
    ),
    Program {
        name: "grpcurl",
        module: &TOOLS,
        package: "github.com/fullstorydev/grpcurl/cmd/grpcurl",
        tags: "",
    },
];

const fn kubernetes(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        module: &KUBERNETES,
        package,
        tags: "",
    }
}

const fn olm(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        module: &OLM,
        package,
        // Without these tags, opm requires the C library gpgme and the JSON extension of sqlite.
        tags: "containers_image_openpgp,json1",
    }
}

const fn olm_v1(name: &'static str, module: &'static Module, package: &'static str) -> Program {
    Program {
        name,
        module,
        package,
        // Without this tag, the verification of image signatures requires the C library gpgme.
        tags: "containers_image_openpgp",
    }
}

const fn olm_pods(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        module: &OLM_PODS,
        package,
        tags: "",
    }
}

const fn containerd(name: &'static str, package: &'static str) -> Program {
    Program {
        name,
        module: &CONTAINERD,
        package,
        // These tags exclude storage drivers that no test uses, and that require C libraries or
        // tools.
        tags: "no_btrfs,no_zfs,no_devmapper,no_aufs",
    }
}

impl Program {
    /// Returns the flags for `go build`. The caller adds `-o` and the path.
    pub(crate) fn build_flags(&self) -> Vec<String> {
        let mut flags = vec!["-trimpath".to_owned(), "-buildvcs=false".to_owned()];
        if !self.tags.is_empty() {
            flags.push(format!("-tags={}", self.tags));
        }
        flags.push(format!("-ldflags=-s -w{}", self.version_flags()));
        flags
    }

    pub(crate) fn package(&self) -> &'static str {
        self.package
    }

    /// Returns the linker flags that set the version of Kubernetes. Without these flags, the API
    /// server reports v0.0.0. OLM would then reject each operator that requires a minimum version.
    fn version_flags(&self) -> String {
        let Some(version) = self.module.version_of("k8s.io/kubernetes") else {
            return String::new();
        };
        let mut parts = version.trim_start_matches('v').split('.');
        let (major, minor) = (parts.next().unwrap_or("1"), parts.next().unwrap_or("0"));
        let place = "k8s.io/component-base/version";
        [("Version", version), ("Major", major), ("Minor", minor)]
            .map(|(part, value)| format!(" -X {place}.git{part}={value}"))
            .concat()
    }
}

impl Module {
    /// Returns the version of the module `path` that go.mod requires.
    fn version_of(&self, path: &str) -> Option<&'static str> {
        self.go_mod
            .lines()
            .map(|line| line.trim().trim_start_matches("require "))
            .filter(|line| !line.contains("=>"))
            .find_map(|line| line.strip_prefix(path)?.strip_prefix(' '))
            .and_then(|rest| rest.split_whitespace().next())
    }
}

impl Set {
    /// Returns the key of a build for the cache. The same pinned versions and flags give the same
    /// key on each machine.
    pub(crate) fn key(&self) -> String {
        let mut digest = Sha256::new();
        for module in self.modules {
            for part in [module.name, module.go_mod, module.go_sum] {
                digest.update(part);
                digest.update([0]);
            }
        }
        for program in self.programs {
            let flags = program.build_flags().join("\n");
            digest.update(format!("{}\n{}\n{flags}\0", program.name, program.package));
        }
        digest
            .finalize()
            .iter()
            .take(8)
            .fold(String::new(), |mut key, byte| {
                let _ = write!(key, "{byte:02x}");
                key
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_server_is_linked_with_its_version() {
        let flags = PROGRAMS[0].build_flags();
        let linked = flags.last().map(String::as_str).unwrap_or_default();
        assert_eq!(
            linked,
            "-ldflags=-s -w -X k8s.io/component-base/version.gitVersion=v1.36.1 \
             -X k8s.io/component-base/version.gitMajor=1 \
             -X k8s.io/component-base/version.gitMinor=36"
        );
    }

    #[test]
    fn every_program_is_a_tool_in_its_go_module() {
        let sets = [&CONTROL_PLANE, &NODE, &OLM_IMAGES, &OLM_V1];
        for program in sets.iter().flat_map(|set| set.programs) {
            let tool = format!("\t{}\n", program.package);
            let alone = format!("tool {}\n", program.package);
            let text = program.module.go_mod;
            assert!(
                text.contains(&tool) || text.contains(&alone),
                "{} is no tool in go/{}/go.mod",
                program.package,
                program.module.name
            );
        }
    }

    #[test]
    fn pods_of_olm_run_its_pinned_version() {
        for path in [OLM_PATH, "github.com/operator-framework/operator-registry"] {
            assert!(OLM.version_of(path).is_some(), "{path}");
            assert_eq!(OLM.version_of(path), OLM_PODS.version_of(path), "{path}");
        }
    }

    #[test]
    fn error_for_missing_go_names_required_version() {
        let versions = CONTROL_PLANE.modules.iter().map(|module| {
            let line = module
                .go_mod
                .lines()
                .find_map(|line| line.strip_prefix("go "));
            line.expect("a module names its version of Go")
        });
        let newest = versions.max().unwrap_or_default();
        let error = crate::Failure::FindGo.to_string();
        assert!(
            error.contains(&format!("Go {newest} or newer")),
            "{newest}: {error}"
        );
    }
}
