/* SPDX-License-Identifier: MIT */
/* Event words that are accepted, and the attrs that they become, on several kinds of machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "pmu_fixture.h"

struct accepted {
	const char *machine, *words, *events;
};

/* perf 6.1 makes the same attrs and names of these words on the same machine. */
static const struct accepted like_perf[] = {
	{"none", "cycles", "cycles 0:0 -G"},
	{"none", "cpu-cycles", "cpu-cycles 0:0 -G"},
	{"none", "cycles:u", "cycles:u 0:0 -khG"},
	{"none", "cycles:uk", "cycles:uk 0:0 -hG"},
	{"none", "cycles:pp", "cycles:pp 0:0 -G p2"},
	{"none", "cycles:P", "cycles:P 0:0 - p3 P"},
	{"none", "cycles:uP", "cycles:uP 0:0 -khG p3 P"},
	{"none", "cycles:G", "cycles:G 0:0 -H"},
	{"none", "cycles:H", "cycles:H 0:0 -G"},
	{"none", "cycles:GH", "cycles:GH 0:0 -"},
	{"none", "cycles:upp", "cycles:upp 0:0 -khG p2"},
	{"none", "cycles:I", "cycles:I 0:0 -I"},
	{"none", "cycles:D", "cycles:D 0:0 - pinned"},
	{"none", "cycles:e", "cycles:e 0:0 - exclusive"},
	{"none", "cycles:k", "cycles:k 0:0 -uh"},
	{"none", "cycles:h", "cycles:h 0:0 -uk"},
	{"none", "r1a8", "r1a8 4:1a8 -G"},
	{"none", "1:0", "1:0 1:0 -G"},
	{"none", "L1-dcache-load-misses", "L1-dcache-load-misses 3:10000 -G"},
	{"none", "l1d", "l1d 3:0 -G"},
	{"none", "cs", "cs 1:3 -G"},
	{"none", "mem:0x1000", "mem:0x1000 5:0 1=1000 2=4 bp=3 -G"},
	{"none", "mem:0x1000:rw:u", "mem:0x1000:rw:u 5:0 1=1000 2=4 bp=3 -khG"},
	{"none", "mem:0x1000:x", "mem:0x1000:x 5:0 1=1000 2=8 bp=4 -G"},
	{"none", "{cycles,instructions}", "cycles 0:0 -G g1\ninstructions 0:1 -G g1"},
	{"none", "{cycles,instructions}:u", "cycles 0:0 -khG g1\ninstructions 0:1 -khG g1"},
	{"none", "{cycles:k,instructions:u}:p",
	 "cycles:k 0:0 -uhG p1 g1\ninstructions:u 0:1 -khG p1 g1"},
	{"none", "g1{cycles,instructions}:S", "cycles 0:0 -G g1{g1} S\ninstructions 0:1 -G g1 S"},
	{"none", "cycles,instructions", "cycles 0:0 -G\ninstructions 0:1 -G"},
	{"none", "{cycles,instructions},cs", "cycles 0:0 -G g1\ninstructions 0:1 -G g1\ncs 1:3 -G"},
	{"none", "{cycles:pp,instructions}:D",
	 "cycles:pp 0:0 -G pinned p2 g1\ninstructions 0:1 -G g1"},
	{"none", "{cycles,instructions}:W", "cycles 0:0 -G g1 W\ninstructions 0:1 -G g1 W"},
	{"none", "{cycles}", "cycles 0:0 -G"},
	{"none", "cycles ", "cycles 0:0 -G"},
	{"none", "cycles:", "cycles: 0:0 -G"},
	{"none", "cycles:ppp", "cycles:ppp 0:0 -G p3"},
	{"none", "cycles:pP", "cycles:pP 0:0 -G p3 P"},
	{"none", "cycles:SDIeuW", "cycles:SDIeuW 0:0 -khIG pinned exclusive S W"},
	{"none", "cycles:W", "cycles:W 0:0 - W"},
	{"none", "cycles:S", "cycles:S 0:0 - S"},
	{"none", "cycles/period=1000/", "cycles/period=1000/ 0:0 -G period=1000"},
	{"none", "cycles/freq=100/u", "cycles/freq=100/u 0:0 -khG freq=100"},
	{"none", "cycles/config=1/", "cycles/config=1/ 0:1 -G"},
	{"none", "cycles/name=x/", "x 0:0 -G"},
	{"none", "cycles/call-graph=dwarf,stack-size=1001,name=x/", "x 0:0 -G cg=2 stack=1008"},
	{"none", "cycles/call-graph=no,max-stack=5,name=x/", "x 0:0 -G cg=0 frames=5"},
	{"none", "cycles/call-graph=fp,name=x/", "x 0:0 -G cg=1"},
	{"none", "cycles/call-graph=lbr,name=x/", "x 0:0 -G cg=3"},
	{"none", "cycles/time,inherit=0,name=x/", "x 0:0 -G time no-inherit"},
	{"none", "cycles/time=0,no-inherit=0,name=x/", "x 0:0 -G no-time inherit"},
	{"none", "cycles/overwrite,no-inherit,name=x/", "x 0:0 -G no-inherit overwrite"},
	{"none", "cycles/no-overwrite,aux-output,name=x/", "x 0:0 -G no-overwrite aux-output"},
	{"none", "cycles/branch_type=any_call,name=x/", "x 0:0 -G br=10"},
	{"none", "cycles/branch_type='u,cond',name=x/", "x 0:0 -G br=401"},
	{"none", "cycles/branch_type=k,name=x/", "x 0:0 -G br=a"},
	{"none", "sched:sched_switch/call-graph=fp,name=x/", "x 2:13a -G cg=1"},
	{"none", "idle-cycles-frontend", "idle-cycles-frontend 0:7 -G"},
	{"none", "stalled-cycles-backend:u", "stalled-cycles-backend:u 0:8 -khG"},
	{"none", "faults", "faults 1:2 -G"},
	{"none", "cgroup-switches", "cgroup-switches 1:b -G"},
	{"none", "dummy", "dummy 1:9 -G"},
	{"none", "bpf-output", "bpf-output 1:a -G"},
	{"none", "dummy:u", "dummy:u 1:9 -khG"},
	{"none", "page-faults:k", "page-faults:k 1:2 -uh"},
	{"none", "L1-dcache", "L1-dcache 3:0 -G"},
	{"none", "l1-d", "l1-d 3:0 -G"},
	{"none", "L1-data", "L1-data 3:0 -G"},
	{"none", "L1-dcache-loads", "L1-dcache-loads 3:0 -G"},
	{"none", "L1-dcache-load", "L1-dcache-load 3:0 -G"},
	{"none", "L1-dcache-read", "L1-dcache-read 3:0 -G"},
	{"none", "L1-dcache-read-miss", "L1-dcache-read-miss 3:10000 -G"},
	{"none", "L1-dcache-store-misses", "L1-dcache-store-misses 3:10100 -G"},
	{"none", "L1-dcache-prefetch-misses", "L1-dcache-prefetch-misses 3:10200 -G"},
	{"none", "l1i-loads", "l1i-loads 3:1 -G"},
	{"none", "L1-icache-prefetch", "L1-icache-prefetch 3:201 -G"},
	{"none", "LLC", "LLC 3:2 -G"},
	{"none", "L2", "L2 3:2 -G"},
	{"none", "L2-misses", "L2-misses 3:10002 -G"},
	{"none", "LLC-refs", "LLC-refs 3:2 -G"},
	{"none", "d-tlb-misses", "d-tlb-misses 3:10003 -G"},
	{"none", "Data-TLB-store-misses", "Data-TLB-store-misses 3:10103 -G"},
	{"none", "branch", "branch 3:5 -G"},
	{"none", "bpu", "bpu 3:5 -G"},
	{"none", "bpc-load-misses", "bpc-load-misses 3:10005 -G"},
	{"none", "branch-loads", "branch-loads 3:5 -G"},
	{"none", "node", "node 3:6 -G"},
	{"none", "node-stores", "node-stores 3:106 -G"},
	{"none", "node-prefetch-misses", "node-prefetch-misses 3:10206 -G"},
	{"none", "L1-dcache-loads-refs", "L1-dcache-loads-refs 3:0 -G"},
	{"none", "L1-dcache-misses-loads", "L1-dcache-misses-loads 3:10000 -G"},
	{"none", "L1-dcache-speculative-read", "L1-dcache-speculative-read 3:200 -G"},
	{"none", "branches", "branches 0:4 -G"},
	{"none", "branch-misses", "branch-misses 0:5 -G"},
	{"none", "r1", "r1 4:1 -G"},
	{"none", "r1A8", "r1A8 4:1a8 -G"},
	{"none", "r1a8:u", "r1a8:u 4:1a8 -khG"},
	{"none", "r1a8/period=5/", "r1a8/period=5/ 4:1a8 -G period=5"},
	{"none", "rffffffffffffffff", "rffffffffffffffff 4:ffffffffffffffff -G"},
	{"none", "4:0x1a8", "4:0x1a8 4:1a8 -G"},
	{"none", "4:07", "4:07 4:7 -G"},
	{"none", "1:0:u", "1:0:u 1:0 -khG"},
	{"none", "0:0/name=x/", "x 0:0 -G"},
	{"none", "4:5/period=7/", "4:5/period=7/ 4:5 -G period=7"},
	{"none", "9:1", "9:1 9:1 -G"},
	{"none", "99:1", "99:1 99:1 -G"},
	{"none", "mem:0x1000:rwx", "mem:0x1000:rwx 5:0 1=1000 2=4 bp=7 -G"},
	{"none", "mem:1000:w", "mem:1000:w 5:0 1=3e8 2=4 bp=2 -G"},
	{"none", "mem:0x1000:wr:u", "mem:0x1000:wr:u 5:0 1=1000 2=4 bp=3 -khG"},
	{"none", "mem:0x1000:u", "mem:0x1000:u 5:0 1=1000 2=4 bp=3 -khG"},
	{"none", "cycles:u,cs:k", "cycles:u 0:0 -khG\ncs:k 1:3 -uh"},
	{"none", "cycles:uG", "cycles:uG 0:0 -khH"},
	{"none", "cycles:Gu", "cycles:Gu 0:0 -khH"},
	{"none", "cycles:Hpp", "cycles:Hpp 0:0 -G p2"},
	{"none", "cycles:kH", "cycles:kH 0:0 -uhG"},
	{"none", "cycles:ukh", "cycles:ukh 0:0 -G"},
	{"none", "cycles:Ip", "cycles:Ip 0:0 -IG p1"},
	{"none", "{cycles:G,instructions}:u", "cycles:G 0:0 -khH g1\ninstructions 0:1 -khG g1"},
	{"none", "{cycles:u,instructions}:k", "cycles:u 0:0 -hG g1\ninstructions 0:1 -uhG g1"},
	{"none", "{cycles:p,instructions}:p", "cycles:p 0:0 -G p2 g1\ninstructions 0:1 -G p1 g1"},
	{"none", "{cycles:D,instructions:D}",
	 "cycles:D 0:0 - pinned g1\ninstructions:D 0:1 - pinned g1"},
	{"none", "{cycles,instructions:e}:e",
	 "cycles 0:0 -G exclusive g1\ninstructions:e 0:1 - exclusive g1"},
	{"none", "{cs,faults:u}:H", "cs 1:3 -G g1\nfaults:u 1:2 -khG g1"},
	{"none", "task-clock:uS", "task-clock:uS 1:1 -khG S"},
	{"none", "{cycles,cs}:SW", "cycles 0:0 -G g1 S W\ncs 1:3 -G g1 S W"},
	{"none", "context-switches", "context-switches 1:3 -G"},
	{"none", "cpu-migrations", "cpu-migrations 1:4 -G"},
	{"none", "migrations", "migrations 1:4 -G"},
	{"none", "minor-faults", "minor-faults 1:5 -G"},
	{"none", "major-faults", "major-faults 1:6 -G"},
	{"none", "alignment-faults", "alignment-faults 1:7 -G"},
	{"none", "emulation-faults", "emulation-faults 1:8 -G"},
	{"none", "cpu-clock", "cpu-clock 1:0 -G"},
	{"none", "task-clock", "task-clock 1:1 -G"},
	{"none", "ref-cycles", "ref-cycles 0:9 -G"},
	{"none", "bus-cycles", "bus-cycles 0:6 -G"},
	{"none", "cache-references", "cache-references 0:2 -G"},
	{"none", "cache-misses", "cache-misses 0:3 -G"},
	{"none", "branch-instructions", "branch-instructions 0:4 -G"},
	{"none", "stalled-cycles-frontend", "stalled-cycles-frontend 0:7 -G"},
	{"none", "idle-cycles-backend", "idle-cycles-backend 0:8 -G"},
	{"x86", "cpu/event=0x3c,umask=1/", "cpu/event=0x3c,umask=1/ 4:13c -G @cpu"},
	{"x86", "cpu/cpu-cycles/", "cpu/cpu-cycles/ 4:3c -G @cpu"},
	{"x86", "cpu/cpu-cycles/u", "cpu/cpu-cycles/u 4:3c -khG @cpu"},
	{"x86", "cpu/mem-loads/", "cpu/mem-loads/ 4:1cd 1=3 -G @cpu"},
	{"x86", "cpu/split=0xfff/", "cpu/split=0xfff/ 4:f000000ff -G @cpu"},
	{"x86", "cpu/event=0x3c,edge/", "cpu/event=0x3c,edge/ 4:4003c -G @cpu"},
	{"x86", "cpu/config=5,config1=6,config2=7/",
	 "cpu/config=5,config1=6,config2=7/ 4:5 1=6 2=7 -G @cpu"},
	{"x86", "cpu/event=1,period=1000/", "cpu/event=1,period=1000/ 4:1 -G period=1000 @cpu"},
	{"x86", "cpu/event=1,freq=99/u", "cpu/event=1,freq=99/u 4:1 -khG freq=99 @cpu"},
	{"x86", "cpu/event=1,name=foo/", "foo 4:1 -G @cpu"},
	{"x86", "cpu/r1a8/", "cpu/r1a8/ 4:1a8 -G @cpu"},
	{"x86", "cpu/r0x1a8/", "cpu/r0x1a8/ 4:1a8 -G @cpu"},
	{"x86", "msr/tsc/", "msr/tsc/ 9:0 -G @msr"},
	{"x86", "uncore_imc/cas_count_read/",
	 "uncore_imc/cas_count_read/ 20:304 -G @uncore_imc_0#0\nuncore_imc/cas_count_read/ 21:304 "
	 "-G @uncore_imc_1#0"},
	{"x86", "imc/cas_count_read/",
	 "imc/cas_count_read/ 20:304 -G @uncore_imc_0#0\nimc/cas_count_read/ 21:304 -G "
	 "@uncore_imc_1#0"},
	{"x86", "uncore_imc_0/cas_count_read/",
	 "uncore_imc_0/cas_count_read/ 20:304 -G @uncore_imc_0#0"},
	{"x86", "intel_pt/tsc,noretcomp=0/u", "intel_pt/tsc,noretcomp=0/u 8:400 -khG @intel_pt"},
	{"x86", "mem-loads", "mem-loads 4:1cd 1=3 -G @cpu"},
	{"x86", "cache-misses", "cache-misses 0:3 -G"},
	{"x86", "topdown-slots", "topdown-slots 4:400 -G @cpu"},
	{"x86", "cpu/topdown-slots/", "cpu/topdown-slots/ 4:400 -G @cpu"},
	{"x86", "cpu/ld-wait,umask=3/", "cpu/ld-wait,umask=3/ 4:311 -G @cpu"},
	{"x86", "energy-cores", "energy-cores 24:1 -G @power#0"},
	{"x86", "power/energy-cores/", "power/energy-cores/ 24:1 -G @power#0"},
	{"x86", "cas_count_read",
	 "cas_count_read 20:304 -G @uncore_imc_0#0\ncas_count_read 21:304 -G @uncore_imc_1#0"},
	{"x86", "tsc", "tsc 9:0 -G @msr"},
	{"x86", "cpu//", "cpu// 4:0 -G @cpu"},
	{"x86", "cpu/event=1 /", "cpu/event=1 / 4:1 -G @cpu"},
	{"x86", "cpu/event = 1/", "cpu/event = 1/ 4:1 -G @cpu"},
	{"x86", "cpu/period=0/", "cpu/period=0/ 4:0 -G period=0 @cpu"},
	{"x86", "cpu/period/", "cpu/period/ 4:0 -G period=1 @cpu"},
	{"x86", "cpu/config/", "cpu/config/ 4:1 -G @cpu"},
	{"x86", "cpu/name='x'/", "x 4:0 -G @cpu"},
	{"x86", "cpu/name=a.b-c/", "a.b-c 4:0 -G @cpu"},
	{"x86", "cpu/name=a:b/", "a:b 4:0 -G @cpu"},
	{"x86", "cpu/umask=010/", "cpu/umask=010/ 4:a00 -G @cpu"},
	{"x86", "cpu/event=08/", "cpu/event=08/ 4:8 -G @cpu"},
	{"x86", "cpu/mem-loads=1/", "cpu/mem-loads=1/ 4:1cd 1=3 -G @cpu"},
	{"x86", "cpu/event=1,config=0x100/", "cpu/event=1,config=0x100/ 4:101 -G @cpu"},
	{"x86", "cpu/event=1,period=1000,freq=99/",
	 "cpu/event=1,period=1000,freq=99/ 4:1 -G freq=99 @cpu"},
	{"x86", "{cpu/event=1/,cpu/event=2/u}:k",
	 "cpu/event=1/ 4:1 -uhG g1 @cpu\ncpu/event=2/u 4:2 -hG g1 @cpu"},
	{"x86", "uncore_imc/event=1/u",
	 "uncore_imc/event=1/u 20:1 -khG @uncore_imc_0#0\nuncore_imc/event=1/u 21:1 -khG "
	 "@uncore_imc_1#0"},
	{"x86", "cpu/event=1/upp", "cpu/event=1/upp 4:1 -khG p2 @cpu"},
	{"x86", "imc_0/event=1/", "imc_0/event=1/ 20:1 -G @uncore_imc_0#0"},
	{"x86", "uncore_imc/event=1,name=q/",
	 "q 20:1 -G @uncore_imc_0#0\nq 21:1 -G @uncore_imc_1#0"},
	{"x86", "cbox/event=1/", "cbox/event=1/ 22:1 -G @uncore_cbox_0#0"},
	{"x86", "mem-loads:u", "mem-loads:u 4:1cd 1=3 -khG @cpu"},
	{"x86", "tsc:u", "tsc:u 9:0 -khG @msr"},
	{"x86", "{mem-loads-aux,mem-loads}:S",
	 "mem-loads-aux 4:8203 -G g1 S @cpu\nmem-loads 4:1cd 1=3 -G g1 S @cpu"},
	{"x86", "cpu/mem-loads-aux/p", "cpu/mem-loads-aux/p 4:8203 -G p1 @cpu"},
	{"x86", "cpu/frontend=0x1234,offcore_rsp=0xffff/",
	 "cpu/frontend=0x1234,offcore_rsp=0xffff/ 4:0 1=ffff -G @cpu"},
	{"x86", "cpu/event=0x3c,inv,cmask=1/", "cpu/event=0x3c,inv,cmask=1/ 4:180003c -G @cpu"},
	{"x86", "cpu/in_tx,event=0xc0/", "cpu/in_tx,event=0xc0/ 4:1000000c0 -G @cpu"},
	{"x86", "cpu/event=0xb7,umask=1,offcore_rsp=0x3fbfc00001/",
	 "cpu/event=0xb7,umask=1,offcore_rsp=0x3fbfc00001/ 4:1b7 1=3fbfc00001 -G @cpu"},
	{"x86", "cpu/any=1,event=0x3c/", "cpu/any=1,event=0x3c/ 4:20003c -G @cpu"},
	{"x86", "cpu/big=0xffffffffffffffff/",
	 "cpu/big=0xffffffffffffffff/ 4:0 2=ffffffffffffffff -G @cpu"},
	{"hyb", "cycles",
	 "cpu_core/cycles/ 0:400000000 -G @cpu_core#0-3\ncpu_atom/cycles/ 0:a00000000 -G "
	 "@cpu_atom#4-7"},
	{"hyb", "cpu_core/cycles/", "cpu_core/cycles/ 0:400000000 -G @cpu_core#0-3"},
	{"hyb", "cpu_core/cpu-cycles/", "cpu_core/cpu-cycles/ 4:3c -G @cpu_core#0-3"},
	{"hyb", "cpu_atom/event=1/u", "cpu_atom/event=1/u 10:1 -khG @cpu_atom#4-7"},
	{"hyb", "r1a8",
	 "cpu_core/r1a8/ 4:1a8 -G @cpu_core#0-3\ncpu_atom/r1a8/ 10:1a8 -G @cpu_atom#4-7"},
	{"hyb", "L1-dcache-load-misses",
	 "cpu_core/L1-dcache-load-misses/ 3:400010000 -G "
	 "@cpu_core#0-3\ncpu_atom/L1-dcache-load-misses/ 3:a00010000 -G @cpu_atom#4-7"},
	{"hyb", "mem-loads",
	 "cpu_core/mem-loads/ 4:1cd 1=3 -G @cpu_core#0-3\ncpu_atom/mem-loads/ 10:5d0 -G "
	 "@cpu_atom#4-7"},
	{"hyb", "topdown-retiring", "cpu_core/topdown-retiring/ 4:8000 -G @cpu_core#0-3"},
	{"hyb", "{cycles,instructions}",
	 "cpu_core/cycles/ 0:400000000 -G g1 @cpu_core#0-3\ncpu_core/instructions/ 0:400000001 -G "
	 "g1 @cpu_core#0-3\ncpu_atom/cycles/ 0:a00000000 -G g2 "
	 "@cpu_atom#4-7\ncpu_atom/instructions/ 0:a00000001 -G g2 @cpu_atom#4-7"},
	{"hyb", "cpu_core/r5/", "cpu_core/r5/ 4:5 -G @cpu_core#0-3"},
	{"hyb", "cpu_core/L1-dcache-loads/",
	 "cpu_core/L1-dcache-loads/ 3:400000000 -G @cpu_core#0-3"},
	{"hyb", "cs", "cs 1:3 -G"},
	{"hyb", "0:0",
	 "cpu_core/0:0/ 0:400000000 -G @cpu_core#0-3\ncpu_atom/0:0/ 0:a00000000 -G @cpu_atom#4-7"},
	{"hyb", "cpu_core/instructions/", "cpu_core/instructions/ 4:c0 -G @cpu_core#0-3"},
	{"hyb", "{cpu_core/event=1/,cs}",
	 "cpu_core/event=1/ 4:1 -G g1 @cpu_core#0-3\ncs 1:3 -G g1"},
	{"hyb", "1:0", "1:0 1:0 -G"},
	{"arm", "armv8_pmuv3_0/cpu_cycles/",
	 "armv8_pmuv3_0/cpu_cycles/ 8:11 -G @armv8_pmuv3_0#0-3"},
	{"arm", "armv8_cortex_a72/event=0x11/u",
	 "armv8_cortex_a72/event=0x11/u 9:11 -khG @armv8_cortex_a72#4-5"},
	{"arm", "arm_spe_0/load_filter=1,min_latency=10/",
	 "arm_spe_0/load_filter=1,min_latency=10/ 10:200000000 2=a -G @arm_spe_0#0-5"},
	{"arm", "arm_spe_0//", "arm_spe_0// 10:0 -G @arm_spe_0#0-5"},
	{"arm", "arm_cmn/dn_rxreq_dvmop/", "arm_cmn/dn_rxreq_dvmop/ 11:10001 -G @arm_cmn_0#0"},
	{"arm", "arm_cmn/type=0x5,eventid=2,wp_val=0xffffffffffffffff/",
	 "arm_cmn/type=0x5,eventid=2,wp_val=0xffffffffffffffff/ 11:20005 1=ffffffffffffffff -G "
	 "@arm_cmn_0#0"},
	{"arm", "armv8_pmuv3/event=1/", "armv8_pmuv3/event=1/ 8:1 -G @armv8_pmuv3_0#0-3"},
	{"arm", "armv8_pmuv3_0/event=0x11,long/",
	 "armv8_pmuv3_0/event=0x11,long/ 8:11 1=1 -G @armv8_pmuv3_0#0-3"},
	{"none", "g1{cycles,cs}:k,g2{faults,cs}",
	 "cycles 0:0 -uhG g1{g1}\ncs 1:3 -uhG g1\nfaults 1:2 -G g2{g2}\ncs 1:3 -G g2"},
	{"none", "{cycles,cs},{faults,cs:u}:p",
	 "cycles 0:0 -G g1\ncs 1:3 -G g1\nfaults 1:2 -G p1 g2\ncs:u 1:3 -khG p1 g2"},
	{"none", "r1a8,r1A9:pp,4:0x3c", "r1a8 4:1a8 -G\nr1A9:pp 4:1a9 -G p2\n4:0x3c 4:3c -G"},
	{"none", "page-faults/period=100/,cs/freq=7/u",
	 "page-faults/period=100/ 1:2 -G period=100\ncs/freq=7/u 1:3 -khG freq=7"},
	{"none", "L1-dcache-loads/name=l1/:u", "l1 3:0 -khG"},
	{"x86", "{uncore_imc/event=1/,uncore_imc/event=2/}",
	 "uncore_imc/event=1/ 20:1 -G g1 @uncore_imc_0#0\nuncore_imc/event=2/ 20:2 -G g1 "
	 "@uncore_imc_0#0\nuncore_imc/event=1/ 21:1 -G g2 @uncore_imc_1#0\nuncore_imc/event=2/ "
	 "21:2 -G g2 @uncore_imc_1#0"},
	{"x86", "{cpu/event=1/,cpu/event=2/,cs}:S",
	 "cpu/event=1/ 4:1 -G g1 S @cpu\ncpu/event=2/ 4:2 -G g1 S @cpu\ncs 1:3 -G g1 S"},
	{"x86", "{cycles,msr/tsc/}", "cycles 0:0 -G g1\nmsr/tsc/ 9:0 -G g1 @msr"},
	{"x86", "energy-cores:G", "energy-cores:G 24:1 -H @power#0"},
	{"hyb", "{cycles,instructions}:S",
	 "cpu_core/cycles/ 0:400000000 -G g1 S @cpu_core#0-3\ncpu_core/instructions/ 0:400000001 "
	 "-G g1 S @cpu_core#0-3\ncpu_atom/cycles/ 0:a00000000 -G g2 S "
	 "@cpu_atom#4-7\ncpu_atom/instructions/ 0:a00000001 -G g2 S @cpu_atom#4-7"},
	{"hyb", "{cycles,cs,cpu_core/topdown-retiring/}",
	 "cpu_core/cycles/ 0:400000000 -G g1 @cpu_core#0-3\ncs 1:3 -G "
	 "g1\ncpu_core/topdown-retiring/ 4:8000 -G g1 @cpu_core#0-3\ncpu_atom/cycles/ 0:a00000000 "
	 "-G @cpu_atom#4-7"},
	{"hyb", "dummy:u", "dummy:u 1:9 -khG"},
	{"arm", "arm_spe_0/ts_enable=1,load_filter=1,min_latency=0xfff,event_filter=2/",
	 "arm_spe_0/ts_enable=1,load_filter=1,min_latency=0xfff,event_filter=2/ 10:200000001 1=2 "
	 "2=fff -G @arm_spe_0#0-5"},
};

