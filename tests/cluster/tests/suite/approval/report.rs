//! Formats reviews as readable lines.

use portolan_proto::approval::v1 as pb;
use portolan_proto::approval::v1::verdict::State;
use portolan_proto::basis::v1::Reason;

/// Formats a review: one line for the plan, one line for each bundle, and one line for each remark.
///
/// ```text
/// RequiresApproval, waits: No, NoPolicy of mast.v1.0.0
/// hull.v1.0.0 of hull for hull: Yes, by hull: *
/// mast.v1.0.0 of mast for mast: No, NoPolicy of mast.v1.0.0; a new policy, spec.versions
/// remark: ForcedManual of hull
/// ```
pub(super) fn lines(review: &pb::Review) -> Vec<String> {
    let pb::Review {
        phase,
        approved,
        waits,
        verdict,
        bundles,
        remarks,
        ..
    } = review;
    let marks = [(*approved, ", approved"), (*waits, ", waits")];
    let marks = marks.map(|(is_so, mark)| if is_so { mark } else { "" });
    let plan = format!(
        "{phase}{}: {}",
        marks.concat(),
        verdict_text(verdict.as_ref())
    );
    let remarks = remarks.iter().map(|it| format!("remark: {}", reason(it)));
    [plan]
        .into_iter()
        .chain(bundles.iter().map(bundle))
        .chain(remarks)
        .collect()
}

fn bundle(bundle: &pb::Bundle) -> String {
    let pb::Bundle {
        name,
        package,
        replaces,
        subscription,
        verdict,
        allowances,
        fixes,
        ..
    } = bundle;
    let mut line = format!("{name} of {package}");
    if !subscription.is_empty() {
        line += &format!(" for {subscription}");
    }
    if !replaces.is_empty() {
        line += &format!(" after {replaces}");
    }
    line += &format!(": {}", verdict_text(verdict.as_ref()));
    for allowance in allowances {
        let policy = allowance.policy.as_ref().and_then(|it| it.object.as_ref());
        let policy = policy.map_or("nobody", |policy| &policy.name);
        line += &format!(", by {policy}: {}", allowance.consent);
        if !allowance.needed_by.is_empty() {
            line += &format!(", needed by {}", allowance.needed_by.join(", "));
        }
    }
    for fix in fixes {
        let policy = fix.policy.as_ref().map_or("", |policy| &policy.name);
        let policy = if policy.is_empty() {
            "a new policy"
        } else {
            policy
        };
        line += &format!("; fix {policy}: {} {}", fix.field, fix.value);
    }
    line
}

fn verdict_text(verdict: Option<&pb::Verdict>) -> String {
    let Some(verdict) = verdict else {
        return "nothing".to_owned();
    };
    let state = match verdict.state() {
        State::Unspecified => "unspecified",
        State::Yes => "Yes",
        State::No => "No",
        State::NotYet => "NotYet",
    };
    let reasons = verdict.reasons.iter().map(reason);
    let parts: Vec<_> = [state.to_owned()].into_iter().chain(reasons).collect();
    parts.join(", ")
}

pub(super) fn reason(reason: &Reason) -> String {
    let of = reason.object.as_ref().map_or("nothing", |it| &it.name);
    format!("{} of {of}", reason.code)
}
