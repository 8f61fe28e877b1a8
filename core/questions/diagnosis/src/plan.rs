//! Diagnoses InstallPlans of OLM.

pub(crate) mod conversion;
mod overlap;
mod repeat;
mod restart;

use portolan_core_approval::{self as approval, ApprovalCode, Review};
use portolan_core_health::{self as health, HealthCode, Item};
use portolan_core_names::text::listed;
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::case::Case;
use crate::command::{PLANS, POLICIES, SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::deletion;
use crate::required::{reinstall, retry};
use crate::{Cause, Code, Evidence, Object, Procedure, State, csv, evidence, words};

/// Returns the causes in the InstallPlans of the operator.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let Some(subscription) = case.subscription else {
        return Vec::new();
    };
    let mut causes = Vec::new();
    causes.extend(failed(case, subscription));
    causes.extend(missing(case, subscription));
    causes.extend(obsolete(case, subscription));
    causes.extend(waiting(case, subscription));
    causes.extend(superseded(case, subscription));
    causes
}

/// Returns the cause if the InstallPlan of the Subscription has failed.
fn failed(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let fact = case.fact(HealthCode::PlanFailed)?;
    let object = Object::new("InstallPlan", case.situation().name(), subscription.plan());
    let plan = case.situation().plan(subscription.plan());
    if let (Some(unreadable), Some(plan)) = (conversion::unreadable(case), plan) {
        return Some(unreadable.cause(case, plan).shown(evidence::plan(plan)));
    }
    let fix = plan
        .filter(|plan| repeat::is_repeatable(plan))
        .map(|plan| repeat::procedure(&plan.observed, &plan.status))
        .or_else(|| half_installed(case, subscription))
        .unwrap_or_else(|| another(case, subscription, &object));
    let cause = Cause::new(Code::PlanFailed, State::Stuck, object, &fact.message);
    let cause = cause.cured(Cure::Safe(fix));
    let shown = cause.shown(plan.into_iter().flat_map(evidence::plan));
    Some(shown.shown(evidence::condition_evidence(
        subscription,
        "InstallPlanFailed",
    )))
}

fn another(case: Case<'_>, subscription: &Item<Subscription>, plan: &Object) -> Procedure {
    let target = Target::new(PLANS, case.situation().name(), subscription.plan());
    let again = Target::of(SUBSCRIPTIONS, &subscription.observed).retried();
    deletion::delete(
        &format!("Delete {plan}. OLM then creates a new InstallPlan."),
        &[target],
        vec![deletion::noticed(), again],
        NOT_REPAIRED,
    )
}

