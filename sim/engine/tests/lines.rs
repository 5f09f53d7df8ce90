//! XGMII, UART and I2C: drivers and decoders on both ends of a model device, right and wrong.
#![allow(clippy::expect_used)] // helpers of tests

use flitforge_sim::kit::i2c::{
    I2cBus, I2cController, I2cDevice, I2cLevels, I2cLimits, I2cOutcome, I2cPulls, I2cTarget, I2cTransfer,
};
use flitforge_sim::kit::uart::{UartDecoder, UartDriver};
use flitforge_sim::kit::xgmii::{XgmiiMonitor, XgmiiSource, XgmiiWord};
use flitforge_sim::kit::{seed, Coverage, Device, DeviceBench, DevicePorts, Pace, Testbench};
use flitforge_sim::{Bench, Port, PortKind, Ports, SimError};
use std::cell::RefCell;
use std::rc::Rc;

fn bench<D: Device + 'static>(ports: &[(&str, u32, PortKind)], device: D) -> Box<dyn Bench> {
    let ports = ports.iter().map(|(path, width, kind)| Port::new(*path, *width, *kind)).collect();
    Box::new(DeviceBench::new(Ports::new("device", ports), device))
}

/// A register for XGMII words, with a fault in one word of 97.
struct Repeater {
    held: XgmiiWord,
    clock: u64,
    fault: fn(XgmiiWord) -> XgmiiWord,
}

impl Device for Repeater {
    fn outputs(&self, ports: &mut DevicePorts) {
        ports.set("tx.data", self.held.data);
        ports.set("tx.control", self.held.control.into());
    }
    fn edge(&mut self, ports: &DevicePorts) {
        self.held = XgmiiWord { data: ports.get("rx.data"), control: ports.get("rx.control") as u8 };
        self.clock += 1;
        if self.clock % 97 == 0 {
            self.held = (self.fault)(self.held);
        }
    }
}

fn xgmii(fault: fn(XgmiiWord) -> XgmiiWord, clocks: u64) -> Result<Coverage, SimError> {
    let seed = seed(0x8313);
    let ports = [
        ("clock", 1, PortKind::Clock),
        ("rx.data", 64, PortKind::Input),
        ("rx.control", 8, PortKind::Input),
        ("tx.data", 64, PortKind::Output),
        ("tx.control", 8, PortKind::Output),
    ];
    let mut testbench = Testbench::new(bench(&ports, Repeater { held: XgmiiWord::IDLE, clock: 0, fault }));
    let source = XgmiiSource::new(testbench.bench(), "rx", seed)?.errors(0.1);
    let (sent, mut next) = (source.sent(), 0);
    let monitor = XgmiiMonitor::sink(testbench.bench(), "tx")?.on_frame(move |clock, frame| {
        let sent = sent.borrow();
        let same = (&sent[next].octets, sent[next].error) == (&frame.octets, frame.error);
        next += 1;
        match same {
            true => Ok(()),
            false => Err(SimError::Check { clock, problem: format!("frame {} differs", next - 1) }),
        }
    });
    let input = XgmiiMonitor::new(testbench.bench(), "rx")?;
    testbench.add(source).add(input).add(monitor);
    testbench.run(clocks)?;
    Ok(testbench.coverage())
}

#[test]
fn frames_start_in_both_lanes_and_arrive_as_sent() {
    let coverage = xgmii(|word| word, 50_000).expect("no mistake");
    println!("{coverage}");
    let all = ["rx.frames_with_error", "tx.start_in_lane_0", "tx.start_in_lane_4", "tx.frames_with_error"];
    coverage.require("xgmii", &all).expect("covered");
    assert!(coverage.count("rx.frames_sent") > 300);
}

#[test]
fn every_fault_of_a_line_is_found() {
    let rule = |fault: fn(XgmiiWord) -> XgmiiWord| match xgmii(fault, 200_000) {
        Err(SimError::Protocol { interface, rule, .. }) => {
            assert_eq!(interface, "tx");
            rule.to_string()
        }
        Err(SimError::Check { .. }) => "altered".into(),
        other => panic!("{other:?}"),
    };
    let all_data = |word: XgmiiWord| XgmiiWord { control: 0, ..word };
    assert_eq!(rule(|word| XgmiiWord { data: word.data ^ u64::from(word.control == 0), ..word }), "altered");
    assert_eq!(
        rule(|word| if word == XgmiiWord::IDLE { XgmiiWord { control: 0xfe, ..word } } else { word }),
        { "idles stand between frames" }
    );
    assert_ne!(rule(all_data), "altered", "characters turned into data");
    // A start character where an idle stood, in lane 1.
    let start = |word: XgmiiWord| match word == XgmiiWord::IDLE {
        true => XgmiiWord { data: word.data & !0xff00 | 0xfb00, ..word },
        false => word,
    };
    assert_eq!(rule(start), "a frame starts in lane 0 or 4");
    let idle_within = |word: XgmiiWord| if word.control == 0 { XgmiiWord::IDLE } else { word };
    assert_eq!(rule(idle_within), "a frame ends with a terminate character");
    let preamble = |word: XgmiiWord| match word.control == 1 && word.data & 0xff == 0xfb {
        true => XgmiiWord { data: word.data ^ 1 << 20, ..word },
        false => word,
    };
    assert_eq!(rule(preamble), "a frame has a preamble");
}