/* Here perf 6.1 refuses the words, ORs two values of one field, counts on one kind of core only, or
 * cuts the name. */
static const struct accepted beyond_perf[] = {
	{"none", "mem:0x1000/8:w", "mem:0x1000/8:w 5:0 1=1000 2=8 bp=2 -G"},
	{"none", " cycles", "cycles 0:0 -G"},
	{"none", "cycles, cs", "cycles 0:0 -G\ncs 1:3 -G"},
	{"none", "CYCLES", "CYCLES 0:0 -G"},
	{"none", "itlb-misses", "itlb-misses 3:10004 -G"},
	{"none", "LLC-loads:u", "LLC-loads:u 3:2 -khG"},
	{"none", "mem:0x1000/3", "mem:0x1000/3 5:0 1=1000 2=3 bp=3 -G"},
	{"none", "mem:0x1000/2:w:k", "mem:0x1000/2:w:k 5:0 1=1000 2=2 bp=2 -uh"},
	{"none", "{cycles:P,instructions}:p", "cycles:P 0:0 -G p3 g1 P\ninstructions 0:1 -G p1 g1"},
	{"x86", "cpu/cpu-cycles/:u", "cpu/cpu-cycles/:u 4:3c -khG @cpu"},
	{"x86", "cpu/mem-loads,ldlat=30/P", "cpu/mem-loads,ldlat=30/P 4:1cd 1=1e - p3 P @cpu"},
	{"x86", "cpu/cycles/", "cpu/cycles/ 0:0 -G @cpu"},
	{"x86", "uncore_*/event=1/",
	 "uncore_*/event=1/ 20:1 -G @uncore_imc_0#0\nuncore_*/event=1/ 21:1 -G "
	 "@uncore_imc_1#0\nuncore_*/event=1/ 22:1 -G @uncore_cbox_0#0"},
	{"x86", "intel_pt//", "intel_pt// 8:0 -G @intel_pt"},
	{"x86", "cpu/event=1,event=2/", "cpu/event=1,event=2/ 4:2 -G @cpu"},
	{"x86", "cpu/event=0x3c/:", "cpu/event=0x3c/: 4:3c -G @cpu"},
	{"x86", "cpu/r1a8,umask=2/", "cpu/r1a8,umask=2/ 4:2a8 -G @cpu"},
	{"x86", "uncore_imc/event=1/:u",
	 "uncore_imc/event=1/:u 20:1 -khG @uncore_imc_0#0\nuncore_imc/event=1/:u 21:1 -khG "
	 "@uncore_imc_1#0"},
	{"x86", "mem-loads/ldlat=5/", "mem-loads/ldlat=5/ 4:1cd 1=5 -G @cpu"},
	{"x86", "mem-loads/ldlat=5/P", "mem-loads/ldlat=5/P 4:1cd 1=5 - p3 P @cpu"},
	{"hyb", "cycles:u",
	 "cpu_core/cycles/u 0:400000000 -khG @cpu_core#0-3\ncpu_atom/cycles/u 0:a00000000 -khG "
	 "@cpu_atom#4-7"},
	{"hyb", "cycles:P",
	 "cpu_core/cycles/P 0:400000000 - p3 P @cpu_core#0-3\ncpu_atom/cycles/P 0:a00000000 - p3 P "
	 "@cpu_atom#4-7"},
	{"hyb", "cpu_*/event=1/",
	 "cpu_*/event=1/ 4:1 -G @cpu_core#0-3\ncpu_*/event=1/ 10:1 -G @cpu_atom#4-7"},
	{"arm", "cycles",
	 "armv8_pmuv3_0/cycles/ 0:800000000 -G @armv8_pmuv3_0#0-3\narmv8_cortex_a72/cycles/ "
	 "0:900000000 -G @armv8_cortex_a72#4-5"},
	{"arm", "cpu_cycles",
	 "armv8_pmuv3_0/cpu_cycles/ 8:11 -G @armv8_pmuv3_0#0-3\narmv8_cortex_a72/cpu_cycles/ 9:11 "
	 "-G @armv8_cortex_a72#4-5"},
	{"arm", "r11",
	 "armv8_pmuv3_0/r11/ 8:11 -G @armv8_pmuv3_0#0-3\narmv8_cortex_a72/r11/ 9:11 -G "
	 "@armv8_cortex_a72#4-5"},
	{"arm", "l1d_cache", "armv8_pmuv3_0/l1d_cache/ 8:4 -G @armv8_pmuv3_0#0-3"},
	{"none", "mem:0x1000/8:rw/name=watch/u", "watch 5:0 1=1000 2=8 bp=3 -khG"},
	{"none", "mem:0x1000/name=w/", "w 5:0 1=1000 2=4 bp=3 -G"},
	{"none", "cycles/name='a,b:c d'/", "a,b:c d 0:0 -G"},
	{"none", "cycles/name=\"x/y\"/", "x/y 0:0 -G"},
	{"none", "l1-icache-prefetch-miss", "l1-icache-prefetch-miss 3:10201 -G"},
	{"none", "cycles,instructions:u,cs:k,LLC-misses:pp",
	 "cycles 0:0 -G\ninstructions:u 0:1 -khG\ncs:k 1:3 -uh\nLLC-misses:pp 3:10002 -G p2"},
	{"x86", "cpu/cycles,period=7/u", "cpu/cycles,period=7/u 0:0 -khG period=7 @cpu"},
	{"x86", "cpu/LLC-load-misses/pp", "cpu/LLC-load-misses/pp 3:10002 -G p2 @cpu"},
	{"x86", "uncore_*/cas_count_read/",
	 "uncore_*/cas_count_read/ 20:304 -G @uncore_imc_0#0\nuncore_*/cas_count_read/ 21:304 -G "
	 "@uncore_imc_1#0"},
	{"x86", "*imc*/event=3/",
	 "*imc*/event=3/ 20:3 -G @uncore_imc_0#0\n*imc*/event=3/ 21:3 -G @uncore_imc_1#0"},
	{"x86", "cas_count_read/umask=4/",
	 "cas_count_read/umask=4/ 20:404 -G @uncore_imc_0#0\ncas_count_read/umask=4/ 21:404 -G "
	 "@uncore_imc_1#0"},
	{"x86", "cpu/name=a,name=b/", "b 4:0 -G @cpu"},
	{"x86", "cpu/event=0x3c,umask=0,name='CPU CLK: all'/pu", "CPU CLK: all 4:3c -khG p1 @cpu"},
	{"x86", "cpu/config3=1/", "cpu/config3=1/ 4:0 3=1 -G @cpu"},
	{"hyb", "cycles/period=100/u",
	 "cpu_core/cycles,period=100/u 0:400000000 -khG period=100 "
	 "@cpu_core#0-3\ncpu_atom/cycles,period=100/u 0:a00000000 -khG period=100 @cpu_atom#4-7"},
	{"hyb", "L1-dcache-loads:k",
	 "cpu_core/L1-dcache-loads/k 3:400000000 -uh @cpu_core#0-3\ncpu_atom/L1-dcache-loads/k "
	 "3:a00000000 -uh @cpu_atom#4-7"},
	{"hyb", "cpu_core/mem-loads,ldlat=5/P",
	 "cpu_core/mem-loads,ldlat=5/P 4:1cd 1=5 - p3 P @cpu_core#0-3"},
	{"hyb", "cpu_core/cycles,name=x/", "x 0:400000000 -G @cpu_core#0-3"},
	{"hyb", "mem-loads:p",
	 "cpu_core/mem-loads/p 4:1cd 1=3 -G p1 @cpu_core#0-3\ncpu_atom/mem-loads/p 10:5d0 -G p1 "
	 "@cpu_atom#4-7"},
	{"arm", "arm_spe_0/inv_event_filter=7/",
	 "arm_spe_0/inv_event_filter=7/ 10:0 3=7 -G @arm_spe_0#0-5"},
	{"arm", "cycles:u",
	 "armv8_pmuv3_0/cycles/u 0:800000000 -khG @armv8_pmuv3_0#0-3\narmv8_cortex_a72/cycles/u "
	 "0:900000000 -khG @armv8_cortex_a72#4-5"},
	{"arm", "armv8_*/event=0x11/",
	 "armv8_*/event=0x11/ 8:11 -G @armv8_pmuv3_0#0-3\narmv8_*/event=0x11/ 9:11 -G "
	 "@armv8_cortex_a72#4-5"},
	{"arm", "armv8_cortex_a72/cycles/k",
	 "armv8_cortex_a72/cycles/k 0:900000000 -uh @armv8_cortex_a72#4-5"},
};

