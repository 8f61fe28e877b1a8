//! The sample world. Its files are part of the program.

use std::path::{Path, PathBuf};
use std::{env, fs, io, process};

use crate::failure::Failure;

#[cfg(test)]
mod tests;

/// The path of the sample world in the Git repository.
const IN_REPOSITORY: &str = "deploy/demo";

macro_rules! files {
    ($($path:literal,)+) => {
        &[$(($path, include_str!(concat!("../../../deploy/demo/", $path)))),+]
    };
}

/// The files of the sample world: the relative path and the content.
const FILES: &[(&str, &str)] = files![
    "bundles/barge/5.0.0/manifests/barge.clusterserviceversion.yaml",
    "bundles/barge/5.0.0/manifests/barges.barge.example.yaml",
    "bundles/barge/5.0.0/metadata/annotations.yaml",
    "bundles/buoy/0.4.0/manifests/buoy.clusterserviceversion.yaml",
    "bundles/buoy/0.4.0/manifests/buoys.buoy.example.yaml",
    "bundles/buoy/0.4.0/metadata/annotations.yaml",
    "bundles/buoy/0.5.0/manifests/buoy.clusterserviceversion.yaml",
    "bundles/buoy/0.5.0/manifests/buoys.buoy.example.yaml",
    "bundles/buoy/0.5.0/metadata/annotations.yaml",
    "bundles/crane/1.0.0/manifests/crane.clusterserviceversion.yaml",
    "bundles/crane/1.0.0/manifests/cranes.crane.example.yaml",
    "bundles/crane/1.0.0/metadata/annotations.yaml",
    "bundles/crane/1.1.0/manifests/crane.clusterserviceversion.yaml",
    "bundles/crane/1.1.0/manifests/cranes.crane.example.yaml",
    "bundles/crane/1.1.0/metadata/annotations.yaml",
    "bundles/dredger/1.0.0/manifests/dredger.clusterserviceversion.yaml",
    "bundles/dredger/1.0.0/manifests/dredgers.dredger.example.yaml",
    "bundles/dredger/1.0.0/metadata/annotations.yaml",
    "bundles/dredger/1.0.1/manifests/dredger.clusterserviceversion.yaml",
    "bundles/dredger/1.0.1/manifests/dredgers.dredger.example.yaml",
    "bundles/dredger/1.0.1/metadata/annotations.yaml",
    "bundles/ferry/1.1.0/manifests/ferry.clusterserviceversion.yaml",
    "bundles/ferry/1.1.0/manifests/ferrys.ferry.example.yaml",
    "bundles/ferry/1.1.0/metadata/annotations.yaml",
    "bundles/ferry/1.2.0/manifests/ferry.clusterserviceversion.yaml",
    "bundles/ferry/1.2.0/manifests/ferrys.ferry.example.yaml",
    "bundles/ferry/1.2.0/metadata/annotations.yaml",
    "bundles/ferry/1.3.0/manifests/ferry.clusterserviceversion.yaml",
    "bundles/ferry/1.3.0/manifests/ferrys.ferry.example.yaml",
    "bundles/ferry/1.3.0/metadata/annotations.yaml",
    "bundles/lighthouse/3.0.0/manifests/lighthouse.clusterserviceversion.yaml",
    "bundles/lighthouse/3.0.0/manifests/lighthouses.lighthouse.example.yaml",
    "bundles/lighthouse/3.0.0/metadata/annotations.yaml",
    "bundles/lighthouse/3.1.0/manifests/lighthouse.clusterserviceversion.yaml",
    "bundles/lighthouse/3.1.0/manifests/lighthouses.lighthouse.example.yaml",
    "bundles/lighthouse/3.1.0/metadata/annotations.yaml",
    "bundles/pilot/1.0.0/manifests/pilot.clusterserviceversion.yaml",
    "bundles/pilot/1.0.0/manifests/pilots.pilot.example.yaml",
    "bundles/pilot/1.0.0/metadata/annotations.yaml",
    "bundles/pilot/1.1.0/manifests/pilot.clusterserviceversion.yaml",
    "bundles/pilot/1.1.0/manifests/pilots.pilot.example.yaml",
    "bundles/pilot/1.1.0/metadata/annotations.yaml",
    "bundles/pilot/1.1.0/metadata/dependencies.yaml",
    "bundles/tug/2.0.0/manifests/tug.clusterserviceversion.yaml",
    "bundles/tug/2.0.0/manifests/tugs.tug.example.yaml",
    "bundles/tug/2.0.0/metadata/annotations.yaml",
    "bundles/tug/2.1.0/manifests/tug.clusterserviceversion.yaml",
    "bundles/tug/2.1.0/manifests/tugs.tug.example.yaml",
    "bundles/tug/2.1.0/metadata/annotations.yaml",
    "bundles/tug/2.2.0/manifests/tug.clusterserviceversion.yaml",
    "bundles/tug/2.2.0/manifests/tugs.tug.example.yaml",
    "bundles/tug/2.2.0/metadata/annotations.yaml",
    "catalogsources/olm/coastal/ferry.yaml",
    "catalogsources/olm/coastal/lighthouse.yaml",
    "catalogsources/olm/coastal/tug.yaml",
    "catalogsources/olm/inland/barge.yaml",
    "catalogsources/olm/inland/buoy.yaml",
    "catalogsources/olm/inland/crane.yaml",
    "catalogsources/olm/inland/dredger.yaml",
    "catalogsources/olm/inland/pilot.yaml",
    "cluster/barge.yaml",
    "cluster/dredger.yaml",
    "cluster/ferry.yaml",
    "cluster/lighthouse.yaml",
    "cluster/olm.yaml",
    "cluster/operators.yaml",
    "cluster/pilot.yaml",
    "cluster/tug.yaml",
    "policies/barge.yaml",
    "policies/buoy.yaml",
    "policies/ferry.yaml",
    "policies/lighthouse.yaml",
    "policies/namespace.yaml",
    "policies/tug.yaml",
];

