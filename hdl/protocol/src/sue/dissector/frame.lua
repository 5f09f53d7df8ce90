-- The Ethertype of the frame that is being dissected, for what is called after it.
local current_ethertype = const.ET_AFH1

-- Behind the Ethertypes of AFH Gen 1 and ESUN, which Ethernet and 802.1Q look up.
local sue_ethertype = Proto("sue_ethertype", "Scale-Up Ethernet after an Ethertype")
function sue_ethertype.dissector(tvb, pinfo, tree)
    if tvb:len() > 0 then
        local dissect = is_esun(tvb, current_ethertype) and dissect_esun or dissect_gen1
        dissect(tvb, pinfo, tree)
    end
    return tvb:len()
end

-- Behind UDP.
function sue.dissector(tvb, pinfo, tree)
    if tvb:len() > 0 then
        dissect_pdu(tvb, pinfo, tree)
    end
    return tvb:len()
end

-- True if one of these Ethertypes is the given one.
local function is_one_of(ethertype, first, second, third)
    return ethertype == first or ethertype == second or ethertype == third
end

-- True if octet 0 has a compressed key and the Ethertype after six octets is ours.
local function is_compressed(tvb)
    local at = part.afh2c.octets
    if not has(tvb, at, part.ethertype) or get(tvb, 0, part.key, "w") ~= 1 then
        return false
    end
    local ethertype = get(tvb, at, part.ethertype, "value")
    return is_one_of(ethertype, sue.prefs.et_sue, sue.prefs.et_lite)
end

-- The Ethertype of ours after 12 octets of addresses and maybe a tag.
local function find_ethertype(tvb)
    local at = part.afh2.octets
    if not has(tvb, at, part.ethertype) then
        return nil
    end
    local prefs, is_tagged = sue.prefs, false
    local ethertype = get(tvb, at, part.ethertype, "value")
    if ethertype == const.TAG_TPID and has(tvb, at + part.tag.octets, part.ethertype) then
        ethertype = get(tvb, at + part.tag.octets, part.ethertype, "value")
        is_tagged = true
    end
    if is_one_of(ethertype, prefs.et_afh1, prefs.et_sue, prefs.et_esun) then
        return ethertype, is_tagged
    end
    return nil
end

-- True if the 12 octets in the place of addresses are AFH Gen 2. MAC addresses made of the configuration begin alike at both
-- ends, up to the FID; AFH Gen 2 has TC and entropy there, and the hop count in octet 6.
local function is_afh2(tvb, ethertype, is_tagged)
    if is_tagged or ethertype ~= sue.prefs.et_sue then
        return false
    end
    if sue.prefs.format ~= AUTO then
        return sue.prefs.format == GEN2
    end
    local key, half = get(tvb, 0, part.afh2, "key"), part.da.octets
    local is_key = key - get(tvb, 0, part.key, "m") == const.KEY_NORMAL
        and get(tvb, 0, part.afh2, "source_key") == const.SOURCE_KEY
        and get(tvb, 0, part.afh2, "reserved") == 0 and get(tvb, 0, part.afh2, "source_reserved") == 0
    local alike = part.da.fid.at
    local is_mac = get(tvb, half, part.sa, "prefix") == const.MAC_PREFIX
        and tvb:raw(0, alike) == tvb:raw(half, alike)
    return is_key and not is_mac
end