static const struct accepted tracepoints[] = {
	{"none", "sched:sched_switch", "sched:sched_switch 2:13a -G"},
	{"none", "sched:sched_wak*",
	 "sched:sched_wakeup 2:13c -G\nsched:sched_wakeup_new 2:13b -G\nsched:sched_waking 2:13d "
	 "-G"},
	{"none", "sch*:sched_switch", "sched:sched_switch 2:13a -G"},
	{"none", "sched:*wakeup*", "sched:sched_wakeup 2:13c -G\nsched:sched_wakeup_new 2:13b -G"},
	{"none", "sched:sched_switch:u", "sched:sched_switch 2:13a -khG"},
	{"none", "sched:sched_*",
	 "sched:sched_process_fork 2:136 -G\nsched:sched_switch 2:13a -G\nsched:sched_wakeup 2:13c "
	 "-G\nsched:sched_wakeup_new 2:13b -G\nsched:sched_waking 2:13d -G"},
	{"none", "probe_libc:malloc", "probe_libc:malloc 2:708 -G"},
	{"none", "%sdt_app:start", "sdt_app:start 2:709 -G"},
	{"none", "s*:*openat",
	 "syscalls:sys_enter_openat 2:2bc -G\nsyscalls:sys_exit_openat 2:2bb -G"},
	{"none", "{sched:sched_switch,cycles:u}",
	 "sched:sched_switch 2:13a -G g1\ncycles:u 0:0 -khG g1"},
	{"none", "u:k", "u:k 2:76c -G"},
};

