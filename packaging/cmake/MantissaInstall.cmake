# SPDX-License-Identifier: Apache-2.0
# `cmake --install build/release --prefix DIR`: the programs and what they read. LibTorch stays where it was fetched
# and is found there (no torch or NVIDIA file is copied).
include(GNUInstallDirs)

foreach(program mantissa-cli mantissa)
  if(TARGET ${program})
    set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${program} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()
endforeach()
install(DIRECTORY resources experiments DESTINATION "${CMAKE_INSTALL_DATADIR}/mantissa")
if(TARGET mantissa)
  install(FILES packaging/mantissa.desktop DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
  install(FILES resources/icons/mantissa.svg DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
endif()
install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
