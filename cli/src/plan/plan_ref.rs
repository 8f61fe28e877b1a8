//! The argument with which the user selects a plan: a file, or the name of a plan.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use portolan_api::plan::{GROUP, InstallPlan};
use portolan_core_install::Contents;
use portolan_core_names::GroupKind;
use portolan_core_olm::read_value;
use serde_json::Value;

use super::contents;
use crate::failure::Failure;
use crate::sources::{STDIN, Sources};

/// A plan that the user selects by a file or by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PlanRef {
    File(PathBuf),
    Name(String),
}

/// A plan in a file, with the contents of the plan that the same file defines.
#[derive(Debug)]
pub(super) struct PlanFile {
    pub(super) plan: InstallPlan,
    pub(super) contents: Contents,
}

// === impl PlanRef ===

/// Parses an argument. The argument is a file if the file exists or if the argument looks like a
/// path. So a typo in a path is reported as a missing file.
impl FromStr for PlanRef {
    type Err = Infallible;

    fn from_str(word: &str) -> Result<Self, Infallible> {
        let ends = [".yaml", ".yml", ".json"];
        let reads_like_a_file = word == STDIN || word.contains('/');
        let is_file = reads_like_a_file || ends.iter().any(|end| word.ends_with(end));
        Ok(if is_file || Path::new(word).exists() {
            Self::File(word.into())
        } else {
            Self::Name(word.to_owned())
        })
    }
}

// === impl PlanFile ===

impl PlanFile {
    /// Returns the only plan in a file or folder. A plan without a namespace gets the namespace
    /// `said`.
    pub(super) fn within(path: &Path, said: &str) -> Result<Self, Failure> {
        let mut written = Self::read(path)?;
        let namespace = &mut written.plan.metadata.namespace;
        match (namespace.as_deref(), said) {
            (_, "") => {}
            (None, said) => *namespace = Some(said.to_owned()),
            (Some(own), said) if own == said => {}
            (Some(own), said) => {
                return Err(Failure::usage(format!(
                    "the plan of {} is in namespace {own}, but -n is {said}; omit -n",
                    path.display()
                )));
            }
        }
        Ok(written)
    }

    /// Returns the namespace of the plan, in which the existing plans are searched.
    pub(super) fn namespace(&self) -> Result<&str, Failure> {
        let namespace = self.plan.metadata.namespace.as_deref();
        namespace.ok_or_else(|| Failure::usage("the plan has no namespace; use -n"))
    }

    /// Returns the only plan in a file or folder.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let place = path.display();
        let Sources { all, faults, .. } = Sources::read(&[path.to_owned()], false)?;
        if let Some(fault) = faults.first() {
            return Err(Failure::usage(fault.clone()));
        }
        let mut contents = Contents::default();
        all.iter()
            .for_each(|source| contents::put(&source.manifest, &mut contents));
        let mut plans = all.into_iter().filter(|source| is_plan(&source.manifest));
        match (plans.next(), plans.next()) {
            (Some(source), None) => {
                let plan = read_value(source.manifest);
                let (plan, _) =
                    plan.map_err(|fault| Failure::usage(format!("{}: {fault}", source.place)))?;
                Ok(Self { plan, contents })
            }
            (None, _) => Err(Failure::usage(format!(
                "{place} does not contain an InstallPlan of {GROUP}"
            ))),
            (Some(_), Some(_)) => Err(Failure::usage(format!(
                "{place} contains several InstallPlans; use a file with one InstallPlan"
            ))),
        }
    }
}

fn is_plan(manifest: &Value) -> bool {
    GroupKind::of(manifest).is(GROUP, "InstallPlan")
}
