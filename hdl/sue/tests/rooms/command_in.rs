//! Commands from the XPU, checked, against the golden interface, on all simulators.

mod rig;

use super::body_check::{some_types, types_value};
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::command_in::{CommandWord, SueCommandIn, LATENCY};
use flitforge_model::sue::format::{Command, Payload, TypeTable};
use flitforge_protocol::sue::command::CommandType;
use flitforge_sim::cosim::fault::{find_all, Fault};
use flitforge_sim::cosim::FULL_CLOCKS;
use flitforge_sim::kit::Coverage;
use flitforge_testkit::{compiled, deep, random, Clocked, CompiledBlock};
pub use rig::{mark_ends, words_of};
use rig::{plan, Setup, WordBits, INITIAL, OWN, PEER_BITS, STARTS, TOP, WORD};
use rust_hdl::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

#[test]
fn commands_are_taken_and_refused_as_the_model_does() {
    let mut random = random();
    let free = Setup { partition_check: false, initial: 300, ..Setup::new(TypeTable::default()) };
    for (name, setup) in [
        (TOP, Setup::new(TypeTable::default())),
        ("sue_command_in_types", Setup::new(some_types(&mut random))),
        ("sue_command_in_free", free),
    ] {
        let seen = Rc::new(RefCell::new(Coverage::default()));
        let few_credits = setup.initial == INITIAL;
        deep(plan(name, setup, &seen), FULL_CLOCKS / 4, 3_000).cover(&["clear.pulses"]).run().expect("equal");
        let all = [
            "good",
            "dropped",
            "Bad",
            "Unfinished",
            "Stray",
            "bytes",
            "kind",
            "twice",
            "missing",
            "header",
            "longer",
            "turned",
            "control",
            "split",
            "order",
            "dlen",
            "nothing",
            "no end",
            "no beginning",
            "a clear in a command",
            "2 octets in the last word",
            "4 octets in the last word",
            "6 octets in the last word",
            "8 octets in the last word",
        ];
        seen.borrow().require(name, &all).expect("everything happened");
        if few_credits {
            seen.borrow().require(name, &["Overrun"]).expect("credits ran out");
        }
    }
}

/// The block in native code, after its start.
fn started() -> CompiledBlock {
    let mut made = SueCommandIn::<PEER_BITS>::new().expect("valid");
    made.connect_all();
    let mut block = CompiledBlock::new(&compiled(TOP, &made));
    block.set_value("types", &types_value(&TypeTable::default()));
    block.set("initial", 1000);
    block.set("own", OWN.into());
    block.set("commands_out.ready", 1);
    // up to eight announcements for each of the four virtual channels
    block.run(STARTS + 4 * 8);
    assert_eq!(block.get("commands.ready"), 1, "it has started");
    block
}

/// Sends words one after the other; gives the clocks of transfers in and of words out.
fn pass(block: &mut CompiledBlock, words: &[CommandWord]) -> (Vec<u64>, Vec<u64>) {
    let (mut taken, mut came, mut left) = (vec![], vec![], words.iter());
    let mut word = left.next();
    for clock in 0..words.len() as u64 * 3 + 20 {
        block.set("commands.valid", u64::from(word.is_some()));
        if let Some(word) = word {
            let bits: WordBits = (*word).into();
            block.set_value("commands.data", &bits.to_value());
        }
        if word.is_some() && block.get("commands.ready") == 1 {
            taken.push(clock);
            word = left.next();
        }
        if block.get("commands_out.valid") == 1 {
            came.push(clock);
        }
        block.step();
    }
    (taken, came)
}

