//! Judges if the operators in a world are ready for a cluster upgrade.
//!
//! ```text
//! world ----> gather: operators ------\
//!       \---> restraints: rules of users \
//!        \--> openshift: its reports ------+-> Assessment -> wire -> ListReadinessResponses
//! StagedCatalogs, Bundles --------------/
//! ```
//!
//! The command `portolan readiness` and the diagnosis service call the same functions. The
//! decisions are in `core/questions/route`. The code of the service is in `server.rs`.

mod gather;
mod kept;
mod openshift;
mod releases;
mod restraints;
mod server;

use portolan_api::inventory::{Gap, InstalledOperator};
use portolan_approval::ReviewTerms;
use portolan_proto::diagnosis::v1 as pb;
use portolan_resolver::readiness::{
    Advice, BundleContents, NamedOperator, Question, Readiness, Stage, StagedCatalogs, judge,
    judge_with_bundles,
};
use portolan_shell::with_causes;
use portolan_world::{AnyWorld, Area, Kind, View, World as _, WorldFault};

pub use self::gather::WatchedObjects;
pub use self::releases::{CannotPass, NotTarget, TargetRelease, stages};
pub(crate) use self::server::{AskedReadiness, ReadinessServer};
pub use self::server::{ReadinessFlags, ReadinessSources};

use self::gather::gather;
use self::restraints::Rules;
use crate::wire;

/// The input of an assessment.
#[derive(Debug)]
pub struct AssessedWorld<'a> {
    pub world: &'a AnyWorld,
    /// The only namespace. Empty for all namespaces.
    pub namespace: &'a str,
    /// The current release, the releases in between, and the target release. There are at least two
    /// stages.
    pub stages: &'a [Stage],
    pub catalogs: &'a StagedCatalogs,
    pub bundles: &'a BundleContents,
    pub terms: ReviewTerms,
}

/// The readiness of all operators, with the facts that could not be read.
#[derive(Debug, Default)]
pub struct Assessment {
    pub(crate) question: Question,
    /// The operators, in the same order as in the question.
    pub(crate) operators: Vec<NamedOperator>,
    pub(crate) inventory: Vec<InstalledOperator>,
    pub(crate) answers: Vec<Readiness>,
    /// The objects that could not be read. Because of them, operators may be missing, or rules of
    /// users may be unknown.
    pub(crate) unread: Vec<String>,
    /// Remarks about objects of the cluster. Each has the name of the object and a sentence.
    pub(crate) notes: Vec<(String, String)>,
    /// The facts that were not checked.
    pub(crate) not_checked: Vec<String>,
    /// The documents that cannot be read. Each of them may contain an operator.
    pub faults: Vec<WorldFault>,
    /// The kinds that cannot be read. `unread` contains them, too.
    pub gaps: Vec<Gap>,
}

/// Judges if the operators of a world are ready.
///
/// # Errors
/// Returns the reason if the Subscriptions or ClusterServiceVersions cannot be read.
pub async fn assess(asked: AssessedWorld<'_>) -> Result<Assessment, String> {
    let AssessedWorld {
        world,
        namespace,
        stages,
        catalogs,
        bundles,
        terms,
    } = asked;
    let mut assessment = gather(world, namespace, stages, catalogs).await?;
    let Assessment {
        question,
        operators,
        ..
    } = &mut assessment;
    let answers = judge_with_bundles(question, operators, catalogs, bundles).await;
    let (rules, unread) = Rules::read(world, terms).await;
    assessment.unread.extend(unread);
    rules.apply(&mut assessment, &answers);
    openshift::add_requests(world, &mut assessment).await;
    assessment.answers = judge(&assessment.question);
    // The conditions of OpenShift concern the operators of all namespaces, so they are compared
    // only if all namespaces are assessed.
    if namespace.is_empty() {
        openshift::add_conditions(world, &mut assessment).await;
    }
    Ok(assessment)
}

// === impl Assessment ===

impl Assessment {
    /// Returns the responses of the service: first the overview, then one response for each
    /// operator.
    pub fn responses(&self) -> Vec<pb::ListReadinessResponse> {
        wire::readiness::encode(self)
    }

    /// Returns the number of operators that are not ready for the target.
    ///
    /// # Errors
    /// Returns the first reason why operators may be missing.
    pub(crate) fn blocked(&self) -> Result<usize, String> {
        if let Some(why) = self.unread.first() {
            return Err(why.clone());
        }
        let advice = self.advice();
        let all = 0..self.operators.len();
        Ok(all.filter(|at| !advice.is_ready(*at)).count())
    }

    pub(crate) fn advice(&self) -> Advice<'_> {
        Advice {
            question: &self.question,
            operators: &self.operators,
            answers: &self.answers,
        }
    }
}

/// Reads the objects of a kind. Returns the reason as a sentence if they cannot be read.
async fn read<K: Kind>(world: &AnyWorld, area: Area) -> Result<View<K>, String> {
    let mut objects = world.objects_in::<K>(area);
    let view = objects.known().await.unwrap_or_default();
    let Some((trouble, _)) = view.state.trouble() else {
        return Ok(view);
    };
    let kind = K::kind(&());
    let kinds = match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    };
    Err(format!("cannot read {kinds}: {}", with_causes(trouble)))
}
