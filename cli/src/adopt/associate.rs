//! `portolan adopt --to operators.coreos.com`: assigns Subscriptions to Operators v2alpha1.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use portolan_components::{
    Association, AssociationClient, NotAssociated, Stored, Subscription as Followed,
    associated_with,
};
use portolan_core_olm::Subscription;
use portolan_world::{AnyWorld, Area, Key};
use serde_json::Value;

use super::{AdoptArgs, Output};
use crate::exit::Exit;
use crate::facts::read_view;
use crate::failure::Failure;
use crate::print;

/// The maximum time to wait until the controller sets the label on the ClusterServiceVersion.
const PATIENCE: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(500);

/// A Subscription that the command associates with an Operator, which then owns the Subscription.
struct Associating {
    key: Key,
    uid: Option<String>,
    /// The name of the installed ClusterServiceVersion. Empty if OLM has installed nothing yet.
    csv: String,
    association: Association,
}

impl AdoptArgs {
    /// Associates the Subscriptions of the packages with Operators v2alpha1.
    pub(super) async fn associate(&self, world: &AnyWorld) -> Result<Exit, Failure> {
        let client = match world {
            AnyWorld::Cluster(cluster) => {
                Some(AssociationClient::of(cluster.client(), self.dry_run))
            }
            AnyWorld::Files(_) => None,
        };
        let mut operators = match &client {
            Some(client) => client.operators().await.map_err(report_failure)?,
            None => BTreeMap::new(),
        };
        let mut all = Vec::new();
        for (key, subscription) in self.subscriptions(world).await? {
            let is_manual = subscription.is_manual();
            let association = associated_with(&followed(&subscription), is_manual, &operators);
            if let Association::Made { name, operator } = &association {
                operators.insert(name.clone(), stored(operator));
            }
            all.push(Associating {
                uid: subscription.metadata.uid.clone(),
                csv: subscription.status.installed_csv.clone(),
                association,
                key,
            });
        }
        if all.is_empty() {
            print::note("No Subscriptions found.");
        }
        if self.is_refused(&all) {
            return Ok(Exit::No);
        }
        self.print(&all)?;
        let Some(client) = client else {
            return Ok(Exit::Answered);
        };
        for each in &all {
            if let Err(error) = self.carry_out(&client, each).await? {
                return match error {
                    NotAssociated::Refused(why) => {
                        print::error(&format!("the API server rejects the request: {why}"));
                        Ok(Exit::No)
                    }
                    NotAssociated::NotServed | NotAssociated::Unanswered(_) => {
                        Err(report_failure(error))
                    }
                };
            }
        }
        Ok(Exit::Answered)
    }

    /// Returns the Subscriptions that the command line selects.
    async fn subscriptions(&self, world: &AnyWorld) -> Result<Vec<(Key, Subscription)>, Failure> {
        let subscriptions = read_view::<Subscription>(world, &Area::everywhere()).await?;
        let is_inside = |key: &Key| {
            let namespace = self.namespace.as_ref();
            namespace.is_none_or(|it| **it == *key.namespace)
        };
        let all = subscriptions.objects.iter();
        let all: Vec<_> = all.filter(|(key, _)| is_inside(key)).collect();
        let there = all.iter().map(|(_, it)| &*it.spec.package).collect();
        if let Some((package, there)) = self.absent(&there, &there) {
            let there = there.unwrap_or_else(|| "none".to_owned());
            return Err(Failure::usage(format!(
                "no Subscription for package {package} found; packages with a Subscription: {there}"
            )));
        }
        let is_meant = |it: &Subscription| {
            let mut packages = self.packages.iter();
            self.all || packages.any(|package| package.name == it.spec.package)
        };
        let meant = all.into_iter().filter(|(_, it)| is_meant(it));
        Ok(meant
            .map(|(key, it)| (key.clone(), (**it).clone()))
            .collect())
    }

    /// Returns true if a Subscription cannot be associated, and prints an error for each of these
    /// Subscriptions. The caller then changes nothing.
    fn is_refused(&self, all: &[Associating]) -> bool {
        let flaws = all.iter().filter_map(|each| {
            let key = &each.key;
            if let Association::Taken(name) = &each.association {
                return Some(format!(
                    "Subscription {key}: Operator {name} already exists, but its spec.updates differs from the package, channel and catalog of the Subscription; change spec.updates, or label the Subscription manually"
                ));
            }
            (self.delete_subscription && each.csv.is_empty()).then(|| {
                format!("Subscription {key} has not installed an operator yet")
            })
        });
        let flaws: Vec<_> = flaws.collect();
        flaws.iter().for_each(|flaw| print::error(flaw));
        !flaws.is_empty()
    }

