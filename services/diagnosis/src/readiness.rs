//! The readiness of the operators of a world for a cluster upgrade.
//!
//! ```text
//! world ----> gather: operators ------\
//!       \---> restraints: rules of users \
//!        \--> openshift: its reports ------+-> Assessment -> wire -> ListReadinessResponses
//! StagedCatalogs, Bundles --------------/
//! ```
//!
//! `portolan readiness` and the service call the same functions. The decisions are in
//! `core/questions/route`. The service is in `server.rs`.

mod gather;
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

/// Everything that an assessment needs.
#[derive(Debug)]
pub struct AssessedWorld<'a> {
    pub world: &'a AnyWorld,
    /// The only namespace. Empty for all namespaces.
    pub namespace: &'a str,
    /// The current release, the releases in between, and the target. At least two.
    pub stages: &'a [Stage],
    pub catalogs: &'a StagedCatalogs,
    pub bundles: &'a BundleContents,
    pub terms: ReviewTerms,
}

/// The readiness of all operators, with the facts that could not be read.
#[derive(Debug, Default)]
pub struct Assessment {
    pub(crate) question: Question,
    /// The operators, in the order of the question.
    pub(crate) operators: Vec<NamedOperator>,
    pub(crate) inventory: Vec<InstalledOperator>,
    pub(crate) answers: Vec<Readiness>,
    /// The objects that could not be read. Operators may be missing, or judged without a rule.
    pub(crate) unread: Vec<String>,
    /// Objects of the cluster, each with a sentence.
    pub(crate) notes: Vec<(String, String)>,
    /// The facts that were not checked.
    pub(crate) not_checked: Vec<String>,
    /// The documents that cannot be read. Each may hide an operator.
    pub faults: Vec<WorldFault>,
    /// The kinds that cannot be read. They are also among the objects that could not be read.
    pub gaps: Vec<Gap>,
}

/// Judges the operators of a world.
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
    // A condition is about the operators of all namespaces.
    if namespace.is_empty() {
        openshift::add_conditions(world, &mut assessment).await;
    }
    Ok(assessment)
}

// === impl Assessment ===

impl Assessment {
    /// Returns the responses of the service: the overview, then one for each operator.
    pub fn responses(&self) -> Vec<pb::ListReadinessResponse> {
        wire::readiness::encode(self)
    }

    /// Returns the number of operators that are not ready for the target. None if operators may be
    /// missing.
    pub(crate) fn blocked(&self) -> Option<usize> {
        let advice = self.advice();
        let all = 0..self.operators.len();
        let blocked = all.filter(|at| !advice.is_ready(*at)).count();
        self.unread.is_empty().then_some(blocked)
    }

    pub(crate) fn advice(&self) -> Advice<'_> {
        Advice {
            question: &self.question,
            operators: &self.operators,
            answers: &self.answers,
        }
    }
}

/// Reads the objects of a kind, or returns the reason as a sentence.
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
