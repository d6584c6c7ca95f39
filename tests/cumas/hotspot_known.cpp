/* SPDX-License-Identifier: MIT */
/* hotspot_known.cpp - hotspot's kernel on Rodinia's input of 64 x 64 cells: the sums after 1, 60 and 1000 steps that were computed
 * elsewhere. HEDDLE_DATA names the folder with the input; skipped without it. The program is contained. */
#include "hotspot.cu"

#include <string>

enum { SIDE = 64, CELLS = SIDE * SIDE };
static std::string folder;

static bool read_numbers(const char *name, float *to)
{
    FILE *f = fopen((folder + name).c_str(), "r");
    int n = 0;
    while (f && n < CELLS && fscanf(f, "%f", &to[n]) == 1)
        n++;
    if (f)
        fclose(f);
    return n == CELLS;
}

/* The number behind these words of a text, one after another. */
static double number_behind(const std::string &text, std::initializer_list<std::string> words)
{
    size_t at = 0;
    for (const std::string &word : words)
        at = text.find(word, at == std::string::npos ? text.size() : at);
    return at == std::string::npos ? NAN : atof(text.c_str() + text.find(':', at) + 1);
}

static double sum_after(int n_steps)
{
    double sum = 0;
    std::vector<float> now(heat, heat + CELLS);
    for (int i = 0; i < n_steps; i++) {
        cudaMemcpy(device_heat, now.data(), sizeof(float) * CELLS, cudaMemcpyHostToDevice);
        cudaMemcpy(device_power, power, sizeof(float) * CELLS, cudaMemcpyHostToDevice);
        PROGRAM_START(step, dim3(SIDE / WIDE, SIDE / HIGH), dim3(WIDE, HIGH), device_heat, device_power, device_result,
                      device_hottest, SIDE, 0u);
        cudaMemcpy(now.data(), device_result, sizeof(float) * CELLS, cudaMemcpyDeviceToHost);
    }
    for (float t : now)
        sum += t;
    return sum;
}

int main()
{
    const char *data = getenv("HEDDLE_DATA");
    char text[20000] = "";
    int bad = 0;
    folder = std::string(data ? data : "") + "/hotspot/";
    shape(8.0 * CELLS);
    if (!data || !read_numbers("temp_64", heat) || !read_numbers("power_64", power))
        return puts("skipped: HEDDLE_DATA has no hotspot/temp_64 and power_64"), 77;
    if (FILE *f = fopen((folder + "expected.json").c_str(), "r"))
        text[fread(text, 1, sizeof text - 1, f)] = 0, fclose(f);
    for (int n_steps : {1, 60, 1000}) {
        const double got = sum_after(n_steps);
        const double wanted =
            number_behind(text, {"\"64x64\"", "\"hotspot_steps_" + std::to_string(n_steps) + "\"", "\"sum\""});
        printf("%d steps: %.3f, wanted %.3f\n", n_steps, got, wanted);
        bad |= !program_is_near(got, wanted, 1e-6);
    }
    return bad;
}