    /// Prints the Operators that the command creates, if the user requested an output format.
    fn print(&self, all: &[Associating]) -> Result<(), Failure> {
        let made = all.iter().filter_map(|each| match &each.association {
            Association::Made { operator, .. } => Some(operator),
            Association::With(_) | Association::Taken(_) => None,
        });
        let made: Vec<_> = made.collect();
        match self.output {
            Some(Output::Yaml) => made.into_iter().try_for_each(print::yaml),
            Some(Output::Json) => print::json(&made),
            Some(Output::Diff) | None => Ok(()),
        }
    }

    async fn carry_out(
        &self,
        client: &AssociationClient,
        each: &Associating,
    ) -> Result<Result<(), NotAssociated>, Failure> {
        let (name, operator) = match &each.association {
            Association::With(name) => (name, None),
            Association::Made { name, operator } => (name, Some(operator)),
            Association::Taken(_) => return Ok(Ok(())),
        };
        let done = |what: String| {
            let dry = if self.dry_run { " (dry run)" } else { "" };
            match self.output {
                None => print::text(&format!("{what}{dry}\n")),
                Some(_) => Ok(()),
            }
        };
        if let Some(operator) = operator {
            if let Err(error) = client.create(operator).await {
                return Ok(Err(error));
            }
            done(format!(
                "operator.v2alpha1.operators.coreos.com/{name} created"
            ))?;
        }
        if let Err(error) = client.associate(&each.key, name).await {
            return Ok(Err(error));
        }
        let subscription = format!("subscription.operators.coreos.com {}", each.key);
        done(format!("{subscription} belongs to {name}"))?;
        if !self.delete_subscription {
            return Ok(Ok(()));
        }
        if !self.dry_run {
            if let Err(error) = self.until_labeled(client, each, name).await? {
                return Ok(Err(error));
            }
            if let Err(error) = client.delete(&each.key, each.uid.clone()).await {
                return Ok(Err(error));
            }
        }
        done(format!(
            "{subscription} deleted; the installed objects are kept"
        ))?;
        Ok(Ok(()))
    }

    /// Waits until the installed ClusterServiceVersion has the label of the Operator. Without this
    /// label, the Operator could not find the ClusterServiceVersion after the deletion of the
    /// Subscription.
    async fn until_labeled(
        &self,
        client: &AssociationClient,
        each: &Associating,
        operator: &str,
    ) -> Result<Result<(), NotAssociated>, Failure> {
        let csv = Key::new(&each.key.namespace, &each.csv);
        let begun = Instant::now();
        loop {
            match client.has_label(&csv, operator).await {
                Err(error) => return Ok(Err(error)),
                Ok(true) => return Ok(Ok(())),
                Ok(false) if begun.elapsed() > PATIENCE => {
                    return Err(Failure::usage(format!(
                        "ClusterServiceVersion {csv} does not have the label of {operator}, so Subscription {} is not deleted; check that the controller runs with --enable-v2alpha1",
                        each.key
                    )));
                }
                Ok(false) => tokio::time::sleep(LOOK).await,
            }
        }
    }
}

fn followed(subscription: &Subscription) -> Followed {
    let spec = &subscription.spec;
    Followed {
        package: spec.package.clone(),
        channel: spec.channel.clone(),
        catalog: format!("{}/{}", spec.source_namespace, spec.source),
        ..Followed::default()
    }
}

fn stored(operator: &Value) -> Stored {
    Stored {
        spec: operator["spec"].as_object().cloned(),
        status: None,
    }
}

fn report_failure(error: NotAssociated) -> Failure {
    match error {
        NotAssociated::NotServed => Failure::usage(format!(
            "{error}: apply the Kustomize component deploy/overlays/v2alpha1 to install this version"
        )),
        NotAssociated::Refused(why) => {
            Failure::usage(format!("the API server rejects the request: {why}"))
        }
        NotAssociated::Unanswered(_) => Failure::failed(error),
    }
}
