//! `portolan review`: which InstallPlans the policies allow, bundle by bundle, and what would.

mod one;
mod reviewed;
mod table;

use clap::Parser;
use portolan_proto::approval::v1::watch_response::Event;
use portolan_proto::approval::v1::{
    Review, ReviewNamespaceRequest, ReviewPlanRequest, WatchRequest,
};
use serde::Serialize;
use tonic::Status;

use self::reviewed::{is_finished, names, waits_for_a_person};
use crate::exit::{self, Exit};
use crate::facts::{ApprovalConnection, ObjectFacts};
use crate::failure::Failure;
use crate::named::{self, Kind, Named};
use crate::print::words::{self, count};
use crate::print::{self, Form};
use crate::scope::Whose;

/// Say which InstallPlans the policies allow, bundle by bundle: by which policy, or why not and
/// what to change in which policy.
///
/// Yes is what may be approved. No is what may not, whoever waits. NotYet may be allowed once
/// something is there or known that is not yet. Plans that are complete or failed are left out
/// unless -o wide asks for them, or PLAN names one.
///
/// With -o json it is the gRPC answer about the namespace or the plan; for all namespaces it is one
/// object with the list `reviews`.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  nothing waits for a person: what waits is allowed, or will be told soon",
        "1  an InstallPlan waits that no policy allows";
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
pub(crate) struct Command {
    /// The InstallPlan to describe, with or without its namespace; all are listed if none is given.
    #[arg(value_name = "[NAMESPACE/]PLAN")]
    name: Option<Named>,

    #[command(flatten)]
    whose: Whose,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    facts: ObjectFacts,
}

/// The reviews of all namespaces.
#[derive(Debug, Serialize)]
struct Everywhere {
    reviews: Vec<Review>,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (namespace, form) = (self.whose.namespace, self.form);
        let namespace = named::namespace(self.name.as_ref(), &namespace)?;
        let name = self.name.map(|named| named.among(&[Kind::InstallPlan]));
        let name = name.transpose()?.map(|named| named.name);
        let approval = self.facts.approval(&namespace).await?;
        let mut approval = approval.with_positional(&["name"]);
        if let Some(name) = name {
            let namespace = found(&mut approval, namespace, &name).await?;
            let request = ReviewPlanRequest { namespace, name };
            let asked = approval.ask(async |client| client.review_plan(request).await);
            let answer = asked.await?;
            let review = answer.review.clone().unwrap_or_default();
            form.print(&answer, &[], |_, detail| one::render(&review, detail))?;
            return Ok(Exit::no_if(waits_for_a_person(&review)));
        }
        let reviews = if namespace.is_empty() {
            let reviews = everywhere(&mut approval).await?;
            let answer = Everywhere { reviews };
            form.print(&answer, &[], |answer, detail| {
                table::render(&answer.reviews, &[], &[], detail)
            })?;
            answer.reviews
        } else {
            let request = ReviewNamespaceRequest {
                namespace: namespace.clone(),
            };
            let asked = approval.ask(async |client| client.review_namespace(request).await);
            let answer = asked.await?;
            form.print(&answer, &[], |answer, detail| {
                table::render(&answer.reviews, &answer.policies, &answer.remarks, detail)
            })?;
            answer.reviews
        };
        note_what_is_left_out(&reviews, &namespace, form);
        Ok(Exit::no_if(reviews.iter().any(waits_for_a_person)))
    }
}

/// All that a watch tells until it has told everything, by namespace and name.
async fn everywhere(approval: &mut ApprovalConnection) -> Result<Vec<Review>, Failure> {
    let request = WatchRequest::default();
    let mut news = approval
        .ask(async |client| client.watch(request).await)
        .await?;
    let mut reviews: Vec<Review> = Vec::new();
    loop {
        let told = news.message().await;
        let told = told.map_err(|status| approval.failure(&status))?;
        let broken = || approval.failure(&Status::unavailable("it ended before it told all"));
        match told.ok_or_else(broken)?.event {
            Some(Event::Review(review)) => {
                reviews.retain(|known| names(known) != names(&review));
                reviews.push(review);
            }
            Some(Event::Gone(gone)) => {
                let gone = gone.plan.unwrap_or_default();
                reviews.retain(|known| names(known) != (&*gone.namespace, &*gone.name));
            }
            Some(Event::Reset(_)) => reviews.clear(),
            Some(Event::Synced(_)) => break,
            Some(Event::Heartbeat(_)) | None => {}
        }
    }
    reviews.sort_by(|a, b| names(a).cmp(&names(b)));
    Ok(reviews)
}

/// The namespace of a plan that is named alone. Where it is in none, the service says so.
async fn found(
    approval: &mut ApprovalConnection,
    namespace: String,
    name: &str,
) -> Result<String, Failure> {
    if !namespace.is_empty() {
        return Ok(namespace);
    }
    let reviews = everywhere(approval).await?;
    let with_name = reviews.iter().map(names).filter(|(_, it)| *it == name);
    let namespaces: Vec<_> = with_name.map(|(namespace, _)| namespace).collect();
    match namespaces.as_slice() {
        [] => Err(Failure::taught(unknown(name, &reviews))),
        [namespace] => Ok((*namespace).to_owned()),
        several => Err(Failure::taught(format!(
            "an InstallPlan {name} is in each of the namespaces {}: say which with -n",
            several.join(", ")
        ))),
    }
}

fn unknown(name: &str, reviews: &[Review]) -> String {
    let known: Vec<_> = reviews.iter().map(|review| names(review).1).collect();
    let near = portolan_core_names::nearest(name, known.iter());
    format!(
        "there is no InstallPlan {name} in any namespace{}",
        words::did_you_mean(near)
    )
}

/// Tells beside the answer what it does not show.
fn note_what_is_left_out(reviews: &[Review], namespace: &str, form: Form) {
    let finished = reviews.iter().filter(|review| is_finished(review)).count();
    let place = words::within(namespace);
    if reviews.is_empty() {
        print::note(&format!("No InstallPlans found{place}."));
    } else if form.detail() == Some(print::Detail::Usual) && finished > 0 {
        let what = if finished == reviews.len() {
            format!("No InstallPlan{place} is still to be carried out")
        } else {
            "Not all are shown".to_owned()
        };
        print::note(&format!(
            "{what}: {} left out that OLM has finished with (-o wide shows all).",
            count(finished, "plan")
        ));
    }
}
