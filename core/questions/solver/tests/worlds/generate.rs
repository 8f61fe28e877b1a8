//! Generates worlds from random choices.

mod cluster;
mod offer;

use portolan_core_solver::{Freshness, Mode, RequestedPackage};

use crate::dice::Dice;
use crate::generate::offer::Author;
use crate::world::{Shop, World, parsed};

const PACKAGES: [&str; 5] = ["a", "b", "c", "d", "e"];
const APIS: [&str; 4] = [
    "g.test/v1/K",
    "g.test/v1/L",
    "g.test/v1/M",
    "g.test/v1/Gone",
];
const RANGES: [&str; 9] = [
    ">=1.0.0",
    ">=2.0.0",
    "<2.0.0",
    "1.x",
    "<=1.1.0 || 3.0.0",
    ">=1.1.0 <3.0.0",
    "3.0.0",
    ">=2.0.0-rc.1",
    ">=9.0.0",
];

/// The amount of bundles that satisfy requirements in a generated world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Supply {
    /// Many required bundles are missing, so many requests cannot be granted.
    Scarce,
    /// Package `a` requires APIs that all other packages provide. Most requests can be granted by
    /// many different sets of operators.
    Plenty,
}

/// Generates a world from a tape.
pub(crate) fn world(tape: &[u8], supply: Supply) -> World {
    let mut dice = Dice::new(tape);
    let packages = &PACKAGES[..2 + dice.roll(4)];
    let packages = match supply {
        Supply::Scarce => packages,
        Supply::Plenty => &PACKAGES,
    };
    let mut shops = vec![shop(&mut dice, packages, "one", supply)];
    if dice.is_rare(3) {
        shops.push(shop(&mut dice, packages, "two", supply));
        shops[1].priority = dice.pick(&[0, -5, 5]);
        shops[1].freshness = freshness(&mut dice);
        if matches!(shops[1].freshness, Freshness::Unread(_)) {
            shops[1].text.clear();
            shops[1].properties.clear();
        }
    }
    let mut world = World {
        installed: cluster::installed(&mut dice, packages),
        requests: cluster::requests(&mut dice, packages),
        mode: dice.pick(&[Mode::Together, Mode::Together, Mode::Each]),
        shops,
    };
    if supply == Supply::Plenty {
        world.requests.truncate(1);
        world.requests.insert(0, RequestedPackage::of(parsed("a")));
        if !dice.is_rare(4) {
            world.installed.clear();
            world.requests.truncate(1);
        }
    }
    if dice.is_rare(10) {
        world.installed.extend(cluster::second(&mut dice, &world));
    }
    world
}

fn shop(dice: &mut Dice<'_>, packages: &[&str], name: &'static str, supply: Supply) -> Shop {
    let most = match (supply, name) {
        (Supply::Plenty, _) => 2,
        (Supply::Scarce, "one") => 4,
        (Supply::Scarce, _) => 3,
    };
    let mut shop = Shop::of(name, 0, "");
    for package in packages {
        if !dice.is_rare(5) {
            Author::new(dice, packages, package, supply).publish(&mut shop, most);
        }
    }
    shop
}

fn freshness(dice: &mut Dice<'_>) -> Freshness {
    match dice.roll(6) {
        0..=3 => Freshness::Serving,
        4 => Freshness::Stale("nobody has seen it since noon".to_owned()),
        _ => Freshness::Unread("nobody is there".to_owned()),
    }
}
