# SPDX-License-Identifier: MIT
"""What a published event is for the kernel: the name of its PMU, and the terms that select it."""
import re

from reading import TERM_OF_KEY, name_of, wrong

# Units whose PMU in sysfs has another name than uncore_ and the unit in small letters.
PMU_OF_UNIT = {
    "CBO": "uncore_cbox",
    "QPI LL": "uncore_qpi",
    "SBO": "uncore_sbox",
    "iMPH-U": "uncore_arb",
    "NCU": "uncore_cbox_0",
    "UPI LL": "uncore_upi",
    "ARB": "uncore_arb",
    "hisi_sicl,cpa": "hisi_sicl,cpa",
    "hisi_sccl,ddrc": "hisi_sccl,ddrc",
    "hisi_sccl,hha": "hisi_sccl,hha",
    "hisi_sccl,l3c": "hisi_sccl,l3c",
    "imx8_ddr": "imx8_ddr",
    "imx9_ddr": "imx9_ddr",
    "L3PMC": "amd_l3",
    "DFPMC": "amd_df",
    "UMCPMC": "amd_umc",
    "CPU-M-CF": "cpum_cf",
    "CPU-M-SF": "cpum_sf",
    "PAI-CRYPTO": "pai_crypto",
    "PAI-EXT": "pai_ext",
    "ali_drw": "ali_drw",
    "arm_cmn": "arm_cmn",
    "default_core": "",
    "software": "software",
    "tool": "tool",
    "hisi_sccl": "hisi_sccl",
    "arm_smmuv3_pmcg": "arm_smmuv3_pmcg",
    "smmuv3_pmcg": "smmuv3_pmcg",
}

# Events of fixed counters: the numbers in the vendor's files are not what the kernel takes.
FIXED = {
    "inst_retired.any": "event=0xc0",
    "inst_retired.any_p": "event=0xc0",
    "cpu_clk_unhalted.ref": "event=0x0,umask=0x03",
    "cpu_clk_unhalted.thread": "event=0x3c",
    "cpu_clk_unhalted.core": "event=0x3c",
    "cpu_clk_unhalted.thread_any": "event=0x3c,any=1",
}

# Registers that take a second number of the event, and the term for it.
TERM_OF_MSR = {0x3F6: "ldlat", 0x1A6: "offcore_rsp", 0x1A7: "offcore_rsp", 0x3F7: "frontend",
               0x3E0: "offcore_rsp"}
NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")


def number_text(path, line, obj, key):
    """The first of "0xb7, 0xbb" as it is written; "" where the key says nothing."""
    word = obj.get(key, "").split(",")[0].strip()
    if word and (not NUMBER.fullmatch(word) or number_of(word) >> 64):
        wrong(path, line, f"{name_of(obj)}'{obj[key]}' of '{key}' is not a number")
    return word


def number_of(word):
    return int(word, 16 if word[:2] in ("0x", "0X") else 10) if word else 0


def number(path, line, obj, key):
    return number_of(number_text(path, line, obj, key))


def code_of(path, line, obj):
    """The term for the event's number."""
    for key, term in (("ConfigCode", "config"), ("LegacyConfigCode", "legacy-hardware-config"),
                      ("EventidCode", "eventid")):
        if key in obj:
            return f"{term}={number(path, line, obj, key):#x}"
    code = number(path, line, obj, "EventCode")
    more = number_text(path, line, obj, "ExtSel")
    return f"event={code | int(more or '0', 16) << 8:#x}"


def numbers_of(path, line, obj):
    terms = []
    for key, term in TERM_OF_KEY:
        if key not in obj and (key != "UMask" or "UMaskExt" not in obj):
            continue
        text = number_text(path, line, obj, key)
        more = number(path, line, obj, "UMaskExt") if key == "UMask" else 0
        if more:
            terms.append(f"{term}={more << 8 | number_of(text):#x}")
        elif number_of(text):
            terms.append(f"{term}={text}")
    return terms


def terms_of(path, line, obj):
    """The words between the slashes that select the event."""
    name = obj["EventName"].lower()
    terms = [code_of(path, line, obj)] + numbers_of(path, line, obj)
    if name in FIXED:
        return ",".join([FIXED[name]] + [t for t in terms if t.startswith("period=")])
    filter_ = obj.get("Filter", "").strip()
    if filter_ and filter_.lower() != "na":
        if "=" not in filter_:
            wrong(path, line, f"{name_of(obj)}the filter '{filter_}' is not a term")
        terms.append(filter_)
    msr = number(path, line, obj, "MSRIndex") if "MSRIndex" in obj else 0
    if msr:
        if msr not in TERM_OF_MSR:
            wrong(path, line, f"{name_of(obj)}register {msr:#x} of 'MSRIndex' has no term")
        value = number_text(path, line, obj, "MSRValue")
        terms.append(f"{TERM_OF_MSR[msr]}={value or '0'}")
    return ",".join(terms)


def pmu_of(obj):
    unit = obj.get("Unit")
    if not unit:
        return ""
    if unit in PMU_OF_UNIT:
        return PMU_OF_UNIT[unit]
    return unit if unit.startswith(("uncore_", "cpu_")) else "uncore_" + unit.lower()


def said(obj, key):
    """What a key says, where it says something."""
    value = obj.get(key, "").strip()
    return "" if value.lower() in ("0", "na", "null") else value
