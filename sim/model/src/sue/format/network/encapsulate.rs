//! Network headers, the sender's side.

use super::config::{esun_version, Fid, Framing, Network, SecondEthertype, Shim, Tagging};
use super::internet::{self, InternetFields};
use crate::sue::format::octets::{pack, FieldError, Writer};
use flitforge_protocol::sue::class::ClassUse;
use flitforge_protocol::sue::esun::{self, EsunPayload};
use flitforge_protocol::sue::network::{
    addresses, afh2, afh2_compressed, entropy, ethertype, fold_entropy, shim, tag, KEY_COMPRESSED,
    KEY_NORMAL, SHIM_NEXT_RH, SHIM_VERSION, SHIM_WORDS, SOURCE_KEY, TAG_TPID,
};
use flitforge_protocol::sue::MAX_FRAME_BYTES;
use thiserror::Error;

/// Where a PDU goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// XPU of the peer; its port is the own one.
    pub peer: u16,
    /// Virtual channel, 2 bits, a part of the entropy.
    pub vc: u8,
    /// Class.
    pub class: ClassUse,
}

/// A PDU that cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EncapsulateError {
    /// A value out of range.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// A frame that no receiver takes.
    #[error(
        "frame of {bytes} octets with its FCS: at most {MAX_FRAME_BYTES} are taken; send less in one PDU"
    )]
    TooLong {
        /// Octets of the frame with its FCS.
        bytes: usize,
    },
}

impl Network {
    /// The frame of a PDU, without preamble and FCS.
    pub fn encapsulate(&self, route: Route, pdu: &[u8]) -> Result<Vec<u8>, EncapsulateError> {
        let bytes =
            self.config().framing.header_bytes() + pdu.len() + flitforge_protocol::sue::crc::CRC_BYTES;
        if bytes > MAX_FRAME_BYTES {
            return Err(EncapsulateError::TooLong { bytes });
        }
        let mut octets = Writer::default();
        match self.config().framing {
            Framing::AfhGen2 => self.write_afh2(&mut octets, route)?,
            Framing::AfhGen2Compressed | Framing::Lite => self.write_compressed(&mut octets, route)?,
            Framing::Standard { .. } | Framing::AfhGen1 { .. } | Framing::Esun { .. } => {
                self.write_ethernet(&mut octets, route)?;
            }
        }
        self.write_ethertype(&mut octets, self.config().ethertype())?;
        self.write_after_ethertype(&mut octets, route, pdu.len())?;
        octets.octets(pdu);
        Ok(octets.finish())
    }

    fn peer(&self, route: Route) -> Fid {
        Fid { xpu: route.peer, port: self.config().own.port }
    }

    fn entropy(route: Route) -> Result<u64, FieldError> {
        let fields = [(entropy::vc::FIELD, route.vc.into()), (entropy::xpu::FIELD, route.peer.into())];
        Ok(pack(&entropy::LAYOUT, &fields)? as u64)
    }

    fn write_ethertype(&self, octets: &mut Writer, value: u16) -> Result<(), FieldError> {
        octets.word(&ethertype::LAYOUT, &[(ethertype::value::FIELD, value.into())])
    }

    /// MAC addresses and tag.
    fn write_ethernet(&self, octets: &mut Writer, route: Route) -> Result<(), FieldError> {
        let config = self.config();
        let gg = config.generation.octet();
        let fields = [
            (addresses::destination::FIELD, self.mac(self.peer(route), gg)?),
            (addresses::source::FIELD, self.mac(config.own, gg)?),
        ];
        octets.word(&addresses::LAYOUT, &fields)?;
        if config.framing.tagging() == Tagging::Untagged {
            return Ok(());
        }
        let fields = [
            (tag::tpid::FIELD, TAG_TPID),
            (tag::pcp::FIELD, config.classes.class(route.class).pcp.into()),
            (tag::vid::FIELD, config.vid.into()),
        ];
        octets.word(&tag::LAYOUT, &fields)
    }

    fn write_afh2(&self, octets: &mut Writer, route: Route) -> Result<(), FieldError> {
        let config = self.config();
        let gg = u64::from(config.generation.octet());
        let fields = [
            (afh2::key::FIELD, KEY_NORMAL),
            (afh2::traffic_class::FIELD, config.classes.traffic_class(route.class)?.into()),
            (afh2::generation::FIELD, gg),
            (afh2::fid::FIELD, self.peer(route).value()?),
            (afh2::hop::FIELD, config.hop.into()),
            (afh2::source_key::FIELD, SOURCE_KEY),
            (afh2::entropy::FIELD, fold_entropy(Self::entropy(route)?)),
            (afh2::source_generation::FIELD, gg),
            (afh2::source_fid::FIELD, config.own.value()?),
        ];
        octets.word(&afh2::LAYOUT, &fields)
    }

    fn write_compressed(&self, octets: &mut Writer, route: Route) -> Result<(), FieldError> {
        let config = self.config();
        let fields = [
            (afh2_compressed::key::FIELD, KEY_COMPRESSED),
            (afh2_compressed::traffic_class::FIELD, config.classes.traffic_class(route.class)?.into()),
            (afh2_compressed::fid::FIELD, self.peer(route).value()?),
            (afh2_compressed::source_fid::FIELD, config.own.value()?),
        ];
        octets.word(&afh2_compressed::LAYOUT, &fields)
    }

    fn write_after_ethertype(
        &self,
        octets: &mut Writer,
        route: Route,
        pdu_bytes: usize,
    ) -> Result<(), FieldError> {
        let config = self.config();
        let fields = InternetFields {
            peer: route.peer,
            traffic_class: config.classes.traffic_class(route.class)?,
            entropy: Self::entropy(route)?,
            pdu_bytes,
        };
        match config.framing {
            Framing::Standard { version, .. } => internet::write(octets, version, config, fields),
            Framing::AfhGen1 { second, shim, .. } => {
                if second == SecondEthertype::Present {
                    self.write_ethertype(octets, config.ethertypes.sue)?;
                }
                if shim == Shim::Present {
                    self.write_shim(octets, fields)?;
                }
                Ok(())
            }
            Framing::Esun { payload } => self.write_esun(octets, route, payload, fields),
            Framing::AfhGen2 | Framing::AfhGen2Compressed | Framing::Lite => Ok(()),
        }
    }

    fn write_shim(&self, octets: &mut Writer, fields: InternetFields) -> Result<(), FieldError> {
        let fields = [
            (shim::version::FIELD, SHIM_VERSION),
            (shim::words::FIELD, SHIM_WORDS),
            (shim::traffic_class::FIELD, fields.traffic_class.into()),
            (shim::entropy::FIELD, fields.entropy),
            (shim::hop_limit::FIELD, self.config().hop.into()),
            (shim::next::FIELD, SHIM_NEXT_RH),
            (shim::pdu_bytes::FIELD, fields.pdu_bytes as u64),
        ];
        octets.word(&shim::LAYOUT, &fields)
    }

    fn write_esun(
        &self,
        octets: &mut Writer,
        route: Route,
        payload: EsunPayload,
        fields: InternetFields,
    ) -> Result<(), FieldError> {
        let config = self.config();
        let header = [
            (esun::header::cos::FIELD, config.classes.class(route.class).pcp.into()),
            (esun::header::flow_label::FIELD, fields.entropy),
            (esun::header::ttl::FIELD, config.hop.into()),
            (esun::header::rev::FIELD, esun::REVISION),
        ];
        octets.word(&esun::header::LAYOUT, &header)?;
        match esun_version(payload) {
            Some(version) => internet::write(octets, version, config, fields),
            None => Ok(()),
        }
    }
}
