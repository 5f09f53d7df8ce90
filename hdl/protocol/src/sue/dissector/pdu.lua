-- The sizes of a command, or what is wrong with it.
local function measure(tvb, at, last)
    local kind = get(tvb, at, part.command, "kind")
    local clen, dlen = get(tvb, at, part.command, "clen"), get(tvb, at, part.command, "dlen")
    local size = { kind = kind, control = const.UNIT_BYTES * clen, strobes = 0, data = 0 }
    if kind == const.KIND_END then
        return nil, "END with lengths: its whole header has to be 0"
    end
    if has_data[kind] then
        size.data = dlen + 1
    elseif dlen ~= 0 then
        return nil, "a data length in a command without data"
    end
    if kind == const.KIND_STROBES then
        size.strobes = math.floor((size.data + const.DATA_PER_STROBE_BYTE - 1) / const.DATA_PER_STROBE_BYTE)
    end
    local bare = part.command.octets + size.control + size.strobes + size.data
    size.padding = bare % const.UNIT_BYTES
    size.all = bare + size.padding
    if at + size.all > last then
        return nil, "the lengths of a command go past the end of the body", not is_frame_whole
    end
    return size
end

-- Adds octets, if there are any; gives the place after them.
local function add_octets(tvb, tree, field, at, octets)
    if octets > 0 then
        tree:add(field, tvb(at, octets))
    end
    return at + octets
end

-- A command as a subtree; gives its short name.
local function add_command(tvb, tree, at, size, is_cm)
    local name = values.command_type[size.kind] or "?"
    if size.kind == const.KIND_MESSAGE and size.control == 0 then
        name = "NOP"
    end
    local item = tree:add(f.command, tvb(at, size.all))
    item:set_text("Command: " .. name)
    add_fields(tvb, item, at, part.command)
    local place = at + part.command.octets
    if size.control > 0 then
        local control = item:add(f.control, tvb(place, size.control))
        if is_cm and size.kind == const.KIND_MESSAGE and size.control == part.cm.octets then
            add_fields(tvb, control, place, part.cm)
            name = values.cm_code[get(tvb, place, part.cm, "code")] or "unknown CM record"
            item:append_text(", " .. name)
        end
    end
    place = add_octets(tvb, item, f.strobes, place + size.control, size.strobes)
    if size.data > 0 then
        item:append_text(string.format(", %d data octets", size.data))
        item:add(f.data_bytes, tvb(at, part.command.octets), size.data):set_generated()
        name = string.format("%s %d", name, size.data)
    end
    place = add_octets(tvb, item, f.data, place, size.data)
    add_octets(tvb, item, f.padding, place, size.padding)
    if size.padding > 0 and tvb(place, 1):uint() ~= 0 then
        item:add_proto_expert_info(e.body, "Malformed body: the padding octet of a command is not 0")
    end
    return name
end

-- END and what follows it, which has to be zero.
local function add_end(tvb, tree, at, last)
    local item = tree:add(f.end_padding, tvb(at, last - at))
    local octets = tvb:raw(at, last - at)
    if octets:find("[^%z]") then
        item:add_proto_expert_info(e.body, "Malformed body: only zeros may follow END")
    end
end

-- The commands of a body, octets `at` to `last`; gives their names.
local function add_body(tvb, tree, at, last, is_cm)
    local names = {}
    local function complain(why, is_cut)
        if is_cut then
            names[#names + 1] = "cut by the capture"
            return names
        end
        tree:add_proto_expert_info(e.body, "Malformed body: " .. why)
        names[#names + 1] = "malformed"
        return names
    end
    while at < last do
        if last - at < part.command.octets then
            return complain("the body ends inside the header of a command", not is_frame_whole)
        end
        if tvb(at, part.command.octets):uint() == 0 then
            add_end(tvb, tree, at, last)
            return names
        end
        local size, why, is_cut = measure(tvb, at, last)
        if not size then
            add_word(tvb, tree, at, part.command)
            return complain(why, is_cut)
        end
        names[#names + 1] = add_command(tvb, tree, at, size, is_cm)
        at = at + size.all
    end
    return names
end

-- True if octets `first` (from 0) to the end of a string end with their R-CRC.
local function ends_with_r_crc(octets, first)
    return #octets - first >= part.rh.octets + const.CRC_BYTES
        and r_crc_register(octets, first + 1, #octets) == const.R_CRC_RESIDUE
end

-- R-CRC, the last octets of a PDU.
local function add_r_crc(tvb, tree)
    local octets, covered = octets_of(tvb), tvb:len() - const.CRC_BYTES
    local status = ends_with_r_crc(octets, 0) and GOOD or BAD
    local expected = unsigned(bits.bxor(r_crc_register(octets, 1, covered), const.R_CRC_FINAL_XOR))
    add_crc(tree, tvb(covered, const.CRC_BYTES), f.r_crc, f.r_crc_status, status, expected, e.r_crc)
    return status
end

-- What the columns say.
local function set_columns(pinfo, protocol, text, names)
    pinfo.cols.protocol = protocol
    pinfo.cols.info = #names > 0 and text .. ": " .. table.concat(names, ", ") or text
end

-- A PDU: reliability header, body, R-CRC.
local function dissect_pdu(tvb, pinfo, tree)
    local root = tree:add(sue, tvb(), "Scale-Up Ethernet, PDU")
    local least = part.rh.octets + (is_frame_whole and const.CRC_BYTES or 0)
    if tvb:len() < least then
        root:add_proto_expert_info(e.cut, "Too short for reliability header and R-CRC")
        set_columns(pinfo, "SUE", "PDU that is too short", {})
        return
    end
    local header = add_word(tvb, root, 0, part.rh)
    if get(tvb, 0, part.rh, "ver") ~= const.RH_VERSION then
        header:add_proto_expert_info(e.header, "Bad header: another version of the reliability header")
    end
    local op = get(tvb, 0, part.rh, "op")
    local last = is_frame_whole and tvb:len() - const.CRC_BYTES or tvb:len()
    local names = {}
    if last > part.rh.octets then
        local body = root:add(sue, tvb(part.rh.octets, last - part.rh.octets), "Body")
        names = add_body(tvb, body, part.rh.octets, last, op == const.OP_CM)
    end
    if #names == 0 then
        root:add(f.ack_only, true):set_generated()
    end
    local text = string.format("XPU %d, VC %d, PSN %d, %s %d", get(tvb, 0, part.rh, "xpuid"),
        get(tvb, 0, part.rh, "vc"), get(tvb, 0, part.rh, "npsn"), values.operation[op],
        get(tvb, 0, part.rh, "apsn"))
    if is_frame_whole then
        text = add_r_crc(tvb, root) == BAD and text .. ", bad R-CRC" or text
    else
        root:add(f.r_crc_status, UNVERIFIED):set_generated()
    end
    root:append_text(", " .. text)
    set_columns(pinfo, "SUE", text, names)
end

-- SUE Lite: a body alone.
local function dissect_lite(tvb, pinfo, tree)
    local root = tree:add(sue, tvb(), "SUE Lite, body")
    set_columns(pinfo, "SUE Lite", "SUE Lite", add_body(tvb, root, 0, tvb:len(), false))
end
