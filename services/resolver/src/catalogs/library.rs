//! What catalogs say, each of it held once however many sources say it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use portolan_core_catalog::{Catalog, Digest};

use crate::snapshot::{Content, Text};

/// The texts that are in use. Many namespaces may have a CatalogSource of the same image, each with
/// a registry of its own.
#[derive(Debug, Default)]
pub(super) struct Library(Mutex<BTreeMap<Title, Weak<Text>>>);

/// Equal for equal texts, and seldom for others.
type Title = [Digest; 3];

// === impl Library ===

impl Library {
    /// What was read, after an older content of the same source, if there is one. Where that, or
    /// any other that is in use, says the same, it is the very same.
    pub(super) fn text(&self, older: Option<&Arc<Content>>, catalog: Catalog) -> Arc<Text> {
        let title = title(&catalog);
        let mut shelf = self.shelf();
        let known = shelf.get(&title).and_then(Weak::upgrade);
        if let Some(known) = known.filter(|known| *known.catalog() == catalog) {
            return known;
        }
        let text = match older {
            Some(older) => Text::after(older.text(), catalog),
            None => Arc::new(Text::new(catalog)),
        };
        shelf.retain(|_, text| text.strong_count() > 0);
        shelf.insert(title, Arc::downgrade(&text));
        text
    }

    /// A panic elsewhere leaves a map as whole as it was.
    fn shelf(&self) -> MutexGuard<'_, BTreeMap<Title, Weak<Text>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn title(catalog: &Catalog) -> Title {
    [catalog.digest, catalog.display_digest, catalog.fault_digest]
}

#[cfg(test)]
mod tests {
    use portolan_core_catalog::Reading;

    use super::*;
    use crate::snapshot::Origin;

    fn catalog(package: &str) -> Catalog {
        let document = format!("{{\"schema\": \"olm.package\", \"name\": \"{package}\"}}");
        Catalog::of([Reading::of("catalog.json", document.as_bytes())])
    }

    #[test]
    fn what_two_sources_say_is_held_once_and_for_as_long_as_one_of_them_does() {
        let library = Library::default();
        let one = library.text(None, catalog("a"));
        let other = library.text(None, catalog("b"));
        assert!(!Arc::ptr_eq(&one, &other));
        assert!(Arc::ptr_eq(&one, &library.text(None, catalog("a"))));

        let content = Arc::new(Content::of(other, Origin::folder("b".into())));
        let turned = library.text(Some(&content), catalog("a"));
        assert!(Arc::ptr_eq(&one, &turned), "another source says it already");

        drop((one, turned, content));
        library.text(None, catalog("c"));
        let known: Vec<_> = library.shelf().keys().copied().collect();
        assert_eq!(known, [title(&catalog("c"))]);
    }

    #[test]
    fn of_two_that_only_their_digests_call_the_same_each_stays_what_it_is() {
        let library = Library::default();
        let one = library.text(None, catalog("a"));
        let elsewhere = || {
            let document = b"\n{\"schema\": \"olm.package\", \"name\": \"a\"}";
            Catalog::of([Reading::of("other.json", document)])
        };
        let other = library.text(None, elsewhere());
        assert_eq!(*other.catalog(), elsewhere());
        assert_eq!(*one.catalog(), catalog("a"));
    }
}