/// Returns the fix that reinstalls a partly installed operator. A failed plan may have created the
/// ClusterServiceVersion before other objects. In this case, OLM creates no new plan, because the
/// ClusterServiceVersion already exists.
fn half_installed(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Procedure> {
    let csv = case.newest()?;
    let is_alone = case.csvs().nth(1).is_none();
    let is_half = csv.observed.object.name == subscription.status.current_csv
        && csv.status.phase == health::CsvPhase::Pending;
    (is_alone && is_half).then(|| {
        reinstall(
            case,
            subscription,
            &format!(
                "Reinstall {}, because the InstallPlan installed only a part of the operator.",
                case.title()
            ),
            &format!("{NOT_REPAIRED} OLM installs {}.", case.anew()),
        )
    })
}

/// The risk if a new plan replaces a failed plan.
const NOT_REPAIRED: &str = "The new InstallPlan also fails unless you first fix the error of the \
                            old InstallPlan.";

/// Returns the cause if the InstallPlan in the status of the Subscription does not exist.
fn missing(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let fact = case.fact(HealthCode::PlanMissing)?;
    let object = Object::new("InstallPlan", case.situation().name(), subscription.plan());
    let cure = match restart::abandoned(case, subscription) {
        Some(abandoned) => abandoned.cure(subscription),
        None => Cure::Safe(
            half_installed(case, subscription)
                .or_else(|| unplanned(subscription))
                .unwrap_or_else(|| retry(SUBSCRIPTIONS, &subscription.observed)),
        ),
    };
    let cause = Cause::new(
        Code::PlanMissing,
        State::Stuck,
        object.clone(),
        &fact.message,
    );
    let cause = cause.cured(cure);
    Some(cause.shown([
        Evidence::new(
            &subscription.observed.object,
            "status.installPlanRef.name",
            subscription.plan(),
        ),
        Evidence::absent(object),
    ]))
}

/// Returns the fix that removes the name of a deleted plan from the status of the Subscription. OLM
/// creates no plan while the status contains this name. OLM removes the name only together with a
/// condition about the plan. Without such a condition, OLM never creates a plan again.
fn unplanned(subscription: &Item<Subscription>) -> Option<Procedure> {
    let status = &subscription.status;
    let is_pending =
        status.state == Subscription::UPGRADE_PENDING && !status.current_csv.is_empty();
    let of_plans = [Subscription::PLAN_PENDING, Subscription::PLAN_FAILED];
    let mut types = status.conditions.iter().map(|it| it.r#type.as_str());
    let is_cleared_by_olm = types.any(|it| of_plans.contains(&it));
    (is_pending && !is_cleared_by_olm).then(|| {
        let patch = json!([
            {"op": "test", "path": "/status/installPlanRef/name", "value": subscription.plan()},
            {"op": "remove", "path": "/status/installPlanRef"},
            {"op": "remove", "path": "/status/currentCSV"},
            {"op": "remove", "path": "/status/state"},
        ]);
        let object = &subscription.observed.object;
        Procedure::command(
            &format!(
                "Remove the InstallPlan from the status of {object}. OLM then creates another \
                 InstallPlan."
            ),
            Target::of(SUBSCRIPTIONS, &subscription.observed).patch_status(&patch),
            "None: OLM makes the same change when an InstallPlan is deleted.",
        )
    })
}

/// Returns the cause if the InstallPlan of the Subscription contains a bundle that no Subscription
/// requests. While this plan waits for approval, OLM creates no other plan for the Subscription.
fn obsolete(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let namespace = case.situation().name();
    let mut reviews = case.findings.reviews.iter();
    let review = reviews.find(|review| review.plan == subscription.plan() && review.waits)?;
    let reason = no_subscription(review)?;
    let object = Object::new("InstallPlan", namespace, &review.plan);
    let message = format!(
        "{object} waits for approval and blocks {}. {} Do not approve this InstallPlan.",
        case.title(),
        sentence(reason)
    );
    let fix = deletion::delete(
        &format!("Delete {object}. OLM then creates another InstallPlan."),
        &[Target::new(PLANS, namespace, &review.plan)],
        Vec::new(),
        "None: OLM creates a new InstallPlan for the Subscriptions of the namespace.",
    );
    let cause = Cause::new(Code::PlanObsolete, State::Stuck, object, &message);
    let plan = case.situation().plan(&review.plan);
    let cause = cause.cured(Cure::Safe(fix));
    Some(cause.shown(plan.into_iter().flat_map(evidence::plan)))
}

fn no_subscription(review: &Review) -> Option<&approval::Reason> {
    let mut reasons = review.verdict.reasons.iter();
    reasons.find(|reason| reason.code == ApprovalCode::NoSubscription)
}

/// Returns true if a user may approve a waiting plan. No newer plan must have replaced the plan,
/// and Subscriptions must request all of its bundles.
pub(crate) fn is_approvable(review: &Review) -> bool {
    !is_superseded(review) && no_subscription(review).is_none()
}

/// Returns the cause if the InstallPlan that the Subscription names waits for approval.
fn waiting(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let mut reviews = case.findings.reviews.iter();
    let is_it = |review: &&Review| review.plan == subscription.plan() && review.waits;
    let review = reviews.find(|review| is_it(review) && is_approvable(review))?;
    if csv::pending(case).is_some() {
        // While the installed version is Pending, an approval of the plan would block the
        // namespace.
        return None;
    }
    let object = Object::new("InstallPlan", case.situation().name(), &review.plan);
    let is_own_manual = is_manual(case, subscription);
    let forced = review
        .remarks
        .iter()
        .find(|remark| remark.code == ApprovalCode::ForcedManual);
    let forced = forced.filter(|_| !is_own_manual);
    let message = [
        Some(asks(case, subscription, review)),
        policy_sentence(review),
        forced.map(sentence),
    ];
    let message: Vec<String> = message.into_iter().flatten().collect();
    if let Some((at_fault, choice)) = overlap::choice(review) {
        let cause = Cause::new(
            Code::PlanAwaitsApproval,
            State::Waiting,
            at_fault,
            &message.join(" "),
        );
        let plan = case.situation().plan(&review.plan);
        let cause = cause.cured(Cure::Choice(choice));
        return Some(cause.shown(plan.into_iter().flat_map(evidence::plan)));
    }
    let (code, at_fault) = match forced.and_then(|_| forcing(case)) {
        Some(neighbor) => (
            Code::PlanForcedManual,
            Object::from(&neighbor.observed.object),
        ),
        None => (Code::PlanAwaitsApproval, object),
    };
    let cause = Cause::new(code, State::Waiting, at_fault, &message.join(" "));
    let plan = case.situation().plan(&review.plan);
    let cause = cause.cured(Cure::Choice(let_go(case, subscription, review, code)));
    Some(cause.shown(plan.into_iter().flat_map(evidence::plan)))
}

/// Describes the InstallPlan that waits for approval, with its bundles for this operator and for
/// other operators.
fn asks(case: Case<'_>, subscription: &Item<Subscription>, review: &Review) -> String {
    let namespace = case.situation().name();
    let own = own_bundle(subscription, review);
    let others = replacing(subscription, review);
    let brings = match own {
        Some(own) => format!(" This InstallPlan installs {own} for {}", case.title()),
        None => format!(" This InstallPlan belongs to {}", case.title()),
    };
    let besides = if others.is_empty() {
        ".".to_owned()
    } else {
        format!(", and also installs {}.", listed(others))
    };
    format!(
        "InstallPlan {namespace}/{} waits for approval.{brings}{besides}",
        review.plan
    )
}

fn own_bundle<'r>(subscription: &Item<Subscription>, review: &'r Review) -> Option<&'r str> {
    let mut bundles = review.bundles.iter();
    let is_own = |bundle: &&approval::BundleReview| bundle.name == subscription.status.current_csv;
    bundles.find(is_own).map(|bundle| bundle.name.as_str())
}

