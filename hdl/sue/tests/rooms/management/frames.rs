//! Frames that are hard to tell apart.

use flitforge_model::sue::format::Network;
use flitforge_protocol::sue::link_control::MAC_CONTROL_ETHERTYPE;
use flitforge_protocol::sue::network::{EVENT_ETHERTYPE, TAG_TPID};
use flitforge_protocol::sue_registers::MANAGEMENT_BYTES;
use flitforge_sim::kit::Rng;
use rand::Rng as _;

/// A frame that is nearly for the host, or not.
pub fn any_frame(network: &Network, random: &mut Rng) -> Vec<u8> {
    let config = network.config();
    let length = match random.random_range(0..40) {
        0 => random.random_range(MANAGEMENT_BYTES - 20..MANAGEMENT_BYTES + 100),
        1..4 => random.random_range(8..24),
        4..20 => random.random_range(60..130),
        _ => random.random_range(24..60),
    };
    let mut frame: Vec<u8> = (0..length.max(20)).map(|_| random.random()).collect();
    let own = network.own_mac().expect("an address").to_be_bytes();
    match random.random_range(0..8) {
        0..3 => frame[..6].copy_from_slice(&own[2..]),
        3 => {
            frame[..6].copy_from_slice(&own[2..]);
            frame[random.random_range(0..6)] ^= 1 << random.random_range(0..8);
        }
        4 => frame[..6].fill(0xFF),
        5 => frame[0] |= 1,
        _ => (),
    }
    let mut ethertype = || match random.random_range(0..8) {
        0 | 1 => config.ethertype(),
        2 => EVENT_ETHERTYPE,
        3 => TAG_TPID as u16,
        _ => random.random(),
    };
    let (near, middle, behind) = (ethertype(), ethertype(), ethertype());
    if random.random_bool(0.5) {
        frame[6..8].copy_from_slice(&near.to_be_bytes());
    }
    frame[12..14].copy_from_slice(&middle.to_be_bytes());
    frame[16..18].copy_from_slice(&behind.to_be_bytes());
    frame.truncate(length);
    if frame.get(12..14) == Some(&MAC_CONTROL_ETHERTYPE.to_be_bytes()) {
        frame[13] ^= 1;
    }
    frame
}
