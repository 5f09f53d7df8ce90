//! A dual channel unit (DCU) of the ECP5-5G as two SerDes lanes that pass 20 bits per clock: no coding, no alignment.
//!
//! Lattice documents few of the settings. They are those of LiteICLink (https://github.com/enjoy-digital/liteiclink,
//! `liteiclink/serdes/serdes_ecp5.py`, class `SerDesECP5`, which names Yumewatari as its source): 10-bit SerDes mode, both gearboxes
//! 1:2, half-rate clocks to the fabric, coder, decoder and clock compensation bypassed, 50 ohm, 1 V. One differs: its comma search
//! (`ENABLE_CG_ALIGN`) is on there and off here, as the fabric finds the boundaries.
//!
//! The bit rate is 25 times a reference of 100 MHz: 2.5 Gb/s, so 125 MHz to the fabric. That factor is `REFCK_MODE` 0b100 in
//! Yumewatari (https://github.com/whitequark/Yumewatari, `yumewatari/gateware/platform/lattice_ecp5.py`), for the same rate. The reference
//! comes through the fabric, as LiteICLink's `bench/serdes/versa_ecp5.py` has it at 1.5, 3 and 5 Gb/s; at 2.5 Gb/s both take it from a
//! pad of its own (EXTREFB). So rate, reference and way in are each in use on this board, but not together; none has run here.
//!
//! The pads are the DCU's own and need no ports. In rust-hdl simulation the clocks are the reference and what is sent is received,
//! one clock later.

use flitforge_base::prelude::*;
use flitforge_elaborate::marker::{block_label, ForeignMarker, Marker};
use std::fmt::Write;

/// Channels of a DCU.
pub const CHANNELS: usize = 2;
/// Frequency of the reference in hertz.
pub const REFERENCE_HZ: u64 = 100_000_000;
/// Bits per reference clock (`D_REFCK_MODE`).
const BITS_PER_REFERENCE: u64 = 25;
/// Frequency of the clocks to the fabric in hertz.
pub const PAIR_HZ: u64 = REFERENCE_HZ * BITS_PER_REFERENCE / 20;

/// Settings of the unit.
const UNIT: &[(&str, &str)] = &[
    ("MACROPDB", "0b1"),
    ("IB_PWDNB", "0b1"),
    ("TXPLL_PWDNB", "0b1"),
    ("REFCK_MODE", "0b100"),
    ("TX_MAX_RATE", "5.0"),
    ("TX_VCO_CK_DIV", "0b000"),
    ("BITCLK_LOCAL_EN", "0b1"),
    ("CMUSETBIASI", "0b00"),
    ("CMUSETI4CPP", "0d3"),
    ("CMUSETI4CPZ", "0d3"),
    ("CMUSETI4VCO", "0b00"),
    ("CMUSETICP4P", "0b01"),
    ("CMUSETICP4Z", "0b101"),
    ("CMUSETINITVCT", "0b00"),
    ("CMUSETISCL4VCO", "0b000"),
    ("CMUSETP1GM", "0b000"),
    ("CMUSETP2AGM", "0b000"),
    ("CMUSETZGM", "0b000"),
    ("SETIRPOLY_AUX", "0b01"),
    ("SETICONST_AUX", "0b01"),
    ("SETIRPOLY_CH", "0b01"),
    ("SETICONST_CH", "0b10"),
    ("SETPLLRC", "0d1"),
    ("RG_EN", "0b0"),
    ("RG_SET", "0b00"),
    ("REQ_ISET", "0b011"),
    ("PD_ISET", "0b11"),
    ("LOW_MARK", "0d4"),
    ("HIGH_MARK", "0d12"),
];

