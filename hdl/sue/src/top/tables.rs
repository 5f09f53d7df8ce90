//! TBL_DATA: what tables of the instance the host reads and writes.

use crate::command_in::PartitionRule;
use crate::registers::{TableAnswer, TableRequest};
use crate::rel_rx::PartitionEntry;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue_registers::Table;

/// Number of the table of partitions.
const PARTITIONS: usize = Table::Partitions as usize;
/// Bits of the number of a partition.
const PARTITION_BITS: usize = 10;

/// The table of partitions, kept here to be read, and written into the command interface and the receiver.
///
/// - A request is answered 4 clocks later. Entries after the last partition, and other tables, are refused and read 0.
/// - `clear` forgets a request; entries stay. After power-on no partition is allowed.
#[block("sue_instance_tables", new)]
pub struct InstanceTables {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets a request.
    clear: In<Bit>,
    /// What the host asks for.
    pub requests: FlowIn<TableRequest>,
    /// The answer.
    pub answers: FlowOut<TableAnswer>,
    /// Partitions of commands of the XPU.
    pub rules: FlowOut<PartitionRule>,
    /// Partitions of bodies that came.
    pub members: FlowOut<PartitionEntry>,

    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    kept: Ram<Bits<1>, PARTITION_BITS>,
    asked: Reg<TableRequest>,
    /// Clocks since a request.
    waits: Register<Bits<3>>,
    #[wire(d = _)]
    known: Reg<Bit>,
}

#[logic]
impl InstanceTables {
    /// Tables without entries.
    pub fn new() -> Result<Self, ConfigError> {
        Ok(Self { kept: Ram::new(RamConfig::block(1 << PARTITION_BITS))?, .. })
    }

    fn update(&mut self) {
        if requests.valid {
            asked = requests.data;
        }
        waits = cat(requests.valid, waits[0], waits[1]);
        let index = asked.index;
        let beyond = index.bits::<6>(PARTITION_BITS);
        known = (asked.table == PARTITIONS) & !beyond.any();
        let place = index.bits::<PARTITION_BITS>(0);
        let value = asked.data;
        let allowed: Bit = value[0];
        let writes = waits[1] & known & asked.write;
        kept = In { write_enable: writes, write_address: place, write_data: allowed.into() };
        kept.read_address = place;
        rules = In { data: PartitionRule { partition: place, allowed }, valid: writes };
        members = In { data: PartitionEntry { partition: place, member: allowed }, valid: writes };
        let read: Bits<64> = bit_cast::<64, 1>(kept.read_data);
        let shown: Bits<64> = if known { read } else { 0 };
        answers = In { data: TableAnswer { refused: !known, data: shown }, valid: waits[2] };
    }
}
