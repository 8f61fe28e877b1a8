//! Says how much memory the whole objects of a kind take that files have, such as a dump or a catalog:
//! `cargo run --release -p portolan-world --example weigh -- FOLDER [GROUP/VERSION/KIND]`.

use std::fs;

use kube::core::{ApiResource, GroupVersionKind};
use portolan_world::{Area, Files, RawWorld as _, State};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("which folder?")?;
    let kind = args.next();
    let kind = kind
        .as_deref()
        .unwrap_or("operators.coreos.com/v1alpha1/ClusterServiceVersion");
    let mut parts = kind.splitn(3, '/');
    let mut part = || parts.next().ok_or("a kind is GROUP/VERSION/KIND");
    let kind = GroupVersionKind::gvk(part()?, part()?, part()?);

    let before = resident()?;
    let files = Files::at(folder);
    let mut objects = files.raw(&ApiResource::from_gvk(&kind), Area::everywhere());
    let view = objects.until(|view| view.state != State::Pending).await?;
    let count = view.objects.len().max(1);
    println!(
        "{}: {} objects, {} faults",
        view.state,
        view.objects.len(),
        view.faults.len()
    );
    println!("text: {} bytes an object", view.bytes() / count);
    println!(
        "resident: {} bytes an object",
        (resident()?.saturating_sub(before)) / count
    );
    Ok(())
}

/// What the process takes, in bytes.
fn resident() -> Result<usize, Box<dyn std::error::Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1));
    Ok(kilobytes.ok_or("no VmRSS")?.parse::<usize>()? * 1024)
}
