//! Latencies that the rings measure themselves, with tokens (chapter 20, 4.10).

use super::{Column, ColumnError, Way};
use flitforge_model::time::delay::ring_cycles_of_token;
use flitforge_protocol::time_ring::{token_command, TOKEN_LOST_SLACK};
use flitforge_sim::{Bench, PortHandle, SimError};

const COLUMN: &str = "token";

/// Ports of the measurement.
struct Ports {
    valid: PortHandle,
    command: PortHandle,
    done: PortHandle,
    cycles: PortHandle,
    waited: PortHandle,
}

impl Ports {
    fn find(bench: &dyn Bench) -> Result<Self, SimError> {
        Ok(Self {
            valid: bench.port("command.valid")?,
            command: bench.port("command.data")?,
            done: bench.port("done")?,
            cycles: bench.port("cycles")?,
            waited: bench.port("waited")?,
        })
    }
}

/// A token to every stop from every other one, over both rings; nothing else is in them. `length` is how many clocks a slot takes around
/// a ring.
pub fn token_column(bench: &mut dyn Bench, stops: u32, length: u32) -> Result<Column, ColumnError> {
    let ports = Ports::find(bench)?;
    Column::of(stops, |way| {
        send(bench, &ports, way)?;
        for _ in 0..4 * length + TOKEN_LOST_SLACK {
            if bench.get_bit(ports.done) {
                let (cycles, waited) = (bench.get_u64(ports.cycles), bench.get_u64(ports.waited));
                // The outbound token goes on to its source, which removes it.
                for _ in 0..length {
                    bench.step()?;
                }
                return ring_cycles_of_token(cycles as u32, waited as u32)
                    .ok_or_else(|| way.wrong(COLUMN, format!("no way counts {cycles}, waited {waited}")));
            }
            bench.step()?;
        }
        Err(way.wrong(COLUMN, "the token does not come home"))
    })
}

/// The command; the step takes the result of the last one back.
fn send(bench: &mut dyn Bench, ports: &Ports, way: Way) -> Result<(), SimError> {
    let fields = [
        (token_command::src::FIELD, way.from),
        (token_command::target::FIELD, way.to),
        (token_command::ring::FIELD, way.ring as u32),
        (token_command::tag::FIELD, (way.from * 7 + way.to) % 256),
    ];
    let command = fields.iter().fold(0, |word, (field, value)| field.set(word, u64::from(*value)));
    bench.set_u64(ports.command, command as u64);
    bench.set_u64(ports.valid, 1);
    bench.step()?;
    bench.set_u64(ports.valid, 0);
    Ok(())
}
