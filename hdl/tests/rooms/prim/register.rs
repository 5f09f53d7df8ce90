use flitforge_elaborate::marker::Marker;
use flitforge_hdl::prim::Register;
use flitforge_testkit::{Clocked, StockBlock};
use rust_hdl::prelude::*;

#[test]
fn clear_wins_and_a_disabled_register_holds() {
    let mut bench = StockBlock::new(Register::<Bits<70>>::new(Bits::from(5)));
    assert_eq!(bench.get("q"), 5, "power-on value");
    bench.set("d", 9);
    bench.clock();
    assert_eq!(bench.get("q"), 5, "not enabled");
    bench.set("enable", 1);
    bench.clock();
    assert_eq!(bench.get("q"), 9);
    bench.set("d", 11).set("clear", 1);
    bench.clock();
    assert_eq!(bench.get("q"), 5, "clear wins over enable");
    bench.set("clear", 0);
    bench.clock();
    assert_eq!(bench.get("q"), 11);
}

#[test]
fn the_text_names_every_port_and_the_initial_value() {
    let Verilog::Custom(text) = Register::<Bits<9>>::new(Bits::from(0x155)).hdl() else {
        panic!("not custom text");
    };
    let Some(Ok(Marker::Register(marker))) = Marker::parse(&text) else {
        panic!("no register marker in {text}");
    };
    assert_eq!((marker.d.as_str(), marker.q.as_str(), marker.clock.as_str()), ("d", "q", "clock"));
    assert_eq!((marker.enable.as_deref(), marker.clear.as_deref()), (Some("enable"), Some("clear")));
    assert_eq!(marker.initial, "155");
}