/// A pin to a pin.
struct Pin;

impl Device for Pin {
    fn outputs(&self, ports: &mut DevicePorts) {
        ports.set("tx", ports.get("rx"));
    }
    fn edge(&mut self, _: &DevicePorts) {}
}

/// Octets that arrive with a driver that is off by so many parts per million; `broken` stop bits first.
fn uart(ppm: i32, broken: u32) -> Result<(Vec<u8>, Vec<u8>), SimError> {
    let ports = [("clock", 1, PortKind::Clock), ("rx", 1, PortKind::Input), ("tx", 1, PortKind::Output)];
    let mut testbench = Testbench::new(bench(&ports, Pin));
    let octets: Vec<u8> = (0..=255).chain([0x00, 0xff, 0x55]).collect();
    let driver = UartDriver::new(testbench.bench(), "rx", 16, ppm, octets.clone(), 1)?;
    let got = Rc::new(RefCell::new(vec![]));
    let sink = got.clone();
    let decoder = UartDecoder::new(testbench.bench(), "tx", 16, 0)?.on_octet(move |_, octet| {
        sink.borrow_mut().push(octet);
        Ok(())
    });
    let paces = Pace::Phases(vec![(40, Pace::Always), (300, Pace::Random(0.05))]);
    testbench.add(driver.pace(paces).broken_stops(broken)).add(decoder);
    testbench.run(259 * 200)?;
    let got = got.borrow().clone();
    Ok((octets, got))
}

#[test]
fn octets_arrive_within_the_tolerance_of_the_baud_rate() {
    for ppm in [0, 20_000, -20_000, 35_000, -35_000] {
        let (sent, got) = uart(ppm, 0).expect("framed");
        assert_eq!(sent, got, "{ppm} ppm");
    }
}

#[test]
fn a_baud_rate_too_far_off_and_broken_stop_bits_are_found() {
    // Half a bit in nine and a half: more than 5 % off cannot work.
    for ppm in [80_000, -80_000] {
        assert!(!matches!(uart(ppm, 0), Ok((sent, got)) if sent == got), "{ppm} ppm");
    }
    let error = uart(0, 1).expect_err("no stop bit").to_string();
    assert!(error.contains("`tx`") && error.contains("stop bit"), "{error}");
}

/// The driver's noise is single samples, as many as asked for: a pin that rests shows each as a glitch.
#[test]
fn a_noisy_line_has_wrong_samples() -> Result<(), SimError> {
    let ports = [("clock", 1, PortKind::Clock), ("rx", 1, PortKind::Input), ("tx", 1, PortKind::Output)];
    let mut testbench = Testbench::new(bench(&ports, Pin));
    let seed = seed(0x0a27);
    let driver = UartDriver::new(testbench.bench(), "rx", 16, 0, vec![], seed)?;
    let decoder = UartDecoder::new(testbench.bench(), "tx", 16, 0)?;
    testbench.add(driver.noise(1e-3)).add(decoder);
    testbench.run(100_000)?;
    let coverage = testbench.coverage();
    let (wrong, glitches) = (coverage.count("rx.wrong_samples"), coverage.count("tx.glitches"));
    println!("{wrong} wrong samples of 100000, {glitches} glitches");
    assert!((60..140).contains(&wrong), "{wrong}");
    assert!(glitches <= wrong && glitches > wrong * 9 / 10, "{glitches}");
    Ok(())
}

/// An I2C device behind ports.
struct Behind<D> {
    device: D,
    pulls: I2cPulls,
}

impl<D: I2cDevice> Device for Behind<D> {
    fn outputs(&self, ports: &mut DevicePorts) {
        ports.set("bus.scl_low", self.pulls.scl.into());
        ports.set("bus.sda_low", self.pulls.sda.into());
    }
    fn edge(&mut self, ports: &DevicePorts) {
        self.pulls = self.device.tick(I2cLevels { scl: ports.bit("bus.scl"), sda: ports.bit("bus.sda") });
    }
}

