//! A test case for each policy, as JUnit writes its results.

use std::fmt::Write as _;

use super::answer::{Answer, Explained};

/// A case fails if its policy is not compliant or something would be changed, and is an error if
/// the policy is not valid.
pub(super) fn render(answer: &Answer) -> String {
    let policies = &answer.policies;
    let invalid = policies
        .iter()
        .filter(|each| !each.refusals.is_empty())
        .count();
    let bad = policies.iter().filter(|each| !each.is_fine()).count();
    let (total, failed) = (policies.len(), bad - invalid);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let counts = format!("tests=\"{total}\" failures=\"{failed}\" errors=\"{invalid}\"");
    line(&mut text, &format!("<testsuites {counts}>"));
    line(
        &mut text,
        &format!("  <testsuite name=\"OperatorPolicy\" {counts}>"),
    );
    policies.iter().for_each(|policy| case(&mut text, policy));
    let doubts = answer.doubts().map(|each| format!("not known: {each}\n"));
    let doubts = escaped(&doubts.collect::<String>());
    if !doubts.is_empty() {
        line(&mut text, &format!("    <system-out>{doubts}</system-out>"));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn case(text: &mut String, policy: &Explained) {
    let [name, namespace] = [&policy.name, &policy.namespace].map(|it| escaped(it));
    let start = format!("    <testcase classname=\"{namespace}\" name=\"{name}\"");
    if policy.is_fine() {
        let unknown = policy
            .unknown
            .iter()
            .map(|each| format!("not known: {each}\n"));
        let unknown = escaped(&unknown.collect::<String>());
        let case = match unknown.is_empty() {
            true => format!("{start}/>"),
            false => format!("{start}><system-out>{unknown}</system-out></testcase>"),
        };
        return line(text, &case);
    }
    let (element, message) = match policy.refusals.is_empty() {
        true => ("failure", summary(policy)),
        false => ("error", policy.refusals.join("; ")),
    };
    line(text, &format!("{start}>"));
    let message = escaped(&message);
    let details = escaped(&details(policy));
    line(
        text,
        &format!("      <{element} message=\"{message}\">{details}</{element}>"),
    );
    line(text, "    </testcase>");
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
            line(
                &mut text,
                &format!("{type_} {reason}: {}", condition.message),
            );
        }
    }
    if let Some(why) = &policy.withheld {
        line(&mut text, &format!("nothing is done: {why}"));
    }
    for unknown in &policy.unknown {
        line(&mut text, &format!("not known: {unknown}"));
    }
    for change in &policy.changes {
        line(&mut text, &format!("would {}", change.title()));
        text.push_str(&change.diff);
    }
    text
}

/// What XML cannot hold at all is left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn line(text: &mut String, line: &str) {
    // Nothing refuses to be written to memory.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn a_text_ends_no_element() {
        let hostile = "</failure> & \"quoted\"\u{1b}[31m\n";
        let expected = "&lt;/failure&gt; &amp; &quot;quoted&quot;[31m\n";
        assert_eq!(escaped(hostile), expected);
    }
}
