//! The test environment of health.

use portolan_rig::{Catalog, Failure, World};

use super::news::{Wanted, operator};
use super::serving::Serving;
use super::watcher::Watcher;
use crate::editor::Editor;
use crate::world;

/// A namespace on a cluster with OLM, a health service, and a watch of the namespace.
pub(super) struct Stage {
    pub(super) world: World,
    pub(super) serving: Serving,
    pub(super) watcher: Watcher,
}

/// Returns a stage, or `None` if tests with a cluster are skipped.
pub(super) async fn stage(test_name: &str) -> Result<Option<Stage>, Failure> {
    let Some(world) = world(test_name).await? else {
        return Ok(None);
    };
    let serving = Serving::of(&world).await?;
    let watcher = serving.watch(world.namespace()).await;
    Ok(Some(Stage {
        world,
        serving,
        watcher,
    }))
}

// === impl Stage ===

impl Stage {
    pub(super) fn editor(&self) -> Editor {
        Editor::of(self.world.client(), self.world.namespace())
    }

    /// Subscribes to a package, approves its first InstallPlan, and waits until the operator is
    /// healthy.
    pub(super) async fn install(
        &mut self,
        from: &Catalog,
        package: &str,
        csv: &'static str,
    ) -> Result<(), Failure> {
        let it = self.world.operator(package);
        it.subscribe(from, "stable", Some(csv)).await?;
        let plan = it.plan(csv).await?;
        let approved = it.approve(&plan);
        let (of, watcher) = (operator(package), &mut self.watcher);
        watcher.reports(&of, Wanted::Running(csv), approved).await?;
        Ok(())
    }
}
