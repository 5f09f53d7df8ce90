//! Which of several instances takes what an XPU sends (chapter 50, 7; ¶141 of its source). An instance orders what it takes; two do not
//! order between them, so what has to stay in order has to stay at one: [`Modulo`] and [`Hash`] keep a flow at its instance while
//! instances stay up, [`ByLoad`] does not.

use super::{Sue, SueError};
use flitforge_model::sue::format::reliability::r_crc_of;
use flitforge_protocol::register::RegisterAccess;

/// What belongs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flow {
    /// Destination.
    pub peer: u16,
    /// Virtual channel.
    pub vc: u8,
}

/// An instance as a balancer sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// One of its ports is up.
    pub up: bool,
    /// Fill of its emptiest port that is up, STATUS.load.
    pub load: u64,
}

impl View {
    /// Of an instance, by its registers.
    pub fn of(sue: &Sue, access: &mut impl RegisterAccess) -> Result<Self, SueError> {
        let up = sue.loads(access)?.into_iter().filter(|(up, _)| *up).map(|(_, load)| load);
        Ok(up.min().map_or(View { up: false, load: 0 }, |load| View { up: true, load }))
    }
}

/// Chooses an instance.
pub trait Balancer {
    /// The number of the instance that takes this; none if none is up.
    fn choose(&mut self, flow: Flow, instances: &[View]) -> Option<usize>;
}

/// The one with the least load; equal ones take turns.
#[derive(Debug, Clone, Default)]
pub struct ByLoad {
    next: usize,
}

/// Destination modulo their number; if that one is down, the next that is up.
#[derive(Debug, Clone, Copy, Default)]
pub struct Modulo;

/// By a hash of destination and virtual channel (highest of one hash per instance): if an instance goes down or comes back, only its own
/// flows move.
#[derive(Debug, Clone, Copy, Default)]
pub struct Hash;

impl Balancer for ByLoad {
    fn choose(&mut self, _: Flow, instances: &[View]) -> Option<usize> {
        let count = instances.len();
        let up = (0..count).filter(|index| instances[*index].up);
        let turn = |index: usize| (index + count - self.next) % count;
        let chosen = up.min_by_key(|index| (instances[*index].load, turn(*index)))?;
        self.next = (chosen + 1) % count;
        Some(chosen)
    }
}

impl Balancer for Modulo {
    fn choose(&mut self, flow: Flow, instances: &[View]) -> Option<usize> {
        let count = instances.len();
        (0..count).map(|step| (usize::from(flow.peer) + step) % count).find(|index| instances[*index].up)
    }
}

impl Balancer for Hash {
    fn choose(&mut self, flow: Flow, instances: &[View]) -> Option<usize> {
        let up = (0..instances.len()).filter(|index| instances[*index].up);
        up.max_by_key(|index| (weight(flow, *index), *index))
    }
}

/// What an instance is worth to a flow. A CRC alone is linear: the order of two would be that of their difference, so it is stirred.
fn weight(flow: Flow, index: usize) -> u32 {
    let [high, low] = flow.peer.to_be_bytes();
    let crc = r_crc_of(&[high, low, flow.vc, index as u8]);
    let stirred = (crc ^ crc >> 16).wrapping_mul(0x85EB_CA6B);
    (stirred ^ stirred >> 13).wrapping_mul(0xC2B2_AE35)
}
