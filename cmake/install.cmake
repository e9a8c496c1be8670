# find_package(nodl) gives nodl::nodl (the learner) and nodl::io (files); pkg-config gives `nodl`.
set(nodl_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/nodl)

install(TARGETS nodl nodl_io EXPORT nodlTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/nodl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT nodlTargets NAMESPACE nodl:: DESTINATION ${nodl_config_dir})

configure_package_config_file(cmake/nodlConfig.cmake.in ${PROJECT_BINARY_DIR}/nodlConfig.cmake
                              INSTALL_DESTINATION ${nodl_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nodlConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nodlConfig.cmake ${PROJECT_BINARY_DIR}/nodlConfigVersion.cmake
        DESTINATION ${nodl_config_dir})

# An archive does not know what it needs: who links it must name that too.
set(pc_needs "-lxxhash -lzstd -lz -pthread")
if(BUILD_SHARED_LIBS)
  set(pc_libs "")
  set(pc_libs_private "${pc_needs}")
else()
  set(pc_libs " ${pc_needs}")
  set(pc_libs_private "")
endif()
# The prefix relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
configure_file(cmake/nodl.pc.in nodl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nodl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Laid out as in the sources, so that the README's links and the names in help texts lead somewhere.
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(FILES third_party/uplot/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR}/third_party/uplot)
if(NODL_BUILD_CLI)
  install(TARGETS nodl_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
