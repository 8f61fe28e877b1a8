//! Renders the predicted actions of OLM as text.

use portolan_proto::resolver::v1::PredictOlmResponse;
use portolan_proto::resolver::v1::predict_olm_response::{
    AwaitsPlans, Blame, End, Failed, Install, Settled,
};

use crate::print::{Detail, Page, Span, Table, words};
use crate::resolve::table::of_catalog;

pub(in crate::resolve) fn render(
    namespace: &str,
    answer: &PredictOlmResponse,
    detail: Detail,
) -> Page {
    let mut page = Page::default();
    page.line([headline(namespace, answer)]);
    if !answer.passes.is_empty() {
        page.part();
        page.table(
            Table::of(&installs(answer), detail)
                .column("PASS", &|(pass, _)| Span::plain(pass))
                .column("SUBSCRIPTION", &|(_, install)| {
                    subscriptions(install).into()
                })
                .text("BUNDLE", &|(_, install)| &install.bundle)
                .text("REPLACES", &|(_, install)| &install.replaces)
                .column("CHANNEL", &|(_, install)| Span::plain(&install.channel))
                .column("CATALOG", &|(_, install)| Span::plain(&install.catalog)),
        );
    }
    match &answer.end {
        Some(End::Settled(settled)) => print_settled(&mut page, settled, detail),
        Some(End::Failed(failed)) => print_failure(&mut page, failed),
        Some(End::Silent(silent)) if silent.operator_groups == 0 => page.text_line(format!(
            "If the namespace has an OperatorGroup, add the OperatorGroup to the dump: kubectl get sub,csv,og -n {namespace} -o yaml"
        )),
        Some(
            End::Silent(_)
            | End::AwaitsApproval(_)
            | End::AwaitsPlans(_)
            | End::Circles(_)
            | End::Endless(_)
            | End::GaveUp(_),
        )
        | None => {}
    }
    reservations(&mut page, answer);
    page
}

/// Returns one sentence about the state in which the prediction ends.
fn headline(namespace: &str, answer: &PredictOlmResponse) -> Span {
    let passes = passes(answer.passes.len());
    let begun = |rest: &str| match answer.passes.len() {
        0 => rest.to_owned(),
        _ => format!("After {passes}, {rest}"),
    };
    match &answer.end {
        Some(End::Settled(_)) => Span::good(begun(&format!(
            "OLM has nothing more to do in namespace {namespace}."
        ))),
        Some(End::Failed(_)) => Span::error(begun(&format!(
            "OLM cannot resolve the dependencies in namespace {namespace}, so no Subscription of the namespace is upgraded."
        ))),
        Some(End::Silent(silent)) => {
            let cause = silent.cause.clone().unwrap_or_default();
            Span::error(format!("OLM does nothing: {}.", cause.message))
        }
        Some(End::AwaitsApproval(awaited)) => Span::warning(format!(
            "The InstallPlan of pass {} waits for approval, because {} installPlanApproval Manual.",
            answer.passes.len(),
            have(&awaited.subscriptions),
        )),
        Some(End::AwaitsPlans(awaited)) => Span::warning(plans(namespace, awaited)),
        Some(End::Circles(circles)) => Span::error(format!(
            "OLM is in an endless loop: the state after pass {} is the same as the state before \
             pass {}.",
            answer.passes.len(),
            circles.from + 1
        )),
        Some(End::Endless(_)) => {
            Span::error(format!("Unknown: OLM still makes changes after {passes}."))
        }
        Some(End::GaveUp(end)) => Span::warning(begun(&format!(
            "Unknown: the search reached its limit of {}.",
            words::count(end.steps as usize, "step")
        ))),
        None => Span::plain(
            "The server sent a result that this version of the program does not support; update the program.",
        ),
    }
}

fn passes(number: usize) -> String {
    match number {
        1 => "1 pass".to_owned(),
        many => format!("{many} passes"),
    }
}

/// Returns the names of the Subscriptions with the verb "has" or "have".
fn have(subscriptions: &[String]) -> String {
    let verb = match subscriptions {
        [_] => "has",
        _ => "have",
    };
    format!("{} {verb}", subscriptions_named(subscriptions))
}

fn subscriptions_named(names: &[String]) -> String {
    match names {
        [only] => format!("Subscription {only}"),
        several => format!("Subscriptions {}", several.join(", ")),
    }
}

fn plans(namespace: &str, awaited: &AwaitsPlans) -> String {
    let waits = format!(
        "OLM does nothing in namespace {namespace} until the existing InstallPlans are complete, \
         because all Subscriptions wait for the existing InstallPlans"
    );
    match awaited.approved_by_hand.as_slice() {
        [] => format!("{waits}."),
        names => format!(
            "{waits}. Approve the InstallPlans of {}.",
            subscriptions_named(names)
        ),
    }
}

/// Returns the bundles that OLM installs in each pass. The number of a pass is next to its first
/// bundle.
fn installs(answer: &PredictOlmResponse) -> Vec<(String, &Install)> {
    let passes = (1..).zip(&answer.passes);
    let rows = passes.flat_map(|(number, pass): (usize, _)| {
        let first = std::iter::once(number.to_string());
        first
            .chain(std::iter::repeat(String::new()))
            .zip(&pass.installs)
    });
    rows.collect()
}

fn subscriptions(install: &Install) -> String {
    let subscriptions = install.subscriptions.join(", ");
    if install.generated {
        format!("{subscriptions} (created by OLM)")
    } else {
        subscriptions
    }
}

fn print_settled(page: &mut Page, settled: &Settled, detail: Detail) {
    page.part();
    page.table(
        Table::of(&settled.stays, detail)
            .text("SUBSCRIPTION", &|stay| &stay.subscription)
            .text("STAYS AT", &|stay| &stay.installed)
            .column("WHY", &|stay| {
                let cause = stay.cause.clone().unwrap_or_default();
                match cause.code.as_str() {
                    "Head" => Span::plain(cause.message),
                    _ => Span::warning(cause.message),
                }
            }),
    );
    for stay in &settled.stays {
        let heading = format!("Reasons why {} is not upgraded:", stay.subscription);
        page.list(&heading, stay.obstacles.iter().cloned());
    }
}

fn print_failure(page: &mut Page, failed: &Failed) {
    let Failed {
        reason,
        message,
        blames,
    } = failed;
    let condition = [format!("reason: {reason}"), format!("message: {message}")];
    page.list(
        "Condition ResolutionFailed of every Subscription:",
        condition,
    );
    for blame in blames {
        let lines = [blame.why.clone(), blame.remedy.clone()];
        page.list(&culprit(blame), lines);
    }
}

fn culprit(blame: &Blame) -> String {
    let object = words::object(&blame.object.clone().unwrap_or_default());
    match blame.catalog.as_str() {
        "" => object,
        catalog => format!("{object} of channel {} of {catalog}", blame.channel),
    }
}

/// Prints warnings about catalogs that affect the prediction. OLM may have different content of
/// these catalogs.
fn reservations(page: &mut Page, answer: &PredictOlmResponse) {
    let unread = answer.unread.iter();
    let unread = unread.map(|why| {
        of_catalog(
            why,
            "cannot be read; it is assumed that OLM cannot read the catalog either",
        )
    });
    let stale = answer.stale.iter().map(|why| {
        let what = "is stale; OLM either fails or uses its own cached content of the catalog";
        of_catalog(why, what)
    });
    page.lines(unread.chain(stale));
}
