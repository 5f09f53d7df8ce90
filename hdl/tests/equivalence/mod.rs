//! Proofs, for all inputs and all states, that the text of a restructured block does what its text before did. What is proved and why
//! that is enough is told in `docs/formal.md`; the texts before and how their registers follow from those after are in `before`.

#![allow(clippy::expect_used)] // tests

mod core;
mod faults;
mod miter;

use crate::crc_formal::yosys::{self, folder, run, Verdict};
use flitforge_base::prelude::Block;
use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::{self, Options};
use flitforge_hdl::fabric::switch::{LaneConfig, SwitchLane};
use flitforge_hdl::link::gearbox::{HalveBeats, JoinBeats, PairBeats, QueueBeats};
use flitforge_hdl::link::probation::{LinkProbation, ProbationCount};
use flitforge_hdl::link::retry_tx::{LinkRetryTx, LinkRetryTx2Small};
use flitforge_hdl::link::train::{LinkTrain, LinkTrainConfig};
use flitforge_hdl::time::ring::{RingStop, INSERT_EXTRA_BITS, VALUE_BITS};
use flitforge_hdl::time::servo::TimeServo;
use flitforge_hdl::time::source::SourceChange;
use miter::Relation;
use std::path::Path;
use std::time::Instant;

/// A block that was restructured, with the parameters for which it is proved.
struct Case {
    /// Its module, without the digest; the texts before are called after it.
    module: &'static str,
    /// Parameters.
    parameters: &'static str,
    /// The block.
    make: fn() -> Box<dyn DriveBlock>,
    /// The text before.
    before: &'static str,
    /// How the registers before follow from those after.
    relation: &'static str,
}

macro_rules! case {
    ($module:literal, $parameters:literal, $block:expr) => {
        Case {
            module: $module,
            parameters: $parameters,
            make: || {
                let mut block = $block;
                block.connect_all();
                Box::new(block)
            },
            before: include_str!(concat!("before/", $module, ".", $parameters, ".v")),
            relation: include_str!(concat!("before/", $module, ".relation")),
        }
    };
}

type Stop<const E: usize> = RingStop<VALUE_BITS, { VALUE_BITS + INSERT_EXTRA_BITS }, E>;
type RetryTxModes = LinkRetryTx<2, 130, 132, 136, 3, 32, 28, 134, 7, 10, 240, 1>;

const LANE: LaneConfig = LaneConfig { vl: 0, flits: 2, mtu: 256, address_bits: 4 };

const CASES: &[Case] = &[
    case!("ring_stop", "data46", Stop::<0>::default()),
    case!("ring_stop", "data46_edges1", Stop::<1>::default()),
    case!("link_retry_tx", "f2_r16", LinkRetryTx2Small::new(8).expect("valid")),
    case!("link_retry_tx", "modes", RetryTxModes::new(8).expect("valid")),
    case!("switch_lane", "ports3", SwitchLane::<130, 139, 3, 5, 6>::new(LANE).expect("valid")),
    case!("source_change", "default", SourceChange::new(0x6_6666_6666)),
    case!("time_servo", "default", TimeServo::default()),
    case!("link_probation", "lanes4", LinkProbation::<4>::new().expect("valid")),
    case!("link_probation", "lanes2", LinkProbation::<2>::new().expect("valid")),
    case!("probation_count", "default", ProbationCount::default()),
    case!("pair_beats", "default", PairBeats::default()),
    case!("halve_beats", "default", HalveBeats::default()),
    case!("queue_beats", "default", QueueBeats::default()),
    case!("link_train", "default", LinkTrain::<4>::new(LinkTrainConfig::new(4)).expect("valid")),
    case!("link_train", "probation", LinkTrain::<4, 1>::new(LinkTrainConfig::new(4)).expect("valid")),
    case!("join_beats", "default", JoinBeats::default()),
];

/// Seconds of search.
const PATIENCE: u32 = 120;

