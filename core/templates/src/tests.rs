mod cluster;
mod lookups;
mod mutants;
mod oracle;
mod reach;
mod secrets;