/// Settings of each channel. The comma search of the unit is off: the fabric finds the boundaries.
const CHANNEL: &[(&str, &str)] = &[
    ("PROTOCOL", "10BSER"),
    ("UC_MODE", "0b1"),
    ("ENC_BYPASS", "0b1"),
    ("DEC_BYPASS", "0b1"),
    ("RPWDNB", "0b1"),
    ("REQ_EN", "0b0"),
    ("RX_RATE_SEL", "0d10"),
    ("RTERM_RX", "0d19"),
    ("RXIN_CM", "0b11"),
    ("RXTERM_CM", "0b11"),
    ("CDR_MAX_RATE", "5.0"),
    ("RX_DCO_CK_DIV", "0b000"),
    ("RX_GEAR_MODE", "0b1"),
    ("FF_RX_H_CLK_EN", "0b1"),
    ("FF_RX_F_CLK_DIS", "0b1"),
    ("SEL_SD_RX_CLK", "0b1"),
    ("AUTO_FACQ_EN", "0b1"),
    ("AUTO_CALIB_EN", "0b1"),
    ("PDEN_SEL", "0b1"),
    ("DCOATDCFG", "0b00"),
    ("DCOATDDLY", "0b00"),
    ("DCOBYPSATD", "0b1"),
    ("DCOCALDIV", "0b000"),
    ("DCOCTLGI", "0b011"),
    ("DCODISBDAVOID", "0b0"),
    ("DCOFLTDAC", "0b00"),
    ("DCOFTNRG", "0b001"),
    ("DCOIOSTUNE", "0b010"),
    ("DCOITUNE", "0b00"),
    ("DCOITUNE4LSB", "0b010"),
    ("DCOIUPDNX2", "0b1"),
    ("DCONUOFLSB", "0b100"),
    ("DCOSCALEI", "0b01"),
    ("DCOSTARTVAL", "0b010"),
    ("DCOSTEP", "0b11"),
    ("RLOS_SEL", "0b1"),
    ("RX_LOS_EN", "0b1"),
    ("RX_LOS_LVL", "0b100"),
    ("RX_LOS_CEQ", "0b11"),
    ("ENABLE_CG_ALIGN", "0b0"),
    ("UDF_COMMA_MASK", "0x3ff"),
    ("UDF_COMMA_A", "0x283"),
    ("UDF_COMMA_B", "0x17C"),
    ("CTC_BYPASS", "0b1"),
    ("MIN_IPG_CNT", "0b11"),
    ("MATCH_2_ENABLE", "0b0"),
    ("MATCH_4_ENABLE", "0b0"),
    ("CC_MATCH_1", "0x000"),
    ("CC_MATCH_2", "0x000"),
    ("CC_MATCH_3", "0x000"),
    ("CC_MATCH_4", "0x000"),
    ("TPWDNB", "0b1"),
    ("TXAMPLITUDE", "0d1000"),
    ("RTERM_TX", "0d19"),
    ("TDRV_SLICE0_CUR", "0b011"),
    ("TDRV_SLICE0_SEL", "0b01"),
    ("TDRV_SLICE1_CUR", "0b000"),
    ("TDRV_SLICE1_SEL", "0b00"),
    ("TDRV_SLICE2_CUR", "0b11"),
    ("TDRV_SLICE2_SEL", "0b01"),
    ("TDRV_SLICE3_CUR", "0b10"),
    ("TDRV_SLICE3_SEL", "0b01"),
    ("TDRV_SLICE4_CUR", "0b00"),
    ("TDRV_SLICE4_SEL", "0b00"),
    ("TDRV_SLICE5_CUR", "0b00"),
    ("TDRV_SLICE5_SEL", "0b00"),
    ("TX_GEAR_MODE", "0b1"),
    ("FF_TX_H_CLK_EN", "0b1"),
    ("FF_TX_F_CLK_DIS", "0b1"),
];

