//! Writes results as JUnit test cases.

/// One test case.
#[derive(Debug, Default)]
pub(crate) struct TestCase {
    pub(crate) class: String,
    pub(crate) name: String,
    /// The failure. None if the test case passes.
    pub(crate) wrong: Option<TestFailure>,
    /// The output of the test case, such as warnings.
    pub(crate) besides: String,
}

/// The reason why a test case fails.
#[derive(Debug)]
pub(crate) struct TestFailure {
    /// True if the check could not run. JUnit calls this an error and not a failure.
    pub(crate) is_error: bool,
    pub(crate) message: String,
    pub(crate) details: String,
}

/// Renders test cases as one suite, with the output of the suite.
pub(crate) fn render(suite: &str, cases: &[TestCase], besides: &str) -> String {
    let wrong = cases.iter().filter_map(|case| case.wrong.as_ref());
    let (errors, failures): (Vec<_>, Vec<_>) = wrong.partition(|wrong| wrong.is_error);
    let counts = format!(
        "tests=\"{}\" failures=\"{}\" errors=\"{}\"",
        cases.len(),
        failures.len(),
        errors.len()
    );
    let cases: String = cases.iter().map(case).collect();
    let besides = match escape(besides).as_str() {
        "" => String::new(),
        besides => format!("    <system-out>{besides}</system-out>\n"),
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  \
         <testsuite name=\"{}\" {counts}>\n{cases}{besides}  \
         </testsuite>\n</testsuites>\n",
        escape(suite)
    )
}

fn case(case: &TestCase) -> String {
    let [class, name, besides] = [&case.class, &case.name, &case.besides].map(|it| escape(it));
    let start = format!("    <testcase classname=\"{class}\" name=\"{name}\"");
    let besides = match besides.as_str() {
        "" => String::new(),
        besides => format!("<system-out>{besides}</system-out>"),
    };
    let Some(wrong) = &case.wrong else {
        return match besides.as_str() {
            "" => format!("{start}/>\n"),
            besides => format!("{start}>{besides}</testcase>\n"),
        };
    };
    let element = if wrong.is_error { "error" } else { "failure" };
    let (message, details) = (escape(&wrong.message), escape(&wrong.details));
    format!(
        "{start}>\n      <{element} message=\"{message}\">{details}</{element}>\n    \
         {besides}</testcase>\n"
    )
}

/// Escapes a text for XML. Removes characters that XML does not allow.
fn escape(text: &str) -> String {
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
    use super::escape;

    #[test]
    fn escapes_markup_in_text() {
        let hostile = "</failure> & \"quoted\"\u{1b}[31m\n";
        let expected = "&lt;/failure&gt; &amp; &quot;quoted&quot;[31m\n";
        assert_eq!(escape(hostile), expected);
    }
}
