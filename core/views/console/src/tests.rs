mod gates;
mod pages;
mod places;
mod views;