#[test]
fn latency_and_throughput_are_as_stated() {
    let mut random = random();
    let types = TypeTable::default();
    // NOPs of one word: the first 6 clocks later, then one in 3 clocks
    let mut block = started();
    let mut nops: Vec<CommandWord> =
        (0..100).flat_map(|_| words_of(&mut random, &[0x20, 0], false)).collect();
    nops.iter_mut().for_each(|word| mark_ends(std::slice::from_mut(word)));
    let (taken, came) = pass(&mut block, &nops);
    let first = u64::from(LATENCY);
    assert_eq!(taken.len(), 100);
    assert_eq!(came, (0..100).map(|nop| first + 3 * nop).collect::<Vec<_>>());
    // one write: the last word, and a word more if its octets need one; the word before comes with the last
    for data in 1..=256usize {
        let control = vec![0x55; 6];
        let write = Command { kind: CommandType::Write, control, payload: Payload::Data(vec![0xAA; data]) };
        let octets = write.encode(&types).expect("taken");
        let mut words = words_of(&mut random, &octets[..8], false);
        words.extend(words_of(&mut random, &octets[8..8 + data], true));
        mark_ends(&mut words);
        let (taken, came) = pass(&mut started(), &words);
        assert_eq!(came.len(), octets.len().div_ceil(WORD), "{data} octets");
        assert_eq!(
            came.last(),
            taken.last().map(|clock| clock + u64::from(LATENCY)).as_ref(),
            "{data} octets"
        );
    }
    // two octets of control and 8n: each last word leaves a rest
    let mut octets = vec![0x80, 0x07];
    octets.extend([0xBB; 8]);
    let mut words = words_of(&mut random, &octets[..2], false);
    words.extend(words_of(&mut random, &octets[2..], true));
    mark_ends(&mut words);
    let (taken, came) = pass(&mut started(), &words);
    assert_eq!((taken, came), (vec![0, 1], vec![7, 1 + u64::from(LATENCY) + 1]));
}

/// Faults as they might be made by hand, in the Verilog.
#[test]
fn faults_are_found() {
    let faults = [
        Fault::replace(
            "control after data is taken",
            TOP,
            "back = data_before_q & ~taken_q[70]",
            "back = 1'b0",
        ),
        Fault::replace("a gap inside is taken", TOP, "gap = partial_before_q", "gap = 1'b0"),
        Fault::replace(
            "any number of data octets is right",
            TOP,
            "(counted_q[17:9] != wanted_q[17:9])",
            "1'b0",
        ),
        Fault::replace("an XPU may send to itself", TOP, "(is_head_wrong_destination == own)", "1'b0"),
        Fault::replace("dlen without data is taken", TOP, "~is_type_wrong_kind[3] &", "1'b0 &"),
        Fault::replace(
            "a command may have a word too many",
            TOP,
            "cut = comes & (index_q == 6'h28)",
            "cut = comes & (index_q == 6'h29)",
        ),
        Fault::replace(
            "cells are used without credits",
            TOP,
            "begins_cell & ~has_credit",
            "begins_cell & 1'b0",
        ),
        Fault::replace(
            "a credit for each word",
            TOP,
            "begins_cell = (index_q[2:0] == 3'h0)",
            "begins_cell = 1'b1",
        ),
        Fault::replace(
            "uses that follow each other are not seen",
            TOP,
            "waits = begins_now & (|recent_q)",
            "waits = 1'b0",
        ),
        Fault::replace(
            "a command without end ends well",
            TOP,
            "broken = breaks & ~waiting[68]",
            "broken = 1'b0",
        ),
        Fault::replace("every stray word is told", TOP, "~belongs & ~in_stray_q", "~belongs"),
        Fault::replace(
            "what is left over is lost",
            TOP,
            "flushes = taken_valid_q & taken_q[69] & ~flushing_q & (total_before > 3'h4)",
            "flushes = 1'b0",
        ),
    ];
    let setup = Setup::new(TypeTable::default());
    let plan = || {
        plan(TOP, setup.clone(), &Rc::default())
            .clocks(12_000)
            .stock_limit(200, "the faults are in the Verilog")
    };
    find_all(plan, &faults).expect("all are found");
}

#[test]
fn more_xpus_than_numbers_are_refused() {
    let error = SueCommandIn::<11>::new().err().expect("P").to_string();
    assert!(error.contains(TOP) && error.contains("10"), "{error}");
}
