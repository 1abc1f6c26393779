// SPDX-License-Identifier: MIT
//! Counts samples and frames with linux-perf-data, as count_samples.c does with libpfx.
use linux_perf_data::linux_perf_event_reader::EventRecord;
use linux_perf_data::{PerfFileReader, PerfFileRecord};

fn main() {
    let path = std::env::args().nth(1).unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let PerfFileReader { mut perf_file, mut record_iter } = PerfFileReader::parse_file(file).unwrap();
    let (mut samples, mut frames, mut last) = (0u64, 0u64, 0u64);
    while let Some(record) = record_iter.next_record(&mut perf_file).unwrap() {
        if let PerfFileRecord::EventRecord { record, .. } = record {
            if let EventRecord::Sample(s) = record.parse().unwrap() {
                samples += 1;
                last = s.timestamp.unwrap_or(0);
                if let Some(chain) = s.callchain {
                    for i in 0..chain.len() {
                        frames += (chain.get(i) != Some(0)) as u64;
                    }
                }
            }
        }
    }
    println!("{samples} {frames} {last}");
}
