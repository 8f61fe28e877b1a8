//! Encodes predictions about OLM v0.

use portolan_core_forecast::{
    Blame, Cause, Culprit, End, Failure, Install, Origin, Pass, Purpose, Silence, Stay,
};
use portolan_core_names::CatalogName;
use portolan_proto::basis::v1 as basis;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::predict_olm_response as response;

use super::resolved::encode_unread;
use super::{count, encode_names, encode_object, encode_optional, encode_reason, encode_refs};
use crate::question::{PredictOlm, Predicted};
use crate::snapshot::Offer;

pub(crate) fn encode_predict_olm(
    question: &PredictOlm,
    answer: &Predicted<'_>,
) -> pb::PredictOlmResponse {
    let Predicted {
        catalogs,
        unread,
        stale,
        forecast,
    } = answer;
    let each = |troubled: &[(&CatalogName, &Offer)]| {
        let troubled = troubled.iter();
        troubled
            .map(|(name, offer)| encode_unread(name, offer))
            .collect()
    };
    pb::PredictOlmResponse {
        catalogs: encode_refs(catalogs),
        unread: each(unread),
        stale: each(stale),
        passes: forecast.passes.iter().map(encode_pass).collect(),
        end: Some(encode_end(&forecast.end, question)),
    }
}

fn encode_pass(pass: &Pass) -> response::Pass {
    response::Pass {
        installs: pass.installs.iter().map(encode_install).collect(),
    }
}

fn encode_install(install: &Install) -> response::Install {
    let Install {
        bundle,
        version,
        package,
        channel,
        catalog,
        purpose,
        replaces,
    } = install;
    let (subscriptions, generated) = match purpose {
        Purpose::Subscribed(names) => (names.clone(), false),
        Purpose::Needed { subscription } => (vec![subscription.clone()], true),
    };
    response::Install {
        bundle: bundle.to_string(),
        version: version.to_string(),
        package: package.to_string(),
        channel: channel.to_string(),
        catalog: catalog.to_string(),
        subscriptions,
        generated,
        replaces: encode_optional(replaces.as_ref()),
    }
}

fn encode_end(end: &End, question: &PredictOlm) -> response::End {
    let namespace = question.namespace.name.as_str();
    match end {
        End::Settled(stays) => response::End::Settled(response::Settled {
            stays: stays
                .iter()
                .map(|stay| encode_stay(stay, namespace))
                .collect(),
        }),
        End::Failed(failure) => response::End::Failed(encode_failure(failure, namespace)),
        End::Silent(silence) => response::End::Silent(response::Silent {
            cause: Some(encode_silence(*silence, namespace)),
            operator_groups: count(question.namespace.operator_groups.len()),
        }),
        End::AwaitsApproval { manual } => response::End::AwaitsApproval(response::AwaitsApproval {
            subscriptions: manual.clone(),
        }),
        End::AwaitsPlans { subscriptions } => {
            response::End::AwaitsPlans(encode_awaited(subscriptions, question))
        }
        End::Circles { from } => response::End::Circles(response::Circles { from: count(*from) }),
        End::Endless => response::End::Endless(response::Endless {}),
        End::GaveUp { steps } => response::End::GaveUp(response::GaveUp {
            steps: u32::try_from(*steps).unwrap_or(u32::MAX),
        }),
    }
}

fn encode_awaited(waiting: &[String], question: &PredictOlm) -> response::AwaitsPlans {
    use portolan_core_forecast::Approval;
    let manual = question.namespace.subscriptions.iter();
    let manual = manual.filter(|each| each.approval == Approval::Manual);
    let mut manual: Vec<_> = manual.map(|each| each.name.clone()).collect();
    manual.retain(|name| waiting.contains(name));
    manual.sort();
    response::AwaitsPlans {
        subscriptions: waiting.to_vec(),
        approved_by_hand: manual,
    }
}

