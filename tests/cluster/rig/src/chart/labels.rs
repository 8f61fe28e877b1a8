//! The labels that all objects of a chart have.

const LABELS: &str = "    {{- include \"portolan.labels\" $ | nindent 4 }}\n";

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
        after.replacen("  labels:\n", &format!("  labels:\n{LABELS}"), 1)
    } else {
        format!("  labels:\n{LABELS}{after}")
    };
    format!("{before}\nmetadata:\n{after}")
}
