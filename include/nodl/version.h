#pragma once

#define NODL_VERSION_MAJOR 0
#define NODL_VERSION_MINOR 1
#define NODL_VERSION_PATCH 0
#define NODL_VERSION "0.1.0"
