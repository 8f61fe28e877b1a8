//! Prints how much memory the ClusterServiceVersions in files need, as complete objects and as the
//! reduced objects that worlds keep: `cargo run --release -p portolan-world --example weigh --
//! FOLDER`. Without a folder, uses the bundles in `PORTOLAN_BUNDLES`, which are not in the
//! repository.

use std::fs;
use std::path::PathBuf;

use kube::core::{ApiResource, GroupVersionKind};
use portolan_core_olm::ClusterServiceVersion;
use portolan_world::{Area, Files, RawWorld as _, State, World as _};

/// The number of copies of each object. One copy is too few, because memory grows in whole pages.
const COPIES: usize = 20;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os()
        .nth(1)
        .or(std::env::var_os("PORTOLAN_BUNDLES"));
    let folder = folder.map_or_else(
        || {
            PathBuf::from(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/../../../shared/bundles"
            ))
        },
        PathBuf::from,
    );
    let files = Files::at(folder);

    let pruned = files.objects::<ClusterServiceVersion>().known().await?;
    println!("{}: {} objects", pruned.state, pruned.objects.len());
    let all = pruned.objects.values();
    weigh("pruned", all.map(|object| (**object).clone()))?;

    let kind = GroupVersionKind::gvk("operators.coreos.com", "v1alpha1", "ClusterServiceVersion");
    let mut whole = files.raw(&ApiResource::from_gvk(&kind), Area::everywhere());
    let whole = whole.until(|view| view.state != State::Pending).await?;
    println!("{}: {} objects", whole.state, whole.objects.len());
    let all = whole.objects.values();
    weigh("whole", all.map(|object| (**object).clone()))?;
    println!(
        "text: {} bytes an object",
        whole.bytes() / whole.objects.len().max(1)
    );
    Ok(())
}

/// Prints the memory that one of these objects needs on average.
fn weigh<T>(what: &str, objects: impl Iterator<Item = T> + Clone) -> std::io::Result<()> {
    // The first copies use up the memory that is already free, so that it does not distort the
    // result.
    let first: Vec<T> = (0..COPIES).flat_map(|_| objects.clone()).collect();
    let before = resident()?;
    let copies: Vec<T> = (0..COPIES).flat_map(|_| objects.clone()).collect();
    let taken = resident()?.saturating_sub(before);
    println!("{what}: {} bytes an object", taken / copies.len().max(1));
    drop((first, copies));
    Ok(())
}

/// Returns the resident memory of the process, in bytes.
fn resident() -> std::io::Result<usize> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<usize>().ok());
    Ok(kilobytes.unwrap_or_default() * 1024)
}