-- Whether a frame with a header of so many octets ends with its FCS, and what the FCS says. `ends_in_r_crc` tells it where
-- the FCS is wrong or missing.
local function judge_fcs(tvb, header, ends_in_r_crc)
    local octets = octets_of(tvb)
    if not is_frame_whole or #octets < header + const.CRC_BYTES or sue.prefs.fcs == ABSENT then
        return nil
    end
    local residue = fcs_register(octets, 1, #octets)
    if residue == const.FCS_RESIDUE then
        return GOOD
    elseif residue == const.FCS_POISON_RESIDUE then
        return POISONED
    elseif sue.prefs.fcs == AUTO and ends_in_r_crc(octets) then
        return nil
    end
    return BAD
end

-- The frame without its FCS, and a function that shows the FCS.
local function split_fcs(tvb, header, ends_in_r_crc)
    local status = judge_fcs(tvb, header, ends_in_r_crc)
    if not status then
        return tvb, function() end
    end
    local covered = tvb:len() - const.CRC_BYTES
    return tvb(0, covered):tvb(), function(tree)
        local expected = unsigned(bits.bxor(fcs_register(octets_of(tvb), 1, covered), const.FCS_FINAL_XOR))
        local root = tree:add(sue, tvb(covered, const.CRC_BYTES), "Scale-Up Ethernet, FCS")
        add_crc(root, tvb(covered, const.CRC_BYTES), f.fcs, f.fcs_status, status, expected,
            status == POISONED and e.poisoned or e.fcs)
    end
end

-- The FIDs in MAC addresses that are made of the configuration.
local function add_addresses(tvb, tree)
    local root = tree:add(sue, tvb(0, part.da.octets + part.sa.octets), "Scale-Up Ethernet, addresses")
    add_word(tvb, root, 0, part.da, "Destination")
    add_word(tvb, root, part.da.octets, part.sa, "Source")
end

-- A frame that is not ours goes to Wireshark's own dissector of Ethernet.
local function dissect_ethernet(tvb, pinfo, tree)
    local name = "eth_maybefcs"
    if sue.prefs.fcs == ABSENT then
        name = "eth_withoutfcs"
    elseif sue.prefs.fcs == PRESENT or judge_fcs(tvb, 1, function() return true end) then
        name = "eth_withfcs"
    end
    call(name, tvb, pinfo, tree)
end

-- In the place of Ethernet: a compressed header has its Ethertype where Ethernet has the source address.
local sue_frame = Proto("sue_frame", "Scale-Up Ethernet or Ethernet")
function sue_frame.dissector(tvb, pinfo, tree)
    is_frame_whole = tvb:len() == tvb:reported_len()
    if is_compressed(tvb) then
        local at = part.afh2c.octets + part.ethertype.octets
        local frame, add_fcs = split_fcs(tvb, at, function(octets) return ends_with_r_crc(octets, at) end)
        dissect_compressed(frame, pinfo, tree)
        add_fcs(tree)
        return
    end
    local ethertype, is_tagged = find_ethertype(tvb)
    if not ethertype then
        dissect_ethernet(tvb, pinfo, tree)
        return
    end
    local at = part.afh2.octets + part.ethertype.octets + (is_tagged and part.tag.octets or 0)
    local frame, add_fcs = split_fcs(tvb, at, function(octets)
        local rest = after(tvb, at)
        return rest and (ends_with_r_crc(octets, at + gen1_places(rest))
            or ends_with_r_crc(octets, at + part.esun.octets)
            or internet_after(rest, part.esun.octets) ~= nil)
    end)
    if is_afh2(frame, ethertype, is_tagged) then
        dissect_afh2(frame, pinfo, tree)
    else
        current_ethertype = ethertype
        add_addresses(frame, tree)
        call("eth_withoutfcs", frame, pinfo, tree)
    end
    add_fcs(tree)
end

-- Ports and Ethertypes follow the settings.
local registered = {}
local function register()
    for _, entry in ipairs(registered) do
        entry.table:remove(entry.number, entry.proto)
    end
    registered = {}
    local function add(name, number, proto)
        local entry = { table = DissectorTable.get(name), number = number, proto = proto }
        entry.table:add(number, proto)
        registered[#registered + 1] = entry
    end
    add("udp.port", sue.prefs.udp_port, sue)
    local seen = {}
    for _, ethertype in ipairs({ sue.prefs.et_afh1, sue.prefs.et_sue, sue.prefs.et_esun }) do
        if not seen[ethertype] then
            add("ethertype", ethertype, sue_ethertype)
            seen[ethertype] = true
        end
    end
end
sue.prefs_changed = register
register()
DissectorTable.get("wtap_encap"):add(wtap.ETHERNET, sue_frame)
