-- Complains about a field that has another value than the only one it may have.
local function expect(tvb, tree, at, word, name, wanted)
    local found = get(tvb, at, word, name)
    if found ~= wanted then
        tree:add_proto_expert_info(e.header,
            string.format("Bad header: %s of %s is 0x%x, not 0x%x", name, word.name, found, wanted))
    end
end

-- The rest of a buffer as a buffer of its own.
local function after(tvb, at)
    return tvb:len() > at and tvb(at):tvb() or nil
end

-- Hands a buffer to one of Wireshark's own dissectors, which ends in an error where a frame is too short for it.
local function call(name, tvb, pinfo, tree)
    if not pcall(function() Dissector.get(name):call(tvb, pinfo, tree) end) then
        tree:add(sue, tvb(), "Scale-Up Ethernet"):add_proto_expert_info(e.cut, "Too short: malformed frame")
    end
end

-- Passes what is after a header on; nothing if the frame ends there.
local function pass(dissect, tvb, at, pinfo, tree)
    local rest = after(tvb, at)
    if rest then
        dissect(rest, pinfo, tree)
    else
        tree:add_proto_expert_info(e.cut, "Too short: the frame ends after its header")
    end
end

-- AFH Gen 2 with all of its 12 octets.
local function dissect_afh2(tvb, pinfo, tree)
    local word, at = part.afh2, part.afh2.octets
    local root = add_word(tvb, tree, 0, word)
    root:add(f.format, "AFH Gen 2, 12 B"):set_generated()
    expect(tvb, root, 0, word, "key", const.KEY_NORMAL)
    expect(tvb, root, 0, word, "source_key", const.SOURCE_KEY)
    expect(tvb, root, 0, word, "reserved", 0)
    expect(tvb, root, 0, word, "source_reserved", 0)
    add_fields(tvb, root, at, part.ethertype)
    pass(dissect_pdu, tvb, at + part.ethertype.octets, pinfo, tree)
end

-- AFH Gen 2 with six octets, and SUE Lite.
local function dissect_compressed(tvb, pinfo, tree)
    local word, at = part.afh2c, part.afh2c.octets
    local root = add_word(tvb, tree, 0, word)
    expect(tvb, root, 0, word, "key", const.KEY_COMPRESSED)
    add_fields(tvb, root, at, part.ethertype)
    local is_lite = get(tvb, at, part.ethertype, "value") == sue.prefs.et_lite
        and sue.prefs.et_lite ~= sue.prefs.et_sue
    root:add(f.format, is_lite and "SUE Lite" or "AFH Gen 2, 6 B"):set_generated()
    pass(is_lite and dissect_lite or dissect_pdu, tvb, at + part.ethertype.octets, pinfo, tree)
end

-- Where the reliability header of AFH Gen 1 is, and where the shim is, if there is one.
local function gen1_places(tvb)
    local at, shim = 0, nil
    if has(tvb, at, part.ethertype) and get(tvb, at, part.ethertype, "value") == sue.prefs.et_sue then
        at = at + part.ethertype.octets
    end
    local second = at
    if has(tvb, at, part.shim) and get(tvb, at, part.shim, "version") == const.SHIM_VERSION then
        shim = at
        at = at + part.shim.octets
    end
    return at, second, shim
end

-- AFH Gen 1 after its Ethertype.
local function dissect_gen1(tvb, pinfo, tree)
    local at, second, shim = gen1_places(tvb)
    local root = tree:add(sue, tvb(0, at), "AFH Gen 1")
    root:add(f.format, shim and "AFH Gen 1, shim" or "AFH Gen 1"):set_generated()
    if second > 0 then
        add_fields(tvb, root, 0, part.ethertype)
    end
    if shim then
        local item = add_word(tvb, root, shim, part.shim)
        expect(tvb, item, shim, part.shim, "words", const.SHIM_WORDS)
        expect(tvb, item, shim, part.shim, "reserved", 0)
        expect(tvb, item, shim, part.shim, "next", const.SHIM_NEXT_RH)
        if is_frame_whole then
            expect(tvb, item, shim, part.shim, "pdu_bytes", tvb:len() - at)
        end
    end
    pass(dissect_pdu, tvb, at, pinfo, tree)
end

-- The name of the dissector of the IP packet after an ESUN header, if its lengths say that there is one.
local function internet_after(tvb, at)
    local octets = tvb:len() - at
    local function fits(length)
        return length == octets or (not is_frame_whole and length > octets)
    end
    if has(tvb, at, part.ipv4) and get(tvb, at, part.ipv4, "version") == const.IPV4_VERSION
        and get(tvb, at, part.ipv4, "ihl") == const.IPV4_IHL
        and fits(get(tvb, at, part.ipv4, "total_length")) then
        return "ip"
    end
    if has(tvb, at, part.ipv6) and get(tvb, at, part.ipv6, "version") == const.IPV6_VERSION
        and fits(get(tvb, at, part.ipv6, "payload_length") + const.IPV6_BYTES) then
        return "ipv6"
    end
    return nil
end

-- ESUN after its Ethertype.
local function dissect_esun(tvb, pinfo, tree)
    local word = part.esun
    if not has(tvb, 0, word) then
        tree:add(sue, tvb(), "ESUN"):add_proto_expert_info(e.cut, "Too short for an ESUN header")
        return
    end
    local root = add_word(tvb, tree, 0, word)
    root:add(f.format, "ESUN"):set_generated()
    expect(tvb, root, 0, word, "rev", const.ESUN_REVISION)
    local internet = internet_after(tvb, word.octets)
    if internet then
        call(internet, after(tvb, word.octets), pinfo, tree)
    else
        pass(dissect_pdu, tvb, word.octets, pinfo, tree)
    end
end

-- True if what is after this Ethertype is ESUN and not AFH Gen 1.
local function is_esun(tvb, ethertype)
    local prefs = sue.prefs
    if ethertype ~= prefs.et_esun or prefs.format == GEN1 then
        return false
    end
    if prefs.format == ESUN or (ethertype ~= prefs.et_afh1 and ethertype ~= prefs.et_sue) then
        return true
    end
    local octets = octets_of(tvb)
    if ends_with_r_crc(octets, (gen1_places(tvb))) then
        return false
    end
    return ends_with_r_crc(octets, part.esun.octets) or internet_after(tvb, part.esun.octets) ~= nil
end
