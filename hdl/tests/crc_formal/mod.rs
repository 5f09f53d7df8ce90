//! Proofs, for all inputs, that the emitted parallel CRCs are the bit-serial definition of chapter 10, 3.5; what is
//! proved and why that is enough is told in `docs/formal.md`.
//!
//! A normal run proves a choice; `FLITFORGE_FULL=1` proves every width, polynomial, form and pipeline.

#![allow(clippy::expect_used)] // tests

mod blocks;
pub mod yosys;

use blocks::{text_of, Case, TOP};
use flitforge_hdl::link::crc::CrcPipeline::{self, Balanced, Fast, Short};
use flitforge_hdl::link::ltp_crc::{LtpCrc, APPENDED_BITS};
use flitforge_protocol::crc::{
    Polynomial, BITS14, LANE_ISOLATION, OVERLAPPING48, PER_LANE_3, PER_LANE_4, STANDARD,
};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use yosys::{core, folder, prove, Method, Verdict};

const STEP: &str = include_str!("step.v");
const LTP_STEP: &str = include_str!("ltp_step.v");
const WIDTHS: [usize; 7] = [66, 68, 132, 136, 264, 272, 528];
const PIPELINES: [CrcPipeline; 3] = [Short, Balanced, Fast];

fn polynomial(coefficients: u32) -> Polynomial {
    Polynomial::new(coefficients).expect("a generator")
}

/// Generators of the widths that the chapter does not use: CRC-8, DMR's CRC-9, ATM's CRC-10, FlexRay's CRC-11,
/// BBC's CRC-13, CAN's CRC-15.
const FURTHER: [u32; 6] = [0x107, 0x259, 0x633, 0xB85, 0x3CF5, 0xC599];

/// Those of the chapter but the two of its LTPs, and one for every width it does not use.
fn other_polynomials() -> Vec<Polynomial> {
    let mut all = vec![PER_LANE_4, PER_LANE_3, LANE_ISOLATION];
    all.extend(OVERLAPPING48);
    all.extend(FURTHER.map(polynomial));
    all
}

#[test]
fn every_width_of_link_crc_has_a_generator() {
    let widths: BTreeSet<usize> = all_cases().iter().map(|case| case.polynomial.width()).collect();
    assert_eq!(widths, (8..=16).collect());
    let some: BTreeSet<usize> = some_cases().iter().map(|case| case.polynomial.width()).collect();
    assert_eq!(some, widths, "the choice leaves a width out");
}

fn full() -> bool {
    std::env::var_os("FLITFORGE_FULL").is_some_and(|value| value != "0")
}

fn both_forms(w: usize, polynomial: Polynomial, pipeline: CrcPipeline) -> [Case; 2] {
    [true, false].map(|sender| Case { w, polynomial, sender, pipeline })
}

/// Every combination, the quick ones first.
fn all_cases() -> Vec<Case> {
    let mut polynomials = vec![STANDARD, BITS14];
    polynomials.extend(other_polynomials());
    let mut cases = vec![];
    for w in WIDTHS {
        for &polynomial in &polynomials {
            cases.extend(PIPELINES.into_iter().flat_map(|pipeline| both_forms(w, polynomial, pipeline)));
        }
    }
    cases
}

/// The two generators of the chapter's LTPs up to 136 bits, every other width and generator at least once.
fn some_cases() -> Vec<Case> {
    let wide = [(528, STANDARD, Fast), (264, BITS14, Balanced), (272, STANDARD, Fast)];
    let mut cases: Vec<Case> = wide
        .into_iter()
        .map(|(w, polynomial, pipeline)| Case { w, polynomial, sender: w != 272, pipeline })
        .collect();
    for polynomial in [STANDARD, BITS14] {
        for w in [66, 68, 132, 136] {
            cases.extend([Short, Fast].into_iter().flat_map(|pipeline| both_forms(w, polynomial, pipeline)));
        }
    }
    let pick = |(index, polynomial): (usize, Polynomial)| Case {
        w: WIDTHS[index % 4],
        polynomial,
        sender: index % 2 == 0,
        pipeline: PIPELINES[index % 3],
    };
    cases.extend(other_polynomials().into_iter().enumerate().map(pick));
    cases
}