/// A folder with the sample world, whose files the user can edit.
#[derive(Debug)]
pub(super) struct Demo {
    folder: PathBuf,
    is_copy: bool,
}

// === impl Demo ===

impl Demo {
    /// Opens the sample world of the Git repository if the working directory is the root of the
    /// repository. Otherwise writes a copy and opens the copy.
    pub(super) fn open() -> Result<Self, Failure> {
        let folder = PathBuf::from(IN_REPOSITORY);
        if folder.exists() {
            return Ok(Self {
                folder,
                is_copy: false,
            });
        }
        let folder = env::temp_dir().join(format!("portolan-demo-{}", process::id()));
        let demo = Self {
            folder,
            is_copy: true,
        };
        match demo.write() {
            Ok(()) => Ok(demo),
            Err(error) => Err(Failure::unknown(format!(
                "the sample objects cannot be written to {}: {error}; use --world DIR, --context \
                 NAME or --kubeconfig FILE, or set TMPDIR to another folder",
                demo.folder.display()
            ))),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns a note that the objects are samples, for users who selected no cluster and no
    /// folder.
    pub(super) fn note(&self) -> String {
        let folder = self.folder.display();
        let what = if self.is_copy {
            format!("a copy of the sample objects in {folder}, which is removed at the end")
        } else {
            format!("the sample objects in {folder}")
        };
        format!("The command reads {what}; use --context NAME to read a cluster.")
    }

    /// Writes a copy of the files. Returns an error if the folder already exists, so that no other
    /// files are overwritten.
    fn write(&self) -> io::Result<()> {
        fs::create_dir(&self.folder)?;
        for (path, text) in FILES {
            let file = self.folder.join(path);
            if let Some(parent) = file.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(file, text)?;
        }
        Ok(())
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        if self.is_copy {
            // Ignores an error: the copy is in the folder for temporary files.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
