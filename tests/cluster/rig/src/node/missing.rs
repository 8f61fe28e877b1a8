//! Finds out why a machine cannot run a node.

use std::env;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// The programs that a node needs, and the Debian package of each program.
const PROGRAMS: [(&str, &str); 6] = [
    ("runc", "runc"),
    ("iptables", "iptables"),
    ("ip", "iproute2"),
    ("mount", "mount"),
    ("nsenter", "util-linux"),
    ("unshare", "util-linux"),
];
/// The CNI plugins for the network of Pods.
const PLUGINS: [&str; 4] = ["bridge", "host-local", "loopback", "portmap"];
const PLUGIN_FOLDERS: [&str; 2] = ["/usr/lib/cni", "/opt/cni/bin"];

/// Returns the first reason why a node cannot run. Returns `None` if a node can run.
pub(super) fn missing() -> Option<String> {
    static MISSING: LazyLock<Option<String>> = LazyLock::new(|| {
        privileges()
            .or_else(packages)
            .or_else(cgroups)
            .or_else(namespaces)
    });
    MISSING.clone()
}

fn privileges() -> Option<String> {
    let is_root = rustix::process::geteuid().is_root();
    (!is_root).then(|| "it needs root".to_owned())
}

fn packages() -> Option<String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<_> = env::split_paths(&path).collect();
    let has_plugin = |plugin: &str| {
        let mut places = PLUGIN_FOLDERS.iter();
        places.any(|folder| Path::new(folder).join(plugin).is_file())
    };
    let has_program = |name: &str| folders.iter().any(|folder| folder.join(name).is_file());
    missing_packages(has_program, has_plugin)
}

fn missing_packages(
    has_program: impl Fn(&str) -> bool,
    has_plugin: impl Fn(&str) -> bool,
) -> Option<String> {
    let programs = PROGRAMS.iter().filter(|(program, _)| !has_program(program));
    let mut packages: Vec<_> = programs.map(|(_, package)| *package).collect();
    if !PLUGINS.into_iter().all(has_plugin) {
        packages.push("containernetworking-plugins");
    }
    packages.dedup();
    let packages = packages.join(" ");
    (!packages.is_empty()).then(|| format!("run: apt-get install {packages}"))
}

fn cgroups() -> Option<String> {
    let has = |file: &str| Path::new("/sys/fs/cgroup").join(file).exists();
    let is_there = has("memory") || has("cgroup.controllers");
    (!is_there).then(|| "it has no cgroup for memory".to_owned())
}

/// Tries to create mounts and network interfaces. This fails in an unprivileged container.
fn namespaces() -> Option<String> {
    let mut attempt = Command::new("unshare");
    attempt.args([
        "--mount",
        "--net",
        "--pid",
        "--fork",
        "--mount-proc",
        "sh",
        "-c",
    ]);
    attempt.arg("mount -t tmpfs tmpfs /run && ip link add name outer type veth peer name inner");
    attempt.stdin(Stdio::null()).stdout(Stdio::null());
    let tried = attempt.stderr(Stdio::null()).status();
    let is_allowed = tried.is_ok_and(|status| status.success());
    (!is_allowed).then(|| "it may not mount folders or create network interfaces".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_programs_name_their_packages_once() {
        let nothing = missing_packages(|_| false, |_| false);
        assert_eq!(
            nothing.as_deref(),
            Some(
                "run: apt-get install runc iptables iproute2 mount util-linux \
                 containernetworking-plugins"
            )
        );
        let plugin = missing_packages(|_| true, |name| name != "portmap");
        assert_eq!(
            plugin.as_deref(),
            Some("run: apt-get install containernetworking-plugins")
        );
        assert_eq!(missing_packages(|_| true, |_| true), None);
    }
}
