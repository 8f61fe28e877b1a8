//! Reads the objects of a kind from a world.

use portolan_world::{AnyWorld, Area, Kind, View, World as _};

use crate::failure::Failure;
use crate::print;

/// Reads the objects of a kind. Prints warnings for unreadable documents, because each document may
/// contain such an object.
pub(crate) async fn read_view<K: Kind>(world: &AnyWorld, area: &Area) -> Result<View<K>, Failure> {
    let view = read_view_silently::<K>(world, area).await?;
    view.faults.iter().for_each(print::warn_of_unread);
    Ok(view)
}

/// Reads the objects of a kind without warnings.
pub(crate) async fn read_view_silently<K: Kind>(
    world: &AnyWorld,
    area: &Area,
) -> Result<View<K>, Failure> {
    let mut objects = world.objects_in::<K>(area.clone());
    let view = objects.known().await.unwrap_or_default();
    match view.state.trouble() {
        Some((trouble, _)) => Err(Failure::failed_to(act::<K>(), trouble)),
        None => Ok(view),
    }
}

fn act<K: Kind>() -> String {
    let kind = K::kind(&());
    match kind.strip_suffix('y') {
        Some(stem) => format!("cannot read {stem}ies"),
        None => format!("cannot read {kind}s"),
    }
}