static struct tree machines;

static void check(const struct accepted *row)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};
	struct pfx_str text = {0};

	if (fixture_parse(&machines, row->machine, row->words, &list, &err))
		fail_msg("'%s' was refused: %s\n%s", row->words, err.text, err.hint);
	fixture_list_text(&text, &list);
	assert_string_equal(pfx_str_get(&text), row->events);
	pfx_str_fini(&text);
	pfx_event_list_fini(&list);
}

#define check_table(table)                                                         \
	do {                                                                       \
		for (size_t i_ = 0; i_ < sizeof(table) / sizeof((table)[0]); i_++) \
			check(&(table)[i_]);                                       \
	} while (0)

static void words_like_perf(void **state)
{
	check_table(like_perf);
}

static void words_beyond_perf(void **state)
{
	check_table(beyond_perf);
}

static void words_of_tracepoints(void **state)
{
	check_table(tracepoints);
}

static void lists_are_appended(void **state)
{
	struct pfx_event_list list = {0};
	struct pfx_error err = {0};

	assert_int_equal(fixture_parse(&machines, "x86", "{cycles,cs}", &list, &err), 0);
	assert_int_equal(fixture_parse(&machines, "x86", "faults,{cycles,cs}:u", &list, &err), 0);
	assert_int_equal(list.specs.nr, 5);
	assert_int_equal(list.nr_groups, 2);
	assert_int_equal(list.specs.at[1].group, 1);
	assert_int_equal(list.specs.at[2].group, 0);
	assert_int_equal(list.specs.at[4].group, 2);
	/* a mistake at the end leaves what was there */
	assert_int_equal(fixture_parse(&machines, "x86", "{cs,faults},cs,oops", &list, &err),
			 -EINVAL);
	assert_int_equal(list.specs.nr, 5);
	assert_int_equal(list.nr_groups, 2);
	pfx_event_list_fini(&list);
	assert_int_equal(list.specs.nr, 0);
}

