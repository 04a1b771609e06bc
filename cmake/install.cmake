# `cmake --install` gives the program, libassay, its headers, and a package for find_package(assay).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/assay)

install(TARGETS assay EXPORT assay-targets)
install(TARGETS assay_program)
# Headers for tests are ours alone.
install(DIRECTORY assay DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*_for_test.hpp" EXCLUDE PATTERN "test_*.hpp" EXCLUDE)
install(EXPORT assay-targets NAMESPACE assay:: DESTINATION ${package})
configure_package_config_file(cmake/assay-config.cmake.in ${PROJECT_BINARY_DIR}/assay-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/assay-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/assay-config.cmake
              ${PROJECT_BINARY_DIR}/assay-config-version.cmake
              cmake/dependencies.cmake
        DESTINATION ${package})
