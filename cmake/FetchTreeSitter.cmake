# Provides the target deadgrad_tree_sitter: the tree-sitter core 0.25.10 and tree-sitter-python 0.25.0 as one static library.
# Sources come from, in this order: -DDEADGRAD_TREE_SITTER_DIR and -DDEADGRAD_TREE_SITTER_PYTHON_DIR; npm with the committed
# lock file, whose tree-sitter 0.25.1 holds the core 0.25.10; git by full commit. Both give the same files. Nothing is
# downloaded once the build directory holds them.
set(DEADGRAD_TREE_SITTER_DIR "" CACHE PATH "tree-sitter: its npm package 0.25.1 or its source tree 0.25.10")
set(DEADGRAD_TREE_SITTER_PYTHON_DIR "" CACHE PATH "tree-sitter-python 0.25.0: its npm package or source tree")
set(_third_party ${CMAKE_CURRENT_LIST_DIR}/../third_party)
set(_fetched ${CMAKE_BINARY_DIR}/third_party)

# Sets `out` to the folder under `root` that holds src/lib.c and include/tree_sitter/api.h, or to "".
function(_deadgrad_core_in root out)
  set(${out} "" PARENT_SCOPE)
  foreach(candidate vendor/tree-sitter/lib lib .)
    if(EXISTS ${root}/${candidate}/src/lib.c AND EXISTS ${root}/${candidate}/include/tree_sitter/api.h)
      set(${out} ${root}/${candidate} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

function(_deadgrad_fetch_with_npm npm)
  file(MAKE_DIRECTORY ${_fetched})
  file(COPY ${_third_party}/package.json ${_third_party}/package-lock.json DESTINATION ${_fetched})
  message(STATUS "tree-sitter: npm ci")
  execute_process(COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund WORKING_DIRECTORY ${_fetched}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(STATUS "tree-sitter: npm ci failed\n${output}")
  endif()
endfunction()

# Fetches one commit without its history. The variables could name another repository, as in a git hook.
function(_deadgrad_fetch_with_git repository commit directory)
  message(STATUS "tree-sitter: git fetch ${repository} ${commit}")
  set(part ${directory}.part)
  file(REMOVE_RECURSE ${part} ${directory})
  file(MAKE_DIRECTORY ${part})
  foreach(arguments "init;--quiet" "fetch;--quiet;--no-tags;--depth=1;${repository};${commit}" "checkout;--quiet;${commit}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
                            ${GIT_EXECUTABLE} ${arguments}
                    WORKING_DIRECTORY ${part} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      message(STATUS "tree-sitter: git failed\n${output}")
      return()
    endif()
  endforeach()
  file(RENAME ${part} ${directory})
endfunction()

set(_core_root ${DEADGRAD_TREE_SITTER_DIR})
set(_grammar_root ${DEADGRAD_TREE_SITTER_PYTHON_DIR})
if(NOT _core_root OR NOT _grammar_root)
  set(_core_root ${_fetched}/node_modules/tree-sitter)
  set(_grammar_root ${_fetched}/node_modules/tree-sitter-python)
  if(NOT EXISTS ${_grammar_root}/src/parser.c)
    find_program(DEADGRAD_NPM npm)
    if(DEADGRAD_NPM)
      _deadgrad_fetch_with_npm(${DEADGRAD_NPM})
    endif()
  endif()
  if(NOT EXISTS ${_grammar_root}/src/parser.c)
    set(_core_root ${_fetched}/git/tree-sitter)
    set(_grammar_root ${_fetched}/git/tree-sitter-python)
    find_package(Git QUIET)
    if(GIT_FOUND AND NOT EXISTS ${_core_root}/lib/src/lib.c)
      _deadgrad_fetch_with_git(https://github.com/tree-sitter/tree-sitter.git
                               da6fe9beb4f7f67beb75914ca8e0d48ae48d6406 ${_core_root})  # v0.25.10
    endif()
    if(GIT_FOUND AND NOT EXISTS ${_grammar_root}/src/parser.c)
      _deadgrad_fetch_with_git(https://github.com/tree-sitter/tree-sitter-python.git
                               293fdc02038ee2bf0e2e206711b69c90ac0d413f ${_grammar_root})  # v0.25.0
    endif()
  endif()
endif()

_deadgrad_core_in("${_core_root}" _core)
if(NOT _core OR NOT EXISTS ${_grammar_root}/src/parser.c OR NOT EXISTS ${_grammar_root}/src/scanner.c)
  message(FATAL_ERROR
    "The sources of tree-sitter 0.25.10 and tree-sitter-python 0.25.0 are missing. Install npm or git and configure again, or "
    "unpack both and pass -DDEADGRAD_TREE_SITTER_DIR=… -DDEADGRAD_TREE_SITTER_PYTHON_DIR=…")
endif()

set(_grammar ${_grammar_root}/src/parser.c ${_grammar_root}/src/scanner.c)
add_library(deadgrad_tree_sitter STATIC ${_core}/src/lib.c ${_grammar})
target_include_directories(deadgrad_tree_sitter SYSTEM PUBLIC ${_core}/include)
set_source_files_properties(${_core}/src/lib.c PROPERTIES
  INCLUDE_DIRECTORIES "${_core}/src" COMPILE_DEFINITIONS "_POSIX_C_SOURCE=200112L;_DEFAULT_SOURCE")
set_source_files_properties(${_grammar} PROPERTIES INCLUDE_DIRECTORIES ${_grammar_root}/src)
set_target_properties(deadgrad_tree_sitter PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
target_compile_options(deadgrad_tree_sitter PRIVATE -w -O2)
