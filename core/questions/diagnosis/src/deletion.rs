//! Builds procedures that delete objects. Each object is saved to a file before it is deleted.

use portolan_core_names::text::{listed, write_object};

use crate::command::{
    self, CATALOGS, CSVS, DEPLOYMENTS, EXTENSIONS, GROUPS, OWN_PLANS, PLANS, PODS, SUBSCRIPTIONS,
    Target,
};
use crate::{Procedure, Step};

/// An annotation without a meaning. A change of it makes the controllers of OLM reconcile the
/// object.
pub(crate) const RETRY: &str = "portolan.dev/retry";

/// Returns a procedure that saves and deletes objects, and then runs the steps in `then`.
pub(crate) fn delete(
    title: &str,
    targets: &[Target<'_>],
    then: Vec<Step>,
    risk: &str,
) -> Procedure {
    let saves = targets.iter().map(|target| target.saved());
    let deletes = targets.iter().map(|target| target.deleted());
    let steps = saves.chain(deletes).chain(then).collect();
    let names = listed(targets.iter().map(|target| target.called()));
    let first = targets.first().map_or("", |target| target.resource);
    let taken = taken_along(first);
    let procedure = Procedure::of(title, steps, risk);
    procedure.deleting(&format!("{names}{taken}."), keeps(first))
}

/// Returns the steps that save, delete and recreate an object.
pub(crate) fn recreate(target: Target<'_>) -> Vec<Step> {
    let called = target.called();
    let create = format!("kubectl create -f {}", target.file());
    let create = Step::new(&format!("Create {called} again"), create);
    vec![target.saved(), target.deleted(), create]
}

/// Returns the step that waits until OLM has noticed a deletion. Without this step, OLM would make
/// its next decision with stale data.
pub(crate) fn noticed() -> Step {
    let comment = "Wait until OLM has noticed the deletion";
    Step::new(comment, "sleep 5".to_owned())
}

/// Returns the end of a sentence about the objects that are deleted together with an object of this
/// resource.
fn taken_along(resource: &str) -> &'static str {
    match resource {
        CSVS => " with its Deployments, Services and permissions",
        CATALOGS => " with the Pod of its registry",
        DEPLOYMENTS => " with its Pods",
        _ => "",
    }
}

/// Returns a sentence about the objects that remain after an object of this resource is deleted.
fn keeps(resource: &str) -> &'static str {
    match resource {
        CSVS => "The CRDs and custom resources of the operator.",
        SUBSCRIPTIONS => "The installed operator, its CRDs and custom resources.",
        PLANS | OWN_PLANS => "All installed objects, CRDs and custom resources.",
        GROUPS | CATALOGS => "All installed operators, their CRDs and custom resources.",
        PODS => "The object that owns the Pod. Its controller creates the Pod again.",
        DEPLOYMENTS => "The ClusterServiceVersion, CRDs and custom resources.",
        EXTENSIONS => "All objects of other installations.",
        _ => "CRDs and custom resources.",
    }
}

/// Returns the steps that save and delete all objects of a namespace that have a label.
pub(crate) fn delete_labeled(
    resource: &str,
    namespace: &str,
    label: &str,
    called: &str,
) -> [Step; 2] {
    let kind = command::kind(resource);
    let get = command::labeled("get", resource, namespace, label);
    let file = file_name(&[kind, namespace, called]);
    let save = format!("{get} -o yaml > {file}");
    [
        Step::new(&format!("Save the {kind} of {called} to a file"), save),
        Step::new(
            &format!("Delete the {kind} of {called}"),
            command::labeled("delete", resource, namespace, label),
        ),
    ]
}

/// Returns a file name from any words. The file name is valid, and safe in a shell.
fn file_name(words: &[&str]) -> String {
    let words = words.iter().filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| word.to_lowercase()).collect();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let name = words.join("-").replace(|c: char| !is_plain(c), "_");
    format!("{name}.yaml")
}

// === impl Target ===

impl Target<'_> {
    /// Returns the step that saves the object to a file.
    pub(crate) fn saved(self) -> Step {
        let comment = format!("Save {} to a file", self.called());
        Step::new(&comment, self.save(&self.file()))
    }

    /// Returns the step that deletes the object. The caller must add the step of [`Self::saved`]
    /// before this step.
    pub(crate) fn deleted(self) -> Step {
        Step::new(&format!("Delete {}", self.called()), self.delete())
    }

    /// Returns the step that makes OLM reconcile the object now. The step sets an annotation to the
    /// current time, which is always a new value.
    pub(crate) fn retried(self) -> Step {
        let comment = format!("Make OLM check {} now", self.called());
        let line = format!("{} {RETRY}=\"$(date +%s)\"", self.annotate_with());
        Step::new(&comment, line)
    }

    /// Returns the object as text for sentences.
    pub(crate) fn called(self) -> String {
        Called(self).to_string()
    }

    fn file(self) -> String {
        file_name(&[command::kind(self.resource), self.namespace, self.name])
    }
}

/// Formats a target for sentences.
struct Called<'a>(Target<'a>);

impl std::fmt::Display for Called<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(target) = self;
        write_object(
            f,
            command::kind(target.resource),
            target.namespace,
            target.name,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_contain_no_path_and_no_command() {
        let name = file_name(&["Subscription", "../..", "a; rm $(b)"]);
        assert_eq!(name, "subscription-.._..-a__rm___b_.yaml");
    }

    #[test]
    fn saves_before_deletion() {
        let target = Target::new(CSVS, "demo", "ferry.v1.0.0");
        let procedure = delete("Delete it.", &[target], Vec::new(), "None.");
        let comments: Vec<_> = procedure.steps.iter().map(|step| &*step.comment).collect();
        let expected = [
            "Save ClusterServiceVersion demo/ferry.v1.0.0 to a file",
            "Delete ClusterServiceVersion demo/ferry.v1.0.0",
        ];
        assert_eq!(comments, expected);
    }
}
