// Codes of a few samples, and how they become those of a batch.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "encode/solver.h"
#include "nodl/encoder.h"

namespace nodl {

template <class Scalar>
struct CodeBlock {
  SparseMatrix<Scalar> columns;
  std::vector<Scalar> lambda;
};

/// Appends a code with its atoms in rising order and without zeros.
template <class Scalar>
void append_sorted(const SampleCode<Scalar>& code,
                   std::vector<std::pair<Index, Scalar>>& sorted,
                   CodeBlock<Scalar>& block) {
  sorted.clear();
  for (std::size_t t = 0; t < code.atoms.size(); ++t) {
    if (code.values[t] != 0) sorted.emplace_back(code.atoms[t], code.values[t]);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [atom, value] : sorted) block.columns.push(atom, value);
  block.columns.end_column();
  block.lambda.push_back(code.lambda);
}

template <class Scalar>
Codes<Scalar> joined(const std::vector<CodeBlock<Scalar>>& blocks, Index k) {
  Codes<Scalar> codes;
  SparseMatrix<Scalar>& c = codes.columns;
  c.rows = k;
  std::size_t nonzeros = 0, samples = 0;
  for (const CodeBlock<Scalar>& block : blocks) {
    nonzeros += block.columns.indices.size();
    samples += block.lambda.size();
  }
  c.indices.reserve(nonzeros);
  c.values.reserve(nonzeros);
  c.starts.reserve(samples + 1);
  codes.lambda.reserve(samples);
  for (const CodeBlock<Scalar>& block : blocks) {
    const Index before = c.nonzeros();
    c.indices.insert(c.indices.end(), block.columns.indices.begin(), block.columns.indices.end());
    c.values.insert(c.values.end(), block.columns.values.begin(), block.columns.values.end());
    for (std::size_t i = 1; i < block.columns.starts.size(); ++i) {
      c.starts.push_back(before + block.columns.starts[i]);
    }
    codes.lambda.insert(codes.lambda.end(), block.lambda.begin(), block.lambda.end());
  }
  return codes;
}

}  // namespace nodl
