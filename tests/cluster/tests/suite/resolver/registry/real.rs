//! Tests the catalogs of real operators.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use portolan_core_catalog::{Catalog, Severity};
use portolan_core_graph::Graph;
use portolan_kit::{TempFolder, assert_same, real_catalog};
use portolan_rig::Failure;

use super::{Compared, Opm, on_disk, read};
use crate::begin;

#[tokio::test]
async fn community_catalog_is_equal_from_files_and_from_opm() -> Result<(), Failure> {
    let Some(folder) = real_catalog("community-v4.20") else {
        return Ok(());
    };
    if !begin() {
        return Ok(());
    }
    let mut opm = Opm::serve(&folder)?;
    let from_opm = read(&opm.connect().await?).await;
    let expected = on_disk(&folder);
    assert_same!(Compared::of(&from_opm), Compared::of(&expected));
    assert_eq!(from_opm.packages.len(), 37);
    Ok(())
}

#[tokio::test]
async fn operatorhub_catalog_is_equal_from_files_and_from_opm() -> Result<(), Failure> {
    let Some(folder) = real_catalog("operatorhub") else {
        return Ok(());
    };
    if !begin() {
        return Ok(());
    }
    let taken = accepted_by_opm(&folder);
    let mut opm = Opm::serve(&taken)?;
    let from_opm = read(&opm.connect().await?).await;
    let expected = on_disk(&taken);
    assert_same!(Compared::of(&from_opm), Compared::of(&expected));
    assert_eq!(from_opm.packages.len(), 283);
    Ok(())
}

/// Copies the files of the packages that `opm` accepts to a folder. The copies are unzipped,
/// because `opm` reads no zipped files.
fn accepted_by_opm(folder: &Path) -> TempFolder {
    let refused = refused(&on_disk(folder));
    let taken = TempFolder::empty();
    for entry in fs::read_dir(folder).expect("the folder must be readable") {
        let path = entry.expect("the entry must be readable").path();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let package = file.strip_suffix(".jsonl.gz").expect("a zipped file");
        if refused.contains(package) {
            continue;
        }
        let zipped = fs::File::open(&path).expect("the file must be readable");
        let copy = taken.join(format!("{package}.json"));
        let mut copy = fs::File::create(copy).expect("the folder must be writable");
        std::io::copy(&mut MultiGzDecoder::new(zipped), &mut copy).expect("a zipped file");
    }
    taken
}

/// Returns the packages with errors. For each of them, `opm` would reject the whole catalog.
fn refused(catalog: &Catalog) -> BTreeSet<String> {
    let faults = catalog.faults.iter();
    let faulty = faults.filter(|fault| fault.severity() == Severity::Error);
    let faulty = faulty.filter_map(|fault| fault.package.clone());
    let packages = catalog.packages.values();
    let broken = packages.filter(|package| {
        let graph = Graph::new(Arc::clone(package));
        graph.faults().iter().any(|fault| fault.is_error())
    });
    let broken = broken.map(|package| package.name.to_string());
    faulty.chain(broken).collect()
}
