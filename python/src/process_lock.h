// A lock that a forked child can tell from one that is never given back.
#pragma once

#include <unistd.h>

#include <atomic>
#include <stdexcept>

namespace nodl::python {

/// As std::mutex, but in a child that was forked while a thread of the parent held it: there,
/// lock() throws. That thread is not in the child, which would wait for ever, and what it was
/// changing is half changed.
class ProcessLock {
 public:
  void lock() {
    const pid_t self = getpid();
    for (pid_t holder = 0; !holder_.compare_exchange_strong(holder, self); holder = 0) {
      if (holder != self) {
        throw std::runtime_error(
            "the process was forked while another thread used this model: the child cannot know "
            "what state it is in; fork while it is idle, or pickle it");
      }
      holder_.wait(holder);
    }
  }
  void unlock() {
    holder_ = 0;
    holder_.notify_one();
  }

 private:
  std::atomic<pid_t> holder_{0};  // the process whose thread holds it
};

}  // namespace nodl::python
