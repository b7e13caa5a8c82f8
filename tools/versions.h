// What the program is made of.
#pragma once

#include <string>

namespace perdure {

std::string IcuVersion();      // of the library that runs
std::string RocksDbVersion();  // of the headers it was built with

}  // namespace perdure
