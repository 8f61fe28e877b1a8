//! Texts that occur many times, held once.

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::BundleName;

/// The words of a file. Bundles of one package share most of theirs: the same APIs in every
/// version, each name in its channels and edges.
#[derive(Debug, Default)]
pub(crate) struct Words {
    texts: BTreeSet<Arc<str>>,
    bundles: BTreeSet<BundleName>,
}

// === impl Words ===

impl Words {
    pub(crate) fn text(&mut self, text: &str) -> Arc<str> {
        let made: Result<_, std::convert::Infallible> =
            once(&mut self.texts, text, |text| Ok(text.into()));
        let Ok(text) = made;
        text
    }

    /// A bundle name, parsed where it is met first.
    pub(crate) fn bundle(&mut self, text: &str) -> Result<BundleName, String> {
        once(&mut self.bundles, text, |text| {
            BundleName::parse(text).map_err(|refusal| refusal.to_string())
        })
    }
}

fn once<T, E>(
    known: &mut BTreeSet<T>,
    text: &str,
    make: impl FnOnce(&str) -> Result<T, E>,
) -> Result<T, E>
where
    T: Borrow<str> + Ord + Clone,
{
    if let Some(known) = known.get(text) {
        return Ok(known.clone());
    }
    let made = make(text)?;
    known.insert(made.clone());
    Ok(made)
}
