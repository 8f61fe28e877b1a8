//! Messages of the scheduler about a Pod that no node can run.

/// The nodes that cannot run a Pod, with the first reason for each node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitNodes<'a> {
    /// The message of the scheduler.
    pub words: &'a str,
    /// The number of nodes.
    pub all: usize,
    /// The reasons, each with its number of nodes.
    pub reasons: Vec<(usize, Unfit<'a>)>,
}

/// The reason why a node cannot run a Pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit<'a> {
    /// The node is cordoned.
    Cordoned,
    /// The node has a taint with this key, which the Pod does not tolerate.
    Tainted(&'a str),
    /// The node does not match the node selector or the node affinity of the Pod.
    Unmatched,
    /// Another reason, as text.
    Other(&'a str),
}

/// The texts of all Kubernetes versions for a node that does not match the node selector or node
/// affinity.
const UNMATCHED: [&str; 3] = [
    "didn't match Pod's node affinity/selector",
    "didn't match node selector",
    "didn't match pod's node affinity",
];

/// Returns the unfit nodes in a message. Returns None for other messages.
pub fn unfit_nodes(message: &str) -> Option<UnfitNodes<'_>> {
    let (before, rest) = message.split_once(" nodes are available: ")?;
    let (fitting, all) = before.rsplit_once('/')?;
    let start = fitting.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    // After a period, the scheduler reports the result of preemption.
    let rest = rest.split(". ").next()?.trim_end_matches('.');
    let reasons = rest.split(", ").filter_map(reason).collect();
    Some(UnfitNodes {
        words: message.get(start..)?,
        all: all.parse().ok()?,
        reasons,
    })
}

fn reason(piece: &str) -> Option<(usize, Unfit<'_>)> {
    let (count, words) = piece.split_once(' ')?;
    let count = count.parse().ok()?;
    let words = words.strip_prefix("node(s) ").unwrap_or(words);
    let unfit = if words == "were unschedulable" {
        Unfit::Cordoned
    } else if UNMATCHED.contains(&words) {
        Unfit::Unmatched
    } else {
        match words.split_once("taint {") {
            Some((_, taint)) => Unfit::Tainted(key(taint)),
            None => Unfit::Other(words),
        }
    };
    Some((count, unfit))
}

/// Returns the key of a taint that the scheduler prints as `{key: value}`.
fn key(taint: &str) -> &str {
    taint.split([':', '}']).next().unwrap_or(taint).trim()
}

// === impl UnfitNodes ===

impl UnfitNodes<'_> {
    /// Returns the number of nodes with this reason.
    pub fn count(&self, of: Unfit<'_>) -> usize {
        let same = self.reasons.iter().filter(|(_, reason)| *reason == of);
        same.map(|(count, _)| count).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_of_the_scheduler_are_counted() {
        let message = "0/9 nodes are available: 2 node(s) were unschedulable, 3 node(s) had untolerated taint \
                       {pier: }, 1 Insufficient memory, 3 node(s) didn't match Pod's node affinity/selector. \
                       preemption: 0/9 nodes are available: 9 Preemption is not helpful for scheduling.";
        let expected = UnfitNodes {
            words: message,
            all: 9,
            reasons: vec![
                (2, Unfit::Cordoned),
                (3, Unfit::Tainted("pier")),
                (1, Unfit::Other("Insufficient memory")),
                (3, Unfit::Unmatched),
            ],
        };
        assert_eq!(unfit_nodes(message), Some(expected));
    }

    #[test]
    fn older_scheduler_writes_taints_with_a_comma() {
        let message = "0/2 nodes are available: 2 node(s) had taint {pier: deep}, that the pod didn't tolerate.";
        let found = unfit_nodes(message).expect("nodes");
        assert_eq!(found.reasons, [(2, Unfit::Tainted("pier"))]);
        assert_eq!(found.count(Unfit::Cordoned), 0);
    }

    #[test]
    fn omits_text_before_the_number_of_nodes() {
        let found =
            unfit_nodes("Pod quay/tug fits on no node: 0/1 nodes are available: 1 Too many pods.");
        let words = found.map(|it| it.words);
        assert_eq!(words, Some("0/1 nodes are available: 1 Too many pods."));
    }

    #[test]
    fn returns_none_for_messages_without_number_of_nodes() {
        assert_eq!(unfit_nodes("no nodes available to schedule pods"), None);
        assert_eq!(unfit_nodes("x nodes are available: 1 a."), None);
    }
}
