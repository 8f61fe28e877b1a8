//! The namespace of a test, with its catalogs.

use std::time::Instant;

use kube::api::{DynamicObject, Patch, PatchParams, PostParams};
use portolan_kit::catalog::Bundle;
use portolan_kit::{TempFolder, assert_same, catalog};
use portolan_rig::{Catalog, Failure, Kind, World};
use serde_json::json;

use super::{Course, End, Pass, forecast, seen};
use crate::world;

/// A package without dependencies, on which no operator depends. A Subscription to this package
/// makes OLM reconcile the namespace again. If the next InstallPlan contains only its bundle, OLM
/// changes no other operator.
const BEACON: &str = "beacon: 1.0.0";

/// A namespace with its own catalogs and no OperatorGroup yet.
pub(super) struct Stage {
    world: World,
    catalogs: Vec<(Catalog, TempFolder)>,
}

/// Returns an empty stage, or `None` if tests with a cluster are skipped.
pub(super) async fn stage(test_name: &str) -> Result<Option<Stage>, Failure> {
    let world = world(test_name).await?;
    Ok(world.map(|world| Stage {
        world,
        catalogs: Vec::new(),
    }))
}

/// Creates a catalog with manifests from its text.
pub(super) fn offer(text: &str) -> portolan_kit::Catalog {
    catalog(text).installable()
}

// === impl Stage ===

impl Stage {
    pub(super) fn world(&self) -> &World {
        &self.world
    }

    /// Serves a catalog to the namespace.
    pub(super) async fn serve(
        &mut self,
        name: &str,
        priority: i64,
        offered: &portolan_kit::Catalog,
    ) -> Result<&mut Catalog, Failure> {
        let folder = offered.temp();
        if self.catalogs.is_empty() {
            offer(BEACON).write(&folder);
        }
        let served = self.world.catalog(name, &folder).await?;
        if priority != 0 {
            let sources = Kind::CatalogSource.within(self.world.client(), self.world.namespace());
            let change = json!({"spec": {"priority": priority}});
            let params = PatchParams::default();
            sources.patch(name, &params, &Patch::Merge(change)).await?;
        }
        self.catalogs.push((served, folder));
        let (served, _) = self.catalogs.last_mut().expect("there must be one now");
        Ok(served)
    }

    /// Creates a Subscription with the name of its package. Examples of `text`: `a`, `a/fast`, `a
    /// from two` for a catalog other than the first, `a start=a.v1.0.0`, `a manual`. The options
    /// can be combined.
    pub(super) async fn subscribe(&self, text: &str) -> Result<(), Failure> {
        let subscription = self.subscription(text)?;
        self.create(Kind::Subscription, subscription).await
    }

