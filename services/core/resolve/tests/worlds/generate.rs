//! Worlds from dice.

mod cluster;
mod offer;

use portolan_resolve::{Mode, Standing};

use crate::dice::Dice;
use crate::generate::offer::Author;
use crate::world::{Shop, World};

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

/// The world that a tape makes.
pub(crate) fn world(tape: &[u8]) -> World {
    let mut dice = Dice::new(tape);
    let packages = &PACKAGES[..2 + dice.roll(4)];
    let mut shops = vec![shop(&mut dice, packages, "one", 4)];
    if dice.is_rare(3) {
        shops.push(shop(&mut dice, packages, "two", 3));
        shops[1].priority = dice.pick(&[0, -5, 5]);
        shops[1].standing = standing(&mut dice);
        if matches!(shops[1].standing, Standing::Unread(_)) {
            shops[1].text.clear();
            shops[1].properties.clear();
        }
    }
    let mut world = World {
        installed: cluster::installed(&mut dice, packages),
        wishes: cluster::wishes(&mut dice, packages),
        mode: dice.pick(&[Mode::Together, Mode::Together, Mode::Each]),
        shops,
    };
    if dice.is_rare(10) {
        world.installed.extend(cluster::second(&mut dice, &world));
    }
    world
}

fn shop(dice: &mut Dice<'_>, packages: &[&str], name: &'static str, most: usize) -> Shop {
    let mut shop = Shop::of(name, 0, "");
    for package in packages {
        if !dice.is_rare(5) {
            Author::new(dice, packages, package).publish(&mut shop, most);
        }
    }
    shop
}

fn standing(dice: &mut Dice<'_>) -> Standing {
    match dice.roll(6) {
        0..=3 => Standing::Serving,
        4 => Standing::Stale("nobody has seen it since noon".to_owned()),
        _ => Standing::Unread("nobody is there".to_owned()),
    }
}
