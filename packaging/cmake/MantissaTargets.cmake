# SPDX-License-Identifier: Apache-2.0
# How every target of this repository is built: one standard, one set of warnings, one place for them.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(MANTISSA_CCACHE ccache)
if(MANTISSA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need this sloppiness; without it ccache never hits. Paths relative to the sources let the builds
  # of one tree (Release, CUDA) share what they compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
    "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${MANTISSA_CCACHE}")
endif()
find_program(MANTISSA_MOLD mold)
if(MANTISSA_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Flags of our own code. Contraction stays off so that a fused multiply-add never changes a bit between machines.
# -fPIC is what Qt's targets ask for: one precompiled header serves all only if all are built alike.
function(mantissa_compile_options target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Werror
    -ffp-contract=off -fpch-preprocess -fPIC)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
  if(MANTISSA_SANITIZE)
    # GCC's analysis of uninitialised values sees ghosts in instrumented code, also in its own library.
    target_compile_options(${target} PRIVATE -fsanitize=${MANTISSA_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=undefined -Wno-maybe-uninitialized)
    target_link_options(${target} PUBLIC -fsanitize=${MANTISSA_SANITIZE})
  endif()
endfunction()

# mantissa_core_library(name SOURCES … DEPENDS …): one folder of core as one static library `mantissa_<name>`.
# TORCH marks the folders that may see torch; they share one precompiled header.
function(mantissa_core_library name)
  cmake_parse_arguments(ARG "TORCH" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(target mantissa_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  mantissa_compile_options(${target})
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  if(ARG_TORCH)
    target_link_libraries(${target} PUBLIC mantissa_torch)
    target_precompile_headers(${target} REUSE_FROM mantissa_torch_headers)
  endif()
endfunction()

# mantissa_ui_library(name SOURCES … DEPENDS …): one folder of ui as one static library `mantissa_ui_<name>`.
function(mantissa_ui_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  set(target mantissa_ui_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  mantissa_compile_options(${target})
  set_target_properties(${target} PROPERTIES AUTOMOC ON)
  # LibTorch says `slots` too: Q_SIGNALS, Q_SLOTS and Q_EMIT instead of Qt's keywords.
  target_compile_definitions(${target} PRIVATE QT_NO_KEYWORDS)
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
endfunction()
