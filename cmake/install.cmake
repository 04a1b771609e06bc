# `cmake --install` installs the program, libassay, its public headers, and a package for find_package(assay).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/assay)

install(TARGETS assay EXPORT assay-targets)
install(TARGETS assay_program)
# The headers of rooms are internal and not installed.
install(DIRECTORY include/assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${package})
configure_package_config_file(cmake/assay-config.cmake.in ${PROJECT_BINARY_DIR}/assay-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assay-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assay-config.cmake
              ${PROJECT_BINARY_DIR}/assay-config-version.cmake
              cmake/dependencies.cmake
        DESTINATION ${package})

# Manual pages and completions, printed by the program itself.
set(share ${PROJECT_BINARY_DIR}/share)
add_custom_command(OUTPUT ${share}/man/man1/assay.1
                   COMMAND assay_program docs share --out ${PROJECT_BINARY_DIR}
                   DEPENDS assay_program VERBATIM)
add_custom_target(assay_share ALL DEPENDS ${share}/man/man1/assay.1)
install(DIRECTORY ${share}/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR})
