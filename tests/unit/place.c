/* SPDX-License-Identifier: MIT */
/* place.c - processors for the threads of a fleet. Machines that are drawn, of packages with groups of cores, with devices near any of these:
 * nobody shares a core, as many managers are near their device as can be, bodies have the first cores that are left. A machine of two
 * packages that hwloc reads from a file: devices are near their package. Fleets: threads are where heddle_fleet_get_unit says.
 *
 *     place        HEDDLE_SEED: of the drawn machines */
#include "check.h"

#include "engine/loop/place.h"
#include "heddle/fleet.h"

#include <string.h>
#include <unistd.h>

#define MOST_CORES 48u
#define MACHINES 20000u

typedef struct machine {
    uint32_t n_cores, cpus[MOST_CORES];
    uint32_t n_managers, n_bodies;
    hd_cpus near[MOST_CORES];
    hd_place managers[MOST_CORES];
    uint32_t bodies[MOST_CORES];
} machine;

/* ---- the choice --------------------------------------------------------------------------------------------------------- */

/* Near nothing, everything, a half, or a quarter of the cores. */
static void draw_near(machine *m, uint32_t manager, uint64_t *seed)
{
    const uint32_t parts = 1u << check_below(seed, 3), part = (uint32_t)check_below(seed, parts);
    uint32_t i;
    memset(&m->near[manager], 0, sizeof m->near[manager]);
    if (check_below(seed, 4) == 0)
        return;
    for (i = 0; i < m->n_cores; i++)
        if (i * parts / m->n_cores == part)
            hd_cpus_add(&m->near[manager], m->cpus[i]);
    hd_cpus_add(&m->near[manager], HD_MAX_CPUS - 1u - part); /* it is not among the cores */
}

static void draw(machine *m, uint64_t *seed)
{
    uint32_t i;
    m->n_cores = 1u + (uint32_t)check_below(seed, MOST_CORES);
    m->n_managers = (uint32_t)check_below(seed, m->n_cores + 1u);
    m->n_bodies = (uint32_t)check_below(seed, m->n_cores - m->n_managers + 1u);
    for (i = 0; i < m->n_cores; i++)
        m->cpus[i] = i ? m->cpus[i - 1] + 1u + (uint32_t)check_below(seed, 3) : (uint32_t)check_below(seed, 3);
    for (i = 0; i < m->n_managers; i++) {
        draw_near(m, i, seed);
        m->managers[i].near = &m->near[i];
    }
}

/* A manager finds a core, and if need be has others move to another one (Kuhn). */
static int find(const machine *m, uint32_t manager, uint32_t *owner, uint8_t *seen)
{
    uint32_t i;
    for (i = 0; i < m->n_cores; i++) {
        if (seen[i] || !hd_cpus_has(&m->near[manager], m->cpus[i]))
            continue;
        seen[i] = 1;
        if (owner[i] == HD_NONE || find(m, owner[i], owner, seen)) {
            owner[i] = manager;
            return 1;
        }
    }
    return 0;
}

static uint32_t most_near(const machine *m)
{
    uint32_t owner[MOST_CORES], i, n = 0;
    memset(owner, 0xff, sizeof owner);
    for (i = 0; i < m->n_managers; i++) {
        uint8_t seen[MOST_CORES] = {0};
        n += (uint32_t)find(m, i, owner, seen);
    }
    return n;
}

static void take(const machine *m, uint8_t *taken, uint32_t cpu)
{
    uint32_t i;
    for (i = 0; i < m->n_cores && m->cpus[i] != cpu; i++)
        ;
    CHECK_MSG(i < m->n_cores && !taken[i], "processor %u", cpu);
    taken[i] = 1;
}

static void check_choice(const machine *m)
{
    uint8_t taken[MOST_CORES] = {0};
    uint32_t i, k, n_near = 0;
    for (i = 0; i < m->n_managers; i++) {
        take(m, taken, m->managers[i].cpu);
        n_near += (uint32_t)hd_cpus_has(&m->near[i], m->managers[i].cpu);
    }
    CHECK_MSG(n_near == most_near(m), "%u managers of %u are near, not %u", n_near, m->n_managers, most_near(m));
    for (i = k = 0; k < m->n_bodies; i++)
        if (!taken[i])
            CHECK_MSG(m->bodies[k++] == m->cpus[i], "body %u", k - 1);
}

static void check_choices(void)
{
    static machine m;
    uint64_t seed = check_seed(1);
    uint32_t k;
    for (k = 0; k < MACHINES; k++) {
        draw(&m, &seed);
        hd_place_choose(m.cpus, m.n_cores, m.managers, m.n_managers, m.bodies, m.n_bodies);
        check_choice(&m);
    }
}

