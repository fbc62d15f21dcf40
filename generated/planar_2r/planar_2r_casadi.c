#include "planar_2r_casadi.h"

#include "planar_2r.h"

int planar_2r_forward_kinematics_casadi(
    const double **arg, double **res, long long int *iw, double *w, int mem)
{
    double *const q_values = w;
    double *const T_values = w + 2;
    (void)iw;
    (void)mem;
    for (int k = 0; k < 2; ++k) {
        q_values[k] = arg[0] ? arg[0][k] : 0.0;
    }
    planar_2r_forward_kinematics(q_values, T_values);
    for (int k = 0; res[0] && k < 8; ++k) {
        res[0][k] = T_values[k];
    }
    return 0;
}

long long int planar_2r_forward_kinematics_casadi_n_in(void) { return 1; }

long long int planar_2r_forward_kinematics_casadi_n_out(void) { return 1; }

const char *planar_2r_forward_kinematics_casadi_name_in(long long int i)
{
    switch (i) {
    case 0: return "q";
    default: return 0;
    }
}

const long long int *planar_2r_forward_kinematics_casadi_sparsity_in(long long int i)
{
    static const long long int s0[6] = {2, 1, 0, 2, 0, 1};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

const char *planar_2r_forward_kinematics_casadi_name_out(long long int i)
{
    switch (i) {
    case 0: return "T";
    default: return 0;
    }
}

const long long int *planar_2r_forward_kinematics_casadi_sparsity_out(long long int i)
{
    static const long long int s0[15] = {
        4, 4, 0, 2, 4, 5, 8, 0, 1, 0, 1, 2, 0, 1, 3
    };
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

int planar_2r_forward_kinematics_casadi_work(
    long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = planar_2r_forward_kinematics_casadi_SZ_ARG;
    if (sz_res) *sz_res = planar_2r_forward_kinematics_casadi_SZ_RES;
    if (sz_iw) *sz_iw = planar_2r_forward_kinematics_casadi_SZ_IW;
    if (sz_w) *sz_w = planar_2r_forward_kinematics_casadi_SZ_W;
    return 0;
}

int planar_2r_forward_kinematics_casadi_checkout(void) { return 0; }

void planar_2r_forward_kinematics_casadi_release(int mem) { (void)mem; }

void planar_2r_forward_kinematics_casadi_incref(void) {}

void planar_2r_forward_kinematics_casadi_decref(void) {}

int planar_2r_jacobian_space_casadi(
    const double **arg, double **res, long long int *iw, double *w, int mem)
{
    double *const q_values = w;
    double *const J_values = w + 2;
    (void)iw;
    (void)mem;
    for (int k = 0; k < 2; ++k) {
        q_values[k] = arg[0] ? arg[0][k] : 0.0;
    }
    planar_2r_jacobian_space(q_values, J_values);
    for (int k = 0; res[0] && k < 4; ++k) {
        res[0][k] = J_values[k];
    }
    return 0;
}

long long int planar_2r_jacobian_space_casadi_n_in(void) { return 1; }

long long int planar_2r_jacobian_space_casadi_n_out(void) { return 1; }

const char *planar_2r_jacobian_space_casadi_name_in(long long int i)
{
    switch (i) {
    case 0: return "q";
    default: return 0;
    }
}

const long long int *planar_2r_jacobian_space_casadi_sparsity_in(long long int i)
{
    static const long long int s0[6] = {2, 1, 0, 2, 0, 1};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

const char *planar_2r_jacobian_space_casadi_name_out(long long int i)
{
    switch (i) {
    case 0: return "J";
    default: return 0;
    }
}

const long long int *planar_2r_jacobian_space_casadi_sparsity_out(long long int i)
{
    static const long long int s0[9] = {6, 2, 0, 1, 4, 2, 2, 3, 4};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

int planar_2r_jacobian_space_casadi_work(
    long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = planar_2r_jacobian_space_casadi_SZ_ARG;
    if (sz_res) *sz_res = planar_2r_jacobian_space_casadi_SZ_RES;
    if (sz_iw) *sz_iw = planar_2r_jacobian_space_casadi_SZ_IW;
    if (sz_w) *sz_w = planar_2r_jacobian_space_casadi_SZ_W;
    return 0;
}

int planar_2r_jacobian_space_casadi_checkout(void) { return 0; }

void planar_2r_jacobian_space_casadi_release(int mem) { (void)mem; }

void planar_2r_jacobian_space_casadi_incref(void) {}

void planar_2r_jacobian_space_casadi_decref(void) {}

int planar_2r_jacobian_body_dot_casadi(
    const double **arg, double **res, long long int *iw, double *w, int mem)
{
    double *const q_values = w;
    double *const v_values = w + 2;
    double *const J_dot_values = w + 4;
    (void)iw;
    (void)mem;
    for (int k = 0; k < 2; ++k) {
        q_values[k] = arg[0] ? arg[0][k] : 0.0;
    }
    for (int k = 0; k < 2; ++k) {
        v_values[k] = arg[1] ? arg[1][k] : 0.0;
    }
    planar_2r_jacobian_body_dot(q_values, v_values, J_dot_values);
    for (int k = 0; res[0] && k < 2; ++k) {
        res[0][k] = J_dot_values[k];
    }
    return 0;
}

long long int planar_2r_jacobian_body_dot_casadi_n_in(void) { return 2; }

long long int planar_2r_jacobian_body_dot_casadi_n_out(void) { return 1; }

const char *planar_2r_jacobian_body_dot_casadi_name_in(long long int i)
{
    switch (i) {
    case 0: return "q";
    case 1: return "v";
    default: return 0;
    }
}

const long long int *planar_2r_jacobian_body_dot_casadi_sparsity_in(long long int i)
{
    static const long long int s0[6] = {2, 1, 0, 2, 0, 1};
    static const long long int s1[6] = {2, 1, 0, 2, 0, 1};
    switch (i) {
    case 0: return s0;
    case 1: return s1;
    default: return 0;
    }
}

const char *planar_2r_jacobian_body_dot_casadi_name_out(long long int i)
{
    switch (i) {
    case 0: return "J_dot";
    default: return 0;
    }
}

const long long int *planar_2r_jacobian_body_dot_casadi_sparsity_out(long long int i)
{
    static const long long int s0[7] = {6, 2, 0, 2, 2, 3, 4};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

int planar_2r_jacobian_body_dot_casadi_work(
    long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = planar_2r_jacobian_body_dot_casadi_SZ_ARG;
    if (sz_res) *sz_res = planar_2r_jacobian_body_dot_casadi_SZ_RES;
    if (sz_iw) *sz_iw = planar_2r_jacobian_body_dot_casadi_SZ_IW;
    if (sz_w) *sz_w = planar_2r_jacobian_body_dot_casadi_SZ_W;
    return 0;
}

int planar_2r_jacobian_body_dot_casadi_checkout(void) { return 0; }

void planar_2r_jacobian_body_dot_casadi_release(int mem) { (void)mem; }

void planar_2r_jacobian_body_dot_casadi_incref(void) {}

void planar_2r_jacobian_body_dot_casadi_decref(void) {}

int planar_2r_hessian_position_casadi(
    const double **arg, double **res, long long int *iw, double *w, int mem)
{
    static const int H_places[8] = {0, 2, 1, 3, 4, 6, 5, 7};
    double *const q_values = w;
    double *const H_values = w + 2;
    (void)iw;
    (void)mem;
    for (int k = 0; k < 2; ++k) {
        q_values[k] = arg[0] ? arg[0][k] : 0.0;
    }
    planar_2r_hessian_position(q_values, H_values);
    for (int k = 0; res[0] && k < 8; ++k) {
        res[0][k] = H_values[H_places[k]];
    }
    return 0;
}

long long int planar_2r_hessian_position_casadi_n_in(void) { return 1; }

long long int planar_2r_hessian_position_casadi_n_out(void) { return 1; }

const char *planar_2r_hessian_position_casadi_name_in(long long int i)
{
    switch (i) {
    case 0: return "q";
    default: return 0;
    }
}

const long long int *planar_2r_hessian_position_casadi_sparsity_in(long long int i)
{
    static const long long int s0[6] = {2, 1, 0, 2, 0, 1};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

const char *planar_2r_hessian_position_casadi_name_out(long long int i)
{
    switch (i) {
    case 0: return "H";
    default: return 0;
    }
}

const long long int *planar_2r_hessian_position_casadi_sparsity_out(long long int i)
{
    static const long long int s0[13] = {12, 2, 0, 4, 8, 6, 7, 8, 9, 6, 7, 8, 9};
    switch (i) {
    case 0: return s0;
    default: return 0;
    }
}

int planar_2r_hessian_position_casadi_work(
    long long int *sz_arg, long long int *sz_res, long long int *sz_iw, long long int *sz_w)
{
    if (sz_arg) *sz_arg = planar_2r_hessian_position_casadi_SZ_ARG;
    if (sz_res) *sz_res = planar_2r_hessian_position_casadi_SZ_RES;
    if (sz_iw) *sz_iw = planar_2r_hessian_position_casadi_SZ_IW;
    if (sz_w) *sz_w = planar_2r_hessian_position_casadi_SZ_W;
    return 0;
}

int planar_2r_hessian_position_casadi_checkout(void) { return 0; }

void planar_2r_hessian_position_casadi_release(int mem) { (void)mem; }

void planar_2r_hessian_position_casadi_incref(void) {}

void planar_2r_hessian_position_casadi_decref(void) {}
