# Header-only libraries, as targets deadgrad::json, deadgrad::cli11, deadgrad::toml and deadgrad::flatbuffers. Headers that
# are installed win; what is missing is fetched by full commit, and only its include folder is used.
include(FetchContent)

function(deadgrad_header_library name header repository commit include_dir)
  add_library(deadgrad_${name} INTERFACE)
  add_library(deadgrad::${name} ALIAS deadgrad_${name})
  find_path(DEADGRAD_${name}_INCLUDE_DIR ${header})
  if(DEADGRAD_${name}_INCLUDE_DIR)
    target_include_directories(deadgrad_${name} SYSTEM INTERFACE ${DEADGRAD_${name}_INCLUDE_DIR})
    return()
  endif()
  message(STATUS "${header} is not installed: fetching ${repository} at ${commit}")
  # The subfolder does not exist, so the library's own build is never configured.
  FetchContent_Declare(deadgrad_${name} GIT_REPOSITORY ${repository} GIT_TAG ${commit} SOURCE_SUBDIR unused)
  FetchContent_MakeAvailable(deadgrad_${name})
  target_include_directories(deadgrad_${name} SYSTEM INTERFACE ${deadgrad_${name}_SOURCE_DIR}/${include_dir})
endfunction()

deadgrad_header_library(json nlohmann/json.hpp https://github.com/nlohmann/json.git
                        9cca280a4d0ccf0c08f47a99aa71d1b0e52f8d03 include)  # v3.11.3
deadgrad_header_library(cli11 CLI/CLI.hpp https://github.com/CLIUtils/CLI11.git
                        6c7b07a878ad834957b98d0f9ce1dbe0cb204fc9 include)  # v2.4.2
deadgrad_header_library(toml toml++/toml.h https://github.com/marzer/tomlplusplus.git
                        30172438cee64926dc41fdd9c11fb3ba5b2ba9de include)  # v3.4.0
deadgrad_header_library(flatbuffers flatbuffers/flatbuffers.h https://github.com/google/flatbuffers.git
                        06c5c7ed0bd987a918cf88caafb094f22cdd1721 include)  # v2.0.8