/// A block that is `device`, with `other` on the bus.
fn i2c(
    device: impl I2cDevice + 'static,
    other: impl I2cDevice + 'static,
    clocks: u64,
) -> Result<Coverage, SimError> {
    let ports = [
        ("clock", 1, PortKind::Clock),
        ("bus.scl", 1, PortKind::Input),
        ("bus.sda", 1, PortKind::Input),
        ("bus.scl_low", 1, PortKind::Output),
        ("bus.sda_low", 1, PortKind::Output),
    ];
    let mut testbench = Testbench::new(bench(&ports, Behind { device, pulls: I2cPulls::default() }));
    let limits = I2cLimits { low: 6, high: 6, stretch: 500 };
    testbench.add(I2cBus::new(testbench.bench(), "bus", limits)?.with(other));
    testbench.run(clocks)?;
    Ok(testbench.coverage())
}

fn transfers() -> Vec<I2cTransfer> {
    vec![
        I2cTransfer::Write(0x50, vec![0x10, 0xde, 0xad, 0x00, 0xff]),
        I2cTransfer::WriteRead(0x50, vec![0x10], 4),
        I2cTransfer::Read(0x50, 2),
        I2cTransfer::Write(0x51, vec![1, 2]),
        I2cTransfer::WriteRead(0x50, vec![0x11], 1),
    ]
}

fn expected() -> Vec<I2cOutcome> {
    let outcome = |acknowledged, octets: &[u8]| I2cOutcome { acknowledged, octets: octets.to_vec() };
    vec![
        outcome(true, &[]),
        outcome(true, &[0xde, 0xad, 0x00, 0xff]),
        outcome(true, &[0, 0]),
        outcome(false, &[]),
        outcome(true, &[0xad]),
    ]
}

#[test]
fn transfers_work_from_either_side_with_and_without_stretching() {
    for stretch in [0..=0, 1..=60] {
        let controller = I2cController::new(4, transfers());
        let outcomes = controller.outcomes();
        let target = I2cTarget::new(0x50, seed(0x12c)).stretching(stretch.clone());
        let coverage = i2c(target, controller, 20_000).expect("no mistake");
        println!("{coverage}");
        assert_eq!(*outcomes.borrow(), expected(), "controller on the bus");
        assert_eq!(
            coverage.count("bus.not_acknowledged"),
            1 + 3,
            "one address, and the last octets of three reads"
        );

        let controller = I2cController::new(4, transfers());
        let outcomes = controller.outcomes();
        let target = I2cTarget::new(0x50, seed(0x12c)).stretching(stretch.clone());
        let coverage = i2c(controller, target, 20_000).expect("no mistake");
        assert_eq!(*outcomes.borrow(), expected(), "controller in the block");
        let stretched = coverage.count("bus.octets_stretched");
        assert_eq!(stretched > 0, *stretch.end() > 0, "{stretched}");
    }
}

/// A target that misbehaves from a clock on.
struct Misbehaving {
    target: I2cTarget,
    clock: u64,
    fault: fn(u64, I2cLevels, I2cPulls) -> I2cPulls,
}

impl I2cDevice for Misbehaving {
    fn tick(&mut self, levels: I2cLevels) -> I2cPulls {
        self.clock += 1;
        (self.fault)(self.clock, levels, self.target.tick(levels))
    }
}

#[test]
fn a_misbehaving_target_is_found() {
    let rule = |fault| {
        let target = Misbehaving { target: I2cTarget::new(0x50, 1), clock: 0, fault };
        match i2c(target, I2cController::new(4, transfers()), 20_000) {
            Err(SimError::Protocol { interface, rule, .. }) => {
                assert_eq!(interface, "bus");
                rule
            }
            other => panic!("{other:?}"),
        }
    };
    // Pulls the data in the middle of a high clock.
    let glitch = |clock, levels: I2cLevels, pulls: I2cPulls| I2cPulls {
        sda: pulls.sda || (clock > 200 && levels.scl && clock % 3 == 0),
        ..pulls
    };
    assert_eq!(rule(glitch), "data are stable while the clock is high");
    let stuck = |clock, _, pulls: I2cPulls| I2cPulls { scl: pulls.scl || clock > 300, ..pulls };
    assert_eq!(rule(stuck), "the clock is not stretched for ever");
    let cut =
        |clock, _, pulls: I2cPulls| I2cPulls { scl: pulls.scl || clock % 7 == 0 && clock > 100, ..pulls };
    assert_eq!(rule(cut), "the clock keeps its times");
    let idle = |clock, _, pulls: I2cPulls| I2cPulls { scl: pulls.scl || clock == 2, ..pulls };
    assert_eq!(rule(idle), "a transfer begins with a start");
}
