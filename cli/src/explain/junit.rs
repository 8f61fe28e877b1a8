//! A test case for each policy, as JUnit writes its results.

use super::answer::{Answer, Explained};

/// A case fails if its policy is not compliant or something would be changed, and is an error if
/// the policy is not valid.
pub(super) fn render(answer: &Answer) -> String {
    let policies = &answer.policies;
    let is_invalid = |each: &&Explained| !each.refusals.is_empty();
    let invalid = policies.iter().filter(is_invalid).count();
    let bad = policies.iter().filter(|each| !each.is_fine()).count();
    let (total, failed) = (policies.len(), bad - invalid);
    let counts = format!("tests=\"{total}\" failures=\"{failed}\" errors=\"{invalid}\"");
    let cases: String = policies.iter().map(case).collect();
    let doubts = match not_known(answer.doubts()).as_str() {
        "" => String::new(),
        doubts => format!("    <system-out>{doubts}</system-out>\n"),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite name=\"OperatorPolicy\" {counts}>\n{cases}{doubts}  \
         </testsuite>\n</testsuites>\n"
    )
}

fn case(policy: &Explained) -> String {
    let [name, namespace] = [&policy.name, &policy.namespace].map(|it| escaped(it));
    let start = format!("    <testcase classname=\"{namespace}\" name=\"{name}\"");
    if policy.is_fine() {
        return match not_known(policy.unknown.iter()).as_str() {
            "" => format!("{start}/>\n"),
            unknown => format!("{start}><system-out>{unknown}</system-out></testcase>\n"),
        };
    }
    let (element, message) = match policy.refusals.as_slice() {
        [] => ("failure", summary(policy)),
        refusals => ("error", refusals.join("; ")),
    };
    let (message, details) = (escaped(&message), escaped(&details(policy)));
    format!(
        "{start}>\n      <{element} message=\"{message}\">{details}</{element}>\n    \
         </testcase>\n"
    )
}

fn not_known<'a>(what: impl Iterator<Item = &'a String>) -> String {
    let lines = what.map(|each| format!("not known: {each}\n"));
    escaped(&lines.collect::<String>())
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
        text += &format!("nothing is done: {why}\n");
    }
    for unknown in &policy.unknown {
        text += &format!("not known: {unknown}\n");
    }
    for change in &policy.changes {
        text += &format!("would {}\n{}", change.title(), change.diff);
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
