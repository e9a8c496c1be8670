# find_package(nodl) gives nodl::nodl (the learner) and nodl::io (files); pkg-config gives `nodl`.
install(TARGETS nodl nodl_io EXPORT nodlTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/nodl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(NODL_BUILD_CLI)
  install(TARGETS nodl_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
