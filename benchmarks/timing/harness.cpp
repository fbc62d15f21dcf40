// Times generated functions and Pinocchio's in turns:  harness MODEL STATES FUNCTIONS RESULTS
//
// MODEL is text: gravity, then every joint with its place, its body and its rotor. STATES is text:
// for every state q, v, a, tau of ours, then the same of Pinocchio's. FUNCTIONS has one line for
// each way to compute one of ID, M, FD, dID, dFD: name, library, symbol, warm seconds, cold calls,
// sizes of the outputs. Printed is a line for each: warm and cold nanoseconds of ours, then of
// Pinocchio. RESULTS gets what both computed at every state, as doubles.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

namespace pin = pinocchio;
using Vector = Eigen::VectorXd;
using Vectors = Eigen::Ref<const Vector>;
using Clock = std::chrono::steady_clock;
using Work = std::function<void(std::size_t)>;

constexpr int ROUNDS = 60;          // batches of each, in turns
constexpr int MOST_ARGUMENTS = 6;   // inputs and outputs together
constexpr std::size_t CACHED = 1 << 22;  // bytes: more than the caches of one core

static double nanoseconds(Clock::duration time)
{
    return std::chrono::duration<double, std::nano>(time).count();
}

// ---- the robot and its states

static Eigen::MatrixXd read(std::istream& in, int rows, int columns)
{
    Eigen::MatrixXd matrix(rows, columns);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            if (!(in >> matrix(i, j))) throw std::runtime_error("a number is missing");
    return matrix;
}

static pin::JointModel joint_of(const std::string& kind, const Eigen::Vector3d& axis)
{
    if (kind == "RX") return pin::JointModelRX();
    if (kind == "RY") return pin::JointModelRY();
    if (kind == "RZ") return pin::JointModelRZ();
    if (kind == "PX") return pin::JointModelPX();
    if (kind == "PY") return pin::JointModelPY();
    if (kind == "PZ") return pin::JointModelPZ();
    if (kind == "RevoluteUnaligned") return pin::JointModelRevoluteUnaligned(axis);
    if (kind == "PrismaticUnaligned") return pin::JointModelPrismaticUnaligned(axis);
    if (kind == "FreeFlyer") return pin::JointModelFreeFlyer();
    if (kind == "Spherical") return pin::JointModelSpherical();
    throw std::runtime_error("no joint " + kind);
}

static pin::Model model_from(const char* path)
{
    std::ifstream in(path);
    pin::Model model;
    model.gravity.linear() = read(in, 3, 1);
    std::string kind;
    for (int number = 1; in >> kind; ++number) {
        int parent;
        in >> parent;
        const Eigen::Vector3d axis = read(in, 3, 1);
        const Eigen::Matrix3d R = read(in, 3, 3);
        const Eigen::Vector3d p = read(in, 3, 1);
        const double mass = read(in, 1, 1)(0);
        const Eigen::Vector3d com = read(in, 3, 1);
        const Eigen::Matrix3d tensor = read(in, 3, 3);
        const double rotor = read(in, 1, 1)(0);
        const auto name = "joint" + std::to_string(number);
        const auto id = model.addJoint(parent, joint_of(kind, axis), pin::SE3(R, p), name);
        const auto& joint = model.joints[id];
        model.armature.segment(joint.idx_v(), joint.nv()).setConstant(rotor);
        model.appendBodyToJoint(id, pin::Inertia(mass, com, tensor), pin::SE3::Identity());
    }
    return model;
}

struct State
{
    Vector q, v, a, tau;
};

static std::vector<std::pair<State, State>> states_from(const char* path, const pin::Model& model)
{
    std::ifstream in(path);
    std::size_t count;
    in >> count;
    std::vector<std::pair<State, State>> states(count);
    for (auto& [ours, theirs] : states)
        for (State* state : {&ours, &theirs}) {
            state->q = read(in, model.nq, 1);
            for (Vector* x : {&state->v, &state->a, &state->tau}) *x = read(in, model.nv, 1);
        }
    return states;
}

// ---- what is timed

