//! Adoptions from OLM v1.

use portolan_core_names::nearest;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion};
use portolan_operators::{Fleet, OlmOwner, adopting_extension, present, present_extension};
use portolan_world::{AnyWorld, Area};

use super::{AdoptArgs, Adoption};
use crate::facts::read_view;
use crate::failure::Failure;
use crate::print::words;

// === impl AdoptArgs ===

impl AdoptArgs {
    /// Returns the adoptions of the requested ClusterExtensions.
    pub(super) async fn extension_adoptions(
        &self,
        world: &AnyWorld,
    ) -> Result<Vec<Adoption>, Failure> {
        if self.extensions.is_empty() {
            return Ok(Vec::new());
        }
        let everywhere = Area::everywhere();
        let csvs = read_view::<ClusterServiceVersion>(world, &everywhere).await?;
        let extensions = read_view::<ClusterExtension>(world, &everywhere).await?;
        let csvs = csvs.objects.iter().map(|(key, csv)| present(key, csv));
        let presents = extensions.objects.values().map(|it| present_extension(it));
        let fleet = Fleet {
            present: csvs.chain(presents).collect(),
            ..Fleet::default()
        };
        let mut adoptions = Vec::new();
        for name in &self.extensions {
            let mut all = extensions.objects.iter();
            let Some((_, extension)) = all.find(|(key, _)| *key.name == **name) else {
                let known: Vec<_> = extensions.objects.keys().map(|key| &*key.name).collect();
                let near = words::did_you_mean(nearest(name, known.iter()));
                return Err(Failure::usage(format!(
                    "ClusterExtension {name} not found{near}"
                )));
            };
            let present = present_extension(extension);
            let Some(held) = &present.extension else {
                continue;
            };
            let owner = OlmOwner::Extension(held.id());
            adoptions.push(Adoption {
                operator: adopting_extension(&present, extension),
                subscription: None,
                refusals: fleet.extension_refusals((&present, held)),
                owner,
                present,
            });
        }
        Ok(adoptions)
    }
}
