mod gates;
mod pages;
mod places;
mod readiness;
mod views;