/// Where the first symbol's and the second symbol's bits stand on the unit's 24-bit buses.
const SYMBOL_PLACES: [usize; 2] = [0, 12];
/// The clocks under names that synthesis keeps, so that a design can name their frequency: `INSTANCE.clock_out`,
/// `INSTANCE.clock_0`, `INSTANCE.clock_1`.
const KEPT_CLOCKS: &str = "    (* keep *) wire clock_out;
    (* keep *) wire clock_0;
    (* keep *) wire clock_1;
    assign tx_clock = clock_out;
    assign rx_clock_0 = clock_0;
    assign rx_clock_1 = clock_1;
";
/// Bits of a symbol.
const SYMBOL_BITS: usize = 10;

/// The unit; see the [module](self).
#[derive(LogicBlock, Default)]
pub struct Ecp5Dcu {
    /// Reference of 100 MHz.
    pub reference: Signal<In, Clock>,
    /// Resets everything.
    pub reset: Signal<In, Bit>,
    /// Resets the sender's loop.
    pub tx_reset: Signal<In, Bit>,
    /// Resets the senders' digital side.
    pub tx_pcs_reset: Signal<In, Bit>,
    /// Resets the receivers.
    pub rx_reset: Signal<In, Bits<CHANNELS>>,
    /// Resets the receivers' digital side.
    pub rx_pcs_reset: Signal<In, Bits<CHANNELS>>,
    /// The sender's loop has no lock.
    pub tx_lost_lock: Signal<Out, Bit>,
    /// Receivers without lock.
    pub rx_lost_lock: Signal<Out, Bits<CHANNELS>>,
    /// Receivers without signal.
    pub rx_lost_signal: Signal<Out, Bits<CHANNELS>>,
    /// Clock of what is sent.
    pub tx_clock: Signal<Out, Clock>,
    /// Clocks of what is received.
    pub rx_clock: [Signal<Out, Clock>; CHANNELS],
    /// Twenty bits per channel to send, bit 0 first.
    pub tx_symbols: [Signal<In, Bits<20>>; CHANNELS],
    /// Twenty bits per channel received, bit 0 came first.
    pub rx_symbols: [Signal<Out, Bits<20>>; CHANNELS],
    _sent: [Bits<20>; CHANNELS],
}

impl Logic for Ecp5Dcu {
    fn update(&mut self) {
        let rises = self.reference.pos_edge();
        self.tx_clock.next = self.reference.val();
        for channel in 0..CHANNELS {
            self.rx_clock[channel].next = self.reference.val();
            if rises {
                self._sent[channel] = self.tx_symbols[channel].val();
            }
            self.rx_symbols[channel].next = self._sent[channel];
        }
        self.tx_lost_lock.next = false;
        self.rx_lost_lock.next = Bits::default();
        self.rx_lost_signal.next = Bits::default();
    }

    fn connect(&mut self) {
        self.tx_lost_lock.connect();
        self.rx_lost_lock.connect();
        self.rx_lost_signal.connect();
        self.tx_clock.connect();
        for channel in 0..CHANNELS {
            self.rx_clock[channel].connect();
            self.rx_symbols[channel].connect();
        }
    }

    fn hdl(&self) -> Verilog {
        let marker = Marker::Foreign(ForeignMarker { reason: "ECP5 SerDes".into() });
        let settings: Vec<String> =
            settings().map(|(name, value)| format!("        .{name}(\"{value}\")")).collect();
        let pins: Vec<String> =
            pins().iter().map(|pin| format!("        .{}({})", pin.name, pin.net)).collect();
        Verilog::Wrapper(Wrapper {
            code: format!(
                "{}{KEPT_CLOCKS}    (* LOC=\"DCU0\" *) (* CHAN=\"CH0\" *) (* keep *)\n    DCUA #(\n{}\n    ) unit (\n{}\n    );\n",
                marker.line(),
                settings.join(",\n"),
                pins.join(",\n"),
            ),
            cores: core(),
        })
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("ecp5_dcu", &[])
    }
}

fn settings() -> impl Iterator<Item = (String, &'static str)> {
    let unit = UNIT.iter().map(|(name, value)| (format!("D_{name}"), *value));
    let channel = |number| CHANNEL.iter().map(move |(name, value)| (format!("CH{number}_{name}"), *value));
    unit.chain((0..CHANNELS).flat_map(channel))
}

