//! Which IDs of the subordinate are in flight, and where to.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};

/// A request that wants to go.
#[packed]
pub struct IdQuestion {
    /// It is a write.
    writes: Bit,
    /// Its ID.
    id: Bits<16>,
    /// Its destination.
    xpu: Bits<10>,
    /// Nothing with its ID may be in flight.
    alone: Bit,
}

/// A response that has come, or is delivered.
#[packed]
pub struct IdAnswer {
    /// It is one of a write.
    writes: Bit,
    /// Its ID.
    id: Bits<16>,
    /// Its source.
    xpu: Bits<10>,
    /// It is delivered: there is one less in flight.
    ends: Bit,
}

#[packed]
struct IdEntry {
    xpu: Bits<10>,
    count: Bits<4>,
}

#[packed]
enum IdPhase {
    Wipes,
    Idle,
    Reads,
    Holds,
    Judges,
    Rests,
    Spare,
    Spare2,
}

/// The table of IDs of `I` bits, `A` = `I` + 1. A question or an answer takes 5 clocks, answers first; both hold until they are told. At most 15 requests of
/// an ID are in flight. `clear` wipes the table, an entry per clock.
#[block("sue_axi_ids", new, id_bits = I)]
#[derive(Clone, Debug)]
pub struct AxiIds<const I: usize, const A: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all.
    clear: In<Bit>,
    /// There is a question.
    ask: In<Bit>,
    /// The question.
    question: In<IdQuestion>,
    /// It is answered: high for one clock.
    asked: Out<Bit>,
    /// With `asked`: the request may go, and counts.
    granted: Out<Bit>,
    /// There is an answer.
    tell: In<Bit>,
    /// The answer.
    answer: In<IdAnswer>,
    /// It was looked at: high for one clock.
    told: Out<Bit>,
    /// With `told`: the ID is in flight to that XPU.
    known: Out<Bit>,

    phase: Reg<IdPhase>,
    place: Reg<Bits<A>>,
    telling: Reg<Bit>,
    xpu: Reg<Bits<10>>,
    ends: Reg<Bit>,
    asked_now: Register<Bit>,
    granted_now: Register<Bit>,
    told_now: Register<Bit>,
    known_now: Register<Bit>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    table: Ram<IdEntry, A>,
}

#[logic]
impl<const I: usize, const A: usize> AxiIds<I, A> {
    pub(super) fn new() -> Result<Self, ConfigError> {
        check_range("sue_axi_subordinate", "id_bits", I as u64, 1, 8)?;
        check_derived("sue_axi_subordinate", "A", A as u64, "I + 1", I as u64 + 1)?;
        Ok(Self { table: Ram::new(RamConfig::block(1 << A))?, .. })
    }

    fn update(&mut self) {
        let entry = table.read_data;
        let judges = phase == IdPhase::Judges;
        let wipes = phase == IdPhase::Wipes;
        let free = entry.count == 0;
        let same = entry.xpu == xpu;
        let may_join = same & !question.alone & !entry.count.all();
        let may_go = free | may_join;
        let is_known = same & !free;
        asked_now = judges & !telling;
        granted_now = may_go;
        told_now = judges & telling;
        known_now = is_known;
        asked = asked_now;
        granted = granted_now;
        told = told_now;
        known = known_now;

        let counted = if telling { entry.count - 1 } else { entry.count + 1 };
        let changed = IdEntry { xpu, count: counted };
        let none = IdEntry { xpu: 0, count: 0 };
        let changes = if telling { ends & is_known } else { may_go };
        table.write_enable = wipes | (judges & changes);
        table.write_address = place;
        table.write_data = if wipes { none } else { changed };
        table.read_address = place;

        phase = match phase {
            IdPhase::Wipes => {
                if place.all() {
                    IdPhase::Idle
                } else {
                    IdPhase::Wipes
                }
            }
            IdPhase::Idle => {
                if ask | tell {
                    IdPhase::Reads
                } else {
                    IdPhase::Idle
                }
            }
            IdPhase::Reads => IdPhase::Holds,
            IdPhase::Holds => IdPhase::Judges,
            IdPhase::Judges => IdPhase::Rests,
            IdPhase::Rests | IdPhase::Spare | IdPhase::Spare2 => IdPhase::Idle,
        };
        self.take(wipes);
        if clear {
            phase = IdPhase::Wipes;
            place = 0;
        }
    }

    fn take(&mut self, wipes: Bit) {
        let asked_place: Bits<A> = bit_cast::<A, 17>(cat(question.writes, question.id));
        let told_place: Bits<A> = bit_cast::<A, 17>(cat(answer.writes, answer.id));
        if wipes {
            place = place + 1;
        }
        if phase == IdPhase::Idle {
            telling = tell;
            place = if tell { told_place } else { asked_place };
            xpu = if tell { answer.xpu } else { question.xpu };
            ends = answer.ends;
        }
    }
}