/* Groups of events that all kinds of cores count become one group for each kind. */
static void groups_follow_the_cores(void **state)
{
	static const char *const names[] = {"cpu_core/cycles/", "cs", "cpu_core/instructions/",
					    "cpu_atom/cycles/", "cpu_atom/instructions/"};
	static const uint32_t groups[] = {1, 1, 1, 2, 2};
	struct pfx_event_list list = {0};
	size_t i;

	assert_int_equal(fixture_parse(&machines, "hyb", "{cycles,cs,instructions}", &list, NULL),
			 0);
	assert_int_equal(list.specs.nr, 5);
	for (i = 0; i < 5; i++) {
		assert_string_equal(list.specs.at[i].name, names[i]);
		assert_int_equal(list.specs.at[i].group, groups[i]);
	}
	pfx_event_list_fini(&list);
}

static void attr_sizes(void **state)
{
	struct pfx_event_list list = {0};

	assert_int_equal(fixture_parse(&machines, "arm",
				       "cs,cs/config3=1/,cs/config4=1/,"
				       "arm_spe_0/inv_event_filter=1/",
				       &list, NULL),
			 0);
	assert_int_equal(list.specs.at[0].attr.size, PFX_ATTR_SIZE_VER7);
	assert_int_equal(list.specs.at[1].attr.size, PFX_ATTR_SIZE_VER8);
	assert_int_equal(list.specs.at[2].attr.size, PFX_ATTR_SIZE_VER9);
	assert_int_equal(list.specs.at[3].attr.size, PFX_ATTR_SIZE_VER8);
	pfx_event_list_fini(&list);
}

