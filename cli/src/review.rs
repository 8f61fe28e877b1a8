//! `portolan review`: shows which InstallPlans the policies allow, bundle by bundle. For other
//! InstallPlans, shows the changes that would allow them.

pub(crate) mod one;
pub(crate) mod reviewed;
mod table;

use clap::Parser;
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{
    Review, ReviewNamespaceRequest, ReviewNamespaceResponse, ReviewPlanRequest, ReviewPlanResponse,
    WatchRequest,
};
use serde::Serialize;
use tonic::Status;

use self::reviewed::{is_finished, is_in_doubt, waits_for_a_person};
use crate::exit::{self, Exit};
use crate::facts::{ApprovalConnection, IgnoredCatalogArgs, ObjectArgs};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::print::names;
use crate::print::words::{self, count};
use crate::print::{Detail, Format, OutputArgs, Page, Remark, Render};
use crate::scope::{NamespaceArgs, WatchArgs};

/// Review InstallPlans: show which bundles policies allow, and which policy changes allow the other
/// bundles.
///
/// The decision for each bundle is Yes (allowed), No (not allowed) or NotYet. With NotYet, the
/// bundle may be allowed later, when a missing object is created or an unknown state becomes known.
/// Complete and failed plans are listed only with -o wide or with PLAN.
///
/// -o json prints the gRPC response for the namespace or the plan. For all namespaces, -o json
/// prints one object with the list `reviews`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  every pending InstallPlan is allowed (Yes), or its decision is not yet known (NotYet)",
        "1  a pending InstallPlan is not allowed by any policy";
        "portolan review",
        "portolan review -n harbor",
        "portolan review harbor/install-x7k2p",
        "portolan review --server http://127.0.0.1:50053 -o json",
        "kubectl get -A -o yaml installplans.operators.coreos.com > dump/plans.yaml",
        "kubectl get -A -o yaml subscriptions.operators.coreos.com,csv > dump/olm.yaml",
        "kubectl get -A -o yaml operatorpolicies > dump/policies.yaml",
        "portolan review --world dump"
    )
)]
pub(crate) struct ReviewArgs {
    /// InstallPlan to describe, with or without its namespace. Default: list all InstallPlans.
    #[arg(value_name = "[NAMESPACE/]PLAN")]
    name: Option<Named>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    facts: ObjectArgs,

    #[command(flatten)]
    _aside: IgnoredCatalogArgs,
}

/// The reviews of one plan, of a namespace, or of all namespaces.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Reviews {
    Plan(Box<ReviewPlanResponse>),
    Namespace {
        #[serde(flatten)]
        answer: ReviewNamespaceResponse,
        #[serde(skip)]
        namespace: String,
    },
    Everywhere {
        reviews: Vec<Review>,
    },
}

// === impl ReviewArgs ===

impl ReviewArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let namespace = named::namespace(self.name.as_ref(), &self.whose.namespace)?;
        let name = self.name.map(|named| named.among(&[Kind::InstallPlan]));
        let name = name.transpose()?.map(|named| named.name);
        let approval = self.facts.approval(&namespace).await?;
        let mut approval = approval.with_positional(&["name"]);
        let namespace = match &name {
            Some(name) => found(&mut approval, namespace, name).await?,
            None => namespace,
        };
        let ask = async || ask(&mut approval, &namespace, name.as_deref()).await;
        self.watched.show(self.output.format, ask).await
    }
}

async fn ask(
    approval: &mut ApprovalConnection,
    namespace: &str,
    plan: Option<&str>,
) -> Result<Reviews, Failure> {
    let namespace = namespace.to_owned();
    if let Some(name) = plan.map(str::to_owned) {
        let request = ReviewPlanRequest { namespace, name };
        let answer = approval.query(request).await?;
        Ok(Reviews::Plan(Box::new(answer)))
    } else if namespace.is_empty() {
        let reviews = everywhere(approval).await?;
        Ok(Reviews::Everywhere { reviews })
    } else {
        let request = ReviewNamespaceRequest {
            namespace: namespace.clone(),
        };
        let answer = approval.query(request).await?;
        Ok(Reviews::Namespace { answer, namespace })
    }
}

// === impl Reviews ===

impl Reviews {
    fn reviews(&self) -> &[Review] {
        match self {
            Self::Plan(answer) => answer.review.as_slice(),
            Self::Namespace { answer, .. } => &answer.reviews,
            Self::Everywhere { reviews } => reviews,
        }
    }
}

