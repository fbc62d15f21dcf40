#include "planar_2r.h"

#include <math.h>

void planar_2r_forward_kinematics(const double q[2], double T[8])
{
    const double q0 = q[0];
    const double q1 = q[1];

    const double cos_q0 = cos(q0);
    const double cos_q1 = cos(q1);
    const double t1 = cos_q0 * cos_q1;
    const double sin_q0 = sin(q0);
    const double sin_q1 = sin(q1);
    const double t2 = sin_q0 * sin_q1;
    const double t3 = t1 - t2;
    T[0] = t3;
    T[3] = t3;
    const double t4 = cos_q0 * sin_q1;
    const double t5 = sin_q0 * cos_q1;
    const double t6 = t4 + t5;
    T[2] = -t6;
    const double t7 = 0.3 * cos_q1;
    const double t8 = cos_q0 * t7;
    const double t9 = 0.3 * sin_q1;
    const double t10 = sin_q0 * t9;
    const double t11 = t8 - t10;
    const double t12 = 0.4 * cos_q0;
    T[5] = t11 + t12;
    T[1] = t5 + t4;
    const double t13 = sin_q0 * t7;
    const double t14 = cos_q0 * t9;
    const double t15 = t13 + t14;
    const double t16 = 0.4 * sin_q0;
    T[6] = t15 + t16;
    T[4] = 1.0;
    T[7] = 1.0;
}

void planar_2r_jacobian_space(const double q[2], double J[4])
{
    const double q0 = q[0];

    J[0] = 1.0;
    J[1] = 1.0;
    const double sin_q0 = sin(q0);
    J[2] = 0.4 * sin_q0;
    const double cos_q0 = cos(q0);
    const double t1 = 0.4 * cos_q0;
    J[3] = -t1;
}

void planar_2r_jacobian_body_dot(const double q[2], const double v[2], double J_dot[2])
{
    const double q1 = q[1];
    const double v1 = v[1];

    const double sin_q1 = sin(q1);
    const double t1 = 0.3 * sin_q1;
    const double t2 = sin_q1 * t1;
    const double cos_q1 = cos(q1);
    const double t3 = 0.3 * cos_q1;
    const double t4 = t3 + 0.4;
    const double t5 = cos_q1 * t4;
    const double t6 = t2 + t5;
    const double t7 = t6 * v1;
    const double t8 = cos_q1 * t3;
    const double t9 = t2 + t8;
    const double t10 = t9 * v1;
    J_dot[0] = t7 - t10;
    const double t11 = sin_q1 * t3;
    const double t12 = cos_q1 * t1;
    const double t13 = t11 - t12;
    const double t14 = t13 * v1;
    const double t15 = sin_q1 * t4;
    const double t16 = t15 - t12;
    const double t17 = t16 * v1;
    J_dot[1] = t14 - t17;
}

void planar_2r_hessian_position(const double q[2], double H[8])
{
    const double q0 = q[0];
    const double q1 = q[1];

    const double cos_q0 = cos(q0);
    const double cos_q1 = cos(q1);
    const double t1 = 0.3 * cos_q1;
    const double t2 = cos_q0 * t1;
    const double sin_q0 = sin(q0);
    const double sin_q1 = sin(q1);
    const double t3 = 0.3 * sin_q1;
    const double t4 = sin_q0 * t3;
    const double t5 = t2 - t4;
    const double t6 = 0.4 * cos_q0;
    const double t7 = t5 + t6;
    H[0] = -t7;
    const double t8 = -t5;
    H[2] = t8;
    H[4] = t8;
    H[6] = t8;
    const double t9 = sin_q0 * t1;
    const double t10 = cos_q0 * t3;
    const double t11 = t9 + t10;
    const double t12 = 0.4 * sin_q0;
    const double t13 = t11 + t12;
    H[1] = -t13;
    const double t14 = -t11;
    H[3] = t14;
    H[5] = t14;
    H[7] = t14;
}
