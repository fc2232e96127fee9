// Programs that are started: a compiler, a Python that is asked for its torch, and the program to measure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/base/result.h"

namespace deadgrad::probing {

struct Command {
  std::vector<std::string> words;                       // the first is looked for on PATH
  std::map<std::string, std::string> environment = {};  // added to ours
  std::string input = {};                               // for run_quietly(): its standard input
  bool output_to_stderr = false;                        // for run_program(): our own standard output stays clean
};

// The exit status; 128 and the signal's number for a program that a signal ended. An error if it could not be started.
Result<int> run_program(const Command& command);

struct Output {
  int status;
  std::string text;  // standard output; errors go to our own
};
Result<Output> run_quietly(const Command& command);

// A word that names a file as a shell would find it, or "".
std::string find_program(const std::string& word);

}  // namespace deadgrad::probing
