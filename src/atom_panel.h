// How atoms are dealt to threads, by those who make A and B and by the update that reads them.
#pragma once

#include "nodl/types.h"

namespace nodl {

/// Atoms that follow each other and stay with one thread, which then has their A and B at hand; in
/// the dense update they are a panel.
constexpr Index kAtomPanel = 32;

}  // namespace nodl
