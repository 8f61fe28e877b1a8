//! Encodes reviews of InstallPlans.

use portolan_core_approval::{
    Allowance, BundleReview, Fix, POLICY, PolicyId, Review, Source, State, Verdict,
};
use portolan_proto::approval::v1 as pb;
use portolan_proto::basis::v1 as basis;

use super::policies::{encode_policies, encode_policy_id};
use super::{encode_object, encode_reasons};
use crate::snapshot::Located;

pub(super) fn encode_review(located: &Located) -> pb::Review {
    let Located { namespace, review } = located;
    let Review {
        plan,
        uid,
        resource_version,
        phase,
        is_approved,
        is_manual,
        waits,
        verdict,
        bundles,
        policies,
        remarks,
    } = &**review;
    pb::Review {
        plan: Some(basis::Observed {
            object: Some(encode_object(
                portolan_core_olm::InstallPlan::KIND,
                namespace,
                plan,
            )),
            uid: uid.clone().unwrap_or_default(),
            resource_version: resource_version.clone().unwrap_or_default(),
            digest: String::new(),
        }),
        phase: phase.clone(),
        approved: *is_approved,
        manual: *is_manual,
        waits: *waits,
        verdict: Some(encode_verdict(verdict)),
        bundles: bundles.iter().map(encode_bundle).collect(),
        policies: encode_policies(policies),
        remarks: encode_reasons(remarks),
    }
}

pub(super) fn encode_bundle(bundle: &BundleReview) -> pb::Bundle {
    let BundleReview {
        name,
        package,
        version,
        replaces,
        installed: _,
        catalog,
        source,
        subscription,
        verdict,
        allowances,
        fixes,
    } = bundle;
    let package = package.as_ref().map(ToString::to_string);
    let version = version.as_ref().map(ToString::to_string);
    pb::Bundle {
        name: name.clone(),
        package: package.unwrap_or_default(),
        version: version.unwrap_or_default(),
        replaces: replaces.clone(),
        catalog: catalog.clone(),
        identity: encode_source(*source).into(),
        subscription: subscription.clone(),
        verdict: Some(encode_verdict(verdict)),
        allowances: allowances.iter().map(encode_allowance).collect(),
        fixes: fixes.iter().map(encode_fix).collect(),
    }
}

fn encode_source(source: Option<Source>) -> pb::bundle::Identity {
    match source {
        None => pb::bundle::Identity::Unspecified,
        Some(Source::Lookup) => pb::bundle::Identity::Lookup,
        Some(Source::Step) => pb::bundle::Identity::Step,
        Some(Source::Subscription) => pb::bundle::Identity::Subscription,
    }
}

fn encode_verdict(verdict: &Verdict) -> pb::Verdict {
    let Verdict { state, reasons } = verdict;
    let state = match state {
        State::Yes => pb::verdict::State::Yes,
        State::NotYet => pb::verdict::State::NotYet,
        State::No => pb::verdict::State::No,
    };
    pb::Verdict {
        state: state.into(),
        reasons: encode_reasons(reasons),
    }
}

fn encode_allowance(allowance: &Allowance) -> pb::Allowance {
    let Allowance {
        policy,
        consent,
        needed_by,
    } = allowance;
    let PolicyId { generation, .. } = policy;
    pb::Allowance {
        policy: Some(encode_policy_id(policy)),
        generation: *generation,
        consent: consent.to_string(),
        needed_by: needed_by.clone(),
    }
}

fn encode_fix(fix: &Fix) -> pb::Fix {
    let Fix {
        policy,
        field,
        // The message of the reason already contains this fact.
        is_list: _,
        value,
        message,
    } = fix;
    let (namespace, name) = policy.clone().unwrap_or_default();
    pb::Fix {
        policy: Some(encode_object(POLICY, &namespace, &name)),
        field: (*field).to_owned(),
        value: value.clone(),
        message: message.clone(),
    }
}
