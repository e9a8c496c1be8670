#include "nodl/slots.h"

#include <algorithm>

namespace nodl {

std::int64_t take_slot(const std::vector<AtomRecord>& living,
                       Progress& progress,
                       std::int64_t max_atoms) {
  if (progress.next_slot >= max_atoms) {
    std::vector<std::int64_t> taken;
    taken.reserve(living.size());
    for (const AtomRecord& record : living) taken.push_back(record.slot);
    std::sort(taken.begin(), taken.end());
    std::int64_t free = 0;
    for (const std::int64_t slot : taken) {
      if (slot > free) break;
      free = slot + 1;
    }
    if (free < progress.next_slot) return free;
  }
  return progress.next_slot++;
}

void assign_slots(std::vector<AtomRecord>& records, Progress& progress, std::int64_t max_atoms) {
  for (AtomRecord& record : records) {
    if (record.slot < 0) record.slot = take_slot(records, progress, max_atoms);
  }
}

std::int64_t slot_count(const Progress& progress, std::int64_t max_atoms) {
  return std::max(progress.next_slot, max_atoms);
}

}  // namespace nodl