impl Case {
    /// The text of the block as it is.
    fn text(&self) -> String {
        let design = elaborate(&*(self.make)(), self.module).expect("elaborates");
        verilog::write(&design, &Options::default())
    }

    fn judge(&self, yosys: &Path, what: &str, after: &str) -> Verdict {
        let name = format!("{}_{}_{what}", self.module, self.parameters);
        let folder = folder(&format!("equivalence/{name}"));
        let begun = Instant::now();
        let verdict = prove(yosys, &folder, self.module, [self.before, after], self.relation);
        println!("{name}: {verdict:?} in {:.2} s", begun.elapsed().as_secs_f64());
        verdict
    }
}

/// Whether the module `after` does what the module `before` does.
fn prove(yosys: &Path, folder: &Path, top: &str, texts: [&str; 2], relation: &str) -> Verdict {
    let sides = ["before", "after"];
    let children = [0, 1].map(|side| {
        std::fs::write(folder.join(format!("{}.v", sides[side])), texts[side]).expect("Verilog");
        core::children(yosys, folder, sides[side], top)
    });
    let relation = Relation::new(relation);
    // A child of both is left out: what it is given must be the same, and what it gives is any.
    let same = |name: &&String| children[1].get(*name) == children[0].get(*name);
    let common = children[0].keys().filter(|name| same(name) && !relation.open.contains(name));
    let common: Vec<&String> = common.collect();
    let [before, after] = [0, 1].map(|side| {
        let kept: Vec<_> = common.iter().map(|name| &children[side][*name]).collect();
        core::core(yosys, folder, sides[side], top, &kept)
    });
    let miter = miter::text(&before, &after, &relation);
    std::fs::write(folder.join("miter.v"), miter).expect("miter");
    let script = format!(
        "read_json before.core.json\nread_json after.core.json\nread_verilog miter.v\nhierarchy -check -top miter\nproc\n\
         flatten\ncheck -assert\nopt_clean\ntechmap\nopt\nabc -g AND -script +strash;ifraig;dc2;ifraig\nopt_clean\n\
         sat -timeout {PATIENCE} -verify -show-inputs -prove bad 0 -prove bad_start 0\n"
    );
    let (succeeded, said) = run(yosys, folder, "proof", &script);
    match succeeded {
        true if said.contains("no model found: SUCCESS!") => Verdict::Proved,
        false if said.contains("model found: FAIL!") => Verdict::Refuted,
        _ => panic!("no verdict in {}:\n{said}", folder.display()),
    }
}

#[test]
fn every_restructured_block_does_what_it_did() {
    let Some(yosys) = yosys::yosys("equality of restructured blocks") else { return };
    let differs = |case: &&Case| case.judge(&yosys, "same", &case.text()) != Verdict::Proved;
    let differing: Vec<String> =
        CASES.iter().filter(differs).map(|case| format!("{} {}", case.module, case.parameters)).collect();
    assert_eq!(differing, [""; 0]);
}

#[test]
fn a_wrong_text_is_refuted() {
    let Some(yosys) = yosys::yosys("refutation of wrong texts") else { return };
    let mut missed = vec![];
    for (module, parameters, rows) in faults::ALL {
        let case = CASES.iter().find(|case| case.module == *module && case.parameters == *parameters);
        let case = case.expect("a case");
        let text = case.text();
        for (index, row) in rows.iter().enumerate() {
            let fault = faults::fault(row);
            let wrong = fault.apply(&text).expect("the place is there");
            if case.judge(&yosys, &format!("fault{index}"), &wrong) != Verdict::Refuted {
                missed.push(format!("{module} {parameters}: {}", fault.what));
            }
        }
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn every_restructured_block_has_faults() {
    for case in CASES {
        let of_module = faults::ALL.iter().filter(|(module, ..)| *module == case.module);
        let count: usize = of_module.map(|(_, _, rows)| rows.len()).sum();
        assert!(count >= 3, "{} has {count} faults", case.module);
    }
}
