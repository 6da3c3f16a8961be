# SPDX-License-Identifier: Apache-2.0
# LibTorch as the imported target `mantissa_torch`; with MANTISSA_CUDA its CUDA libraries too.
#
# The wheel's own TorchConfig.cmake insists on a CUDA toolkit, so the two libraries are named here. They need
# libcudart and libcupti at run time; in the unpacked wheel folder their RPATHs find them (nvidia/ beside torch/).

if(NOT MANTISSA_TORCH_DIR)
  if(NOT "$ENV{MANTISSA_TORCH}" STREQUAL "")
    set(MANTISSA_TORCH_DIR "$ENV{MANTISSA_TORCH}")
  elseif(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(MANTISSA_TORCH_DIR "$ENV{XDG_CACHE_HOME}/mantissa/wheels/torch-${MANTISSA_TORCH_VERSION}")
  else()
    set(MANTISSA_TORCH_DIR "$ENV{HOME}/.cache/mantissa/wheels/torch-${MANTISSA_TORCH_VERSION}")
  endif()
endif()

# Accepted: a folder that contains torch/, the torch package itself, an unpacked libtorch archive, a virtual environment.
file(GLOB mantissa_torch_in_environment LIST_DIRECTORIES true "${MANTISSA_TORCH_DIR}/lib/python3*/site-packages/torch")
set(MANTISSA_TORCH_ROOT "")
foreach(candidate "${MANTISSA_TORCH_DIR}/torch" "${MANTISSA_TORCH_DIR}" "${MANTISSA_TORCH_DIR}/libtorch" ${mantissa_torch_in_environment})
  if(EXISTS "${candidate}/lib/libtorch_cpu.so" AND EXISTS "${candidate}/include/ATen/ATen.h")
    get_filename_component(MANTISSA_TORCH_ROOT "${candidate}" REALPATH)
    break()
  endif()
endforeach()
if(NOT MANTISSA_TORCH_ROOT)
  message(FATAL_ERROR
    "No LibTorch in '${MANTISSA_TORCH_DIR}': expected lib/libtorch_cpu.so and include/ATen/ATen.h there, in torch/ or in libtorch/.\n"
    "Run packaging/run.sh, which fetches it, or set MANTISSA_TORCH to a folder that holds LibTorch ${MANTISSA_TORCH_VERSION}.")
endif()

# The header moved between versions; the version is read wherever it is, so that the message can name it.
set(mantissa_torch_found "unknown")
foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
  if(EXISTS "${MANTISSA_TORCH_ROOT}/include/${header}")
    file(STRINGS "${MANTISSA_TORCH_ROOT}/include/${header}" mantissa_torch_lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    if(mantissa_torch_lines)
      string(REGEX REPLACE "[^0-9]*([0-9]+)[^0-9]+([0-9]+)[^0-9]+([0-9]+).*" "\\1.\\2.\\3" mantissa_torch_found "${mantissa_torch_lines}")
      break()
    endif()
  endif()
endforeach()
if(NOT mantissa_torch_found STREQUAL MANTISSA_TORCH_VERSION)
  message(FATAL_ERROR "LibTorch in '${MANTISSA_TORCH_ROOT}' is version ${mantissa_torch_found}, expected ${MANTISSA_TORCH_VERSION}: "
    "the oracle confirms the bits of that version only.")
endif()

add_library(mantissa_torch INTERFACE)
# After the system's headers: torch bundles another fmt than the one spdlog was built with.
target_compile_options(mantissa_torch INTERFACE
  "SHELL:-idirafter ${MANTISSA_TORCH_ROOT}/include" "SHELL:-idirafter ${MANTISSA_TORCH_ROOT}/include/torch/csrc/api/include")
# The library was built with NDEBUG, and without it at::RecordFunction has a member more in its header.
target_compile_definitions(mantissa_torch INTERFACE $<$<NOT:$<CONFIG:Release>>:NDEBUG>)
target_link_libraries(mantissa_torch INTERFACE
  "${MANTISSA_TORCH_ROOT}/lib/libtorch_cpu.so" "${MANTISSA_TORCH_ROOT}/lib/libc10.so")
foreach(folder "${MANTISSA_TORCH_ROOT}/../nvidia/cu13/lib" "/usr/local/cuda/lib64" "/usr/local/cuda/extras/CUPTI/lib64")
  if(EXISTS "${folder}")
    target_link_options(mantissa_torch INTERFACE "-Wl,-rpath-link,${folder}")
  endif()
endforeach()

if(MANTISSA_CUDA)
  find_package(CUDAToolkit 13.0 QUIET)
  if(NOT CUDAToolkit_FOUND)
    message(FATAL_ERROR "MANTISSA_CUDA needs a CUDA toolkit, version 13.0 or later, and found none. "
      "Install one with cuDNN and NCCL, or set CUDAToolkit_ROOT to it.")
  endif()
  foreach(library torch_cuda c10_cuda)
    if(NOT EXISTS "${MANTISSA_TORCH_ROOT}/lib/lib${library}.so")
      message(FATAL_ERROR "MANTISSA_CUDA: '${MANTISSA_TORCH_ROOT}' is a LibTorch without CUDA (no lib${library}.so).")
    endif()
  endforeach()
  # Nothing of ours calls into libtorch_cuda: it is there for the kernels that it registers when it is loaded.
  target_link_libraries(mantissa_torch INTERFACE "${MANTISSA_TORCH_ROOT}/lib/libc10_cuda.so"
    "-Wl,--push-state,--no-as-needed,${MANTISSA_TORCH_ROOT}/lib/libtorch_cuda.so,--pop-state")
  # Where its own libraries look for the others (their RPATH is relative to the wheel), so that the linker finds them too.
  foreach(folder nvidia/cu13/lib nvidia/cusparselt/lib nvidia/nvshmem/lib nvidia/cudnn/lib nvidia/nccl/lib)
    if(EXISTS "${MANTISSA_TORCH_ROOT}/../${folder}")
      target_link_options(mantissa_torch INTERFACE "-Wl,-rpath-link,${MANTISSA_TORCH_ROOT}/../${folder}")
    endif()
  endforeach()
  target_link_options(mantissa_torch INTERFACE "-Wl,-rpath-link,${CUDAToolkit_LIBRARY_DIR}")
endif()
