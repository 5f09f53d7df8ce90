//! Control octets of the commands that carry AXI4, and USER.

use super::super::format::octets::{pack, CutOff, FieldError, Reader, Word, Writer};
use flitforge_protocol::sue::axi::{read_response, request, user, write_response, MAX_TRANSFERS};

/// AW or AR without USER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AxiRequest {
    /// AxADDR.
    pub address: u64,
    /// AxID.
    pub id: u16,
    /// AxLEN, transfers less one.
    pub len: u8,
    /// AxSIZE, 3 bits.
    pub size: u8,
    /// AxBURST, 2 bits.
    pub burst: u8,
    /// AxLOCK.
    pub lock: bool,
    /// AxCACHE, 4 bits.
    pub cache: u8,
    /// AxPROT, 3 bits.
    pub prot: u8,
    /// AxQOS, 4 bits.
    pub qos: u8,
    /// AxREGION, 4 bits.
    pub region: u8,
    /// Opaque.
    pub user: u16,
}

impl AxiRequest {
    /// Transfers of the burst.
    #[must_use]
    pub fn transfers(&self) -> usize {
        usize::from(self.len) + 1
    }

    /// The 16 control octets.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut octets = Writer::default();
        let fields = [
            (request::address::FIELD, self.address),
            (request::id::FIELD, self.id.into()),
            (request::len::FIELD, self.len.into()),
            (request::size::FIELD, self.size.into()),
            (request::burst::FIELD, self.burst.into()),
            (request::lock::FIELD, self.lock.into()),
            (request::cache::FIELD, self.cache.into()),
            (request::prot::FIELD, self.prot.into()),
            (request::qos::FIELD, self.qos.into()),
            (request::region::FIELD, self.region.into()),
            (request::user::FIELD, self.user.into()),
        ];
        octets.word(&request::LAYOUT, &fields)?;
        Ok(octets.finish())
    }

    /// Of control octets.
    pub fn decode(octets: &[u8]) -> Result<Self, CutOff> {
        let word = Reader(octets).word(&request::LAYOUT)?;
        Ok(AxiRequest {
            address: word.get(request::address::FIELD),
            id: word.get_u16(request::id::FIELD),
            len: word.get_u8(request::len::FIELD),
            size: word.get_u8(request::size::FIELD),
            burst: word.get_u8(request::burst::FIELD),
            lock: word.get(request::lock::FIELD) == 1,
            cache: word.get_u8(request::cache::FIELD),
            prot: word.get_u8(request::prot::FIELD),
            qos: word.get_u8(request::qos::FIELD),
            region: word.get_u8(request::region::FIELD),
            user: word.get_u16(request::user::FIELD),
        })
    }
}

/// What WRESP says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteResponse {
    /// ID of the request.
    pub id: u16,
    /// BRESP, 2 bits.
    pub resp: u8,
    /// Opaque.
    pub user: u16,
}

impl WriteResponse {
    /// The 6 control octets.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let mut octets = Writer::default();
        let fields = [
            (write_response::id::FIELD, self.id.into()),
            (write_response::resp::FIELD, self.resp.into()),
            (write_response::user::FIELD, self.user.into()),
        ];
        octets.word(&write_response::LAYOUT, &fields)?;
        Ok(octets.finish())
    }

    /// Of control octets.
    pub fn decode(octets: &[u8]) -> Result<Self, CutOff> {
        let word = Reader(octets).word(&write_response::LAYOUT)?;
        Ok(WriteResponse {
            id: word.get_u16(write_response::id::FIELD),
            resp: word.get_u8(write_response::resp::FIELD),
            user: word.get_u16(write_response::user::FIELD),
        })
    }
}

/// What RDATA says beside the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadResponse {
    /// ID of the request.
    pub id: u16,
    /// Opaque.
    pub user: u16,
    /// RRESP of each transfer, 2 bits; 0 beyond the last.
    pub resps: [u8; MAX_TRANSFERS],
}

impl ReadResponse {
    /// The 12 control octets.
    pub fn encode(&self) -> Result<Vec<u8>, FieldError> {
        let resps = self.resps.iter().fold(0, |all, resp| all << 2 | u64::from(*resp));
        let mut octets = Writer::default();
        let fields = [
            (read_response::id::FIELD, self.id.into()),
            (read_response::user::FIELD, self.user.into()),
            (read_response::resps::FIELD, resps),
        ];
        octets.word(&read_response::LAYOUT, &fields)?;
        Ok(octets.finish())
    }

    /// Of control octets.
    pub fn decode(octets: &[u8]) -> Result<Self, CutOff> {
        let word = Reader(octets).word(&read_response::LAYOUT)?;
        let all = word.get(read_response::resps::FIELD);
        let mut resps = [0; MAX_TRANSFERS];
        for (index, resp) in resps.iter_mut().enumerate() {
            *resp = (all >> (2 * (MAX_TRANSFERS - 1 - index)) & 3) as u8;
        }
        Ok(ReadResponse {
            id: word.get_u16(read_response::id::FIELD),
            user: word.get_u16(read_response::user::FIELD),
            resps,
        })
    }
}

/// USER of AW, AR, B and R.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AxiUser {
    /// Destination at the subordinate, source at the manager.
    pub xpu: u16,
    /// Type of the command.
    pub kind: u8,
    /// Data octets less one.
    pub bytes: u8,
    /// Partition.
    pub partition: u16,
    /// Nothing is packed after the command.
    pub flush: bool,
}

impl AxiUser {
    /// The 40 bits.
    pub fn encode(&self) -> Result<u64, FieldError> {
        let fields = [
            (user::xpu_id::FIELD, self.xpu.into()),
            (user::kind::FIELD, self.kind.into()),
            (user::bytes::FIELD, self.bytes.into()),
            (user::partition::FIELD, self.partition.into()),
            (user::flush::FIELD, self.flush.into()),
        ];
        Ok(pack(&user::LAYOUT, &fields)? as u64)
    }

    /// Of 40 bits; bits above the fields are not looked at.
    #[must_use]
    pub fn decode(bits: u64) -> Self {
        let word = Word::of(bits);
        AxiUser {
            xpu: word.get_u16(user::xpu_id::FIELD),
            kind: word.get_u8(user::kind::FIELD),
            bytes: word.get_u8(user::bytes::FIELD),
            partition: word.get_u16(user::partition::FIELD),
            flush: word.get(user::flush::FIELD) == 1,
        }
    }
}
