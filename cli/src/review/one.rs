//! Renders one InstallPlan as text. For each bundle, shows the policy that allows it, or the
//! reasons why it is not allowed and the remedies.

use portolan_proto::approval::v1::{Allowance, Bundle, Review};
use portolan_proto::basis::v1::Reason;

use super::reviewed::{self, names, object, place};
use super::table::list_policies;
use crate::print::words::or_none;
use crate::print::{Branch, Detail, Page, Span};

pub(crate) fn render(review: &Review, detail: Detail) -> Page {
    let mut page = Page::default();
    page.facts([
        ("InstallPlan:", place(names(review)).into()),
        ("Phase:", or_none(&review.phase).into()),
        ("Approval:", approval(review).into()),
        ("Verdict:", reviewed::word(review.verdict.as_ref())),
    ]);
    let own: Vec<_> = reviewed::reasons(review.verdict.as_ref())
        .iter()
        .filter(|reason| !is_of_a_bundle(review, reason))
        .map(reason)
        .collect();
    page.tree(&own);
    page.section("Bundles");
    let bundles: Vec<_> = review.bundles.iter().map(bundle).collect();
    page.tree(&bundles);
    if !review.policies.is_empty() {
        page.section("Policies");
        list_policies(&mut page, &review.policies, detail);
    }
    if !review.remarks.is_empty() {
        page.section("Remarks");
        let remarks: Vec<_> = review.remarks.iter().map(reason).collect();
        page.tree(&remarks);
    }
    page
}

/// Returns the approval mode of the plan and the state of the approval, in a few words.
fn approval(review: &Review) -> &'static str {
    match (review.approved, review.manual, review.waits) {
        (true, true, _) => "manual, approved",
        (true, false, _) => "automatic, approved by OLM",
        (false, true, true) => "manual, waits",
        (false, true, false) => "manual, not approved",
        (false, false, _) => "automatic",
    }
}

/// Returns true if the tree already shows a reason of the plan below one of its bundles.
fn is_of_a_bundle(review: &Review, reason: &Reason) -> bool {
    let bundles = review.bundles.iter();
    let mut reasons = bundles.flat_map(|bundle| reviewed::reasons(bundle.verdict.as_ref()));
    reasons.any(|told| told == reason)
}

fn bundle(bundle: &Bundle) -> Branch {
    let allowed = bundle.allowances.iter().map(allowance);
    let refused = reviewed::reasons(bundle.verdict.as_ref())
        .iter()
        .map(reason);
    let fixes = bundle.fixes.iter().map(|fix| {
        let message = Span::plain(&fix.message);
        Branch::leaf([Span::heading("To allow this bundle:"), message])
    });
    Branch {
        line: vec![
            reviewed::word(bundle.verdict.as_ref()),
            Span::heading(&bundle.name),
            described(bundle).into(),
        ],
        below: allowed.chain(refused).chain(fixes).collect(),
    }
}

/// Returns the package, the version and other known properties of a bundle as text.
fn described(bundle: &Bundle) -> String {
    let Bundle {
        package,
        version,
        replaces,
        catalog,
        subscription,
        ..
    } = bundle;
    let package = match version.as_str() {
        "" => or_none(package).to_owned(),
        version => format!("{package} {version}"),
    };
    let parts = [
        (&package, "package"),
        (replaces, "replaces"),
        (catalog, "from"),
        (subscription, "for Subscription"),
    ];
    let told = parts.iter().filter(|(what, _)| !what.is_empty());
    let told: Vec<_> = told.map(|(what, word)| format!("{word} {what}")).collect();
    format!("({})", told.join(", "))
}

fn allowance(allowance: &Allowance) -> Branch {
    let Allowance {
        policy,
        generation,
        consent,
        needed_by,
    } = allowance;
    let mut text = format!(
        "{} (generation {generation}) allows {consent}",
        place(object(policy.as_ref()))
    );
    if !needed_by.is_empty() {
        text += &format!(", which depends on this bundle: {}", needed_by.join(" > "));
    }
    Branch::leaf([text.into()])
}

fn reason(reason: &Reason) -> Branch {
    let code = format!("{}:", reason.code);
    Branch::leaf([code.into(), Span::plain(&reason.message)])
}