/// The verdict on one block, printed with its time; `change` may corrupt the text first.
fn judge(
    yosys: &Path,
    (kind, method): (&str, Method),
    case: &Case,
    definition: Polynomial,
    change: impl Fn(String) -> String,
) -> Verdict {
    let (text, latency) = case.emit();
    let name = format!("{kind}_{}", case.name());
    let folder = folder(&name);
    let core = core(yosys, &folder, TOP, &change(text));
    let mut parameters = case.parameters(definition, latency);
    parameters.push(("N", core.registers as u64));
    let (verdict, time) = prove(yosys, &folder, STEP, &parameters, method);
    println!("{name}: {verdict:?} in {:.2} s", time.as_secs_f64());
    verdict
}

/// Runs the jobs on all cores and gives the names of those that fail.
fn refuted<T: Sync>(
    jobs: &[T],
    holds: impl Fn(&T) -> bool + Sync,
    name: impl Fn(&T) -> String,
) -> Vec<String> {
    let begun = Instant::now();
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    let work = || {
        let mut failed = vec![];
        while let Some(job) = jobs.get(next.fetch_add(1, Relaxed)) {
            if !holds(job) {
                failed.push(job);
            }
        }
        failed
    };
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("a worker")).collect::<Vec<_>>()
    });
    println!("{} proofs in {:.1} s", jobs.len(), begun.elapsed().as_secs_f64());
    failed.into_iter().map(name).collect()
}

#[test]
fn every_beat_of_link_crc_is_a_step_of_the_definition() {
    let Some(yosys) = yosys::yosys("proof of link_crc") else { return };
    let cases = if full() { all_cases() } else { some_cases() };
    let holds = |case: &Case| {
        judge(&yosys, ("step", Method::Diagrams), case, case.polynomial, |text| text) == Verdict::Proved
    };
    assert_eq!(refuted(&cases, holds, Case::name), [""; 0]);
}

/// `text` with its first `from` made `to`.
fn changed(text: String, from: &str, to: &str) -> String {
    assert!(text.contains(from), "the emitted text has no `{from}`");
    text.replacen(from, to, 1)
}

/// The text with the first index of the first sum one higher.
fn wrong_index(text: String) -> String {
    let start = text.find(" data[").expect("a sum") + " data[".len();
    let end = start + text[start..].find(']').expect("an index");
    let index: usize = text[start..end].parse().expect("a number");
    // The neighbour inside the vector, so that the text stays legal.
    format!("{}{}{}", &text[..start], index ^ 1, &text[end..])
}

/// The text with the lowest bit of the hexadecimal constant after `name` inverted.
fn wrong_bit(text: String, name: &str) -> String {
    let start = text.find(name).unwrap_or_else(|| panic!("no {name}"));
    let start = start + text[start..].find("'h").expect("a constant") + 2;
    let end = start + text[start..].find([';', ',']).expect("its end");
    let digit = u32::from_str_radix(&text[end - 1..end], 16).expect("a digit") ^ 1;
    format!("{}{digit:x}{}", &text[..end - 1], &text[end..])
}

type Change = fn(String) -> String;

#[test]
fn a_wrong_link_crc_is_refuted() {
    let Some(yosys) = yosys::yosys("refutation of wrong link_crc") else { return };
    let right = |w, pipeline| Case { w, polynomial: STANDARD, sender: true, pipeline };
    let other = polynomial(STANDARD.coefficients() ^ 0x100);
    let changes: [(usize, CrcPipeline, Change, Polynomial); 5] = [
        (66, Short, wrong_index, STANDARD),
        (68, Balanced, |text| wrong_bit(text, "first_addend ="), STANDARD),
        (132, Fast, |text| text, other),
        (
            66,
            Balanced,
            |text| changed(text, "valid_at_state_q & last_at_state_q", "last_at_state_q"),
            STANDARD,
        ),
        (68, Short, |text| changed(text, "if (first_at_state_q)", "if (last_at_state_q)"), STANDARD),
    ];
    for (index, (w, pipeline, change, definition)) in changes.into_iter().enumerate() {
        let case = right(w, pipeline);
        let kind = format!("wrong{index}");
        let verdict = judge(&yosys, (&kind, Method::Search), &case, definition, change);
        assert_eq!(verdict, Verdict::Refuted, "{kind} {case:?}");
    }
}

