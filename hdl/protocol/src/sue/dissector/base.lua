-- Fields that are no part of a word.
local status_names = { [0] = "Bad", [1] = "Good", [2] = "Unverified", [3] = "Poisoned" }
local BAD, GOOD, UNVERIFIED, POISONED = 0, 1, 2, 3
local f = {
    format = ProtoField.string("sue.format", "Format"),
    fcs = ProtoField.uint32("sue.fcs", "Frame check sequence", base.HEX),
    fcs_status = ProtoField.uint8("sue.fcs.status", "FCS status", base.DEC, status_names),
    r_crc = ProtoField.uint32("sue.r_crc", "R-CRC", base.HEX),
    r_crc_status = ProtoField.uint8("sue.r_crc.status", "R-CRC status", base.DEC, status_names),
    ack_only = ProtoField.bool("sue.ack_only", "Ack-only PDU"),
    command = ProtoField.none("sue.command", "Command"),
    control = ProtoField.bytes("sue.command.control", "Control"),
    strobes = ProtoField.bytes("sue.command.strobes", "Strobes"),
    data = ProtoField.bytes("sue.command.data", "Data"),
    data_bytes = ProtoField.uint16("sue.command.data_bytes", "Data octets", base.DEC),
    padding = ProtoField.bytes("sue.command.padding", "Padding"),
    end_padding = ProtoField.bytes("sue.end", "END and padding"),
}
local e = {
    fcs = ProtoExpert.new("sue.fcs.bad", "Bad FCS", expert.group.CHECKSUM, expert.severity.ERROR),
    poisoned = ProtoExpert.new("sue.fcs.poisoned", "Frame marked bad by its sender", expert.group.CHECKSUM,
        expert.severity.WARN),
    r_crc = ProtoExpert.new("sue.r_crc.bad", "Bad R-CRC", expert.group.CHECKSUM, expert.severity.ERROR),
    header = ProtoExpert.new("sue.header.bad", "Bad header", expert.group.PROTOCOL, expert.severity.WARN),
    body = ProtoExpert.new("sue.body.malformed", "Malformed body", expert.group.MALFORMED, expert.severity.ERROR),
    cut = ProtoExpert.new("sue.cut", "Too short", expert.group.MALFORMED, expert.severity.ERROR),
}

local all_fields, all_experts = {}, {}
for _, field in pairs(f) do
    all_fields[#all_fields + 1] = field
end
for _, word in pairs(part) do
    for _, row in ipairs(word) do
        all_fields[#all_fields + 1] = row.field
        word[row.name] = row
    end
end
for _, field in pairs(e) do
    all_experts[#all_experts + 1] = field
end
sue.fields = all_fields
sue.experts = all_experts

-- Settings, as `-o sue.NAME:VALUE` or in the preferences of the protocol.
local AUTO, GEN1, GEN2, ESUN = 0, 1, 2, 3
local PRESENT, ABSENT = 1, 2
sue.prefs.format = Pref.enum("Format after 12 octets of addresses", AUTO,
    "What a frame is whose Ethertype stands for several formats",
    { { 1, "auto", AUTO }, { 2, "gen1", GEN1 }, { 3, "gen2", GEN2 }, { 4, "esun", ESUN } }, false)
sue.prefs.fcs = Pref.enum("Frame check sequence", AUTO, "Whether captured frames end with their FCS",
    { { 1, "auto", AUTO }, { 2, "present", PRESENT }, { 3, "absent", ABSENT } }, false)
sue.prefs.et_afh1 = Pref.uint("ET_AFH1", const.ET_AFH1, "Ethertype of AFH Gen 1")
sue.prefs.et_sue = Pref.uint("ET_SUE", const.ET_SUE, "Ethertype of AFH Gen 2, second Ethertype of AFH Gen 1")
sue.prefs.et_lite = Pref.uint("ET_LITE", const.ET_LITE, "Ethertype of SUE Lite")
sue.prefs.et_esun = Pref.uint("ET_ESUN", const.ET_ESUN, "Ethertype of ESUN")
sue.prefs.udp_port = Pref.uint("UDP port", const.UDP_PORT, "UDP destination port")

-- Lua before 5.3 has no operators for bits; Wireshark brings a library, or the language has them.
local bits = bit32 or bit or load([[return {
    bxor = function(a, b) return a ~ b end,
    band = function(a, b) return a & b end,
    rshift = function(a, n) return a >> n end,
}]])()

-- A 32-bit number without sign.
local function unsigned(value)
    return value % 0x100000000
end

-- A reflected CRC with its table of 256 entries.
local function crc_of(reflected, initial)
    local entries = {}
    for octet = 0, 255 do
        local register = octet
        for _ = 1, 8 do
            local carry = bits.band(register, 1) == 1
            register = bits.rshift(register, 1)
            if carry then
                register = bits.bxor(register, reflected)
            end
        end
        entries[octet] = unsigned(register)
    end
    -- The register after octets `first` to `last` of a string, before the final XOR.
    return function(octets, first, last)
        local register = initial
        for place = first, last do
            local entry = entries[bits.band(bits.bxor(register, octets:byte(place)), 0xFF)]
            register = unsigned(bits.bxor(bits.rshift(register, 8), entry))
        end
        return register
    end
end
local fcs_register = crc_of(const.FCS_REFLECTED, const.FCS_INITIAL)
local r_crc_register = crc_of(const.R_CRC_REFLECTED, const.R_CRC_INITIAL)

-- The octets of a buffer as a string.
local function octets_of(tvb)
    return tvb:len() > 0 and tvb:raw(0, tvb:len()) or ""
end

-- True if the capture has the whole frame that is being dissected; a part of a buffer does not know.
local is_frame_whole = true

-- True if there is room for a word.
local function has(tvb, at, word)
    return tvb:len() >= at + word.octets
end

-- The value of a field.
local function get(tvb, at, word, name)
    return tvb(at, word.octets):bitfield(word[name].bit, word[name].bits)
end

-- The fields of a word under a tree.
local function add_fields(tvb, tree, at, word)
    for _, row in ipairs(word) do
        local item = tree:add(row.field, tvb(at + row.at, row.octets))
        if row.inner then
            add_fields(tvb, item, at + row.at, row.inner)
        end
    end
end

-- A word as a subtree with its fields.
local function add_word(tvb, tree, at, word, label)
    local item = tree:add(sue, tvb(at, word.octets), label or word.name)
    add_fields(tvb, item, at, word)
    return item
end

-- A CRC with its verdict: the octet string before it, its register function, and what else may be there.
local function add_crc(tree, range, field, status_field, status, expected, complaint)
    local item = tree:add_le(field, range)
    if status == GOOD then
        item:append_text(" [correct]")
    elseif status == POISONED then
        item:append_text(" [inverted]")
    elseif status == BAD then
        item:append_text(string.format(" [incorrect, should be 0x%08x]", expected))
    else
        item:append_text(" [unverified]")
    end
    local verdict = tree:add(status_field, status)
    verdict:set_generated()
    if complaint and status ~= GOOD and status ~= UNVERIFIED then
        verdict:add_proto_expert_info(complaint)
    end
end
