//! A small bundle for tests, and functions that change it.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use portolan_core_bundle::{Bundle, BundleFault, Folder, Limits, Title};
use portolan_core_names::ObjectRef;

pub(crate) const CSV: &str = "manifests/ferry.clusterserviceversion.yaml";
pub(crate) const CRD: &str = "manifests/ships.ferry.example.yaml";
pub(crate) const ANNOTATIONS: &str = "metadata/annotations.yaml";

/// The files of a bundle, each as its path and its text.
#[derive(Clone)]
pub(crate) struct Files(Vec<(String, String)>);

/// Returns the bundle of the operator `ferry`. It has everything that bundles usually contain,
/// except webhooks.
pub(crate) fn ferry() -> Files {
    Files(vec![
        (
            ANNOTATIONS.to_owned(),
            include_str!("ferry/annotations.yaml").to_owned(),
        ),
        (CSV.to_owned(), include_str!("ferry/csv.yaml").to_owned()),
        (CRD.to_owned(), include_str!("ferry/crd.yaml").to_owned()),
    ])
}

impl Files {
    /// Replaces a text in a file. The text must occur exactly once.
    #[track_caller]
    pub(crate) fn with(mut self, file: &str, from: &str, to: &str) -> Self {
        let (_, text) = self.find(file);
        assert_eq!(
            text.matches(from).count(),
            1,
            "{from:?} must be in {file} once"
        );
        *text = text.replace(from, to);
        self
    }

    /// Replaces a text everywhere in a file.
    #[track_caller]
    pub(crate) fn everywhere(mut self, file: &str, from: &str, to: &str) -> Self {
        let (_, text) = self.find(file);
        assert!(text.contains(from), "{from:?} must be in {file}");
        *text = text.replace(from, to);
        self
    }

    /// Appends a text to a file.
    #[track_caller]
    pub(crate) fn and(mut self, file: &str, text: &str) -> Self {
        self.find(file).1.push_str(text);
        self
    }

    /// Adds a file.
    pub(crate) fn plus(mut self, file: &str, text: &str) -> Self {
        self.0.push((file.to_owned(), text.to_owned()));
        self
    }

    pub(crate) fn without(mut self, file: &str) -> Self {
        self.0.retain(|(name, _)| name != file);
        self
    }

    /// Appends webhooks to the ClusterServiceVersion.
    pub(crate) fn webhooks(self, list: &str) -> Self {
        self.and(CSV, &format!("  webhookdefinitions:\n{list}"))
    }

    #[track_caller]
    fn find(&mut self, file: &str) -> &mut (String, String) {
        let found = self.0.iter_mut().find(|(name, _)| name == file);
        found.unwrap_or_else(|| panic!("there must be a file {file}"))
    }

    pub(crate) fn texts(self) -> Vec<(String, String)> {
        self.0
    }

    fn folder(self) -> Folder {
        let files = self.0.into_iter();
        let files = files.map(|(name, text)| (name, text.into_bytes()));
        Folder::of_files(files, &Limits::default()).expect("a folder")
    }

    pub(crate) fn try_read(self) -> Result<Bundle, Vec<BundleFault>> {
        Bundle::read(self.folder(), &Limits::default())
    }

    #[track_caller]
    pub(crate) fn read(self) -> Bundle {
        self.try_read().unwrap_or_else(|faults| {
            panic!("the files must be a valid bundle: {}", fault_lines(&faults))
        })
    }
}

/// Returns the titles of objects.
pub(crate) fn titles(objects: &[ObjectRef]) -> Vec<String> {
    let titles = objects.iter().map(|object| Title(object).to_string());
    titles.collect()
}

/// Returns the faults as displayed, one per line.
pub(crate) fn fault_lines(faults: &[BundleFault]) -> String {
    let lines = faults
        .iter()
        .map(|fault| format!("{}: {fault}", fault.severity));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns an archive of entries: path, type and content.
pub(crate) fn tar(entries: &[(String, u8, Vec<u8>)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (path, kind, bytes) in entries {
        let mut header = vec![0; 512];
        header[..path.len()].copy_from_slice(path.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        header[156] = *kind;
        header[257..263].copy_from_slice(b"ustar\0");
        tar.extend(header);
        tar.extend(bytes);
        tar.resize(tar.len().div_ceil(512) * 512, 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Returns the peak memory of this process. Returns 0 if the system does not report it.
#[expect(
    clippy::disallowed_methods,
    reason = "a bound on memory is held from outside"
)]
pub(crate) fn peak_megabytes() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let peak = lines.find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.trim().strip_suffix(" kB"));
    kilobytes.map_or(0, |number| number.parse().unwrap_or(0)) / 1000
}
