// Values that must lie in a band.
#pragma once

#include <gtest/gtest.h>

namespace nodl::test {

struct Band {
  double low;
  double high;
};

#define EXPECT_IN_BAND(value, band)                      \
  do {                                                   \
    EXPECT_GE((value), (band).low) << "below the band";  \
    EXPECT_LE((value), (band).high) << "above the band"; \
  } while (false)

}  // namespace nodl::test
