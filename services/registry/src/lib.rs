//! The way to a registry of operators: where it listens, by which [`Roads`] one gets there, and the
//! one connection to it.
//!
//! Who wants to know the moment at which a registry is gone holds a [`Line`]: a connection that is
//! never opened again behind the back of its holder. What is asked over it is the business of the
//! resolver, which reads catalogs, and of health, which wants to know whether they can be read; that
//! nothing that comes back does harm is seen to here ([`within`]).

mod address;
mod answer;
mod line;
mod roads;

pub use address::{Address, ParseAddress};
pub use answer::{Unanswered, is_told, within};
pub use line::{Connect, Line, Stage};
pub use roads::{Detour, Roads, ServicePort};
