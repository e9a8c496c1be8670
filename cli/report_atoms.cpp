#include "report_atoms.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>

#include "nodl/error.h"
#include "studies/products.h"
#include "table.h"

namespace nodl::cli {
namespace {

constexpr std::size_t kMostPictures = 96;
constexpr std::size_t kMostRows = 100;
constexpr std::size_t kWords = 8;

std::vector<Index> most_used(const std::vector<AtomRecord>& records, std::size_t most) {
  std::vector<Index> order(records.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return records[static_cast<std::size_t>(a)].uses > records[static_cast<std::size_t>(b)].uses;
  });
  order.resize(std::min(order.size(), most));
  return order;
}

template <class Scalar>
Vector<double> atom_of(const Dictionary<Scalar>& dictionary, Index j) {
  Vector<Scalar> atom(dictionary.dimension());
  dictionary.copy_atom(j, atom.data());
  return atom.template cast<double>();
}

/// The words with the largest entries, largest first.
std::string words_of(const Vector<double>& atom, const std::vector<std::string>& vocabulary) {
  std::vector<Index> order;
  for (Index i = 0; i < atom.size(); ++i) {
    if (atom(i) != 0) order.push_back(i);
  }
  const std::size_t count = std::min(order.size(), kWords);
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(count),
                    order.end(),
                    [&](Index a, Index b) {
                      return std::abs(atom(a)) > std::abs(atom(b)) ||
                             (std::abs(atom(a)) == std::abs(atom(b)) && a < b);
                    });
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += (text.empty() ? "" : " ") + std::string(atom(order[i]) < 0 ? "−" : "") +
            vocabulary[static_cast<std::size_t>(order[i])];
  }
  return text;
}

void require_size(const char* what, Index found, Index dimension) {
  if (found == dimension) return;
  throw DataError(
      fmt::format("{} has {} entries, the atoms of the model {}", what, found, dimension));
}

}  // namespace

void read_shape(const std::string& text, AtomView& view) {
  int rows = 0, columns = 0;
  char end = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &rows, &columns, &end) != 2 || rows < 1 || columns < 1) {
    throw InvalidOptions("--shape must be HxW, as in 32x32, not " + text);
  }
  view.rows = rows;
  view.columns = columns;
}

void read_vocabulary(const std::string& path, AtomView& view) {
  std::ifstream file(path);
  file.peek();  // notices a folder
  if (!file.is_open() || file.bad()) throw DataError(path + ": cannot be read");
  if (file.eof()) throw DataError(path + ": is empty");
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const std::size_t first = line.find('\t');
    if (first != line.npos) line = line.substr(first + 1, line.find('\t', first + 1) - first - 1);
    view.vocabulary.push_back(line);
  }
}

template <class Scalar>
void add_atoms(ReportPage& page, const Model<Scalar>& model, const AtomView& view) {
  const Dictionary<Scalar>& dictionary = model.dictionary;
  const std::vector<AtomRecord>& records = dictionary.records();
  if (view.rows) {
    require_size("--shape", *view.rows * *view.columns, dictionary.dimension());
    Rasters rasters;
    rasters.title = "Atoms";
    rasters.caption =
        "Those that most samples used, the most used first, with their ids and, in brackets, the "
        "batches they were born in. Grey is zero, white and black are the largest entries.";
    rasters.columns = 12;
    for (const Index j : most_used(records, kMostPictures)) {
      const Vector<double> atom = atom_of(dictionary, j);
      const double largest = std::max(atom.cwiseAbs().maxCoeff(), 1e-300);
      const AtomRecord& record = records[static_cast<std::size_t>(j)];
      rasters.pictures.push_back(
          {fmt::format("{} ({})", record.id, record.birth_batch),
           study::raster(atom.reshaped(*view.columns, *view.rows).transpose(), -largest, largest)});
    }
    page.rasters(rasters);
  }
  if (!view.vocabulary.empty()) {
    require_size(
        "--vocabulary", static_cast<Index>(view.vocabulary.size()), dictionary.dimension());
    ReportTable table;
    table.columns = {
        {"words", "", {}}, {"atom", "", {}}, {"born in batch", "", {}}, {"uses", "", {}}};
    for (const Index j : most_used(records, kMostRows)) {
      const AtomRecord& record = records[static_cast<std::size_t>(j)];
      table.rows.push_back({{words_of(atom_of(dictionary, j), view.vocabulary),
                             record.id,
                             record.birth_batch,
                             record.uses},
                            {},
                            {},
                            ""});
    }
    page.table(table);
  }
}

template void add_atoms(ReportPage&, const Model<double>&, const AtomView&);
template void add_atoms(ReportPage&, const Model<float>&, const AtomView&);

}  // namespace nodl::cli