impl Render for Reviews {
    fn page(&self, detail: Detail) -> Page {
        match self {
            Self::Plan(answer) => one::render(&answer.review.clone().unwrap_or_default(), detail),
            Self::Namespace { answer, .. } => {
                table::render(&answer.reviews, &answer.policies, &answer.remarks, detail)
            }
            Self::Everywhere { reviews } => table::render(reviews, &[], &[], detail),
        }
    }
    fn remark(&self, format: Format) -> Option<Remark> {
        match self {
            Self::Plan(_) => None,
            Self::Namespace { answer, namespace } => left_out(&answer.reviews, namespace, format),
            Self::Everywhere { reviews } => left_out(reviews, "", format),
        }
    }

    fn exit(&self) -> Exit {
        let reviews = self.reviews();
        let exit = Exit::no_if(reviews.iter().any(waits_for_a_person));
        exit.unless_in_doubt(reviews.iter().any(is_in_doubt))
    }

    fn names(&self) -> Option<Vec<String>> {
        let plans = self.reviews().iter().filter_map(|it| it.plan.as_ref());
        let plans = plans.filter_map(|plan| plan.object.as_ref());
        Some(plans.map(names::object).collect())
    }
}

/// Returns the reviews of all plans in a namespace, or in all namespaces.
pub(crate) async fn reviews(
    approval: &mut ApprovalConnection,
    namespace: &str,
) -> Result<Vec<Review>, Failure> {
    let answer = ask(approval, namespace, None).await?;
    Ok(answer.reviews().to_vec())
}

/// Returns the reviews of all namespaces, sorted by namespace and name. Reads the watch of the
/// service until it has sent all current reviews.
async fn everywhere(approval: &mut ApprovalConnection) -> Result<Vec<Review>, Failure> {
    let request = WatchRequest::default();
    let mut news = approval.query(request).await?;
    let mut reviews: Vec<Review> = Vec::new();
    loop {
        let told = news.message().await;
        let told = told.map_err(|status| approval.failure(&status))?;
        let broken = || {
            approval.failure(&Status::unavailable(
                "the server ended the response before it was complete",
            ))
        };
        match told.ok_or_else(broken)?.event {
            Some(Event::Review(review)) => {
                reviews.retain(|known| reviewed::names(known) != reviewed::names(&review));
                reviews.push(review);
            }
            Some(Event::Gone(gone)) => {
                let gone = gone.plan.unwrap_or_default();
                reviews.retain(|known| reviewed::names(known) != (&*gone.namespace, &*gone.name));
            }
            Some(Event::Reset(_)) => reviews.clear(),
            Some(Event::Synced(_)) => break,
            Some(Event::Heartbeat(_)) | None => {}
        }
    }
    reviews.sort_by(|a, b| reviewed::names(a).cmp(&reviewed::names(b)));
    Ok(reviews)
}

/// Returns the namespace of a plan for which the user specified no namespace. If the plan does not
/// exist, the service reports the error later.
async fn found(
    approval: &mut ApprovalConnection,
    namespace: String,
    name: &str,
) -> Result<String, Failure> {
    if !namespace.is_empty() {
        return Ok(namespace);
    }
    let reviews = everywhere(approval).await?;
    let with_name = reviews
        .iter()
        .map(reviewed::names)
        .filter(|(_, it)| *it == name);
    let namespaces: Vec<_> = with_name.map(|(namespace, _)| namespace).collect();
    match namespaces.as_slice() {
        [] => Err(Failure::usage(unknown(name, &reviews))),
        [namespace] => Ok((*namespace).to_owned()),
        several => Err(Failure::usage(format!(
            "InstallPlan {name} exists in several namespaces: {}; select the namespace with -n",
            several.join(", ")
        ))),
    }
}

fn unknown(name: &str, reviews: &[Review]) -> String {
    let known: Vec<_> = reviews
        .iter()
        .map(|review| reviewed::names(review).1)
        .collect();
    let near = portolan_core_names::nearest(name, known.iter());
    format!(
        "InstallPlan {name} not found in any namespace{}",
        words::did_you_mean(near)
    )
}

/// Returns the remark about finished plans that the output omits.
fn left_out(reviews: &[Review], namespace: &str, format: Format) -> Option<Remark> {
    let finished = reviews.iter().filter(|review| is_finished(review)).count();
    let place = words::within(namespace);
    if reviews.is_empty() {
        return Some(Remark::Note(format!("No InstallPlans found{place}.")));
    }
    if format.detail() != Some(Detail::Usual) || finished == 0 {
        return None;
    }
    let what = if finished == reviews.len() {
        format!("No InstallPlan{place} is pending")
    } else {
        "Complete and failed InstallPlans are not shown".to_owned()
    };
    let finished = count(finished, "plan");
    Some(Remark::Note(format!(
        "{what}: {finished} omitted (use -o wide to show all)."
    )))
}
