//! The memory of containers, from their cgroups.

use std::fs;
use std::path::{Path, PathBuf};

use super::Cluster;
use crate::node::cgroup;

/// The places of the cgroups of memory, and the file with the peak: of version 1 and 2.
const PEAKS: [(&str, &str); 2] = [
    ("/sys/fs/cgroup/memory", "memory.max_usage_in_bytes"),
    ("/sys/fs/cgroup", "memory.peak"),
];

impl Cluster {
    /// Returns the most memory in bytes that a container of the node has had, by the ID of the
    /// container. It includes the pages of files that the container was the first to read.
    pub fn peak_memory(&self, container: &str) -> Option<u64> {
        let own = cgroup(self.folder());
        PEAKS.iter().find_map(|(root, file)| {
            let place = find(&Path::new(root).join(&own), container)?;
            fs::read_to_string(place.join(file))
                .ok()?
                .trim()
                .parse()
                .ok()
        })
    }
}

/// The folder of this name below another one.
fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    folders.find_map(|path| match path.file_name() {
        _ if !path.is_dir() => None,
        Some(own) if own == name => Some(path),
        _ => find(&path, name),
    })
}
