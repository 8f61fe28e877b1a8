//! Dumps a cluster to files. [`Files`](crate::Files) can read these files as a world.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::core::SelectorExt as _;
use portolan_core_olm::OlmController;
use serde_json::Value;
use thiserror::Error;

use super::Cluster;
use super::whole::{DumpedKind, NoPage, WholePage};
use crate::dump::{OBJECTS, Redactor, list_path, workload_namespaces};
use crate::kind::dumped_kinds;
use crate::{Area, Dump, Trouble};

/// The pauses before a page is requested again after a failure.
const RESTS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];

/// The maximum number of namespaces in which Pods and similar objects are listed namespace by
/// namespace. This is faster if few namespaces have operators, because these namespaces contain
/// only a small share of such objects.
const FEW: usize = 20;

/// The maximum number of times that a list is started. A list must start again if it takes longer
/// than the API server keeps its state.
const BEGINNINGS: usize = 3;

/// The result of a dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dumped {
    /// The number of objects of each kind.
    pub kinds: Vec<(String, usize)>,
    /// The number of different values that were replaced with numbers, such as values of Secrets.
    pub left_out: usize,
}

/// A file cannot be written.
#[derive(Debug, Error)]
#[error("cannot write {}", path.display())]
pub struct WriteDump {
    path: PathBuf,
    source: io::Error,
}

/// The reason why a cluster cannot be dumped.
#[derive(Debug, Error)]
pub enum DumpCluster {
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteDump),
    /// The API server does not respond, and some objects have not been read yet.
    #[error("cannot list {0} of the cluster")]
    Away(String, #[source] Trouble),
}

/// The file of a list of objects. Each line contains one object.
struct Listed {
    path: PathBuf,
    file: BufWriter<File>,
    mark: Mark,
}

/// A position in the file of a list, to which the file can be reset.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    bytes: u64,
    objects: usize,
}

/// The state that the files of a dump share.
#[derive(Default)]
struct Keeping {
    left_out: Redactor,
    /// The namespaces that have operators or catalogs of OLM v0.
    of_olm: BTreeSet<String>,
    /// The namespaces with workloads that other installers installed.
    of_others: BTreeSet<String>,
}

// === impl Cluster ===

impl Cluster {
    /// Writes the objects of all known kinds to a folder, and records unavailable kinds in the
    /// dump. Kinds with many objects, such as Pods, are dumped only in the namespaces of operators
    /// and their workloads.
    ///
    /// # Errors
    /// Returns an error if the API server does not respond, or if a file cannot be written.
    pub async fn dump(&self, to: &Path, dump: &mut Dump) -> Result<Dumped, DumpCluster> {
        dump.kubernetes = crate::World::kubernetes(self).await;
        let folder = to.join(OBJECTS);
        fs::create_dir_all(&folder).map_err(failed(&folder))?;
        let mut keeping = Keeping::default();
        let mut kinds = Vec::new();
        for kind in dumped_kinds() {
            let name = kind.file_stem();
            let mut listed = Listed::begin(list_path(to, &name))?;
            let told = self
                .everything(&kind, &mut listed, &mut keeping, dump)
                .await?;
            match told {
                Ok(()) => {}
                Err(NoPage::NotServed) => {
                    dump.not_served.push(kind.name());
                    listed.forget()?;
                    continue;
                }
                Err(NoPage::Trouble(trouble)) if trouble.is_silence() => {
                    return Err(DumpCluster::Away(name, trouble));
                }
                Err(no) => {
                    dump.not_seen.push(kind.not_seen(None, &no));
                    listed.forget()?;
                    continue;
                }
            }
            kinds.push((name, listed.end()?));
        }
        Ok(Dumped {
            kinds,
            left_out: keeping.left_out.count(),
        })
    }

