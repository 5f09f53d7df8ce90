//! Parameters of `fab_port`.

use super::receive::CREDIT_RX_BITS;
use crate::credit::CreditConfig;
use crate::packet::PacketConfig;
use flitforge_hdl_link::bonded::BondedConfig;
use flitforge_hdl_link::port::PortConfig;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::beat::flit_beat_bits;
use flitforge_protocol::flit::MAX_VLS;
use flitforge_protocol::link::allocation_unit_bytes;
use flitforge_protocol::link_registers::V_AU;
use flitforge_protocol::packet::{packet_flits, BYTES_PER_BODY};

const NAME: &str = "fab_port";

/// Build-time choice of a port with its fabric sublayer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabPortConfig {
    /// The port of the link, or of each link of a bond; its `vls` and `mtu` are those of this port.
    pub link: PortConfig,
    /// B: links that are one; 1 is no bond.
    pub links: usize,
    /// VL_BUF: bytes of receive buffer of each lane.
    pub buffer: usize,
    /// Management is built in: the highest lane is its own.
    pub management: bool,
}

impl FabPortConfig {
    /// `lanes` virtual lanes with buffers of `buffer` bytes in front of a port of a link.
    pub fn new(link: PortConfig, lanes: usize, buffer: usize) -> Self {
        Self { link: PortConfig { vls: lanes as u64, ..link }, links: 1, buffer, management: false }
    }

    /// The same for packets of at most `mtu` bytes.
    #[must_use]
    pub fn with_mtu(self, mtu: usize) -> Self {
        Self { link: PortConfig { mtu: mtu as u64, ..self.link }, ..self }
    }

    /// The same over `links` links as one.
    #[must_use]
    pub fn bonding(self, links: usize) -> Self {
        Self { links, ..self }
    }

    /// Flits per beat of packets.
    pub fn flits(&self) -> usize {
        self.links * self.link.flits
    }

    /// The bond.
    pub(super) fn bonded(&self) -> BondedConfig {
        BondedConfig { links: self.links, port: self.link }
    }

    /// What its packets may be.
    pub fn packets(&self) -> PacketConfig {
        PacketConfig {
            mtu: self.link.mtu as usize,
            lanes: self.link.vls as usize,
            management: self.management,
        }
    }

    /// Refuses what chapter 10 does not know, and buffers that do not hold a packet.
    pub fn check(&self) -> Result<(), ConfigError> {
        match self.links {
            1 => self.link.check()?,
            _ => self.bonded().check()?,
        }
        check_range(NAME, "vls", self.link.vls, 1, MAX_VLS as u64)?;
        self.packets().check(NAME)?;
        let flits = self.flits();
        CreditConfig { lanes: self.link.vls as usize, buffer: self.buffer, bits: CREDIT_RX_BITS }.check(
            NAME,
            flits,
            flit_beat_bits(flits),
        )?;
        let unit = allocation_unit_bytes(V_AU as u32);
        let packet = packet_flits(self.link.mtu as usize) * BYTES_PER_BODY;
        check_range(
            NAME,
            "vl_buf",
            self.buffer as u64,
            (packet.div_ceil(unit) * unit) as u64,
            u64::from(u32::MAX),
        )
    }

    /// Refuses a type that was made for other virtual lanes.
    pub(super) fn check_lanes(
        &self,
        lanes: usize,
        others: usize,
        view_bits: usize,
    ) -> Result<(), ConfigError> {
        check_derived(NAME, "N", lanes as u64, "vls", self.link.vls)?;
        check_derived(NAME, "M", others as u64, "vls + 1", self.link.vls + 1)?;
        check_derived(NAME, "VIEW_W", view_bits as u64, "16 vls", 16 * self.link.vls)
    }

    /// Refuses a type that was made for other buffers.
    pub fn check_depth(&self, depth_bits: usize) -> Result<(), ConfigError> {
        let beats = (self.buffer / (BYTES_PER_BODY * self.flits())) as u64;
        check_derived(NAME, "B", 1 << depth_bits, "log2 of the beats of vl_buf", beats)
    }
}
