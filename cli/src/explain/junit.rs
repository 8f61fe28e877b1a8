//! Renders JUnit test cases, one for each policy, each Operator and each ClusterExtension.

use super::answer::{Explained, Explanation};
use super::extensions::ExplainedExtension;
use super::operators::ExplainedOperator;
use super::subscriptions::ExplainedSubscription;
use crate::print::Detail;
use crate::print::junit::{self, TestCase, TestFailure};

/// Returns all test cases. The test case of a policy fails if the policy is not compliant, or if
/// changes would be made. The test case of an invalid policy has an error.
pub(super) fn render(answer: &Explanation) -> String {
    let policies = answer.policies.iter().map(case);
    let operators = answer.operators.iter().map(operator);
    let extensions = answer.extensions.iter().map(extension);
    let subscriptions = answer.subscriptions.iter().map(subscription);
    let cases = policies.chain(operators).chain(extensions);
    let cases: Vec<_> = cases.chain(subscriptions).collect();
    junit::render("OperatorPolicy", &cases, &not_known(answer.doubts()))
}

fn case(policy: &Explained) -> TestCase {
    let is_error = !policy.refusals.is_empty();
    let message = match policy.refusals.as_slice() {
        [] => summary(policy),
        refusals => refusals.join("; "),
    };
    let wrong = (!policy.is_fine()).then(|| TestFailure {
        is_error,
        message,
        details: details(policy),
    });
    TestCase {
        class: policy.namespace.clone(),
        name: policy.name.clone(),
        besides: not_known(policy.unknown.iter()),
        wrong,
    }
}

fn operator(operator: &ExplainedOperator) -> TestCase {
    let conditions = operator.conditions().map(|condition| {
        let (type_, reason) = (condition.type_, condition.reason);
        format!("{type_} {reason}: {}\n", condition.message)
    });
    let changes = operator.changes.iter();
    let changes = changes.map(|change| format!("would {}\n", change.title));
    let wrong = (!operator.is_fine()).then(|| TestFailure {
        is_error: operator.is_invalid(),
        message: operator.word().to_owned(),
        details: conditions.chain(changes).collect(),
    });
    TestCase {
        class: "Operator".to_owned(),
        name: operator.name.clone(),
        besides: not_known(operator.unknown.iter()),
        wrong,
    }
}

fn extension(extension: &ExplainedExtension) -> TestCase {
    let lines = extension.lines(Detail::Whole).into_iter();
    let lines = lines.map(|(label, line)| format!("{} {line}\n", label.text()));
    let wrong = (!extension.is_fine()).then(|| TestFailure {
        is_error: false,
        message: extension.state.to_owned(),
        details: lines.collect(),
    });
    TestCase {
        class: "ClusterExtension".to_owned(),
        name: extension.name.clone(),
        besides: not_known(extension.unknown.iter()),
        wrong,
    }
}

fn subscription(subscription: &ExplainedSubscription) -> TestCase {
    let lines = subscription.lines().into_iter();
    let lines = lines.map(|(label, line)| format!("{} {line}\n", label.text()));
    let wrong = (!subscription.is_fine()).then(|| TestFailure {
        is_error: false,
        message: subscription.movable.to_owned(),
        details: lines.collect(),
    });
    TestCase {
        class: subscription.namespace.clone(),
        name: subscription.name.clone(),
        besides: not_known(subscription.unknown.iter()),
        wrong,
    }
}

fn not_known<'a>(what: impl Iterator<Item = &'a String>) -> String {
    what.map(|each| format!("unknown: {each}\n")).collect()
}

fn summary(policy: &Explained) -> String {
    match policy.changes.len() {
        0 => policy.word().to_owned(),
        changes => format!("{}, changes: {changes}", policy.word()),
    }
}

fn details(policy: &Explained) -> String {
    let mut text = String::new();
    for condition in &policy.status.conditions {
        if policy.blames(&condition.type_) {
            let (type_, reason) = (&condition.type_, &condition.reason);
            text += &format!("{type_} {reason}: {}\n", condition.message);
        }
    }
    if let Some(why) = &policy.withheld {
        text += &format!("no action: {why}\n");
    }
    for unknown in &policy.unknown {
        text += &format!("unknown: {unknown}\n");
    }
    for change in &policy.changes {
        text += &format!("would {}\n{}", change.title(), change.diff);
    }
    text
}
