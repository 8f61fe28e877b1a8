mod cluster;
mod hidden;
mod lookups;
mod mutants;
mod oracle;
mod policies;
mod reach;
mod secrets;
