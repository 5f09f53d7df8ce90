//! Names of modules after their contents.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::verilog::{parts, Options, Technology};
use flitforge_elaborate::{elaborate, Design};
use rust_hdl::prelude::*;
use std::collections::BTreeMap;

/// `y` is `a` and a number more.
#[derive(LogicBlock)]
struct Adder<const MORE: usize> {
    a: Signal<In, Bits<8>>,
    y: Signal<Out, Bits<8>>,
    more: Constant<Bits<8>>,
}
impl<const MORE: usize> Adder<MORE> {
    fn new() -> Self {
        let more = Constant::new((MORE as u64).into());
        Self { a: Signal::default(), y: Signal::default(), more }
    }
}
impl<const MORE: usize> Logic for Adder<MORE> {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() + self.more.val();
    }
}

macro_rules! user {
    ($name:ident, $($field:ident: $more:literal),+) => {
        #[derive(LogicBlock)]
        struct $name {
            a: Signal<In, Bits<8>>,
            y: Signal<Out, Bits<8>>,
            $($field: Adder<$more>,)+
        }
        impl $name {
            fn new() -> Self {
                Self { a: Signal::default(), y: Signal::default(), $($field: Adder::new(),)+ }
            }
        }
    };
}

user!(OneThenTwo, first: 1, second: 2);
impl Logic for OneThenTwo {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.a.next = self.a.val();
        self.second.a.next = self.a.val();
        self.y.next = self.first.y.val() ^ self.second.y.val();
    }
}

user!(TwoThenOne, first: 2, second: 1);
impl Logic for TwoThenOne {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.a.next = self.a.val();
        self.second.a.next = self.a.val();
        self.y.next = self.first.y.val() ^ self.second.y.val();
    }
}

user!(OneOnly, first: 1);
impl Logic for OneOnly {
    #[hdl_gen]
    fn update(&mut self) {
        self.first.a.next = self.a.val();
        self.y.next = self.first.y.val();
    }
}

fn texts(design: &Design) -> BTreeMap<String, String> {
    parts(design, &Options::default()).modules.into_iter().collect()
}

#[test]
fn one_name_is_one_text_and_another_text_has_another_name() {
    let one_then_two = texts(&elaborate(&OneThenTwo::new(), "one").expect("elaborates"));
    let two_then_one = texts(&elaborate(&TwoThenOne::new(), "two").expect("elaborates"));
    let one_only = texts(&elaborate(&OneOnly::new(), "three").expect("elaborates"));
    let all: Vec<_> = [&one_then_two, &two_then_one, &one_only].into_iter().flatten().collect();
    for (name, text) in &all {
        for (other, other_text) in &all {
            assert_eq!(name == other, text == other_text, "{name} and {other}");
        }
    }
    // `first` is another module in the first two, and the same one in the first and the third.
    let first = |texts: &BTreeMap<String, String>| {
        let name = texts.keys().find(|name| name.starts_with("first_"));
        name.cloned().expect("a module for the field")
    };
    assert_ne!(first(&one_then_two), first(&two_then_one));
    assert_eq!(first(&one_then_two), first(&one_only));
}

#[test]
fn the_top_is_called_as_asked_and_what_is_below_does_not_depend_on_it() {
    let names = |top: &str| -> Vec<String> {
        let design = elaborate(&OneThenTwo::new(), top).expect("elaborates");
        design.modules.iter().map(|module| module.name.clone()).collect()
    };
    let (one, other) = (names("top_a"), names("first"));
    assert_eq!(
        (one.last().map(String::as_str), other.last().map(String::as_str)),
        (Some("top_a"), Some("first"))
    );
    assert_eq!(one[..2], other[..2]);
}

#[test]
fn a_text_with_a_technologys_ram_has_a_name_of_its_own() {
    use crate::support::build::{bits, design, module};
    use flitforge_elaborate::graph::{Instance, ModuleId, SignalKind};
    let names = |depth: u32, technology| -> Vec<String> {
        let mut modules = crate::support::ram::registered(depth, 36, vec![]).modules;
        modules[0].name = "store_0".into();
        let mut top = module("top");
        let ports = modules[0].ports().map(|(_, port)| (port.path.clone(), port.width)).collect::<Vec<_>>();
        let ports =
            ports.iter().map(|(path, width)| bits(&mut top, path, *width, SignalKind::Local)).collect();
        top.instances.push(Instance { path: "ram".into(), name: "ram".into(), module: ModuleId(0), ports });
        let mut whole = design(top);
        modules.append(&mut whole.modules);
        let whole = Design { modules, top: ModuleId(1) };
        parts(&whole, &Options { technology }).modules.into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(512, Technology::Generic), ["store_0", "top"]);
    assert_eq!(names(512, Technology::Ecp5), ["store_0_ecp5", "top"]);
    assert_eq!(names(512, Technology::Xilinx), ["store_0", "top"]);
    // Too deep for one of the RAMs: an array in both.
    assert_eq!(names(20_000, Technology::Ecp5), ["store_0", "top"]);
}
