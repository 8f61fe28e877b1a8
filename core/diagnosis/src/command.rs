//! Commands, as they are typed.

use portolan_core_health::Observed;
use serde_json::Value;

use crate::words::harmless;

pub(crate) const SUBSCRIPTIONS: &str = "subscriptions.operators.coreos.com";
pub(crate) const GROUPS: &str = "operatorgroups.operators.coreos.com";
pub(crate) const CATALOGS: &str = "catalogsources.operators.coreos.com";
pub(crate) const CSVS: &str = "clusterserviceversions.operators.coreos.com";
pub(crate) const PLANS: &str = "installplans.operators.coreos.com";
pub(crate) const CONDITIONS: &str = "operatorconditions.operators.coreos.com";
pub(crate) const POLICIES: &str = "operatorpolicies.policy.open-cluster-management.io";
pub(crate) const DEPLOYMENTS: &str = "deployments.apps";
pub(crate) const PODS: &str = "pods";
pub(crate) const QUOTAS: &str = "resourcequotas";

/// What an object is annotated with to make OLM look at it again.
const LOOK_AGAIN: &str = "portolan.dev/look-again";

/// How long a command waits for OLM.
const WAIT: &str = "--timeout=10m";

/// One object of a namespace, as kubectl names it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) resource: &'static str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
}

// === impl Target ===

impl<'a> Target<'a> {
    pub(crate) fn new(resource: &'static str, namespace: &'a str, name: &'a str) -> Self {
        Self {
            resource,
            namespace,
            name,
        }
    }

    /// The object as one that was observed.
    pub(crate) fn of(resource: &'static str, observed: &'a Observed) -> Self {
        Self::new(resource, &observed.object.namespace, &observed.object.name)
    }

    /// A verb, the object, and what is said behind it. A name that looks like a flag is none so.
    fn line(self, verb: &[&str], behind: &[&str]) -> String {
        let Self {
            resource,
            namespace,
            name,
        } = self;
        let object = format!("{resource}/{name}");
        let place = place(namespace);
        let place: Vec<_> = place.iter().map(String::as_str).collect();
        let words = [&["kubectl"], verb, &[&object], &place, behind].concat();
        let words: Vec<String> = words.into_iter().map(quoted).collect();
        words.join(" ")
    }

    /// Merges this into it.
    pub(crate) fn merge(self, patch: &Value) -> String {
        self.line(&["patch"], &["--type", "merge", "-p", &patch.to_string()])
    }

    /// Makes these changes of its status, as JSON patches are written.
    pub(crate) fn patch_status(self, patch: &Value) -> String {
        let patch = patch.to_string();
        let behind = ["--subresource", "status", "--type", "json", "-p", &patch];
        self.line(&["patch"], &behind)
    }

    /// Makes these changes of it, as JSON patches are written.
    pub(crate) fn patch(self, patch: &Value) -> String {
        self.line(&["patch"], &["--type", "json", "-p", &patch.to_string()])
    }

    /// Deletes it.
    pub(crate) fn delete(self) -> String {
        self.line(&["delete"], &[])
    }

    /// Annotates it and takes the annotation away again, so that whoever follows it looks again.
    pub(crate) fn touch(self) -> String {
        let set = self.line(
            &["annotate"],
            &[&format!("{LOOK_AGAIN}=now"), "--overwrite"],
        );
        let unset = self.line(&["annotate"], &[&format!("{LOOK_AGAIN}-")]);
        chain(&[set, unset])
    }

    /// Deletes it and creates it anew.
    pub(crate) fn recreate(self) -> String {
        let read = self.line(&["get"], &["-o", "yaml"]);
        format!("{read} | kubectl replace --force -f -")
    }

    /// Waits until OLM has made it and says that it is installed.
    pub(crate) fn wait_succeeded(self) -> String {
        let made = self.line(&["wait"], &["--for=create", WAIT]);
        let phase = "--for=jsonpath={.status.phase}=Succeeded";
        chain(&[made, self.line(&["wait"], &[phase, WAIT])])
    }

    /// Scales it.
    pub(crate) fn scale(self, replicas: i32) -> String {
        self.line(&["scale"], &[&format!("--replicas={replicas}")])
    }

    /// Resumes its rollout.
    pub(crate) fn resume(self) -> String {
        self.line(&["rollout", "resume"], &[])
    }
}

/// Deletes the Pod by which OLM runs the registry of a catalog.
pub(crate) fn delete_catalog_pod(namespace: &str, name: &str) -> String {
    let label = format!("olm.catalogSource={name}");
    let place = place(namespace);
    let place: Vec<_> = place.iter().map(String::as_str).collect();
    let words = [
        &["kubectl", "delete", PODS],
        place.as_slice(),
        &["-l", &label],
    ]
    .concat();
    let words: Vec<String> = words.into_iter().map(quoted).collect();
    words.join(" ")
}

/// In that namespace, also where its name looks like a flag.
fn place(namespace: &str) -> Vec<String> {
    if namespace.starts_with('-') {
        vec![format!("--namespace={namespace}")]
    } else {
        vec!["-n".to_owned(), namespace.to_owned()]
    }
}

/// One after the other, as long as all goes well.
pub(crate) fn chain(lines: &[String]) -> String {
    lines.join(" && ")
}

/// A change, and then others, when OLM has seen it: what it is told earlier it decides upon the old.
pub(crate) fn when_seen(line: String, then: &[String]) -> String {
    match then {
        [] => line,
        then => format!("{line} && sleep 2 && {}", chain(then)),
    }
}

/// Applies a manifest in one line.
pub(crate) fn apply(manifest: &Value) -> String {
    format!(
        r"printf '%s\n' {} | kubectl apply -f -",
        quoted(&manifest.to_string())
    )
}

/// A word as a shell reads it. No name of an object has what a terminal takes for a command.
fn quoted(word: &str) -> String {
    let word = harmless(word);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::json;

    use super::*;

    #[rstest]
    #[case::that_are_plain_stay("ferry", "kubectl delete pods/ferry -n demo")]
    #[case::with_a_command_in_them_are_quoted("a; rm x", "kubectl delete 'pods/a; rm x' -n demo")]
    #[case::with_quotes_are_quoted("a'b", r"kubectl delete 'pods/a'\''b' -n demo")]
    #[case::that_color_a_terminal_do_not("a\u{1b}[31m", "kubectl delete 'pods/a?[31m' -n demo")]
    #[case::that_look_like_flags_are_names("--all", "kubectl delete pods/--all -n demo")]
    fn names(#[case] name: &str, #[case] line: &str) {
        assert_eq!(Target::new(PODS, "demo", name).delete(), line);
    }

    #[test]
    fn namespaces_that_look_like_flags_are_namespaces() {
        let line = Target::new(PODS, "--all", "a").delete();
        assert_eq!(line, "kubectl delete pods/a --namespace=--all");
        let line = delete_catalog_pod("--all-namespaces", "olm");
        let expected = "kubectl delete pods --namespace=--all-namespaces -l olm.catalogSource=olm";
        assert_eq!(line, expected);
    }

    #[test]
    fn patches_are_one_word() {
        let line = Target::new(PODS, "demo", "ferry").merge(&json!({"spec": {"a": "b c"}}));
        assert_eq!(
            line,
            r#"kubectl patch pods/ferry -n demo --type merge -p '{"spec":{"a":"b c"}}'"#
        );
    }
}
