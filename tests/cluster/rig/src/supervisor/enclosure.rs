//! The network and the mounts of a rig with a node. The supervisor itself stays in the network of
//! its test, because it reserves ports there.
//!
//! The kernel removes the network and the mounts when the last process of the rig ends. It does not
//! remove the cgroups of containers. The next rig removes the cgroups of dead rigs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{WaitOptions, wait};

use crate::failure::Failure;
use crate::folder::Folder;
use crate::node::{Link, cgroup};

/// The file with which processes enter the network of the rig. It is in the rig's own /run.
pub(super) const NETWORK: &str = "/run/netns/rig";

/// Kernel settings that a kubelet would change for the whole machine. The kubelet of the rig reads
/// files that already contain the values it requires, so it changes nothing.
const SETTINGS: [(&str, &str); 6] = [
    ("vm/overcommit_memory", "1"),
    ("vm/panic_on_oom", "0"),
    ("kernel/panic", "10"),
    ("kernel/panic_on_oops", "1"),
    ("kernel/keys/root_maxkeys", "1000000"),
    ("kernel/keys/root_maxbytes", "25000000"),
];

#[derive(Debug)]
pub(super) struct Enclosure {
    folder: PathBuf,
    link: Link,
}

impl Enclosure {
    /// Creates the network and the mounts. The supervisor must be the first process of its PID
    /// namespace, and must have its own mounts.
    pub(super) fn raise(folder: &Folder) -> Result<Self, Failure> {
        let enclosure = Self {
            folder: folder.path().to_owned(),
            link: Link::of(folder.first_port()),
        };
        enclosure.mounts()?;
        cgroups(folder.path())?;
        settings()?;
        enclosure.network()?;
        Ok(enclosure)
    }

    /// Creates the mounts. Files outside of the folder of the rig are written to memory, so that
    /// they disappear with the rig.
    fn mounts(&self) -> Result<(), Failure> {
        let node = self.node();
        fs::create_dir_all(&node).map_err(Failure::touch("create the folder of the node"))?;
        let node = node.display();
        let parts = "lowerdir=/var/lib,upperdir=/run/var/upper,workdir=/run/var/work";
        run("mount -t tmpfs tmpfs /run")?;
        run("mkdir -p /run/lock /run/netns /run/var/upper /run/var/work /run/settings")?;
        run(&format!("mount -t overlay overlay -o {parts} /var/lib"))?;
        run("mount -t tmpfs tmpfs /var/log")?;
        // All other mounts are below this mount, so that they can be removed together.
        run(&format!("mount --bind {node} {node}"))
    }

    fn network(&self) -> Result<(), Failure> {
        let (name, outer, inner) = (self.link.outer_name(), self.link.outer(), self.link.inner());
        self.unlink();
        run("ip netns add rig")?;
        run(&format!(
            "ip link add name {name} type veth peer name eth0 netns rig"
        ))?;
        run(&format!("ip addr add {outer}/30 dev {name}"))?;
        run(&format!("ip link set {name} up"))?;
        run("ip -n rig link set lo up")?;
        run(&format!("ip -n rig addr add {inner}/30 dev eth0"))?;
        run("ip -n rig link set eth0 up")?;
        run(&format!("ip -n rig route add default via {outer}"))
    }

    /// Removes the network interface. An earlier rig with the same ports may have left it.
    fn unlink(&self) {
        let name = self.link.outer_name();
        let _ = Command::new("ip")
            .args(["link", "delete", &name])
            .stderr(Stdio::null())
            .status();
    }

    fn node(&self) -> PathBuf {
        self.folder.join("node")
    }

    /// Kills all containers and all other processes. Returns when only the folder of the rig is
    /// left.
    pub(super) fn end(self) {
        // Sends the signal to all processes in the PID namespace except the first process. Fails if
        // there are no other processes.
        let mut kill = Command::new("sh");
        let _ = kill
            .args(["-c", "kill -9 -1"])
            .stderr(Stdio::null())
            .status();
        while wait(WaitOptions::empty()).is_ok() {}
        let node = self.node().display().to_string();
        let _ = run(&format!("umount --recursive --lazy {node}"));
        self.unlink();
        remove_cgroups(&self.folder);
    }
}

fn settings() -> Result<(), Failure> {
    for (name, value) in SETTINGS {
        let (file, fake) = (
            format!("/proc/sys/{name}"),
            format!("/run/settings/{}", name.replace('/', ".")),
        );
        if !Path::new(&file).exists() {
            continue;
        }
        fs::write(&fake, format!("{value}\n")).map_err(Failure::touch("write a setting"))?;
        run(&format!("mount --bind {fake} {file}"))?;
    }
    Ok(())
}

/// Creates the cgroups of the rig, one for each controller, because the kubelet expects them.
fn cgroups(folder: &Path) -> Result<(), Failure> {
    let name = cgroup(folder);
    let mut made = roots().into_iter().map(|root| root.join(&name));
    made.try_for_each(fs::create_dir)
        .map_err(Failure::touch("create the cgroup of the rig"))
}

/// Returns the root of all cgroups. With cgroups version 1, returns the root of each controller.
fn roots() -> Vec<PathBuf> {
    let root = PathBuf::from("/sys/fs/cgroup");
    let is_root = |place: &PathBuf| place.join("cgroup.procs").exists();
    if is_root(&root) {
        return vec![root];
    }
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(is_root).collect()
}

/// Runs a command whose arguments contain no spaces.
fn run(line: &str) -> Result<(), Failure> {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).stdin(Stdio::null());
    let output = command.output().map_err(Failure::touch(line))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Failure::touch(line)(io::Error::other(message)))
}

/// Removes the cgroups of the rig in this folder. The processes of its containers must have ended.
pub(crate) fn remove_cgroups(folder: &Path) {
    let name = cgroup(folder);
    for root in roots() {
        remove_folders(&root.join(&name));
    }
}

/// Removes a tree of cgroups. Only folders must be removed, because the kernel removes their files.
fn remove_folders(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_folders(&entry.path());
        }
    }
    // Ignores an error: the next rig removes a cgroup that is still busy.
    let _ = fs::remove_dir(folder);
}