/// Returns the bundles of other operators in a plan.
fn other_bundles<'r>(
    subscription: &Item<Subscription>,
    review: &'r Review,
) -> impl Iterator<Item = &'r approval::BundleReview> {
    let own = subscription.status.current_csv.clone();
    let bundles = review.bundles.iter();
    bundles.filter(move |bundle| bundle.name != own)
}

/// Formats the bundles of other operators in a plan. For an upgrade, adds the version that the
/// bundle replaces.
fn replacing(subscription: &Item<Subscription>, review: &Review) -> Vec<String> {
    let others = other_bundles(subscription, review).map(|bundle| match &bundle.installed {
        Some(installed) if installed.name != bundle.name => {
            format!("{} (an upgrade from {})", bundle.name, installed.name)
        }
        Some(_) | None => bundle.name.clone(),
    });
    others.collect()
}

/// Returns a sentence about the policies that apply to the plan, or a sentence that no policy
/// applies.
fn policy_sentence(review: &Review) -> Option<String> {
    if review.policies.is_empty() {
        let mut reasons = review.verdict.reasons.iter();
        if let Some(unseen) = reasons.find(|reason| reason.code == ApprovalCode::NotObserved) {
            return Some(format!(
                "It is unknown if a policy applies to the InstallPlan ({}). Without a policy, a \
                 user must approve the InstallPlan.",
                unseen.message
            ));
        }
        let words = "No OperatorPolicy approves it, so a user must approve it.";
        return Some(words.to_owned());
    }
    if review.verdict.state == approval::State::Yes {
        let names = review.policies.iter().map(|policy| called(&policy.id));
        return Some(format!(
            "OperatorPolicy {} allows the whole InstallPlan, so the controller approves it. If the \
             InstallPlan stays unapproved, check that the controller runs.",
            listed(names)
        ));
    }
    review.verdict.reasons.first().map(sentence)
}

fn called(id: &approval::PolicyId) -> String {
    format!("{}/{}", id.namespace, id.name)
}

/// Formats a reason of the approval crate as a sentence.
fn sentence(reason: &approval::Reason) -> String {
    words::sentence(&reason.message)
}

fn is_manual(case: Case<'_>, subscription: &Item<Subscription>) -> bool {
    let all = case.situation().approval.subscriptions.iter();
    let mut own = all.filter(|one| one.name == subscription.observed.object.name);
    own.any(|one| one.is_manual)
}

/// Returns the first Subscription in the namespace whose InstallPlans need a manual approval.
fn forcing(case: Case<'_>) -> Option<&Item<Subscription>> {
    let all = case.situation().approval.subscriptions.iter();
    let manual = all.filter(|one| one.is_manual);
    let first = manual.map(|one| one.name.as_str()).min()?;
    case.situation().subscription(first)
}

/// Returns the alternatives that let OLM execute the plan: the approval of the plan, and changes of
/// policies and Subscriptions.
fn let_go(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    review: &Review,
    code: Code,
) -> Vec<Procedure> {
    let mut fixes = policy_fixes(review);
    let is_withheld = review.verdict.state != approval::State::Yes;
    let by_hand = approve(case, subscription, review);
    if !review.policies.is_empty() && is_withheld {
        fixes.push(by_hand)
    } else {
        fixes.insert(0, by_hand)
    }
    if code == Code::PlanForcedManual {
        fixes.extend(forcing(case).map(|neighbor| {
            let object = &neighbor.observed.object;
            let patch = json!({"spec": {"installPlanApproval": "Automatic"}});
            Procedure::command(
                &format!("Set {object} to automatic approval from now on."),
                Target::of(SUBSCRIPTIONS, &neighbor.observed).merge(&patch),
                "The operator of this Subscription is then upgraded without approval. The waiting \
                 InstallPlan still needs an approval.",
            )
        }));
    }
    fixes
}