/// The `ltp_crc` of one width of `link_ltp_tx`: text, bits per beat, generator, appended bits.
struct LtpCase {
    text: String,
    w: usize,
    polynomial: Polynomial,
    appended: usize,
}

impl LtpCase {
    fn new<const W: usize, const R: usize, const PARTS: usize>(
        polynomial: Polynomial,
        appended: usize,
    ) -> Self {
        let block = LtpCrc::<W, R, PARTS>::new(polynomial, appended).expect("valid");
        Self { text: text_of(&block), w: W, polynomial, appended }
    }

    fn judge(
        &self,
        yosys: &Path,
        (kind, method): (&str, Method),
        definition: Polynomial,
        change: impl Fn(String) -> String,
    ) -> Verdict {
        let name = format!("{kind}_{:x}_{}", self.polynomial.coefficients(), self.w);
        let folder = folder(&name);
        let core = core(yosys, &folder, TOP, &change(self.text.clone()));
        let parameters = [
            ("W", self.w as u64),
            ("R", definition.width() as u64),
            ("MASK", definition.mask().into()),
            ("APPENDED", self.appended as u64),
            ("N", core.registers as u64),
            ("INITIAL", core.initial),
        ];
        let (verdict, time) = prove(yosys, &folder, LTP_STEP, &parameters, method);
        println!("{name}: {verdict:?} in {:.2} s", time.as_secs_f64());
        verdict
    }
}

/// As the parts of `link_ltp_tx` have them: modes 0 and 1, one, two and four flits per beat.
fn ltp_cases() -> [LtpCase; 6] {
    [
        LtpCase::new::<65, 16, 16>(STANDARD, 0),
        LtpCase::new::<130, 16, 32>(STANDARD, 0),
        LtpCase::new::<260, 16, 64>(STANDARD, 0),
        LtpCase::new::<65, 14, 14>(BITS14, APPENDED_BITS),
        LtpCase::new::<130, 14, 28>(BITS14, APPENDED_BITS),
        LtpCase::new::<260, 14, 56>(BITS14, APPENDED_BITS),
    ]
}

#[test]
fn every_beat_of_ltp_crc_is_a_step_of_the_definition() {
    let Some(yosys) = yosys::yosys("proof of ltp_crc") else { return };
    let holds = |case: &LtpCase| {
        case.judge(&yosys, ("ltp", Method::Diagrams), case.polynomial, |text| text) == Verdict::Proved
    };
    let name = |case: &LtpCase| format!("{} {:?}", case.w, case.polynomial);
    assert_eq!(refuted(&ltp_cases(), holds, name), [""; 0]);
}

#[test]
fn a_wrong_ltp_crc_is_refuted() {
    let Some(yosys) = yosys::yosys("refutation of wrong ltp_crc") else { return };
    let [_, standard, _, bits14, ..] = ltp_cases();
    let other = polynomial(BITS14.coefficients() ^ 0x10);
    let wrong = |case: &LtpCase, definition, change: Change| {
        let verdict = case.judge(&yosys, ("wrong_ltp", Method::Search), definition, change);
        assert_eq!(verdict, Verdict::Refuted);
    };
    wrong(&bits14, other, |text| text);
    // The beat's matrix: shared sums at one flit per beat, sums one by one at two.
    wrong(&bits14, BITS14, wrong_index);
    wrong(&standard, STANDARD, |text| wrong_bit(text, "mask_0 ="));
    wrong(&standard, STANDARD, |text| wrong_bit(text, "state_rows_3 ="));
    wrong(&bits14, BITS14, |text| wrong_bit(text, "appended_rows_0 ="));
    wrong(&bits14, BITS14, |text| wrong_bit(text, "initial state_q ="));
}
