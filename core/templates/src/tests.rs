mod cluster;
mod lookups;
mod oracle;
mod reach;
mod secrets;