struct DcuPin {
    name: String,
    net: String,
    is_input: bool,
}

/// The pins that are used, with the wrapper's net on each.
fn pins() -> Vec<DcuPin> {
    let pin = |is_input, name: String, net: String| DcuPin { name, net, is_input };
    let mut pins = vec![
        pin(true, "D_FFC_MACROPDB".into(), "1'b1".into()),
        pin(true, "D_FFC_MACRO_RST".into(), "reset".into()),
        pin(true, "D_FFC_DUAL_RST".into(), "reset".into()),
        pin(true, "D_FFC_TRST".into(), "tx_reset".into()),
        pin(true, "D_REFCLKI".into(), "reference".into()),
        pin(false, "D_FFS_PLOL".into(), "tx_lost_lock".into()),
        // The channels share the loop, so one clock serves both senders.
        pin(false, "CH0_FF_TX_PCLK".into(), "clock_out".into()),
    ];
    for channel in 0..CHANNELS {
        let name = |name: &str| format!("CH{channel}_{name}");
        pins.extend([
            pin(true, name("FFC_RXPWDNB"), "1'b1".into()),
            pin(true, name("FFC_TXPWDNB"), "1'b1".into()),
            pin(true, name("FFC_RRST"), format!("rx_reset[{channel}]")),
            pin(true, name("FFC_LANE_RX_RST"), format!("rx_pcs_reset[{channel}]")),
            pin(true, name("FFC_LANE_TX_RST"), "tx_pcs_reset".into()),
            pin(true, name("FFC_SIGNAL_DETECT"), "1'b0".into()),
            pin(true, name("RX_REFCLK"), "reference".into()),
            pin(true, name("FF_RXI_CLK"), format!("clock_{channel}")),
            pin(true, name("FF_TXI_CLK"), "clock_out".into()),
            pin(false, name("FF_RX_PCLK"), format!("clock_{channel}")),
            pin(false, name("FFS_RLOS"), format!("rx_lost_signal[{channel}]")),
            pin(false, name("FFS_RLOL"), format!("rx_lost_lock[{channel}]")),
        ]);
        for (symbol, place) in SYMBOL_PLACES.iter().enumerate() {
            for bit in 0..SYMBOL_BITS {
                let (at, of) = (place + bit, SYMBOL_BITS * symbol + bit);
                pins.push(pin(true, name(&format!("FF_TX_D_{at}")), format!("tx_symbols_{channel}[{of}]")));
                pins.push(pin(false, name(&format!("FF_RX_D_{at}")), format!("rx_symbols_{channel}[{of}]")));
            }
        }
    }
    pins
}

/// Declaration of the primitive, with what is used of it, for tools that do not know it.
fn core() -> String {
    let settings: Vec<String> =
        settings().map(|(name, _)| format!("    parameter {name} = \"DONTCARE\"")).collect();
    let mut text = format!("(* blackbox *)\nmodule DCUA #(\n{}\n) (\n", settings.join(",\n"));
    let pins = pins();
    for (place, pin) in pins.iter().enumerate() {
        let end = if place + 1 == pins.len() { "\n);\nendmodule\n" } else { ",\n" };
        let _ = write!(text, "    {} wire {}{end}", if pin.is_input { "input" } else { "output" }, pin.name);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_and_pin_stands_once() {
        let dcu = Ecp5Dcu::default();
        let Verilog::Wrapper(wrapper) = dcu.hdl() else { panic!("a wrapper") };
        for (name, _) in settings() {
            assert_eq!(wrapper.code.matches(&format!(".{name}(")).count(), 1, "{name}");
        }
        let mut names: Vec<String> = pins().into_iter().map(|pin| pin.name).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!((names.len(), count), (111, 111));
        assert_eq!(PAIR_HZ, 125_000_000);
    }
}
