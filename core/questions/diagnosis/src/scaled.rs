//! Explains Deployments that are scaled to 0, for all owners.

use portolan_core_names::text::cite;
use portolan_core_olm::{DOWNSCALER_EXCLUDE, ORIGINAL_REPLICAS, last_scaler, original_replicas};

use crate::command::{DEPLOYMENTS, Target};
use crate::running::RunningWorkload;
use crate::steps::check;
use crate::{Evidence, Procedure, Step, words};

impl RunningWorkload {
    /// Returns true if no Pod is desired.
    pub(crate) fn is_scaled_to_zero(&self) -> bool {
        self.desired <= 0
    }

    /// Returns a sentence about the client that scaled the Deployment to 0. Empty if the client is
    /// unknown.
    pub(crate) fn scaled_by(&self) -> String {
        if let Some(original) = self.original() {
            let name = ORIGINAL_REPLICAS.name();
            return format!(
                "kube-downscaler scaled it down, as its annotation {name}: \"{original}\" shows."
            );
        }
        last_scaler(&self.metadata).map_or_else(String::new, |(manager, time)| {
            let at = time.map_or_else(String::new, |time| format!(" at {}", words::time(time)));
            format!("Field manager {} scaled it to 0{at}.", cite(manager))
        })
    }

    /// Returns the command that scales the Deployment to its original number of replicas. If this
    /// number is unknown, the command uses one replica.
    pub(crate) fn scale_up(&self) -> Procedure {
        let replicas = self.original().unwrap_or(1);
        if self.original().is_some() {
            return self.exclude_and_scale_up(replicas);
        }
        let risk = if self.scaled_by().is_empty() {
            "It is unknown why the Deployment was scaled down."
        } else {
            "The client that scaled the Deployment down may do so again."
        };
        Procedure::command(
            &format!("Scale {} to {replicas} again.", self.object),
            self.target().scale(replicas),
            risk,
        )
    }

    /// Returns the commands for a Deployment that kube-downscaler has scaled down. The first
    /// command excludes the Deployment from kube-downscaler. Without this command, kube-downscaler
    /// may scale the Deployment down again within a minute.
    fn exclude_and_scale_up(&self, replicas: i32) -> Procedure {
        let title = format!(
            "Exclude {} from kube-downscaler, and scale it to {replicas} again.",
            self.object
        );
        let excluded = format!(
            "{} {DOWNSCALER_EXCLUDE}=true",
            self.target().annotate_with()
        );
        let steps = vec![
            Step::new("Exclude the Deployment from kube-downscaler", excluded),
            Step::new(
                &format!("Scale it to {replicas}"),
                self.target().scale(replicas),
            ),
        ];
        let risk = "kube-downscaler no longer saves the resources of this Deployment. During a \
                    downtime, kube-downscaler scales the Deployment to 0 again within a minute, unless it is excluded \
                    first. If another tool removes the annotation later, exclude the namespace in the settings of \
                    kube-downscaler.";
        Procedure::of(&title, steps, risk)
    }

    /// Returns the check after a repair. None if the workload is no Deployment.
    pub(crate) fn check(&self) -> Option<Procedure> {
        let is_deployment = self.object.kind == "Deployment.apps";
        is_deployment.then(|| check(self.target()))
    }

    /// Returns the desired number of Pods, and the annotation of kube-downscaler.
    pub(crate) fn scaled_evidence(&self) -> Vec<Evidence> {
        let replicas = Evidence::at(
            self.object.clone(),
            "spec.replicas",
            &self.desired.to_string(),
        );
        let original = self.original().map(|original| {
            let field = format!("metadata.annotations[{}]", ORIGINAL_REPLICAS.name());
            Evidence::at(self.object.clone(), &field, &original.to_string())
        });
        std::iter::once(replicas).chain(original).collect()
    }

    /// Returns the person who can start the Pods of the Deployment.
    pub(crate) fn administrator(&self) -> String {
        let namespace = &self.object.namespace;
        match self.extension.as_str() {
            "" => format!("the administrator of namespace {namespace}"),
            extension => format!(
                "the administrator of namespace {namespace}, with the owner of ClusterExtension \
                 {extension}"
            ),
        }
    }

    fn original(&self) -> Option<i32> {
        original_replicas(&self.metadata)
    }

    pub(crate) fn target(&self) -> Target<'_> {
        Target::new(DEPLOYMENTS, &self.object.namespace, &self.object.name)
    }
}
