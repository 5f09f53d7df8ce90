//! UART by itself; the receiver's tolerance and noise: [`super::uart_line`].

use flitforge_hdl::prim::uart::{UartConfig, UartRx, UartTx};
use flitforge_testkit::{Clocked, StockBlock};

const CONFIG: UartConfig = UartConfig { clock_hz: 1_600_000, baud: 100_000 };
const BIT: usize = 16;

#[test]
fn rates_that_cannot_work_are_refused() {
    let refuse = |clock_hz, baud| UartConfig { clock_hz, baud }.check().expect_err("refused").to_string();
    assert!(refuse(1_000_000, 0).contains("above 0"));
    assert!(refuse(1_000_000, 200_000).contains("8 to 65535"));
    assert!(refuse(400_000_000, 300).contains("8 to 65535"));
    assert!(refuse(1_000_000, 115_200).contains("within 2 %"));
    assert!(UartConfig { clock_hz: 125_000_000, baud: 115_200 }.check().is_ok());
}

/// The line level of every clock while `clocks` pass.
fn watch(bench: &mut StockBlock<UartTx>, clocks: usize) -> Vec<bool> {
    (0..clocks)
        .map(|_| {
            bench.clock();
            bench.get("line") == 1
        })
        .collect()
}

fn frame(byte: u8) -> Vec<bool> {
    let bits = std::iter::once(false).chain((0..8).map(|i| byte >> i & 1 == 1)).chain([true]);
    bits.flat_map(|bit| [bit; BIT]).collect()
}

#[test]
fn the_line_idles_high_and_carries_the_frame() {
    let mut bench = StockBlock::new(UartTx::new(CONFIG).expect("valid"));
    assert_eq!(bench.get("line"), 1);
    for byte in [0x00, 0xFF, 0xA5, 0x31] {
        bench.set("bytes.data", byte).set("bytes.valid", 1);
        assert_eq!(bench.get("bytes.ready"), 1);
        bench.clock();
        bench.set("bytes.valid", 0);
        assert_eq!(bench.get("line"), 1);
        assert_eq!(watch(&mut bench, 10 * BIT), frame(byte as u8), "{byte:02x}");
        assert_eq!(watch(&mut bench, 3), [true; 3]);
    }
}

#[test]
fn clear_ends_the_frame_and_takes_no_byte() {
    let mut bench = StockBlock::new(UartTx::new(CONFIG).expect("valid"));
    bench.set("bytes.data", 0).set("bytes.valid", 1);
    bench.clock();
    watch(&mut bench, 20);
    bench.set("clear", 1);
    assert_eq!(bench.get("bytes.ready"), 0);
    assert_eq!(watch(&mut bench, 40), [true; 40]);
    bench.set("clear", 0);
    assert_eq!(bench.get("bytes.ready"), 1);
}

fn receive(bench: &mut StockBlock<UartRx>, levels: &[bool]) -> (Vec<u8>, usize) {
    let (mut bytes, mut broken) = (vec![], 0);
    for level in levels {
        bench.set("line", u64::from(*level));
        bench.clock();
        if bench.get("bytes.valid") == 1 {
            bytes.push(bench.get("bytes.data") as u8);
        }
        broken += bench.get("framing_error") as usize;
    }
    (bytes, broken)
}

fn idle(clocks: usize) -> Vec<bool> {
    vec![true; clocks]
}

#[test]
fn glitches_breaks_and_clear_give_no_byte() {
    let mut bench = StockBlock::new(UartRx::new(CONFIG).expect("valid"));
    let glitch = [idle(4), vec![false; BIT / 2 - 2], idle(40)].concat();
    assert_eq!(receive(&mut bench, &glitch), (vec![], 0));
    let line_break = [vec![false; 40 * BIT], idle(BIT)].concat();
    assert_eq!(receive(&mut bench, &line_break), (vec![], 1));
    let half: Vec<bool> = frame(0x55)[..5 * BIT].to_vec();
    receive(&mut bench, &half);
    bench.set("clear", 1);
    receive(&mut bench, &frame(0x55)[5 * BIT..7 * BIT]);
    bench.set("clear", 0);
    assert_eq!(receive(&mut bench, &[idle(4), frame(0x42), idle(4)].concat()), (vec![0x42], 0));
}