    /// Writes all relevant objects of a kind. Records the namespaces in which the kind cannot be
    /// listed.
    async fn everything(
        &self,
        kind: &DumpedKind,
        listed: &mut Listed,
        keeping: &mut Keeping,
        dump: &mut Dump,
    ) -> Result<Result<(), NoPage>, WriteDump> {
        if !kind.runs() || keeping.namespaces().count() > FEW {
            let told = self
                .list(kind, &Area::everywhere(), listed, keeping)
                .await?;
            match told {
                // A user who may not list the kind in all namespaces may be able to list it in the
                // namespaces of operators.
                Err(NoPage::Trouble(Trouble::Forbidden(_))) if kind.runs() => {}
                told => return Ok(told),
            }
        }
        for namespace in keeping.namespaces().cloned().collect::<Vec<_>>() {
            let area = Area::namespace(&namespace);
            match self.list(kind, &area, listed, keeping).await? {
                Ok(()) => {}
                Err(NoPage::NotServed) => return Ok(Err(NoPage::NotServed)),
                Err(NoPage::Trouble(trouble)) if trouble.is_silence() => {
                    return Ok(Err(NoPage::Trouble(trouble)));
                }
                Err(no) => dump.not_seen.push(kind.not_seen(Some(namespace), &no)),
            }
        }
        Ok(Ok(()))
    }

    /// Writes all objects of a kind in an area. If a page cannot be read, removes the objects of
    /// this list from the file.
    async fn list(
        &self,
        kind: &DumpedKind,
        area: &Area,
        listed: &mut Listed,
        keeping: &mut Keeping,
    ) -> Result<Result<(), NoPage>, WriteDump> {
        let before = listed.mark();
        let mut no = NoPage::Expired;
        for _ in 0..BEGINNINGS {
            no = match self.pages(kind, area, listed, keeping).await? {
                Ok(()) => return Ok(Ok(())),
                Err(no) => no,
            };
            listed.rewind(before)?;
            if no != NoPage::Expired {
                break;
            }
        }
        Ok(Err(no))
    }

    async fn pages(
        &self,
        kind: &DumpedKind,
        area: &Area,
        listed: &mut Listed,
        keeping: &mut Keeping,
    ) -> Result<Result<(), NoPage>, WriteDump> {
        let mut from = None;
        loop {
            let WholePage { objects, next } = match self.patiently(kind, area, from).await {
                Ok(page) => page,
                Err(no) => return Ok(Err(no)),
            };
            for mut object in objects {
                if keeping.takes(kind, &object) {
                    keeping.left_out.of(&mut object);
                    listed.add(&object)?;
                }
            }
            match next {
                Some(_) => from = next,
                None => return Ok(Ok(())),
            }
        }
    }
}

impl Cluster {
    /// Requests a page. Repeats the request if another attempt may succeed.
    async fn patiently(
        &self,
        kind: &DumpedKind,
        area: &Area,
        from: Option<String>,
    ) -> Result<WholePage, NoPage> {
        for rest in RESTS {
            match self.page(kind, area, from.clone()).await {
                Err(NoPage::Trouble(trouble)) if trouble.may_pass() => {
                    tracing::debug!(%trouble, "a page of a list could not be read; retrying");
                    tokio::time::sleep(rest).await;
                }
                told => return told,
            }
        }
        self.page(kind, area, from).await
    }
}

// === impl Keeping ===

impl Keeping {
    /// Returns the namespaces in which kinds with many objects, such as Pods, are dumped.
    fn namespaces(&self) -> impl Iterator<Item = &String> {
        self.of_olm.union(&self.of_others)
    }

    /// Returns true if the dump must contain the object. The kinds of installers must be dumped
    /// first, because their objects name the namespaces of workloads.
    fn takes(&mut self, kind: &DumpedKind, object: &Value) -> bool {
        let namespace = object["metadata"]["namespace"].as_str();
        if !kind.has_name(object) {
            return false;
        }
        match namespace {
            Some(namespace) if kind.runs() => {
                let is_taken = || kind.has_labels(object) || is_olm_itself(object);
                let is_of_olm = || self.of_olm.contains(namespace) && is_taken();
                self.of_others.contains(namespace) || is_of_olm()
            }
            Some(namespace) if kind.is_of_olm() => {
                self.of_olm.insert(namespace.to_owned());
                true
            }
            Some(_) | None => {
                self.of_others.append(&mut workload_namespaces(object));
                true
            }
        }
    }
}

/// Returns true if the labels of the object identify a controller of OLM.
fn is_olm_itself(object: &Value) -> bool {
    let labels = object["metadata"]["labels"].clone();
    let labels = serde_json::from_value::<BTreeMap<String, String>>(labels);
    labels.is_ok_and(|labels| OlmController::all_labeled().matches(&labels))
}

// === impl Listed ===