/* EXCLUDE_GUEST that nobody asked for may be dropped, one that follows from a modifier not. */
static void guest_default(void **state)
{
	static const struct {
		const char *words;
		bool is_default, is_excluded;
	} rows[] = {
		{"cycles", true, true},         {"cycles:u", false, true},
		{"cycles:k", false, false},     {"cycles:G", false, false},
		{"cycles:H", false, true},      {"{cycles,cs}:S", true, true},
		{"{cycles,cs}:p", false, true}, {"{cycles:k,cs}:D", false, false},
	};
	struct pfx_event_list list;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		list = (struct pfx_event_list){0};
		assert_int_equal(fixture_parse(&machines, "x86", rows[i].words, &list, NULL), 0);
		assert_int_equal(list.specs.at[0].exclude_guest_default, rows[i].is_default);
		assert_int_equal(!!(list.specs.at[0].attr.flags & PFX_ATTR_EXCLUDE_GUEST),
				 rows[i].is_excluded);
		pfx_event_list_fini(&list);
	}
}

static int make_machines(void **state)
{
	fixture_init(&machines);
	return 0;
}

static int remove_machines(void **state)
{
	tree_fini(&machines);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_like_perf),         cmocka_unit_test(words_beyond_perf),
		cmocka_unit_test(words_of_tracepoints),    cmocka_unit_test(lists_are_appended),
		cmocka_unit_test(groups_follow_the_cores), cmocka_unit_test(attr_sizes),
		cmocka_unit_test(guest_default),
	};

	return cmocka_run_group_tests(tests, make_machines, remove_machines);
}
