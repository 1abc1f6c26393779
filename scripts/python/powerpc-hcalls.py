# SPDX-License-Identifier: MIT
# description: calls of the hypervisor of POWER machines, with their times
# args:
# record: -e {powerpc:hcall_entry,powerpc:hcall_exit}
from Util import nsecs

# By the number divided by 4, from the platform's specification (PAPR). -N stands for N without a name.
_NAMES = """
	-1 H_REMOVE H_ENTER H_READ H_CLEAR_MOD H_CLEAR_REF H_PROTECT H_GET_TCE H_PUT_TCE H_SET_SPRG0
	H_SET_DABR H_PAGE_INIT H_SET_ASR H_ASR_ON H_ASR_OFF H_LOGICAL_CI_LOAD H_LOGICAL_CI_STORE
	H_LOGICAL_CACHE_LOAD H_LOGICAL_CACHE_STORE H_LOGICAL_ICBI H_LOGICAL_DCBF H_GET_TERM_CHAR
	H_PUT_TERM_CHAR H_REAL_TO_LOGICAL H_HYPERVISOR_DATA H_EOI H_CPPR H_IPI H_IPOLL H_XIRR
	H_MIGRATE_DMA H_PERFMON -23 H_REGISTER_VPA H_CEDE H_CONFER H_PROD H_GET_PPP H_SET_PPP H_PURR
	H_PIC H_REG_CRQ H_FREE_CRQ H_VIO_SIGNAL H_SEND_CRQ -1 H_COPY_RDMA H_REGISTER_LOGICAL_LAN
	H_FREE_LOGICAL_LAN H_ADD_LOGICAL_LAN_BUFFER H_SEND_LOGICAL_LAN H_BULK_REMOVE -2
	H_MULTICAST_CTRL H_SET_XDABR H_STUFF_TCE H_PUT_TCE_INDIRECT -3 H_CHANGE_LOGICAL_LAN_MAC
	H_VTERM_PARTNER_INFO H_REGISTER_VTERM H_FREE_VTERM H_RESET_EVENTS H_ALLOC_RESOURCE
	H_FREE_RESOURCE H_MODIFY_QP H_QUERY_QP H_REREGISTER_PMR H_REGISTER_SMR H_QUERY_MR H_QUERY_MW
	H_QUERY_HCA H_QUERY_PORT H_MODIFY_PORT H_DEFINE_AQP1 H_GET_TRACE_BUFFER H_DEFINE_AQP0
	H_RESIZE_MR H_ATTACH_MCQP H_DETACH_MCQP H_CREATE_RPT H_REMOVE_RPT H_REGISTER_RPAGES
	H_DISABLE_AND_GETC H_ERROR_DATA H_GET_HCA_INFO H_GET_PERF_COUNT H_MANAGE_TRACE -4
	H_FREE_LOGICAL_LAN_BUFFER H_POLL_PENDING -2 H_QUERY_INT_STATE -23 H_ILLAN_ATTRIBUTES -2
	H_MODIFY_HEA_QP H_QUERY_HEA_QP H_QUERY_HEA H_QUERY_HEA_PORT H_MODIFY_HEA_PORT H_REG_BCMC
	H_DEREG_BCMC H_REGISTER_HEA_RPAGES H_DISABLE_AND_GET_HEA H_GET_HEA_INFO H_ALLOC_HEA_RESOURCE
	-2 H_ADD_CONN H_DEL_CONN -3 H_JOIN -2 H_VASI_STATE -2 H_ENABLE_CRQ -1 H_GET_EM_PARMS -5
	H_SET_MPP H_GET_MPP -5 H_HOME_NODE_ASSOCIATIVITY -1 H_BEST_ENERGY -1 H_XIRR_X H_RANDOM H_COP
	-3 H_GET_MPP_X -1 H_SET_MODE
"""
_RTAS = 61440
FORM = "%-28s%10s%10s%10s%10s"


def table(words):
	names, number = {_RTAS: "H_RTAS"}, 0
	for word in words.split():
		if word[0] == "-":
			number -= 4 * int(word)
		else:
			names[number] = word
			number += 4
	return names


names = table(_NAMES)
entered = {}  # (cpu, opcode): when
times = {}    # opcode: number of calls, smallest, largest and sum of their times


def powerpc__hcall_entry(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, opcode):
	entered[common_cpu, opcode] = nsecs(common_secs, common_nsecs)


def powerpc__hcall_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
		common_callchain, opcode, *rest):
	since = entered.pop((common_cpu, opcode), None)
	if since is not None:
		spent = nsecs(common_secs, common_nsecs) - since
		count, low, high, total = times.get(opcode, (0, spent, spent, 0))
		times[opcode] = (count + 1, min(low, spent), max(high, spent), total + spent)


def trace_end():
	print(FORM % ("hcall", "count", "min(ns)", "max(ns)", "avg(ns)"))
	print("-" * 68)
	for opcode, (count, low, high, total) in times.items():
		print(FORM % (names.get(opcode, opcode), count, low, high, total // count))
