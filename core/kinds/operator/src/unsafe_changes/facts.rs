//! Collects the CRDs before and after an update.

use std::collections::BTreeSet;

use portolan_core_bundle::{fill_in_schemas, lacks_schemas};
use portolan_core_names::text::{cite, listed};
use serde_json::Value;

use super::{Base, CrdAsk, CrdFacts, OnCluster, Update, name};

impl CrdFacts {
    /// Returns the CRDs of each bundle, up to the first bundle whose CRDs are unknown. In this
    /// case, also returns the reason.
    pub(super) fn updates<'k>(
        &'k self,
        bundles: &'k [String],
    ) -> Result<(Vec<Update<'k>>, Option<String>), CrdAsk> {
        let mut updates = Vec::new();
        for bundle in bundles {
            match self.definitions(bundle)? {
                Ok(definitions) => updates.push((bundle.as_str(), definitions)),
                Err(why) => return Ok((updates, Some(why))),
            }
        }
        Ok((updates, None))
    }

    /// Returns the CRDs of a bundle, or the reason why they are unknown.
    pub(super) fn definitions(&self, bundle: &str) -> Result<Result<&[Value], String>, CrdAsk> {
        let ask = || CrdAsk::Bundle(bundle.to_owned());
        let known = self.bundles.get(bundle).ok_or_else(ask)?;
        let known = known.as_ref().map(Vec::as_slice);
        Ok(known.map_err(|why| format!("{bundle}: {why}")))
    }

    /// Returns the CRDs before the first update, and the reasons why the CRDs in the cluster may
    /// differ from them.
    ///
    /// # Errors
    ///
    /// Returns an error with the reason if the CRDs are unknown.
    pub(super) fn base(
        &self,
        installed: Option<&str>,
        names: BTreeSet<String>,
    ) -> Result<Result<(Base, Vec<String>), String>, CrdAsk> {
        let Some(on_cluster) = &self.on_cluster else {
            return Err(CrdAsk::OnCluster(names));
        };
        let there = on_cluster.objects().iter();
        let there = there.map(|it| (name(it).to_owned(), it.clone()));
        let mut base: Base = there.filter(|(name, _)| names.contains(name)).collect();
        let is_all = matches!(on_cluster, OnCluster::All(_));
        let is_known = !base.values().any(lacks_schemas)
            && (is_all || names.iter().all(|it| base.contains_key(it)));
        if let Some(installed) = installed.filter(|_| !is_known) {
            let definitions = match self.definitions(installed)? {
                Ok(definitions) => definitions,
                Err(why) => return Ok(Err(why)),
            };
            for definition in definitions {
                let known = base.get_mut(name(definition));
                match known {
                    Some(known) => fill_in_schemas(known, definition),
                    None if is_all => {}
                    None => drop(base.insert(name(definition).to_owned(), definition.clone())),
                }
            }
        }
        let doubts = on_cluster.doubts(&base, &names);
        Ok(Ok((base, doubts)))
    }
}

impl OnCluster {
    fn objects(&self) -> &[Value] {
        match self {
            Self::NotRead | Self::Unreadable(_) => &[],
            Self::Part(objects) | Self::All(objects) => objects,
        }
    }

    /// Returns the reasons why the CRDs with these names in the cluster may differ from the base.
    pub(super) fn doubts(&self, base: &Base, names: &BTreeSet<String>) -> Vec<String> {
        let is_part = matches!(self, Self::Part(_));
        match self {
            Self::NotRead => Vec::new(),
            Self::Unreadable(why) => vec![format!("cannot read the CRDs on the cluster: {why}")],
            Self::Part(_) | Self::All(_) => {
                let missing = names.iter().filter(|it| is_part && !base.contains_key(*it));
                let unknown = names
                    .iter()
                    .filter(|it| base.get(*it).is_some_and(lacks_schemas));
                let missing: Vec<_> = missing.map(|it| cite(it)).collect();
                let unknown: Vec<_> = unknown.map(|it| cite(it)).collect();
                let doubts = [
                    ("the dump lacks CRDs that the cluster may have", missing),
                    ("the dump lacks the schemas of CRDs", unknown),
                ];
                let doubts = doubts.into_iter().filter(|(_, names)| !names.is_empty());
                let doubts = doubts.map(|(doubt, names)| format!("{doubt}: {}", listed(names)));
                doubts.collect()
            }
        }
    }
}
