//! Flows of several ports become one: what ports say at once waits, and nothing is lost.

use flitforge_hdl_sue::top::FlowMerge;
use flitforge_testkit::{compiled, Clocked, CompiledBlock};
use rust_hdl::prelude::Bits;

/// Clocks between two slots that a port frees.
const APART: u64 = 4;

/// Words of each source that came out, if each says `count` of them, `APART` clocks apart; with `patient`, not in the clock after its words waited.
fn words(block: &mut CompiledBlock, sources: u64, count: u64, patient: bool) -> Vec<Vec<u64>> {
    let mut came = vec![vec![]; sources as usize];
    let mut said = vec![(0, 0); sources as usize];
    let mut waited = 0;
    for clock in 0..(count + 40) * APART * sources {
        for source in 0..sources {
            let (number, next) = &mut said[source as usize];
            let waits = patient && waited >> source & 1 == 1;
            let says = clock >= *next && *number < count && !waits;
            let path = format!("flows[{source}]");
            block.set(&format!("{path}.valid"), says.into());
            block.set(&format!("{path}.data"), (source << 12) | *number);
            if says {
                (*number, *next) = (*number + 1, clock + APART);
            }
        }
        if block.get("merged.valid") == 1 {
            let word = block.get("merged.data");
            came[(word >> 12) as usize].push(word & 0xFFF);
        }
        waited = block.get("waits");
        block.step();
    }
    came
}

/// Two ports that free all their slots at once, as many as there are at most; four with 32 each, and with all if they wait when they are told to. With a word every 4 clocks, as
/// answers have it, words of the second port are lost if it does not wait.
#[test]
fn slots_that_are_freed_at_once_are_all_told() {
    let mut two =
        CompiledBlock::new(&compiled("merge_two", &FlowMerge::<Bits<16>, 2, 1>::new().expect("valid")));
    let mut four =
        CompiledBlock::new(&compiled("merge_four", &FlowMerge::<Bits<16>, 4, 1>::new().expect("valid")));
    let mut slow =
        CompiledBlock::new(&compiled("merge_slow", &FlowMerge::<Bits<16>, 2, 3>::new().expect("valid")));
    let all = |count: u64| (0..count).collect::<Vec<_>>();
    assert_eq!(words(&mut two, 2, 256, false), vec![all(256); 2]);
    assert_eq!(words(&mut four, 4, 32, false), vec![all(32); 4]);
    assert_ne!(words(&mut four, 4, 256, false), vec![all(256); 4]);
    assert_eq!(words(&mut four, 4, 256, true), vec![all(256); 4]);
    assert_ne!(words(&mut slow, 2, 256, false), vec![all(256); 2]);
    assert_eq!(words(&mut slow, 2, 256, true), vec![all(256); 2]);
}