/* Nothing is known: managers have the last cores. */
static void check_unknown(void)
{
    const uint32_t cpus[4] = {0, 2, 4, 6};
    const hd_cpus none = {{0}};
    hd_place managers[2] = {{&none, 0, 0}, {&none, 0, 0}};
    uint32_t bodies[2];
    hd_place_choose(cpus, 4, managers, 2, bodies, 2);
    CHECK(managers[0].cpu == 6 && managers[1].cpu == 4 && bodies[0] == 0 && bodies[1] == 2);
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

#define SETS(cpus, nodes) \
    "cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"" nodes "\" complete_nodeset=\"" nodes "\""
#define CORE(index, mask, nodes, gp)                                                                            \
    "<object type=\"Core\" os_index=\"" index "\" " SETS(mask, nodes) " gp_index=\"" gp "0\">"                  \
                                                                      "<object type=\"PU\" os_index=\"" index   \
                                                                      "\" " SETS(mask, nodes) " gp_index=\"" gp \
                                                                                              "1\"/></object>"
#define DEVICE(index, pci, gp)                                                            \
    "<object type=\"PCIDev\" os_index=\"" index "\" gp_index=\"" gp "\" pci_busid=\"" pci \
    "\" pci_type=\"0302 [10de:2330] [10de:16c1] a1\" pci_link_speed=\"0.000000\"/>"

/* Two packages of two cores, each with a device, and a device that is near all. */
static const char two_packages[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">"
    "<object type=\"Machine\" os_index=\"0\" " SETS(
        "0xf",
        "0x3") " allowed_cpuset=\"0xf\" allowed_nodeset=\"0x3\" "
               "gp_index=\"1\">"
               "<object type=\"Package\" os_index=\"0\" " SETS(
                   "0x3",
                   "0x1") " gp_index=\"2\">"
                          "<object type=\"NUMANode\" os_index=\"0\" " SETS("0x3", "0x1") " gp_index=\"3\"/>" CORE(
                              "0", "0x1", "0x1", "1") CORE("1", "0x2", "0x1", "2")
                              DEVICE("94208", "0000:17:00.0",
                                     "4") "</object>"
                                          "<object type=\"Package\" os_index=\"1\" " SETS(
                                              "0xc",
                                              "0x2") " gp_index=\"5\">"
                                                     "<object type=\"NUMANode\" os_index=\"1\" " SETS(
                                                         "0xc", "0x2") " gp_index=\"6\"/>" CORE("2", "0x4", "0x2", "3")
                                                         CORE("3", "0x8", "0x2", "4")
                                                             DEVICE("1044480", "0000:ff:00.0", "7") "</object>" DEVICE(
                                                                 "4096", "0000:01:00.0", "8") "</object></topology>\n";

static void check_near(void)
{
    static const char path[] = "place.xml";
    static const char *const pci[5] = {"0000:17:00.0", "", "0000:ff:00.0", "0000:01:00.0", "0000:99:00.0"};
    static const uint64_t want[5] = {0x3, 0, 0xc, 0xf, 0};
    hd_cpus near[5];
    hd_machine m;
    uint32_t i;
    FILE *f = fopen(path, "w");
    CHECK(f && fputs(two_packages, f) >= 0 && !fclose(f));
    hd_machine_look(&m);
    CHECK(!setenv("HWLOC_XMLFILE", path, 1));
    memset(near, 0xff, sizeof near);
    hd_machine_near(pci, 5, near);
    CHECK(!unsetenv("HWLOC_XMLFILE") && !remove(path));
    for (i = 0; i < 5; i++)
        CHECK_MSG(near[i].words[0] == (m.pub.has_hwloc ? want[i] : 0) && !near[i].words[1], "%s: %llx", pci[i],
                  (unsigned long long)near[i].words[0]);
}

/* ---- fleets -------------------------------------------------------------------------------------------------------------- */

/* Returns how many units are pinned; no two of them to one processor. */
static uint32_t count_pinned(const char *devices, uint32_t no_pin)
{
    heddle_fleet_config c = HEDDLE_FLEET_INIT;
    heddle_fleet *f = NULL;
    hd_cpus taken = {{0}};
    uint32_t i, n = 0;
    c.no_pin = no_pin;
    CHECK_OK(NULL, heddle_fleet_open(&f, devices, &c));
    for (i = 0;; i++) {
        heddle_fleet_unit u = HEDDLE_UNIT_INIT;
        if (heddle_fleet_get_unit(f, i, &u) == HEDDLE_ENODEV)
            break;
        if (u.cpu == UINT32_MAX)
            continue;
        CHECK_MSG(!hd_cpus_has(&taken, u.cpu), "%s shares processor %u", u.name, u.cpu);
        hd_cpus_add(&taken, u.cpu);
        n++;
    }
    heddle_fleet_close(f);
    return n;
}

static void check_fleets(void)
{
    char words[64];
    hd_machine m;
    hd_machine_look(&m);
    CHECK(count_pinned("cpu:1", 0) == 1);
    CHECK(count_pinned("cpu:1", 1) == 0);
    CHECK(count_pinned("serial", 0) == 0);
    CHECK(count_pinned("virtual: cpu:*", 0) == (m.pub.n_cores > 1 ? m.pub.n_cores : 1));
    (void)snprintf(words, sizeof words, "2*virtual: cpu:%u", m.pub.n_cores);
    CHECK(count_pinned(words, 0) == m.pub.n_cores); /* managers are not */
}

int main(void)
{
    check_unknown();
    check_choices();
    check_near();
    check_fleets();
    return 0;
}
