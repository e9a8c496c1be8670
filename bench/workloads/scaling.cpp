#include "scaling.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "measure.h"

namespace nodl::bench {
namespace {

constexpr int kWarmUp = 5;  // rounds that do not count

/// A process that does a part whenever it is told to.
class PartProcess {
 public:
  PartProcess(const MakePart& make_part, int threads) {
    std::array<int, 2> to_child{}, from_child{};
    if (pipe(to_child.data()) != 0 || pipe(from_child.data()) != 0) fail("pipe");
    process_ = fork();
    if (process_ < 0) fail("fork");
    if (process_ == 0) {
      close(to_child[1]);
      close(from_child[0]);
      serve(make_part(threads), to_child[0], from_child[1]);
    }
    close(to_child[0]);
    close(from_child[1]);
    orders_ = to_child[1];
    answers_ = from_child[0];
  }
  ~PartProcess() {
    close(orders_);  // the child's sign to end
    close(answers_);
    waitpid(process_, nullptr, 0);
  }
  PartProcess(const PartProcess&) = delete;
  PartProcess& operator=(const PartProcess&) = delete;

  void begin() const {
    const char order = 'g';
    if (write(orders_, &order, 1) != 1) fail("write");
  }
  /// Wall-clock seconds of the part that was begun.
  double end() const {
    double seconds = 0;
    if (read(answers_, &seconds, sizeof seconds) != sizeof seconds) fail("read");
    return seconds;
  }

 private:
  [[noreturn]] static void serve(const Part& part, int orders, int answers) {
    char order = 0;
    while (read(orders, &order, 1) == 1) {
      const double seconds = measure(part).wall;
      if (write(answers, &seconds, sizeof seconds) != sizeof seconds) _exit(1);
    }
    _exit(0);
  }
  [[noreturn]] static void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
  }

  pid_t process_ = -1;
  int orders_ = -1, answers_ = -1;
};

}  // namespace

std::vector<double> scaling_shares(const MakePart& make_part, int rounds) {
  const PartProcess both(make_part, 2);
  const PartProcess first(make_part, 1), second(make_part, 1);
  std::vector<double> shares;
  for (int round = -kWarmUp; round < rounds; ++round) {
    first.begin();
    second.begin();
    const double parts_a_second = 1 / first.end() + 1 / second.end();
    both.begin();
    const double share = 1 / both.end() / parts_a_second;
    if (round >= 0) shares.push_back(share);
  }
  return shares;
}

}  // namespace nodl::bench
