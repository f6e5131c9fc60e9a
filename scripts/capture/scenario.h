/* Scenarios of kernels as key=value words, as in the column `scenario` of the timing records. */
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/* Prints the message and exits with status 2. */
static void die(const std::string &what) {
    fprintf(stderr, "capture: %s\n", what.c_str());
    exit(2);
}

struct scenario {
    std::string name, text;
    std::map<std::string, std::vector<int64_t>> words;

    /* Returns the first value of a word, or the fallback if the scenario does not have the word. */
    int64_t number(const char *key, int64_t fallback = 0) const {
        auto found = words.find(key);
        return found == words.end() ? fallback : found->second[0];
    }
    /* Copies `count` values of a word; the fallback replaces missing ones. */
    template <typename T> void list(const char *key, T *to, int count, int64_t fallback) const {
        auto found = words.find(key);
        for (int i = 0; i < count; i++)
            to[i] = T(found != words.end() && i < int(found->second.size()) ? found->second[i]
                                                                            : fallback);
    }
};

static std::vector<std::string> split(const std::string &line, char separator) {
    std::vector<std::string> parts;
    std::stringstream stream(line);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

static scenario parse_scenario(const std::string &name, const std::string &text) {
    scenario parsed{name, text, {}};
    for (const std::string &word : split(text, ' ')) {
        size_t equals = word.find('=');
        if (equals == std::string::npos)
            die(name + ": '" + word + "' is not key=value");
        for (const std::string &value : split(word.substr(equals + 1), ','))
            parsed.words[word.substr(0, equals)].push_back(strtoll(value.c_str(), nullptr, 10));
    }
    return parsed;
}

/* Reads the columns `name` and `scenario` of a tab-separated file. */
static std::vector<scenario> read_scenarios(const char *path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line))
        die(std::string(path) + ": cannot be read");
    std::vector<std::string> columns = split(line, '\t');
    auto name = std::find(columns.begin(), columns.end(), "name") - columns.begin();
    auto text = std::find(columns.begin(), columns.end(), "scenario") - columns.begin();
    if (std::max(name, text) >= long(columns.size()))
        die(std::string(path) + ": the columns name and scenario are missing");
    std::vector<scenario> scenarios;
    while (std::getline(file, line)) {
        std::vector<std::string> cells = split(line, '\t');
        if (long(cells.size()) <= std::max(name, text))
            die(std::string(path) + ": a line has too few cells: " + line);
        scenarios.push_back(parse_scenario(cells[name], cells[text]));
    }
    return scenarios;
}