fn encode_stay(stay: &Stay, namespace: &str) -> response::Stay {
    let Stay {
        subscription,
        installed,
        cause,
    } = stay;
    let (code, message) = explain(cause, installed.as_ref().map(|name| name.as_str()));
    let (successors, obstacles) = match cause {
        Cause::Refused {
            successors,
            reasons,
        } => (encode_names(successors), encode_names(reasons)),
        Cause::Head | Cause::NoEdge | Cause::Copied | Cause::Gone => Default::default(),
    };
    let object = located("Subscription", namespace, subscription);
    response::Stay {
        subscription: subscription.clone(),
        installed: encode_optional(installed.as_ref()),
        cause: Some(encode_reason(code, message, object)),
        successors,
        obstacles,
    }
}

/// Returns the reason why a Subscription has no upgrade, if OLM does not report the reason.
fn explain(cause: &Cause, installed: Option<&str>) -> (&'static str, String) {
    let installed = installed.unwrap_or("the installed bundle");
    match cause {
        Cause::Head => (
            "Head",
            "the installed bundle is the head of its channel".to_owned(),
        ),
        Cause::NoEdge => (
            "NoEdge",
            format!("no entry of the channel replaces {installed}"),
        ),
        Cause::Refused {
            successors,
            reasons,
        } => {
            let successors = encode_names(successors).join(" or ");
            let but = if reasons.is_empty() {
                "OLM prefers another bundle"
            } else {
                "that bundle cannot be installed"
            };
            let message = format!("{successors} would replace it, but {but}");
            ("Refused", message)
        }
        Cause::Copied => (
            "Copied",
            format!("{installed} is a copy from another namespace, which OLM regards as installed"),
        ),
        Cause::Gone => (
            "Gone",
            "the ClusterServiceVersion was deleted, and OLM does not install it again; delete the \
             Subscription, and create the Subscription again"
                .to_owned(),
        ),
    }
}

fn encode_failure(failure: &Failure, namespace: &str) -> response::Failed {
    let Failure { refusal, blames } = failure;
    response::Failed {
        reason: refusal.reason().to_owned(),
        message: refusal.to_string(),
        blames: blames
            .iter()
            .map(|blame| encode_blame(blame, namespace))
            .collect(),
    }
}

fn encode_blame(blame: &Blame, namespace: &str) -> response::Blame {
    let Blame {
        culprit,
        why,
        remedy,
    } = blame;
    let (catalog, channel) = match culprit {
        Culprit::Bundle(id) => match &id.origin {
            Origin::Offered { catalog, channel } => (catalog.to_string(), channel.to_string()),
            Origin::Installed(_) => Default::default(),
        },
        Culprit::Subscription(_) | Culprit::Csv(_) | Culprit::Catalog(_) => Default::default(),
    };
    response::Blame {
        object: Some(encode_culprit(culprit, namespace)),
        why: why.clone(),
        remedy: remedy.clone(),
        catalog,
        channel,
    }
}

fn encode_culprit(culprit: &Culprit, namespace: &str) -> basis::ObjectRef {
    match culprit {
        Culprit::Subscription(name) => located("Subscription", namespace, name),
        Culprit::Csv(name) => located("ClusterServiceVersion", namespace, name.as_str()),
        Culprit::Catalog(name) => located(
            "CatalogSource",
            name.namespace().unwrap_or_default(),
            name.object(),
        ),
        Culprit::Bundle(id) => encode_object("Bundle", &id.bundle),
    }
}

fn encode_silence(silence: Silence, namespace: &str) -> basis::Reason {
    let rule = "OLM requires exactly one, and does not report this";
    let (code, message) = match silence {
        Silence::NoSubscription => (
            "NoSubscription",
            format!("there is no Subscription in namespace {namespace}, so OLM has nothing to do"),
        ),
        Silence::OperatorGroups { found: 0 } => (
            "NoOperatorGroup",
            format!("there is no OperatorGroup in namespace {namespace}; {rule}"),
        ),
        Silence::OperatorGroups { found } => (
            "SeveralOperatorGroups",
            format!("there are {found} OperatorGroups in namespace {namespace}; {rule}"),
        ),
    };
    encode_reason(code, message, encode_object("Namespace", namespace))
}

fn located(kind: &str, namespace: &str, name: &str) -> basis::ObjectRef {
    basis::ObjectRef {
        namespace: namespace.to_owned(),
        ..encode_object(kind, name)
    }
}
