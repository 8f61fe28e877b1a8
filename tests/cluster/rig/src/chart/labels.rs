//! Adds the labels that all objects of the chart have.

const LABELS: &str = "    {{- include \"portolan.labels\" $ | nindent 4 }}\n";

const VERSION: &str = "    app.kubernetes.io/version: ";

/// Adds the standard labels to the metadata of a manifest.
pub(super) fn added(text: &str) -> String {
    let (before, after) = text
        .split_once("\nmetadata:\n")
        .expect("a manifest has metadata");
    let is_inside = |line: &&str| line.starts_with("  ") || line.starts_with("{{");
    let has_labels = after
        .lines()
        .take_while(is_inside)
        .any(|line| line == "  labels:");
    let after = if has_labels {
        // Removes the version label, because the standard labels of the chart contain the same
        // version.
        let (first, rest) = after.split_once("  labels:\n").unwrap_or(("", after));
        let rest = without_version(rest);
        format!("{first}  labels:\n{LABELS}{rest}")
    } else {
        format!("  labels:\n{LABELS}{after}")
    };
    format!("{before}\nmetadata:\n{after}")
}

/// Removes the label with the version from the labels at the beginning of the text.
fn without_version(text: &str) -> String {
    let is_label = |line: &&str| line.starts_with("    ");
    let labels = text.lines().take_while(is_label).count();
    let lines = text.split_inclusive('\n').enumerate();
    let kept = lines.filter(|(at, line)| *at >= labels || !line.starts_with(VERSION));
    kept.map(|(_, line)| line).collect()
}
