// Everything a program that learns or codes needs; reading and writing files is in nodl/io/.
#pragma once

#include "nodl/batch.h"
#include "nodl/coding_dictionary.h"
#include "nodl/decode.h"
#include "nodl/dictionary.h"
#include "nodl/encoder.h"
#include "nodl/error.h"
#include "nodl/footprint.h"
#include "nodl/learner.h"
#include "nodl/metrics.h"
#include "nodl/model.h"
#include "nodl/options.h"
#include "nodl/prox.h"
#include "nodl/random.h"
#include "nodl/slots.h"
#include "nodl/types.h"
#include "nodl/version.h"