impl Listed {
    fn begin(path: PathBuf) -> Result<Self, WriteDump> {
        let file = File::create(&path).map_err(failed(&path))?;
        let mut listed = Self {
            path,
            file: BufWriter::new(file),
            mark: Mark::default(),
        };
        listed.write(br#"{"apiVersion": "v1", "kind": "List", "items": ["#)?;
        Ok(listed)
    }

    fn add(&mut self, object: &Value) -> Result<(), WriteDump> {
        let between: &[u8] = match self.mark.objects {
            0 => b"\n",
            _ => b",\n",
        };
        self.write(between)?;
        self.write(object.to_string().as_bytes())?;
        self.mark.objects += 1;
        Ok(())
    }

    fn end(mut self) -> Result<usize, WriteDump> {
        self.write(b"\n]}\n")?;
        self.file.flush().map_err(failed(&self.path))?;
        Ok(self.mark.objects)
    }

    /// Returns the current position in the file.
    fn mark(&self) -> Mark {
        self.mark
    }

    /// Removes everything that was written after this position.
    fn rewind(&mut self, to: Mark) -> Result<(), WriteDump> {
        let rewound = self.file.seek(SeekFrom::Start(to.bytes));
        let cut = rewound.and_then(|_| self.file.get_ref().set_len(to.bytes));
        self.mark = to;
        cut.map_err(failed(&self.path))
    }

    /// Removes the file, because the kind cannot be listed.
    fn forget(self) -> Result<(), WriteDump> {
        fs::remove_file(&self.path).map_err(failed(&self.path))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), WriteDump> {
        self.mark.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(failed(&self.path))
    }
}

/// Writes objects as one file of a dump.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn write_list<'v>(
    to: &Path,
    name: &str,
    objects: impl IntoIterator<Item = &'v Value>,
) -> Result<(), WriteDump> {
    let mut listed = Listed::begin(list_path(to, name))?;
    for object in objects {
        listed.add(object)?;
    }
    listed.end().map(drop)
}

impl Dump {
    /// Writes the description of the dump to its folder. The description must be written last,
    /// because a folder without a description counts as incomplete.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write(&self, to: &Path) -> Result<(), WriteDump> {
        let text = serde_json::to_string_pretty(self).expect("a dump must have a JSON form");
        let path = Self::file(to);
        fs::write(&path, text + "\n").map_err(failed(&path))
    }
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> WriteDump {
    let path = path.to_owned();
    move |source| WriteDump { path, source }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::{Deployment, Subscription};
    use serde_json::json;

    use super::*;

    fn deployment(namespace: &str, label: &str) -> Value {
        json!({"metadata": {"name": "a", "namespace": namespace, "labels": {label: "x"}}})
    }

    #[test]
    fn dump_contains_only_api_requests_for_removed_apis() {
        let counts = dumped_kinds().into_iter();
        let mut counts = counts.filter(|kind| kind.name().kind == "APIRequestCount");
        let counts = counts.next().expect("the kind");
        let takes = |name: &str| {
            let object = json!({"metadata": {"name": name}});
            Keeping::default().takes(&counts, &object)
        };
        assert!(takes("podsecuritypolicies.v1beta1.policy"));
        assert!(!takes("pods.v1"));
    }

    #[test]
    fn dump_contains_only_workloads_of_olm_and_of_installed_operators() {
        let mut keeping = Keeping::default();
        let subscription = json!({"metadata": {"name": "ferry", "namespace": "harbor"}});
        assert!(keeping.takes(&DumpedKind::of_olm::<Subscription>(), &subscription));
        let plan = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1",
            "kind": "InstallPlan",
            "metadata": {"name": "rope-1", "namespace": "dock"},
        });
        let plans = DumpedKind::of::<portolan_api::plan::InstallPlan>();
        assert!(keeping.takes(&plans, &plan));
        let deployments = DumpedKind::running::<Deployment>();
        let mut takes =
            |namespace, label| keeping.takes(&deployments, &deployment(namespace, label));
        assert!(takes("harbor", "olm.owner"));
        assert!(!takes("harbor", "app"), "a Deployment beside the operator");
        let mut olm = deployment("harbor", "app");
        olm["metadata"]["labels"]["app"] = "catalog-operator".into();
        let deployments = DumpedKind::running::<Deployment>();
        assert!(keeping.takes(&deployments, &olm), "OLM itself");
        let mut takes =
            |namespace, label| keeping.takes(&deployments, &deployment(namespace, label));
        assert!(takes("dock", "app"));
        assert!(!takes("elsewhere", "olm.owner"));
    }
}
