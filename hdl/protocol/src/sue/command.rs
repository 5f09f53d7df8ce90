//! Commands (chapter 50, 3.1): header, types and sizes. All commands start at an even octet of the body.

layout! {
    /// Header of a command.
    header, "Command header", 16 bits, "chapter 50, 3.1", {
        dlen [0 +: 8] "with data: data octets less one; without: 0";
        clen [8 +: 4] "control octets after the header, in units of two";
        kind [12 +: 4] "type; its top bit says that there is data";
    }
}
layout! {
    /// The type of a command, taken apart.
    kind, "Command type", 4 bits, "chapter 50, 3.1", {
        number [0 +: 3] "number among the types of its half";
        data [3 +: 1] "D: data present";
    }
}
layout! {
    /// What TYPE_CFG says of one type; type t is octet t, octet 0 the lowest.
    type_config, "TYPE_CFG entry", 8 bits, "chapter 50, 5", {
        clen [0 +: 4] "the clen of the type, if pinned";
        pin [5 +: 1] "clen has to be the one here";
        valid [6 +: 1] "commands of the type are taken";
    }
}

coded_enum! {
    /// Types of commands (chapter 50, 3.1).
    CommandType: u8, {
        End = 0x0, "END", "no command: the rest of the body is zero";
        Read = 0x1, "READ", "read request";
        Message = 0x2, "MSG", "message of control only; without control NOP";
        Barrier = 0x3, "BARRIER", "barrier";
        WriteResponse = 0x4, "WRESP", "write response";
        User5 = 0x5, "user 5", "the user's, control only";
        User6 = 0x6, "user 6", "the user's, control only";
        User7 = 0x7, "user 7", "the user's, control only";
        Write = 0x8, "WRITE", "write, all octets valid";
        ReadData = 0x9, "RDATA", "read response";
        MessageData = 0xA, "MSGD", "message with data";
        WriteStrobes = 0xB, "WRITE_S", "write: strobes, then data; strobe bit i of octet j is for data octet 8j+i";
        UserC = 0xC, "user C", "the user's, with data; atomics";
        UserD = 0xD, "user D", "the user's, with data";
        UserE = 0xE, "user E", "the user's, with data";
        UserF = 0xF, "user F", "the user's, with data";
    }
}

impl CommandType {
    /// True if a command of this type has a data area.
    #[must_use]
    pub const fn has_data(self) -> bool {
        kind::data::FIELD.get(self.code() as u128) == 1
    }
}

/// Octets of a command's header.
pub const HEADER_BYTES: usize = header::WIDTH / 8;
/// Octets of a unit of control; commands start at multiples of it.
pub const UNIT_BYTES: usize = 2;
/// Most control octets.
pub const MAX_CONTROL_BYTES: usize = UNIT_BYTES * header::clen::FIELD.ones() as usize;
/// Most data octets.
pub const MAX_DATA_BYTES: usize = header::dlen::FIELD.ones() as usize + 1;
/// Octets of a cell of command memory, and of a credit of the command interface (4.1, 4.3).
pub const COMMAND_CELL_BYTES: usize = 64;
/// Data octets per octet of strobes.
pub const DATA_PER_STROBE_BYTE: usize = 8;
/// Octets of the largest command, `CMD_MAX`.
pub const MAX_COMMAND_BYTES: usize =
    HEADER_BYTES + MAX_CONTROL_BYTES + strobe_bytes(MAX_DATA_BYTES) + MAX_DATA_BYTES;

/// Octets of strobes before `data_bytes` octets of data in a WRITE_S.
#[must_use]
pub const fn strobe_bytes(data_bytes: usize) -> usize {
    data_bytes.div_ceil(DATA_PER_STROBE_BYTE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_chapter() {
        assert_eq!((MAX_CONTROL_BYTES, MAX_DATA_BYTES, MAX_COMMAND_BYTES), (30, 256, 320));
    }

    #[test]
    fn all_sixteen_codes_are_types_and_the_upper_half_has_data() {
        let types: Vec<_> = (0..16).map(|code| CommandType::from_code(code).expect("a type")).collect();
        assert!(types.iter().take(8).all(|kind| !kind.has_data()));
        assert!(types.iter().skip(8).all(|kind| kind.has_data()));
    }
}
