//! Reads many objects of a kind with few requests.
//!
//! ```text
//! objects of the lineage, listed by label ----> present, complete
//! the others, listed by metadata -------------> present: read each.  not present: absent
//! ```
//!
//! Each object is read separately in two cases: if the ServiceAccount may not list objects, and if
//! the list contains many more objects than needed. A list request without a resource version
//! returns data that is as recent as a read of a single object.

use std::collections::{BTreeMap, BTreeSet};

use kube::api::{ListParams, ObjectMeta};
use kube::core::TypeMeta;
use portolan_api::plan::LINEAGE;
use portolan_core_install::{Ask, GroupKind, Members, ObjectRead, ObjectRef, Observation};
use portolan_runtime::{ResourceRef, WriteFailure, page_after};
use serde_json::json;

use super::Looker;
use crate::write::object_ref;

/// The minimum number of wanted objects in one namespace for using a list. Also the number of
/// separate reads that one page of metadata must replace.
const MANY: usize = 10;
/// The maximum number of whole objects in one page of a list. The number is small, because the
/// objects of a page are in memory twice while the page is read.
const WHOLE: u32 = 100;
/// The maximum number of objects in one page of a list with only metadata.
const METADATA: u32 = 500;

/// Wanted objects of one kind in one namespace, or cluster-scoped objects of one kind.
struct ListScope {
    kind: GroupKind,
    /// The reference to one of the objects, for list requests. Its name is ignored.
    at: ResourceRef,
    wanted: BTreeSet<ObjectRef>,
}

impl Looker<'_> {
    /// Returns the wanted objects for which lists show the state. Objects that are missing in the
    /// result must be read separately.
    ///
    /// # Errors
    /// Returns an error if the API server does not respond.
    pub(super) async fn many(
        &self,
        seen: &Observation,
        asks: &BTreeSet<Ask>,
        members: &Members,
    ) -> Result<BTreeMap<ObjectRef, ObjectRead>, WriteFailure> {
        let mut found = BTreeMap::new();
        for mut place in places(seen, asks, members) {
            if is_known(seen, &place, members) {
                let own = self.own(seen, &mut place).await;
                found.extend(self.unless_refused(own)?);
            }
            if place.wanted.len() >= MANY {
                let absent = self.absent(&place).await;
                let absent = self.unless_refused(absent)?.into_iter();
                found.extend(absent.map(|identity| (identity, ObjectRead::Absent)));
            }
        }
        Ok(found)
    }

    /// Lists the objects in a scope that have the label of the plan's lineage. Returns the wanted
    /// objects among them, and removes these from the wanted objects. The number of pages is
    /// limited, because other users may set the same label on their objects.
    async fn own(
        &self,
        seen: &Observation,
        place: &mut ListScope,
    ) -> Result<Vec<(ObjectRef, ObjectRead)>, WriteFailure> {
        let lineages: Vec<_> = seen.plan.lineages().map(String::as_str).collect();
        let label = format!("{} in ({})", LINEAGE.name(), lineages.join(","));
        let mut page = Some(ListParams::default().labels(&label).limit(WHOLE));
        let mut pages = place.wanted.len().div_ceil(WHOLE as usize) + 1;
        let mut own = Vec::new();
        while let Some(now) = page.take().filter(|_| pages > 0) {
            pages -= 1;
            let listed = self.theirs.page(&place.at, &now).await?;
            page = page_after(&now, &listed.metadata);
            for mut object in listed.items {
                let identity = place.identity(&object.metadata);
                if place.wanted.remove(&identity) {
                    object.types = Some(place.types());
                    own.push((identity, ObjectRead::Present(json!(object))));
                }
            }
        }
        Ok(own)
    }

    /// Returns the wanted objects that do not exist. Returns an empty set if the scope contains so
    /// many other objects that separate reads are cheaper.
    async fn absent(&self, place: &ListScope) -> Result<BTreeSet<ObjectRef>, WriteFailure> {
        let mut absent = place.wanted.clone();
        let mut page = ListParams::default().limit(METADATA);
        for _ in 0..place.wanted.len() / MANY {
            let listed = self.theirs.metadata_page(&place.at, &page).await?;
            for object in &listed.items {
                absent.remove(&place.identity(&object.metadata));
            }
            match page_after(&page, &listed.metadata) {
                Some(next) => page = next,
                None => return Ok(absent),
            }
        }
        Ok(BTreeSet::new())
    }

    /// Returns the listed objects. Returns no objects if the list is denied, or if its continue
    /// token has expired.
    fn unless_refused<T: Default>(
        &self,
        listed: Result<T, WriteFailure>,
    ) -> Result<T, WriteFailure> {
        match listed {
            Ok(listed) => Ok(listed),
            Err(
                WriteFailure::Refused(_) | WriteFailure::Conflict(_) | WriteFailure::FieldsOwned(_),
            ) => Ok(T::default()),
            Err(WriteFailure::Lost(sentence)) if self.continues_without(&sentence) => {
                Ok(T::default())
            }
            Err(failure @ WriteFailure::Lost(_)) => Err(failure),
        }
    }
}

impl ListScope {
    fn identity(&self, metadata: &ObjectMeta) -> ObjectRef {
        super::identity(&self.kind, metadata)
    }

    fn types(&self) -> TypeMeta {
        TypeMeta {
            api_version: self.at.object.kind.api_version(),
            kind: self.kind.kind.clone(),
        }
    }
}

/// Returns the scopes in which so many objects are wanted that lists are used.
fn places(seen: &Observation, asks: &BTreeSet<Ask>, members: &Members) -> Vec<ListScope> {
    let Some(discovery) = &seen.discovery else {
        return Vec::new();
    };
    let versions: BTreeMap<_, _> = members
        .iter()
        .map(|member| (&member.identity, member.version.as_str()))
        .collect();
    let mut places: BTreeMap<_, ListScope> = BTreeMap::new();
    for ask in asks {
        let Ask::Object(wanted) = ask else {
            continue;
        };
        let version = versions.get(wanted).copied();
        let served = discovery.kind(&wanted.kind);
        let at = object_ref(discovery, wanted, version);
        let Some(at) = at.filter(|_| served.is_some_and(|served| served.is_listed)) else {
            continue;
        };
        let by = (
            &wanted.kind,
            &wanted.namespace,
            at.object.kind.version.clone(),
        );
        let place = places.entry(by).or_insert_with(|| ListScope {
            kind: wanted.kind.clone(),
            at,
            wanted: BTreeSet::new(),
        });
        place.wanted.insert(wanted.clone());
    }
    let is_refused = |place: &ListScope| {
        let mut refused = seen.unwatched.iter().flatten();
        refused.any(|kind| *kind == place.kind)
    };
    let places = places.into_values();
    places
        .filter(|place| place.wanted.len() >= MANY && !is_refused(place))
        .collect()
}

/// Returns true if listing by the label of the lineage is useful, because most objects with this
/// label may exist and are wanted.
fn is_known(seen: &Observation, place: &ListScope, members: &Members) -> bool {
    let has_none = seen.plan.lineage == seen.plan.uid && seen.plan.merged.is_empty();
    let is_first = seen.status.record.is_none() && has_none;
    let is_here = |identity: &ObjectRef| {
        identity.kind == place.kind && identity.namespace == place.at.object.namespace
    };
    let here = members.iter().filter(|member| is_here(&member.identity));
    !is_first && place.wanted.len() * 2 >= here.count()
}
