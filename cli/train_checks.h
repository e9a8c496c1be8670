// What can be known to go wrong before the first batch is learned.
#pragma once

#include <memory>
#include <string>

#include "nodl/io/bad_rows.h"
#include "nodl/model.h"
#include "train_settings.h"

namespace nodl::cli {

/// An evaluation set that cannot be read must not be found out after hours of learning. Throws
/// DataError.
void check_evals(const TrainSettings& settings, io::ReadOptions read, Index dimension);

/// How evaluation sets are read: whole, and by their own names. Their bad rows go where those of
/// the inputs go.
io::ReadOptions eval_read_options(const TrainSettings& settings,
                                  std::shared_ptr<io::BadRows> bad_rows);

/// Nothing that is written takes the place of something that is read. Throws InvalidOptions.
void require_separate_outputs(const TrainSettings& settings,
                              const std::vector<std::string>& inputs,
                              const io::ReadOptions& read);

/// --resume goes on with the options that the run began with. Throws InvalidOptions and names the
/// first that differs.
void require_same_options(const std::string& path, const Options& stored, const Options& wanted);

/// --from and --resume need a model that can learn on. Throws ModelError.
void require_training_state(const std::string& path, bool has_training_state);

/// --resume finds its place by the samples learned since --from. Throws ModelError if there are
/// none.
void require_place(const TrainSettings& settings,
                   const StreamPlace& place,
                   const StreamPlace& before);

/// --verify-inputs without --resume, and --resume with --model and --from one file: where the run
/// began would be lost. Throws InvalidOptions.
void check_resume_flags(const TrainSettings& settings);

}  // namespace nodl::cli