    fn subscription(&self, text: &str) -> Result<DynamicObject, Failure> {
        let mut words = text.split_whitespace();
        let head = words.next().expect("the text must name a package");
        let (package, channel) = head.split_once('/').unwrap_or((head, ""));
        let mut spec = json!({
            "name": package,
            "source": self.catalogs[0].0.name(),
            "sourceNamespace": self.world.namespace(),
        });
        if !channel.is_empty() {
            spec["channel"] = channel.into();
        }
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some(("start", bundle)) => spec["startingCSV"] = bundle.into(),
                None if word == "manual" => spec["installPlanApproval"] = "Manual".into(),
                None if word == "from" => spec["source"] = words.next().into(),
                _ => panic!("{word:?} is no field of a Subscription"),
            }
        }
        Kind::Subscription.object(package, json!({"spec": spec}))
    }

    /// Deletes the Subscription of an operator, but keeps the operator. If `package` is given, OLM
    /// can read the package from an annotation of the operator. Otherwise only the spec describes
    /// the operator.
    pub(super) async fn leave(&self, left: &Bundle, package: Option<&str>) -> Result<(), Failure> {
        let mut csv = left.objects[0].clone();
        csv["metadata"]["namespace"] = self.world.namespace().into();
        if let Some(package) = package {
            let identity = json!({"packageName": package, "version": left.version});
            let properties = json!({"properties": [{"type": "olm.package", "value": identity}]});
            csv["metadata"]["annotations"] =
                json!({"operatorframework.io/properties": properties.to_string()});
        }
        let csv = Kind::ClusterServiceVersion.object(&left.name, csv)?;
        self.create(Kind::ClusterServiceVersion, csv).await
    }

    async fn create(&self, kind: Kind, object: DynamicObject) -> Result<(), Failure> {
        let objects = kind.within(self.world.client(), self.world.namespace());
        objects.create(&PostParams::default(), &object).await?;
        Ok(())
    }

    /// Creates an OperatorGroup that targets only this namespace.
    pub(super) async fn group(&self, name: &str) -> Result<(), Failure> {
        self.create(Kind::OperatorGroup, self.a_group(name)?).await
    }

    fn a_group(&self, name: &str) -> Result<DynamicObject, Failure> {
        let spec = json!({"targetNamespaces": [self.world.namespace()]});
        Kind::OperatorGroup.object(name, json!({"spec": spec}))
    }

    /// Makes OLM act, and checks that its actions equal the Forecast. Returns the actions.
    pub(super) async fn same(&self) -> Result<Vec<String>, Failure> {
        self.same_but(|_, _| false).await
    }

    /// Does the same as `same`, but the error texts of OLM and of the Forecast may differ as
    /// `may_differ` permits.
    pub(super) async fn same_but(
        &self,
        may_differ: impl Fn(&str, &str) -> bool,
    ) -> Result<Vec<String>, Failure> {
        let group = self.a_group("group")?;
        let expected = self.forecast([&group]).await?;
        let begun = Instant::now();
        self.create(Kind::OperatorGroup, group).await?;
        let mut reported = seen::course(&self.world, &expected).await?;
        let (test_name, took) = (self.world.namespace(), begun.elapsed());
        println!("{test_name}: {} ms", took.as_millis());
        if let (
            End::Failed {
                message: reported, ..
            },
            End::Failed { message, .. },
        ) = (&mut reported.end, &expected.end)
            && may_differ(reported, message)
        {
            reported.clone_from(message);
        }
        assert_same!(reported, expected);
        if let End::Settled(_) = reported.end {
            self.rests_after(&reported.passes).await?;
        }
        Ok(self.lines(&reported))
    }

    /// Checks that OLM changes nothing when it reconciles again. A second Forecast, from the
    /// installed state, also predicts this.
    async fn rests_after(&self, passes: &[Pass]) -> Result<(), Failure> {
        let beacon = self.subscription("beacon manual")?;
        let mut expected = self.forecast([&beacon]).await?;
        let alone = Pass {
            bundles: ["beacon.v1.0.0".to_owned()].into(),
            made: Default::default(),
        };
        assert_same!(expected.passes, vec![alone]);
        assert_same!(expected.end, End::AwaitsApproval);
        expected.passes.splice(0..0, passes.iter().cloned());
        self.create(Kind::Subscription, beacon).await?;
        // Does not compare the approval mode. OLM reads which Subscriptions are Manual before it
        // reads the other Subscriptions. If a Subscription is created in between, its plan requires
        // no approval.
        let reported = seen::passes_made(&self.world, expected.passes.len()).await?;
        assert_same!(reported, expected.passes);
        Ok(())
    }

    /// Returns the Forecast from the current objects and additional objects.
    pub(super) async fn forecast<const N: usize>(
        &self,
        coming: [&DynamicObject; N],
    ) -> Result<Course, Failure> {
        let mut objects = seen::objects(&self.world).await?;
        for object in coming {
            let object = serde_json::to_value(object).map_err(Failure::read("an object"))?;
            objects.push(object);
        }
        let folders = self.catalogs.iter();
        let folders: Vec<_> = folders
            .map(|(catalog, folder)| (catalog.name().to_owned(), &**folder))
            .collect();
        Ok(forecast::course(self.world.namespace(), &objects, &folders))
    }

    /// Returns one line for each pass, and one line for the end. `here` stands for the name of the
    /// namespace.
    fn lines(&self, course: &Course) -> Vec<String> {
        let passes = course.passes.iter().map(|pass| {
            let made = pass.made.iter().map(|name| format!("({name})"));
            let parts: Vec<_> = pass.bundles.iter().cloned().chain(made).collect();
            parts.join(" + ")
        });
        let end = match &course.end {
            End::Settled(_) => "settled".to_owned(),
            End::Failed { message, .. } => message.clone(),
            End::AwaitsApproval => "awaits approval".to_owned(),
            End::Silent => "silent".to_owned(),
        };
        let lines = passes.chain([end]);
        lines
            .map(|line| line.replace(self.world.namespace(), "here"))
            .collect()
    }
}
