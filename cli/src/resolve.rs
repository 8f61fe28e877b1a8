//! `portolan resolve`: which operators grant a set of wishes, or what makes that impossible.

mod installed;
mod olm;
mod table;
mod wish;

use clap::Parser;
use portolan_proto::resolver::v1::resolve_response::Answer;
use portolan_proto::resolver::v1::solution::choice::Outcome;
use portolan_proto::resolver::v1::{
    CatalogRef, CheckCatalogsRequest, CheckCatalogsResponse, Fault, ResolveRequest,
    ResolveResponse, Solution, Wish, fault, mode,
};

use self::olm::Olm;
use crate::exit::{self, Exit};
use crate::facts::{CatalogFacts, ResolverConnection};
use crate::failure::Failure;
use crate::print::{self, Form};

/// How many faults are told that may hide a bundle.
const TOLD: usize = 5;

/// Find the operators that grant a set of wishes, or what makes that impossible.
///
/// A wish is a package; with versions behind an @; with channel= and catalog= behind blanks. An
/// earlier wish is worth more than all that come after it. What is installed stays as it is unless
/// a wish names its package. With --as-olm nothing is wished: it says what OLM v0 itself will do.
#[derive(Debug, Parser)]
#[command(
    override_usage = "portolan resolve [OPTIONS] <WISH...|--as-olm>",
    after_help = exit::after_help!(
        "0  all wishes can be granted; with --as-olm, OLM comes to an end by itself",
        "1  they cannot, or with --each one of them cannot; with --as-olm, OLM is or gets stuck";
        "portolan resolve --catalog demo=./demo ferry",
        "portolan resolve --catalog demo=./demo 'ferry@>=1.0.0 <2.0.0 channel=stable' rope",
        "kubectl get csv,sub -A -o yaml |",
        "    portolan resolve --catalog demo=./demo --installed - ferry@2.0.0",
        "kubectl get sub,csv,og -n harbor -o yaml |",
        "    portolan resolve --catalog olm/demo=./demo --installed - --as-olm"
    )
)]
pub(crate) struct Command {
    /// What is wished, such as `quay`, `quay@3.9.2` or `quay@>=3.9.0 <3.10.0 channel=stable-3.9
    /// catalog=olm/shop`. Blanks and comparisons want quotes.
    #[arg(value_name = "WISH", required_unless_present = "as_olm")]
    wishes: Vec<String>,

    /// What the cluster has: a file with what `kubectl get csv,sub -o yaml` prints, or the names
    /// that `kubectl get csv -o name` prints. `-` reads standard input.
    #[arg(long, value_name = "FILE|-")]
    installed: Option<String>,

    /// Grant each wish that can be together with the granted ones before it, instead of all or
    /// none.
    #[arg(long, conflicts_with = "as_olm")]
    each: bool,

    /// How long to search, in steps of the solver: the same question ends at the same step on any
    /// machine. Where that is too short to know, there is no answer.
    #[arg(long, value_name = "STEPS", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "as_olm")]
    steps: u32,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    olm: Olm,

    #[command(flatten)]
    facts: CatalogFacts,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if self.olm.as_olm {
            return self.predict().await;
        }
        let request = self.request()?;
        let wishes = request.wishes.clone();
        let mut resolver = self.facts.connect().await?;
        let answer = resolver
            .ask(async |client| client.resolve(request).await)
            .await?;
        self.form.print(&answer, &answer.catalogs, table::render)?;
        let is_faulty = |catalog: &CatalogRef| !catalog.fault_digest.is_empty();
        if said_no(&answer) && answer.catalogs.iter().any(is_faulty) {
            tell_what_may_hide(&mut resolver, &wishes).await?;
        }
        Ok(match &answer.answer {
            Some(Answer::Solution(solution)) => said(solution),
            Some(Answer::Conflict(_)) => Exit::No,
            Some(Answer::GaveUp(_)) | None => Exit::Unknown,
        })
    }

    async fn predict(self) -> Result<Exit, Failure> {
        let request = self.olm.question(&self.wishes, self.installed.as_deref())?;
        let namespace = request.namespace.clone();
        let asked = self
            .facts
            .ask(&[], async |client| client.predict_olm(request).await);
        let answer = asked.await?;
        let render = |answer: &_, detail| olm::render(&namespace, answer, detail);
        self.form.print(&answer, &answer.catalogs, render)?;
        Ok(olm::said(&answer))
    }

    /// Wishes and files are read before anybody is asked.
    fn request(&self) -> Result<ResolveRequest, Failure> {
        let mode = if self.each {
            mode::Kind::Each
        } else {
            mode::Kind::Together
        };
        let installed = self.installed.as_deref().map(installed::read);
        Ok(ResolveRequest {
            wishes: wish::parse_all(&self.wishes).map_err(Failure::refused)?,
            installed: installed.transpose()?.unwrap_or_default(),
            mode: mode.into(),
            steps: self.steps,
        })
    }
}

/// Whether something that is wished is not granted.
fn said_no(answer: &ResolveResponse) -> bool {
    match &answer.answer {
        Some(Answer::Conflict(_)) => true,
        Some(Answer::Solution(solution)) => said(solution) == Exit::No,
        Some(Answer::GaveUp(_)) | None => false,
    }
}

/// Tells the errors of catalogs by which a package that is wished may not be seen, with their places.
async fn tell_what_may_hide(
    resolver: &mut ResolverConnection,
    wishes: &[Wish],
) -> Result<(), Failure> {
    let checked: CheckCatalogsResponse = resolver
        .ask_all(async |client, page_token| {
            let request = CheckCatalogsRequest {
                page_token,
                ..CheckCatalogsRequest::default()
            };
            client.check_catalogs(request).await
        })
        .await?;
    let is_wished = |package: &str| wishes.iter().any(|wish| wish.package == package);
    let hides = |fault: &&Fault| {
        let is_error = fault.severity() == fault::Severity::Error;
        is_error
            && !fault.file.is_empty()
            && (fault.package.is_empty() || is_wished(&fault.package))
    };
    for fault in checked.faults.iter().filter(hides).take(TOLD) {
        print::warn(&format!(
            "what may hide a bundle: catalog {}, {}",
            fault.catalog, fault.message
        ));
    }
    Ok(())
}

/// One wish that is refused is a "no", whatever is not known of others.
fn said(solution: &Solution) -> Exit {
    let outcomes = solution
        .choices
        .iter()
        .map(|choice| choice.outcome.as_ref());
    let mut outcomes = outcomes.flatten();
    let is_refused = |outcome: &Outcome| matches!(outcome, Outcome::Refused(_));
    if outcomes.clone().any(is_refused) {
        Exit::No
    } else if outcomes.any(|outcome| matches!(outcome, Outcome::GaveUp(_))) {
        Exit::Unknown
    } else {
        Exit::Answered
    }
}