fn approve(case: Case<'_>, subscription: &Item<Subscription>, review: &Review) -> Procedure {
    let namespace = case.situation().name();
    let others = replacing(subscription, review);
    let is_withheld = review.verdict.state != approval::State::Yes && !review.policies.is_empty();
    let risk = match (others.is_empty(), is_withheld) {
        (false, true) => format!(
            "This command also approves {}, and overrides the policies that apply to the \
             InstallPlan.",
            listed(others)
        ),
        (false, false) => format!("This command also approves {}.", listed(others)),
        (true, true) => "This command overrides the policies that apply to the \
                         InstallPlan."
            .to_owned(),
        (true, false) => brought(case, subscription, review),
    };
    Procedure::command(
        &format!("Approve InstallPlan {namespace}/{}.", review.plan),
        Target::new(PLANS, namespace, &review.plan).merge(&json!({"spec": {"approved": true}})),
        &risk,
    )
}

/// Returns a sentence about the effect of a plan that installs no other operators.
fn brought(case: Case<'_>, subscription: &Item<Subscription>, review: &Review) -> String {
    let next = own_bundle(subscription, review).unwrap_or("the operator");
    match case.operator.csv.as_str() {
        "" => format!("OLM installs {next}, which is not installed yet."),
        csv => format!("OLM replaces {csv} with {next}. OLM cannot undo this upgrade."),
    }
}

/// Returns the changes that add a missing value to a list in a policy. The approval crate describes
/// other changes only as text, so they have no command.
fn policy_fixes(review: &Review) -> Vec<Procedure> {
    let mut fixes: Vec<Procedure> = Vec::new();
    let all = review.bundles.iter().flat_map(|bundle| &bundle.fixes);
    for fix in all.filter(|fix| fix.is_list) {
        let Some((namespace, name)) = &fix.policy else {
            continue;
        };
        let target = Target::new(POLICIES, namespace, name);
        let fix = Procedure::command(
            &words::sentence(&fix.message),
            target.append(fix.field, &fix.value),
            "The policy then allows this version in all namespaces that the policy applies to.",
        );
        if !fixes.contains(&fix) {
            fixes.push(fix);
        }
    }
    fixes
}

/// Returns a cause for each waiting plan that a newer plan has replaced. An approval of such a plan
/// would be a downgrade.
fn superseded(case: Case<'_>, subscription: &Item<Subscription>) -> Vec<Cause> {
    let reviews = case.findings.reviews.iter();
    let old = reviews.filter(|review| {
        review.waits && is_superseded(review) && is_of(case, subscription, review)
    });
    old.filter_map(|review| stale(case, review)).collect()
}

fn is_superseded(review: &Review) -> bool {
    let mut reasons = review.verdict.reasons.iter();
    reasons.any(|reason| reason.code == ApprovalCode::Superseded)
}

/// Returns true if the plan contains a bundle of this operator.
fn is_of(case: Case<'_>, subscription: &Item<Subscription>, review: &Review) -> bool {
    let mut bundles = review.bundles.iter();
    bundles.any(|bundle| {
        let package = bundle
            .package
            .as_ref()
            .map(portolan_core_names::PackageName::as_str);
        package == Some(subscription.spec.package.as_str()) || case.has_csv(&bundle.name)
    })
}

fn stale(case: Case<'_>, review: &Review) -> Option<Cause> {
    let namespace = case.situation().name();
    let object = Object::new("InstallPlan", namespace, &review.plan);
    let mut reasons = review.verdict.reasons.iter();
    let reason = reasons.find(|reason| reason.code == ApprovalCode::Superseded)?;
    let message = format!(
        "{object} still waits for approval, although a newer InstallPlan has replaced it. {} Do \
         not approve the old InstallPlan.",
        sentence(reason)
    );
    let fix = deletion::delete(
        &format!("Delete {object}."),
        &[Target::new(PLANS, namespace, &review.plan)],
        Vec::new(),
        "OLM creates another InstallPlan for these objects, unless another InstallPlan already \
         contains them.",
    );
    let cause = Cause::new(Code::PlanSuperseded, State::Waiting, object, &message);
    let plan = case.situation().plan(&review.plan);
    let cause = cause.cured(Cure::Safe(fix));
    Some(cause.shown(plan.into_iter().flat_map(evidence::plan)))
}
