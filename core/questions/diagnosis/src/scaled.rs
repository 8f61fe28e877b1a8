//! Explains Deployments that are scaled to 0, for all owners.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_core_names::text::cite;
use portolan_core_olm::{
    DOWNSCALER_EXCLUDE, ORIGINAL_REPLICAS, downscaler_schedule, last_scaler, original_replicas,
};

use crate::command::{DEPLOYMENTS, Target};
use crate::running::RunningWorkload;
use crate::steps::check;
use crate::{Evidence, Procedure, Quote, Step, words};

/// A Deployment that kube-downscaler has scaled to 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Downscaled<'a> {
    metadata: &'a ObjectMeta,
    /// The number of replicas before.
    original: i32,
}

// === impl Downscaled ===

impl<'a> Downscaled<'a> {
    /// Returns None if the annotations do not show that kube-downscaler has scaled the Deployment.
    pub(crate) fn of(metadata: &'a ObjectMeta) -> Option<Self> {
        let original = original_replicas(metadata)?;
        Some(Self { metadata, original })
    }

    /// Returns sentences about the scaling. If the schedule is not in the annotations, they say
    /// where it is.
    pub(crate) fn sentences(self) -> String {
        let Self { metadata, original } = self;
        let name = ORIGINAL_REPLICAS.name();
        let scaled = format!(
            "kube-downscaler scaled it down, as its annotation {name}: \"{original}\" shows."
        );
        if downscaler_schedule(metadata).next().is_some() {
            return scaled;
        }
        let namespace = metadata.namespace.as_deref().unwrap_or_default();
        format!(
            "{scaled} The schedule is in the settings of kube-downscaler, or in the annotations of \
             namespace {namespace}."
        )
    }

    /// Returns the annotations with the schedule. Returns None if the object has no such annotation.
    pub(crate) fn schedule(self) -> Option<Quote> {
        let rows = downscaler_schedule(self.metadata);
        let rows: Vec<_> = rows.map(|(key, value)| format!("{key}: {value}")).collect();
        Quote::of("the annotations of the Deployment", &rows.join(", "))
    }

    /// Returns the commands that exclude the Deployment from kube-downscaler and scale it up.
    /// Without the exclusion, kube-downscaler may scale the Deployment down again within a minute.
    pub(crate) fn exclude_and_scale_up(
        object: &str,
        target: Target<'_>,
        replicas: i32,
    ) -> Procedure {
        let title =
            format!("Exclude {object} from kube-downscaler, and scale it to {replicas} again.");
        let excluded = format!("{} {DOWNSCALER_EXCLUDE}=true", target.annotate_with());
        let steps = vec![
            Step::new("Exclude the Deployment from kube-downscaler", excluded),
            Step::new(&format!("Scale it to {replicas}"), target.scale(replicas)),
        ];
        let risk = "kube-downscaler no longer saves the resources of this Deployment. During a \
                    downtime, kube-downscaler scales the Deployment to 0 again within a minute, unless it is excluded \
                    first. If another tool removes the annotation later, exclude the namespace in the settings of \
                    kube-downscaler.";
        Procedure::of(&title, steps, risk)
    }
}

// === impl RunningWorkload ===

impl RunningWorkload {
    /// Returns true if no Pod is desired.
    pub(crate) fn is_scaled_to_zero(&self) -> bool {
        self.desired <= 0
    }

    /// Returns sentences about the client that scaled the Deployment to 0. Empty if the client is
    /// unknown.
    pub(crate) fn scaled_by(&self) -> String {
        if let Some(downscaled) = self.downscaled() {
            return downscaled.sentences();
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
            let object = self.object.to_string();
            return Downscaled::exclude_and_scale_up(&object, self.target(), replicas);
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

    /// Returns the annotations with the schedule of kube-downscaler. Returns None if the Deployment
    /// is not scaled to 0 by kube-downscaler.
    pub(crate) fn schedule(&self) -> Option<Quote> {
        let downscaled = self.downscaled().filter(|_| self.is_scaled_to_zero());
        downscaled.and_then(Downscaled::schedule)
    }

    /// Returns true if kube-downscaler has scaled the Deployment.
    pub(crate) fn is_downscaled(&self) -> bool {
        self.downscaled().is_some()
    }

    fn downscaled(&self) -> Option<Downscaled<'_>> {
        Downscaled::of(&self.metadata)
    }

    fn original(&self) -> Option<i32> {
        self.downscaled().map(|it| it.original)
    }

    pub(crate) fn target(&self) -> Target<'_> {
        Target::new(DEPLOYMENTS, &self.object.namespace, &self.object.name)
    }
}
