//! Where rust-hdl's simulation panics or recurses without end: the self-check says so, and inputs can be kept away.
#![allow(clippy::expect_used)] // helpers of tests may panic

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::selfcheck::{against_stock, against_stock_with, Mismatch, Stimulus, Stopped};
use rust_hdl::prelude::*;

fn stopped(found: Result<(), Mismatch>) -> Stopped {
    match found {
        Err(Mismatch::Stopped(stopped)) => *stopped,
        other => panic!("{other:?}"),
    }
}

/// A cast that runs only sometimes, in a child.
#[derive(LogicBlock, Default)]
struct Widen {
    a: Signal<In, Signed<8>>,
    on: Signal<In, Bit>,
    y: Signal<Out, Signed<12>>,
}
impl Logic for Widen {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = signed_cast(bits::<12>(0));
        if self.on.val() {
            self.y.next = signed_bit_cast::<12, 8>(self.a.val());
        }
    }
}

#[derive(LogicBlock, Default)]
struct Casts {
    clock: Signal<In, Clock>,
    a: Signal<In, Signed<8>>,
    on: Signal<In, Bit>,
    y: Signal<Out, Signed<12>>,
    held: DFF<Signed<8>>,
    widen: [Widen; 2],
}
impl Logic for Casts {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held);
        self.held.d.next = self.a.val();
        self.widen[0].a.next = self.a.val();
        self.widen[0].on.next = false;
        self.widen[1].a.next = self.held.q.val();
        self.widen[1].on.next = self.on.val();
        self.y.next = self.widen[0].y.val() + self.widen[1].y.val();
    }
}
drive_ports!(impl[] Casts { clock, a, on, y });

#[test]
fn an_endless_cast_is_named_before_it_runs() {
    let found = stopped(against_stock(Casts::default, 10_000, 1));
    assert_eq!(found.place, "`widen[1].y`");
    assert!(found.message.contains("signed_bit_cast") && found.inputs.contains("on=1"), "{found}");
    // in the cycle of the report, the register had or got the number
    assert!(found.when == "before" || found.inputs.contains("a=80"), "{found}");
    let again = stopped(against_stock(Casts::default, 10_000, 1));
    assert_eq!(again, found, "the same seed gives the same report");
}

#[test]
fn inputs_can_be_kept_away() {
    let allowed = || Stimulus::default().signed_range("a", -127..=127);
    against_stock_with(Casts::default, 20_000, 1, allowed()).unwrap_or_else(|found| panic!("{found}"));
    let never = Stimulus::default().one_of("on", &[0]);
    against_stock_with(Casts::default, 20_000, 1, never).unwrap_or_else(|found| panic!("{found}"));
    let adjusted = Stimulus::default().adjust(|inputs| {
        if inputs.get_u64("a") == Some(0x80) {
            inputs.set_u64("a", inputs.cycle() & 0x7F);
        }
    });
    against_stock_with(Casts::default, 20_000, 1, adjusted).unwrap_or_else(|found| panic!("{found}"));
}

/// A factor of a product is no cast: rust-hdl multiplies the most negative number.
#[derive(LogicBlock, Default)]
struct Product {
    a: Signal<In, Signed<16>>,
    y: Signal<Out, Signed<32>>,
}
impl Logic for Product {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val() * self.a.val();
    }
}
drive_ports!(impl[] Product { a, y });

#[test]
fn a_product_is_no_cast() {
    let least = Stimulus::default().one_of("a", &[0x8000, 0x7FFF, 1]);
    against_stock_with(Product::default, 100, 1, least).unwrap_or_else(|found| panic!("{found}"));
}

/// A select whose offset rust-hdl refuses.
#[derive(LogicBlock, Default)]
struct Select {
    a: Signal<In, Bits<12>>,
    at: Signal<In, Bits<4>>,
    y: Signal<Out, Bit>,
}
impl Logic for Select {
    #[hdl_gen]
    fn update(&mut self) {
        self.y.next = self.a.val().get_bit(self.at.val().index());
    }
}
drive_ports!(impl[] Select { a, at, y });

#[test]
fn a_panic_is_a_report_with_place_and_inputs() {
    let found = stopped(against_stock(Select::default, 1000, 1));
    // Line tables, as a release build has them, name functions without their types.
    let update = if cfg!(debug_assertions) { "Select as" } else { "update at" };
    assert!(found.place.contains(update) && found.place.contains("stops.rs:"), "{found}");
    assert!(found.inputs.contains("at=") && found.when == "before", "{found}");
    let text = found.to_string();
    assert!(text.starts_with(&format!("cycle {}, before the edge, seed 1: ", found.cycle)), "{text}");
    against_stock_with(Select::default, 5000, 1, Stimulus::default().range("at", 0..=11))
        .unwrap_or_else(|found| panic!("{found}"));
}

#[test]
fn a_rule_that_cannot_be_kept_is_refused() {
    let refused = |stimulus: Stimulus| match against_stock_with(Casts::default, 1, 1, stimulus) {
        Err(Mismatch::Stimulus { path, why }) => format!("{path} {why}"),
        other => panic!("{other:?}"),
    };
    let new = Stimulus::default;
    assert_eq!(refused(new().range("b", 0..=1)), "b is no input; the inputs are a, on");
    assert!(refused(new().signed_range("a", -129..=0))
        .contains("-129 does not fit its 8 bits; allow -128 to 127"));
    assert!(refused(new().one_of("on", &[])).contains("empty list"));
    #[allow(clippy::reversed_empty_ranges)] // the refusal is what is tested
    let empty = new().range("a", 3..=2);
    assert!(refused(empty).contains("empty range"));
}
