use flitforge_elaborate::Value;
use flitforge_hdl::node::console::{Console, ConsoleConfig};
use flitforge_hdl::prim::uart::{UartConfig, UartRx};
use flitforge_testkit::{Clocked, StockBlock};

const UART: UartConfig = UartConfig { clock_hz: 800_000, baud: 100_000 };

fn config(template: &str) -> ConsoleConfig {
    ConsoleConfig { template: template.into(), uart: UART, interval: 5 }
}

#[test]
fn templates_that_cannot_work_are_refused() {
    let refuse = |config: ConsoleConfig| config.check(2).expect_err("refused").to_string();
    assert!(refuse(config("a=#")).contains("number of # in the template = 1"));
    assert!(refuse(config("\u{e4}=##")).contains("ASCII"));
    assert!(refuse(config("")).contains("template length"));
    assert!(refuse(config(&"##".repeat(64))).contains("1 to 127"));
    assert!(refuse(ConsoleConfig { interval: 0, ..config("##") }).contains("interval"));
}

/// What a receiver on the line reads in `clocks` clocks.
fn read(
    bench: &mut StockBlock<Console<48>>,
    clocks: usize,
    mut each: impl FnMut(usize, &mut StockBlock<Console<48>>),
) -> String {
    let mut receiver = StockBlock::new(UartRx::new(UART).expect("valid"));
    let mut text = String::new();
    for clock in 0..clocks {
        each(clock, bench);
        let level = bench.get("line");
        bench.clock();
        receiver.set("line", level);
        receiver.clock();
        if receiver.get("bytes.valid") == 1 {
            text.push(receiver.get("bytes.data") as u8 as char);
        }
        assert_eq!(receiver.get("framing_error"), 0);
    }
    text
}

#[test]
fn numbers_stand_where_the_template_says_and_belong_together() {
    let mut bench = StockBlock::new(Console::<48>::new(&config("a=#### b=########.")).expect("valid"));
    bench.set_value("digits", &Value::from_u64(48, 0x09AF_8001_CDEF));
    // The input changes in mid-line: the line keeps what it began with.
    let text = read(&mut bench, 3600, |clock, bench| {
        if clock == 700 {
            bench.set_value("digits", &Value::from_u64(48, 0x1111_2222_3333));
        }
    });
    assert!(text.starts_with("a=09AF b=8001CDEF.a=1111 b=22223333.a="), "{text}");
}

#[test]
fn clear_in_mid_line_starts_a_new_line() {
    let mut bench = StockBlock::new(Console::<48>::new(&config("a=#### b=########.")).expect("valid"));
    read(&mut bench, 300, |_, _| {});
    bench.set("clear", 1);
    for _ in 0..200 {
        bench.clock();
        bench.clock();
        assert_eq!(bench.get("line"), 1);
    }
    bench.set("clear", 0);
    assert!(read(&mut bench, 1000, |_, _| {}).starts_with("a=0000 b=0"));
}
