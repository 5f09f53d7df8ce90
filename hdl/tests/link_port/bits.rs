//! `link_port` with `bits`: a port looped onto itself names the bits that register INJECT makes wrong.

use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;
use flitforge_elaborate::Value;
use flitforge_hdl::link::bit_isolate::{MASK_BITS, REPORT_BITS};
use flitforge_hdl::link::lane::{LANE_BITS, LANE_IN_BITS};
use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_hdl::link::port::{LinkPortBits2, PortConfig};
use flitforge_hdl::link::regs::WORD_ADDRESS_BITS;
use flitforge_hdl::prim::stream::{FlowOut, StreamIn, StreamOut};
use flitforge_hdl::registry::{find, Settings};
use flitforge_protocol::bit_isolation::{bit_mask, bit_report};
use flitforge_protocol::layout::Field;
use flitforge_protocol::link::LinkState;
use flitforge_protocol::link_registers::{ctrl, inject, CTRL, INJECT};
use flitforge_protocol::ltp::WORD_BITS;
use flitforge_testkit::{BenchBlock, Clocked, RegisterBus};
use rust_hdl::prelude::*;

/// The port and its line.
#[derive(LogicBlock)]
pub struct BitLoop {
    pub clock: Signal<In, Clock>,
    pub addr: Signal<In, Bits<WORD_ADDRESS_BITS>>,
    pub wdata: Signal<In, Bits<64>>,
    pub we: Signal<In, Bit>,
    pub ack: Signal<Out, Bit>,
    pub flits_in: StreamIn<Bits<130>>,
    pub flits_out: FlowOut<Bits<130>>,
    pub state: Signal<Out, Bits<3>>,
    pub masks: FlowOut<Bits<MASK_BITS>>,
    pub report: FlowOut<Bits<REPORT_BITS>>,
    pub missed: Signal<Out, Bit>,
    port: LinkPortBits2<4, 7, 10>,
    line: PhyLoop<4>,
}

impl BitLoop {
    fn new() -> Self {
        Self {
            clock: Default::default(),
            addr: Default::default(),
            wdata: Default::default(),
            we: Default::default(),
            ack: Default::default(),
            flits_in: Default::default(),
            flits_out: Default::default(),
            state: Default::default(),
            masks: Default::default(),
            report: Default::default(),
            missed: Default::default(),
            port: LinkPortBits2::new(&PortConfig::short(2, 4, 128)).expect("valid"),
            line: PhyLoop::new().expect("valid"),
        }
    }
}

impl Logic for BitLoop {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, port, line);
        self.line.clear.next = false;
        self.line.error_enable.next = false;
        self.line.error_lanes.next = 0.into();
        self.line.error_mask.next = 0.into();
        self.port.clear.next = false;
        self.port.addr.next = self.addr.val();
        self.port.wdata.next = self.wdata.val();
        self.port.we.next = self.we.val();
        self.port.re.next = false;
        self.ack.next = self.port.ack.val();
        StreamIn::<Bits<130>>::link(&mut self.flits_in, &mut self.port.flits_in);
        FlowOut::<Bits<130>>::link(&mut self.flits_out, &mut self.port.flits_out);
        self.port.time_in.valid.next = false;
        self.port.time_in.data.next = 0.into();
        self.port.time_mode.next = false;
        self.port.side_in.valid.next = false;
        self.port.side_in.data.next = 0.into();
        self.port.renew.next = false;
        self.port.fabric_events.next = 0.into();
        self.port.credit_word.next = 0.into();
        self.port.bond_skew.next = 0.into();
        self.port.bist_start.next = false;
        self.port.bist_end.next = false;
        self.port.test_rows_in.valid.next = false;
        self.port.test_rows_in.data.next = 0.into();
        self.port.damage.next = false;
        self.port.signal_ok.next = 0xF.into();
        self.port.lane_lock.next = 0xF.into();
        self.port.elastic_error.next = false;
        self.port.elastic_fill.next = 0.into();
        self.state.next = self.port.state.val();
        FlowOut::<Bits<MASK_BITS>>::link(&mut self.masks, &mut self.port.bit_masks);
        FlowOut::<Bits<REPORT_BITS>>::link(&mut self.report, &mut self.port.bit_report);
        self.missed.next = self.port.bit_missed.val();
        for i in 0..4 {
            self.line.delay[i].next = 0.into();
            StreamOut::<Bits<LANE_BITS>>::join(&mut self.port.tx[i], &mut self.line.tx[i]);
            FlowOut::<Bits<LANE_IN_BITS>>::join(&mut self.line.rx[i], &mut self.port.rx[i]);
        }
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("link_port_bit_loop", &[])
    }
}

