//! What is answered about every entry of the catalogs of real operators, and what is found wrong
//! with them.
//!
//! They are no part of the repository: `PORTOLAN_CATALOGS` names the folder that has them. Without
//! it nothing is proved here, and the tests say so.

mod check;
mod entries;
mod order;
mod real;
mod reference;
mod requirements;
