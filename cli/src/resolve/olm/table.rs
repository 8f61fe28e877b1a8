//! What OLM does, for people.

use portolan_proto::resolver::v1::PredictOlmResponse;
use portolan_proto::resolver::v1::predict_olm_response::{
    AwaitsPlans, Blame, End, Failed, Install, Settled, Stay,
};

use crate::print::words::{self, or_none};
use crate::print::{Page, Span};

pub(in super::super) fn render(namespace: &str, answer: &PredictOlmResponse) -> Page {
    let mut page = Page::default();
    page.line([headline(namespace, answer)]);
    if !answer.passes.is_empty() {
        page.part();
        page.table(
            [
                "PASS",
                "SUBSCRIPTION",
                "BUNDLE",
                "REPLACES",
                "CHANNEL",
                "CATALOG",
            ],
            rows(answer),
        );
    }
    match &answer.end {
        Some(End::Settled(settled)) => stays(&mut page, settled),
        Some(End::Failed(failed)) => tell_failure(&mut page, failed),
        Some(End::Silent(silent)) if silent.operator_groups == 0 => page.say(format!(
            "If the namespace has one, the dump must, too: kubectl get sub,csv,og -n {namespace} \
             -o yaml"
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

/// How it ends, in a sentence.
fn headline(namespace: &str, answer: &PredictOlmResponse) -> Span {
    let passes = passes(answer.passes.len());
    let begun = |rest: &str| match answer.passes.is_empty() {
        true => rest.to_owned(),
        false => format!("After {passes}, {rest}"),
    };
    match &answer.end {
        Some(End::Settled(_)) => Span::good(begun(&format!(
            "OLM has nothing more to do in namespace {namespace}."
        ))),
        Some(End::Failed(_)) => Span::error(begun(&format!(
            "OLM cannot resolve namespace {namespace}, and none of its Subscriptions moves."
        ))),
        Some(End::Silent(silent)) => {
            let cause = silent.cause.clone().unwrap_or_default();
            Span::error(format!("OLM does nothing: {}.", cause.message))
        }
        Some(End::AwaitsApproval(awaited)) => Span::warning(format!(
            "Pass {} waits until somebody approves its InstallPlan, as {} installPlanApproval \
             Manual.",
            answer.passes.len(),
            have(&awaited.subscriptions),
        )),
        Some(End::AwaitsPlans(awaited)) => Span::warning(plans(namespace, awaited)),
        Some(End::Circles(circles)) => Span::error(format!(
            "OLM never ends: after pass {} it is where it was before pass {}.",
            answer.passes.len(),
            circles.from + 1
        )),
        Some(End::Endless(_)) => Span::error(format!("No end is in sight after {passes}.")),
        Some(End::GaveUp(end)) => Span::warning(begun(&format!(
            "OLM does what nobody knows: the search gave up after {}.",
            words::count(end.steps as usize, "step")
        ))),
        None => Span::plain("The server knows an end that this program does not; a newer one may."),
    }
}

fn passes(number: usize) -> String {
    match number {
        1 => "1 pass".to_owned(),
        many => format!("{many} passes"),
    }
}

/// Who wants something.
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
        "OLM does nothing in namespace {namespace} until the InstallPlans that are there already \
         are carried out, on which all its Subscriptions wait"
    );
    match awaited.approved_by_hand.as_slice() {
        [] => format!("{waits}."),
        names => format!(
            "{waits}; somebody must approve those of {}.",
            subscriptions_named(names)
        ),
    }
}

fn rows(answer: &PredictOlmResponse) -> Vec<[Span; 6]> {
    let passes = (1..).zip(&answer.passes);
    let rows = passes.flat_map(|(number, pass)| {
        let installs = pass.installs.iter().enumerate();
        installs.map(move |(at, install)| row((at == 0).then_some(number), install))
    });
    rows.collect()
}

/// The number of a pass stands at its first bundle.
fn row(pass: Option<usize>, install: &Install) -> [Span; 6] {
    let Install {
        bundle,
        version: _,
        package: _,
        channel,
        catalog,
        subscriptions,
        generated,
        replaces,
    } = install;
    let subscriptions = subscriptions.join(", ");
    [
        pass.map(|number| number.to_string())
            .unwrap_or_default()
            .into(),
        match generated {
            true => format!("{subscriptions} (OLM makes it)").into(),
            false => subscriptions.into(),
        },
        bundle.into(),
        or_none(replaces).into(),
        channel.into(),
        catalog.into(),
    ]
}

fn stays(page: &mut Page, settled: &Settled) {
    page.part();
    let rows = settled.stays.iter().map(|stay| {
        let cause = stay.cause.clone().unwrap_or_default();
        let why = match cause.code.as_str() {
            "Head" => Span::plain(cause.message),
            _ => Span::warning(cause.message),
        };
        [
            Span::plain(&stay.subscription),
            or_none(&stay.installed).into(),
            why,
        ]
    });
    page.table(["SUBSCRIPTION", "STAYS AT", "WHY"], rows.collect());
    for stay in &settled.stays {
        let Stay { obstacles, .. } = stay;
        if !obstacles.is_empty() {
            page.section(format!("What keeps {} at it:", stay.subscription));
        }
        for obstacle in obstacles {
            page.below([obstacle.into()]);
        }
    }
}

fn tell_failure(page: &mut Page, failed: &Failed) {
    let Failed {
        reason,
        message,
        blames,
    } = failed;
    page.section("Condition ResolutionFailed of every Subscription:");
    page.below([format!("reason: {reason}").into()]);
    page.below([format!("message: {message}").into()]);
    for blame in blames {
        let Blame {
            object: _,
            why,
            remedy,
            catalog: _,
            channel: _,
        } = blame;
        page.section(culprit(blame));
        page.below([why.into()]);
        page.below([remedy.into()]);
    }
}

fn culprit(blame: &Blame) -> String {
    let object = blame.object.clone().unwrap_or_default();
    let name = match object.namespace.as_str() {
        "" => object.name,
        namespace => format!("{namespace}/{}", object.name),
    };
    match blame.catalog.as_str() {
        "" => format!("{} {name}", object.kind),
        catalog => format!(
            "{} {name} of channel {} of {catalog}",
            object.kind, blame.channel
        ),
    }
}

/// What the answer stands on that may be otherwise.
fn reservations(page: &mut Page, answer: &PredictOlmResponse) {
    let unread = answer.unread.iter();
    let unread = unread.map(|why| (why, "cannot be read, so OLM is taken to be unable to, too"));
    let stale = answer.stale.iter();
    let stale = stale.map(|why| {
        (
            why,
            "is stale; OLM itself fails, or goes by what it keeps of it",
        )
    });
    for (at, (reason, what)) in unread.chain(stale).enumerate() {
        if at == 0 {
            page.part();
        }
        let name = reason
            .object
            .as_ref()
            .map_or(words::NONE, |object| &object.name);
        page.line([
            Span::warning(format!("catalog {name} {what}:")),
            Span::plain(&reason.message),
        ]);
    }
}
