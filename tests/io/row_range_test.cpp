#include "io/row_range.h"

#include <gtest/gtest.h>

#include "io/files.h"

namespace nodl::io::test {
namespace {

std::vector<Index> selected(const std::string& text, std::optional<Index> total, Index most = 100) {
  std::vector<Index> out;
  for (RowSelector rows(parse_row_range(text), total, "x");
       !rows.done() && static_cast<Index>(out.size()) < most;
       rows.advance()) {
    out.push_back(rows.current());
  }
  return out;
}

TEST(RowRange, IsAPythonSlice) {
  using Rows = std::vector<Index>;
  EXPECT_EQ(selected(":", 4), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(selected("::", 4), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(selected("1:3", 4), (Rows{1, 2}));
  EXPECT_EQ(selected("::3", 7), (Rows{0, 3, 6}));
  EXPECT_EQ(selected("-2:", 4), (Rows{2, 3}));
  EXPECT_EQ(selected(":-3", 4), (Rows{0}));
  EXPECT_EQ(selected("-100:100:2", 3), (Rows{0, 2}));
  EXPECT_EQ(selected("3:1", 4), Rows{});
  EXPECT_EQ(selected("9:", 4), Rows{});
}

TEST(RowRange, WorksWithoutATotal) {
  EXPECT_EQ(selected("1:6:2", std::nullopt), (std::vector<Index>{1, 3, 5}));
  EXPECT_EQ(selected("5:", std::nullopt, 2), (std::vector<Index>{5, 6}));
  EXPECT_EQ(error_of<InvalidOptions>([] { selected("-5:", std::nullopt); }),
            "x: a negative row counts from the end, which this format does not tell beforehand");
  EXPECT_NE(error_of<InvalidOptions>([] { selected(":-5", std::nullopt); }), "no error");
}

TEST(RowRange, DoesNotOverflow) {
  EXPECT_EQ(selected("1::9223372036854775807", 5), (std::vector<Index>{1}));
  EXPECT_EQ(selected("9223372036854775806::9223372036854775807", std::nullopt),
            (std::vector<Index>{9223372036854775806}));
  EXPECT_EQ(selected("-9223372036854775808:2", 5), (std::vector<Index>{0, 1}));
  RowSelector rows(parse_row_range("::2"), 5, "x");
  EXPECT_EQ(rows.remaining(), 3);
  rows.advance(std::numeric_limits<Index>::max());
  EXPECT_TRUE(rows.done());
  EXPECT_EQ(rows.remaining(), 0);
}

TEST(RowRange, RefusesOtherText) {
  for (const char* text :
       {"", "5", "a:", "1:2:3:4", "::0", "::-1", "1.5:", " 1:2", "99999999999999999999:"}) {
    EXPECT_EQ(error_of<InvalidOptions>([&] { parse_row_range(text); }),
              "rows: expected START:STOP:STEP with STEP > 0, found '" + std::string(text) + "'");
  }
}

}  // namespace
}  // namespace nodl::io::test