drive_ports!(impl[] BitLoop { clock, addr, wdata, we, ack, flits_in, flits_out, state, masks, report, missed });

fn write(bench: &mut BenchBlock, offset: u32, value: u64) {
    RegisterBus::new().without_rdata().held().write(bench, offset, value);
}

/// A port that is Active, with traffic.
fn up() -> BenchBlock {
    let mut bench = BenchBlock::new("link_port_bit_loop", BitLoop::new());
    // Two Body flits.
    let beat = Value::from_words(130, &[0x0123_4567_89AB_CDEF, 0x1111_2222_3333_4445, 2]);
    bench.set_value("flits_in.data", &beat).set("flits_in.valid", 1);
    write(&mut bench, CTRL, 1 << ctrl::enable::LOW);
    bench.until("Active", 20_000, |bench| bench.get("state") == u64::from(LinkState::Active.code()));
    bench.run(500);
    bench
}

#[test]
fn the_bits_that_inject_turns_over_are_named_one_by_one() {
    let mut bench = up();
    // Lanes, first word, words, mask.
    for (lanes, first, words, mask) in [
        (0xFu64, 7u64, 1u64, 0x8001u64),
        (0xF, 0, 33, 0x4000_0010),
        (1 << 2, 0, 33, 1),
        (0xF, 32, 1, 1 << 31),
    ] {
        let case = format!("lanes {lanes:#x}, {words} words from {first}, mask {mask:#x}");
        write(
            &mut bench,
            INJECT,
            lanes
                | first << inject::first::LOW
                | words << inject::words::LOW
                | mask << inject::xor_mask::LOW
                | 1 << inject::ltps::LOW
                | 1 << inject::go::LOW,
        );
        let (mut masks, mut reports) = (vec![], vec![]);
        for _ in 0..1_500 {
            assert_eq!(bench.get("missed"), 0, "{case}");
            if bench.get("masks.valid") == 1 {
                let data = u128::from(bench.get("masks.data"));
                masks.push((bit_mask::word::FIELD.get(data), bit_mask::mask::FIELD.get(data)));
            }
            if bench.get("report.valid") == 1 {
                reports.push(bench.get("report.data"));
            }
            bench.clock();
        }
        write(&mut bench, INJECT, 0);
        let [report] = reports[..] else { panic!("{case}: one report, not {reports:x?}") };
        let of = |field: Field| field.get(report.into());
        assert!(masks.iter().all(|(_, found)| *found == mask), "{case}: {masks:x?}");
        let hit: Vec<u64> = masks.iter().map(|(word, _)| *word).collect();
        if lanes == 0xF {
            assert_eq!(hit, (first..first + words).collect::<Vec<_>>(), "{case}");
        } else {
            assert!(hit.len() >= 8 && hit.windows(2).all(|pair| pair[1] == pair[0] + 4), "{case}: {hit:?}");
            assert_eq!(
                (of(bit_report::first_lane::FIELD), of(bit_report::last_lane::FIELD)),
                (2, 2),
                "{case}"
            );
        }
        let bits = u64::from(mask.count_ones()) * hit.len() as u64;
        let place = |word: u64, bit: u32| word * WORD_BITS as u64 + u64::from(bit);
        let (low, high) = (mask.trailing_zeros(), mask.ilog2());
        assert_eq!(of(bit_report::wrong_bits::FIELD), bits, "{case}");
        assert_eq!(of(bit_report::first_bit::FIELD), place(hit[0], low), "{case}");
        assert_eq!(of(bit_report::last_bit::FIELD), place(hit[hit.len() - 1], high), "{case}");
        assert_eq!(of(bit_report::first_line_bit::FIELD), place(hit[0] / 4, low), "{case}");
        assert_eq!(of(bit_report::last_line_bit::FIELD), place(hit[hit.len() - 1] / 4, high), "{case}");
    }
}

#[test]
fn it_is_built_in_for_one_size_and_possible_for_some() {
    let entry = find("link_port").expect("registered");
    let built = |values: &[(&str, u64)]| {
        let values: Vec<(String, u64)> =
            values.iter().map(|(name, value)| (name.to_string(), *value)).collect();
        (entry.build)(&Settings::new(entry, None, &values)?).map(|_| ())
    };
    assert!(built(&[("bits", 1)]).is_ok());
    let error = built(&[("bits", 1), ("r", 16)]).expect_err("16 slots");
    let shape = error.shape.as_ref().expect("it can be compiled on demand").to_string();
    assert_eq!(shape, "flitforge_hdl::link::port::build_bits_2_as::<4, 4, 7>");
    let error = built(&[("bits", 1), ("lanes", 2)]).expect_err("two lanes");
    assert!(error.shape.is_none() && error.to_string().contains("f and lanes = 2/4"), "{error}");
}
