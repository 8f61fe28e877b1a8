//! The differences between two Snapshots.

use std::cmp::Ordering;
use std::sync::Arc;

use portolan_core_health::{Object, Operator};

use super::{Asked, Residents, Snapshot, place};

/// One change between two Snapshots.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// The operator is new or has changed.
    Operator(Arc<Operator>),
    /// The catalog is new or has changed.
    Catalog(Arc<Asked>),
    /// An object was deleted.
    Gone(Object),
}

/// The operators of one namespace, sorted.
type Several<'a> = &'a [Arc<Operator>];

/// The old and the new state of an item. None if the item does not exist in that state.
type Pair<'a, T> = (Option<&'a T>, Option<&'a T>);

impl Snapshot {
    /// Returns the changes since `before`, in one namespace or in all namespaces. Changes of only
    /// details are left out. Removed objects come first, then operators, then catalogs. Content
    /// that both Snapshots share is not compared.
    pub(crate) fn since(&self, before: &Self, namespace: Option<&str>) -> Vec<Change> {
        let (mut gone, mut changed) = (Vec::new(), Vec::new());
        for (was, is) in self.moved_namespaces(before, namespace) {
            for pair in pairs(was, is, |operator| place(&operator.subject)) {
                match pair {
                    (Some(was), None) => gone.push(Change::Gone(was.subject.clone())),
                    (Some(was), Some(is)) if Arc::ptr_eq(was, is) || is.says_as(was) => {}
                    (_, Some(is)) => changed.push(Change::Operator(is.clone())),
                    (None, None) => {}
                }
            }
        }
        let catalogs = |snapshot: &Self| snapshot.asked(namespace).cloned().collect::<Vec<_>>();
        let (was, is) = (catalogs(before), catalogs(self));
        for pair in pairs(&was, &is, |asked| place(&asked.catalog.subject)) {
            match pair {
                (Some(was), None) => gone.push(Change::Gone(was.catalog.subject.clone())),
                (Some(was), Some(is)) if Arc::ptr_eq(was, is) || is.says_as(was) => {}
                (_, Some(is)) => changed.push(Change::Catalog(is.clone())),
                (None, None) => {}
            }
        }
        gone.extend(changed);
        gone
    }

    /// Returns the old and the new operators of the namespaces with changes.
    fn moved_namespaces<'a>(
        &'a self,
        before: &'a Self,
        namespace: Option<&str>,
    ) -> Vec<(Several<'a>, Several<'a>)> {
        let namespaces = |snapshot: &'a Self| {
            let all = snapshot.operators.iter();
            let wanted = all.filter(|(name, _)| namespace.is_none_or(|wanted| ***name == *wanted));
            wanted.collect::<Vec<_>>()
        };
        let (was, is) = (namespaces(before), namespaces(self));
        let residents = |found: Option<&(_, &'a Residents)>| -> Several<'a> {
            found.map_or(&[], |(_, all)| all)
        };
        let pairs = pairs(&was, &is, |(name, _)| name);
        let moved = pairs.filter(|pair| match pair {
            (Some((_, was)), Some((_, is))) => !Arc::ptr_eq(was, is),
            (_, _) => true,
        });
        moved
            .map(|(was, is)| (residents(was), residents(is)))
            .collect()
    }
}

/// Iterates over two sorted lists in parallel. Items with equal keys form a pair.
fn pairs<'a, T, K: Ord>(
    mut was: &'a [T],
    mut is: &'a [T],
    key: impl Fn(&'a T) -> K,
) -> impl Iterator<Item = Pair<'a, T>> {
    std::iter::from_fn(move || {
        let order = match (was.first(), is.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => key(a).cmp(&key(b)),
        };
        let taken =
            |list: &mut &'a [T], is_due: bool| is_due.then(|| list.split_off_first()).flatten();
        let a = taken(&mut was, order.is_le());
        let b = taken(&mut is, order.is_ge());
        Some((a, b))
    })
}
