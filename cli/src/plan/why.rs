//! `portolan plan why`: explains why a plan contains an object, and what the plan does with the
//! object.

mod object;

use clap::Parser;
use portolan_api::plan::{InstallPlan, Source};
use portolan_core_install::{Member, PlanVersion, Relation, ReportedState, Why};
use serde::Serialize;

use self::object::ObjectName;
use super::facts::{PlanArgs, Plans, version};
use super::plan_ref::{PlanFile, PlanRef};
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, Page, Render, Span, TEXT_OR_JSON};

/// Explain an object of an InstallPlan: the stage, state and other owners of the object, and what
/// happens to the object when the plan is deleted or replaced.
///
/// A file is read without a cluster, unless an option selects a cluster. With a cluster, the
/// command also lists other plans that contain the object.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  success";
        "portolan plan why ferry-7087355c deployment/ferry -n harbor",
        "portolan plan why ferry-7087355c configmap/harbor/timetable",
        "portolan plan why next.yaml crd/ships.ferry.example"
    )
)]
pub(crate) struct PlanWhyArgs {
    /// Plan: the name of an existing plan, or a file with its Secrets and ResourceManifests.
    #[arg(value_name = "NAME|FILE")]
    plan: PlanRef,

    /// Object, as KIND/NAME. Add the namespace if the name is ambiguous.
    #[arg(value_name = "KIND/[NAMESPACE/]NAME")]
    object: ObjectName,

    /// Namespace of the plan.
    #[arg(short, long, value_name = "NAMESPACE")]
    #[arg(default_value = "", hide_default_value = true)]
    namespace: String,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "text", value_parser = Format::among(TEXT_OR_JSON))]
    output: Format,

    #[command(flatten)]
    facts: PlanArgs,
}

/// The result of the command.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct WhyDocument {
    object: String,
    plan: String,
    stage: String,
    manifest: String,
    digest: String,
    origin: String,
    state: String,
    also_in: Vec<String>,
    when_the_plan_is_deleted: String,
    when_the_next_plan_lacks_it: String,
}

// === impl PlanWhyArgs ===

impl PlanWhyArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (plan, others) = match &self.plan {
            PlanRef::File(file) => {
                let written = PlanFile::within(file, &self.namespace)?;
                if self.facts.is_given() {
                    let plans = self.facts.read(written.namespace()?).await?;
                    let others = others(&plans, &written.plan).await;
                    let PlanFile { plan, contents } = written;
                    (plans.version(&plan, contents).await?, others)
                } else {
                    (version(&written.plan, &written.contents)?, Vec::new())
                }
            }
            PlanRef::Name(name) => {
                let plans = self.facts.read(&self.namespace).await?;
                let plan = plans.named(name)?;
                let others = others(&plans, plan).await;
                (plans.version(plan, Default::default()).await?, others)
            }
        };
        let member = self.object.among(&plan)?;
        let why = Why::of(&plan, member, &others);
        self.output.show(&WhyDocument::of(&plan, member, &why))
    }
}

/// Returns the other plans, with their relation to this plan. Prints a warning for each plan that
/// cannot be read.
async fn others(plans: &Plans, plan: &InstallPlan) -> Vec<(Relation, PlanVersion)> {
    let namespace = plan.metadata.namespace.clone();
    let own = plan.metadata.name.as_deref().unwrap_or_default();
    let succession = plans.succession(plan);
    let is_before = |name: &str| succession.predecessors.iter().any(|peer| peer.name == name);
    let is_after = |name: &str| {
        succession
            .successor
            .as_ref()
            .is_some_and(|peer| peer.name == name)
    };
    let mut others = Vec::new();
    for (key, other) in &plans.all {
        let is_neighbor = other.metadata.namespace == namespace;
        if is_neighbor && *key.name == *own {
            continue;
        }
        let relation = if is_neighbor && is_before(&key.name) {
            Relation::Before
        } else if is_neighbor && is_after(&key.name) {
            Relation::After
        } else {
            Relation::Other
        };
        match plans.version(other, Default::default()).await {
            Ok(version) => others.push((relation, version)),
            Err(failure) => print::warn(&format!(
                "other plans that contain the object may be missing: {}",
                failure.message()
            )),
        }
    }
    others
}

// === impl WhyDocument ===

impl WhyDocument {
    fn of(plan: &PlanVersion, member: &Member, why: &Why<'_>) -> Self {
        let place = member.place;
        let stages = plan.intent.stages.len();
        Self {
            object: member.identity.to_string(),
            plan: plan.name.clone(),
            stage: format!("{} ({} of {stages})", why.stage, place.stage + 1),
            manifest: match why.source {
                Source::Inline(_) => format!("in the plan, at {place}"),
                Source::ResourceManifest(name) => format!("in the ResourceManifest {name}"),
                Source::Secret(name) => format!("in the Secret {name}"),
            },
            digest: member.digest.clone(),
            origin: match why.was_found {
                Some(true) => "the object existed before the plan",
                Some(false) => "created by this plan or by a plan that this plan replaces",
                None => "the plan has not started",
            }
            .to_owned(),
            state: state(&why.standing),
            also_in: why.shares.iter().map(share).collect(),
            when_the_plan_is_deleted: why.with_plan.to_string(),
            when_the_next_plan_lacks_it: why.when_lacking.to_string(),
        }
    }
}

impl Render for WhyDocument {
    fn page(&self, _: Detail) -> Page {
        let mut page = Page::default();
        page.line([Span::heading(&self.object)]);
        page.facts([
            ("Plan:", Span::plain(&self.plan)),
            ("Stage:", Span::plain(&self.stage)),
            ("Manifest:", Span::plain(&self.manifest)),
            ("Digest:", Span::plain(&self.digest)),
            ("Origin:", Span::plain(&self.origin)),
            ("State:", Span::plain(&self.state)),
            ("Also in:", self.also_in.join("; ").into()),
            (
                "On plan deletion:",
                Span::plain(&self.when_the_plan_is_deleted),
            ),
            (
                "If next plan lacks it:",
                Span::plain(&self.when_the_next_plan_lacks_it),
            ),
        ]);
        page
    }
}

fn state(standing: &ReportedState<'_>) -> String {
    match standing {
        ReportedState::NotBegun => "the plan has not written any objects yet".to_owned(),
        ReportedState::Fine => "up to date".to_owned(),
        ReportedState::NotFine(told) => format!("{:?}: {}", told.state, told.message),
        ReportedState::Unlisted => {
            "unknown: the status of the plan lists only some of the objects that are not ready"
                .to_owned()
        }
    }
}

fn share(share: &portolan_core_install::Share<'_>) -> String {
    let what = match share.relation {
        Relation::Before => "which this plan replaces",
        Relation::After => "which replaces this plan",
        Relation::Other => "which is unrelated",
    };
    let manifest = if share.is_same {
        "the same manifest"
    } else {
        "another manifest"
    };
    format!("{}, {what}, with {manifest}", share.plan)
}
