# SPDX-License-Identifier: MIT
# Makes heddle_openmp and heddle_openmp_static: the calls of programs translated by heddlec. They are above heddle and
# use its public headers only.
add_library(heddle_openmp_objects OBJECT
    src/openmp/api.c
    src/openmp/section.c
    src/openmp/context.c
    src/openmp/data.c
    src/openmp/cached.c
    src/openmp/lock.c
    src/openmp/map.c
    src/openmp/notes.c
    src/openmp/pointers.c
    src/openmp/region.c
    src/openmp/run.c
    src/openmp/say.c
    src/openmp/slots.c
    src/openmp/target_data.c
    src/openmp/views.c)
set_target_properties(heddle_openmp_objects PROPERTIES C_VISIBILITY_PRESET hidden)
target_include_directories(heddle_openmp_objects PRIVATE src)
target_link_libraries(heddle_openmp_objects PRIVATE heddle_headers)

add_library(heddle_openmp SHARED $<TARGET_OBJECTS:heddle_openmp_objects>)
set_target_properties(heddle_openmp PROPERTIES VERSION ${PROJECT_VERSION}
                      SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_libraries(heddle_openmp PUBLIC heddle)
add_library(heddle_openmp_static STATIC $<TARGET_OBJECTS:heddle_openmp_objects>)
set_target_properties(heddle_openmp_static PROPERTIES OUTPUT_NAME heddle_openmp)
target_link_libraries(heddle_openmp_static PUBLIC heddle_static)
foreach(library heddle_openmp heddle_openmp_static)
    target_link_libraries(${library} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_library(heddle::${library} ALIAS ${library})
endforeach()
if(NOT HEDDLE_SANITIZE)
    target_link_options(heddle_openmp PRIVATE -Wl,-z,defs)
endif()