template <typename Row>
static void append(std::vector<double>& values, const Row& matrix)
{
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
        for (Eigen::Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
}

struct Theirs
{
    const pin::Model& model;
    pin::Data data;

    void run(const std::string& what, const State& s)
    {
        const Vectors q(s.q), v(s.v), a(s.a), tau(s.tau);
        if (what == "ID") pin::rnea(model, data, q, v, a);
        else if (what == "M") pin::crba(model, data, q);
        else if (what == "FD") pin::aba(model, data, q, v, tau);
        else if (what == "dID") pin::computeRNEADerivatives(model, data, q, v, a);
        else pin::computeABADerivatives(model, data, q, v, tau);
    }

    void put(const std::string& what, std::vector<double>& values)
    {
        if (what == "ID") append(values, data.tau);
        else if (what == "M") {
            data.M.triangularView<Eigen::StrictlyLower>() =
                data.M.transpose().triangularView<Eigen::StrictlyLower>();
            append(values, data.M);
        }
        else if (what == "FD") append(values, data.ddq);
        else if (what == "dID") {
            append(values, data.dtau_dq);
            append(values, data.dtau_dv);
        }
        else {
            data.Minv.triangularView<Eigen::StrictlyLower>() =
                data.Minv.transpose().triangularView<Eigen::StrictlyLower>();
            append(values, data.ddq_dq);
            append(values, data.ddq_dv);
            append(values, data.Minv);
        }
    }
};

struct Ours
{
    void* function;
    std::vector<std::vector<double>> outputs;
    std::vector<double*> arguments;
    std::size_t inputs;

    Ours(const std::string& what, const std::string& library, const std::string& symbol,
         const std::vector<std::size_t>& sizes)
    {
        void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
        function = handle ? dlsym(handle, symbol.c_str()) : nullptr;
        if (!function) throw std::runtime_error(dlerror());
        inputs = what == "M" ? 1 : 3;
        arguments.resize(MOST_ARGUMENTS);
        for (std::size_t size : sizes) outputs.emplace_back(size);
        for (std::size_t k = 0; k < outputs.size(); ++k) arguments[inputs + k] = outputs[k].data();
    }

    void run(const std::string& what, const State& s)
    {
        auto** x = arguments.data();
        const Vector& last = what == "FD" || what == "dFD" ? s.tau : s.a;
        x[0] = const_cast<double*>(s.q.data());
        if (inputs == 3) {
            x[1] = const_cast<double*>(s.v.data());
            x[2] = const_cast<double*>(last.data());
        }
        using D = double*;
        switch (inputs + outputs.size()) {
        case 2: reinterpret_cast<void (*)(D, D)>(function)(x[0], x[1]); break;
        case 4: reinterpret_cast<void (*)(D, D, D, D)>(function)(x[0], x[1], x[2], x[3]); break;
        case 5:
            reinterpret_cast<void (*)(D, D, D, D, D)>(function)(x[0], x[1], x[2], x[3], x[4]);
            break;
        default:
            reinterpret_cast<void (*)(D, D, D, D, D, D)>(function)(
                x[0], x[1], x[2], x[3], x[4], x[5]);
        }
    }
};

// ---- clocks

static double batch(const Work& work, std::size_t states, std::size_t repeats)
{
    const auto start = Clock::now();
    for (std::size_t k = 0; k < repeats; ++k) work(k % states);
    return nanoseconds(Clock::now() - start) / static_cast<double>(repeats);
}

// The least time per call of each, over batches in turns.
static std::vector<double> warm(const std::vector<Work>& works, std::size_t states, double seconds)
{
    std::vector<std::size_t> repeats;
    std::vector<double> best;
    for (const Work& work : works) {
        batch(work, states, states);
        best.push_back(batch(work, states, states));
        repeats.push_back(std::max<std::size_t>(states, std::size_t(seconds * 1e9 / ROUNDS / best.back())));
    }
    for (int round = 0; round < ROUNDS; ++round)
        for (std::size_t k = 0; k < works.size(); ++k)
            best[k] = std::min(best[k], batch(works[k], states, repeats[k]));
    return best;
}

// Other code and other data: many small functions, and more memory than the core's caches hold.
template <int N>
[[gnu::noinline]] static double other(double x)
{
    for (int k = 0; k < 3; ++k) x = x > N ? std::sqrt(x) + 0.5 * N : x * x - 1.25 * N + k;
    return x > 1e9 ? 1.0 / x : x + N % 7;
}

template <int... N>
static double others(double x, std::integer_sequence<int, N...>)
{
    ((x = other<N>(x)), ...);
    return x;
}

static double evict(std::vector<double>& memory)
{
    for (std::size_t k = 0; k < memory.size(); k += 8) memory[k] += 1.0;
    return others(memory[0], std::make_integer_sequence<int, 1500>());
}

static double middle(std::vector<double>& times)
{
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
}

// The middle time of single calls after other work, without what the clock takes.
static std::vector<double> cold(const std::vector<Work>& works, std::size_t states, int calls)
{
    static std::vector<double> memory(CACHED / sizeof(double));
    static volatile double sink;
    std::vector<std::vector<double>> times(works.size() + 1);
    for (int call = 0; call < calls; ++call)
        for (std::size_t k = 0; k <= works.size(); ++k) {
            sink = evict(memory);
            const auto start = Clock::now();
            if (k < works.size()) works[k](call % states);
            times[k].push_back(nanoseconds(Clock::now() - start));
        }
    std::vector<double> found;
    const double clock = calls ? middle(times.back()) : 0.0;
    for (std::size_t k = 0; k < works.size(); ++k)
        found.push_back(calls ? middle(times[k]) - clock : 0.0);
    return found;
}

int main(int, char** argv)
{
    const pin::Model model = model_from(argv[1]);
    Theirs theirs{model, pin::Data(model)};
    const auto states = states_from(argv[2], model);
    std::ifstream functions(argv[3]);
    std::ofstream results(argv[4], std::ios::binary);
    std::string line;
    while (std::getline(functions, line)) {
        std::istringstream words(line);
        std::string what, library, symbol;
        double seconds;
        int calls;
        words >> what >> library >> symbol >> seconds >> calls;
        std::vector<std::size_t> sizes;
        for (std::size_t size; words >> size;) sizes.push_back(size);
        Ours ours(what, library, symbol, sizes);
        std::vector<double> values;
        for (const auto& [own, other] : states) {
            ours.run(what, own);
            for (const auto& output : ours.outputs)
                values.insert(values.end(), output.begin(), output.end());
            theirs.run(what, other);
            theirs.put(what, values);
        }
        results.write(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
        const std::vector<Work> works{[&](std::size_t k) { ours.run(what, states[k].first); },
                                      [&](std::size_t k) { theirs.run(what, states[k].second); }};
        const auto hot = warm(works, states.size(), seconds);
        const auto chill = cold(works, states.size(), calls);
        std::cout << hot[0] << ' ' << chill[0] << ' ' << hot[1] << ' ' << chill[1] << std::endl;
    }
}
