#include "CSolver.h"

#include <ceres/ceres.h>
#include <ceres/rotation.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

/// A start and six numbers: three of a turn applied after it, three added to the translation.
struct Start {
  double rotation[9];
  double translation[3];

  template <typename T>
  void Apply(const T *delta, const T *point, T *out) const {
    T turned[3];
    for (int r = 0; r < 3; r++)
      turned[r] = T(rotation[3 * r]) * point[0] + T(rotation[3 * r + 1]) * point[1] + T(rotation[3 * r + 2]) * point[2];
    ceres::AngleAxisRotatePoint(delta, turned, out);
    for (int r = 0; r < 3; r++) out[r] += T(translation[r]) + delta[3 + r];
  }
};

/// Focal scale and two shifts of the centre.
template <typename T>
bool Project(const csolver_lens &lens, const T *change, const T *camera, double x, double y, T *residual) {
  if (camera[2] <= T(1e-9)) return false;
  const T scale = T(1) + change[0];
  residual[0] = T(lens.fx) * scale * camera[0] / camera[2] + T(lens.cx) + change[1] - T(x);
  residual[1] = T(lens.fy) * scale * camera[1] / camera[2] + T(lens.cy) + change[2] - T(y);
  return true;
}

/// A start moved by six numbers, with what its derivatives need.
struct Moved {
  /// The turned point, before the translation, and the whole rotation.
  double turned[3], rotation[9];
  /// The left Jacobian of the turn (T. Barfoot, "State Estimation for Robotics", 2017, eq. 7.77).
  double left[9];

  void Set(const Start &start, const double *delta, const double *point, double *out) {
    const double x = delta[0], y = delta[1], z = delta[2], square = x * x + y * y + z * z;
    double a = 1, b = 0.5, c = 1.0 / 6;
    if (square > 1e-12) {
      const double angle = std::sqrt(square);
      a = std::sin(angle) / angle;
      b = (1 - std::cos(angle)) / square;
      c = (1 - a) / square;
    }
    const double w[9] = {0, -z, y, z, 0, -x, -y, x, 0};
    const double ww[9] = {x * x - square, x * y, x * z, x * y, y * y - square, y * z, x * z, y * z, z * z - square};
    double turn[9];
    for (int i = 0; i < 9; i++) {
      const double one = i % 4 == 0 ? 1 : 0;
      turn[i] = one + a * w[i] + b * ww[i];
      left[i] = one + b * w[i] + c * ww[i];
    }
    for (int r = 0; r < 3; r++)
      for (int k = 0; k < 3; k++)
        rotation[3 * r + k] = turn[3 * r] * start.rotation[k] + turn[3 * r + 1] * start.rotation[3 + k]
                              + turn[3 * r + 2] * start.rotation[6 + k];
    for (int r = 0; r < 3; r++) {
      turned[r] = rotation[3 * r] * point[0] + rotation[3 * r + 1] * point[1] + rotation[3 * r + 2] * point[2];
      out[r] = turned[r] + start.translation[r] + delta[3 + r];
    }
  }

  /// Rows of `outer` (2x3, what comes after) times the derivative by the six numbers, into 2x6.
  void Derive(const double *outer, double *jacobian) const {
    for (int r = 0; r < 2; r++) {
      const double *o = outer + 3 * r;
      // o * -[turned]x = turned x o, as a row
      const double cross[3] = {
        turned[1] * o[2] - turned[2] * o[1], turned[2] * o[0] - turned[0] * o[2], turned[0] * o[1] - turned[1] * o[0]};
      for (int k = 0; k < 3; k++) {
        jacobian[6 * r + k] = cross[0] * left[k] + cross[1] * left[3 + k] + cross[2] * left[6 + k];
        jacobian[6 * r + 3 + k] = o[k];
      }
    }
  }

  /// `outer` times the rotation, in place.
  void Chain(double *outer) const {
    for (int r = 0; r < 2; r++) {
      double *o = outer + 3 * r;
      const double x = o[0], y = o[1], z = o[2];
      for (int k = 0; k < 3; k++) o[k] = x * rotation[k] + y * rotation[3 + k] + z * rotation[6 + k];
    }
  }
};

/// A picture of a rig. Derivatives by hand: twenty times quicker than automatic ones over 25 numbers.
class RigResidual : public ceres::SizedCostFunction<2, 3, 6, 6, 1, 6, 3> {
 public:
  RigResidual(
    const csolver_lens &lens, const Start &side, const Start &head, const Start &object, double angle, double x,
    double y, bool on_table)
      : lens_(lens), side_(side), head_(head), object_(object), angle_(angle), x_(x), y_(y), on_table_(on_table) {}

  bool Evaluate(double const *const *p, double *residual, double **jacobians) const override {
    Moved object, head, side;
    double placed[3] = {p[5][0], p[5][1], p[5][2]}, turned[3], seen[3], camera[3];
    if (!on_table_) object.Set(object_, p[4], p[5], placed);
    const double c = std::cos(angle_ + p[3][0]), s = std::sin(angle_ + p[3][0]);
    turned[0] = c * placed[0] + s * placed[2];
    turned[1] = placed[1];
    turned[2] = c * placed[2] - s * placed[0];
    head.Set(head_, p[2], turned, seen);
    side.Set(side_, p[1], seen, camera);
    if (!Project(lens_, p[0], camera, x_, y_, residual)) return false;
    if (!jacobians) return true;
    const double z = 1 / camera[2], u = camera[0] * z, v = camera[1] * z, scale = 1 + p[0][0];
    const double fx = lens_.fx * scale, fy = lens_.fy * scale;
    if (jacobians[0]) {
      const double lens[6] = {lens_.fx * u, 1, 0, lens_.fy * v, 0, 1};
      std::memcpy(jacobians[0], lens, sizeof lens);
    }
    double outer[6] = {fx * z, 0, -fx * u * z, 0, fy * z, -fy * v * z};
    if (jacobians[1]) side.Derive(outer, jacobians[1]);
    side.Chain(outer);
    if (jacobians[2]) head.Derive(outer, jacobians[2]);
    head.Chain(outer);
    for (int r = 0; r < 2; r++) {
      double *o = outer + 3 * r;
      if (jacobians[3])
        jacobians[3][r] = o[0] * (c * placed[2] - s * placed[0]) + o[2] * (-s * placed[2] - c * placed[0]);
      const double a = o[0], b = o[2];
      o[0] = a * c - b * s;
      o[2] = a * s + b * c;
    }
    if (on_table_) {
      if (jacobians[4]) std::memset(jacobians[4], 0, 12 * sizeof(double));
    } else {
      if (jacobians[4]) object.Derive(outer, jacobians[4]);
      object.Chain(outer);
    }
    if (jacobians[5]) std::memcpy(jacobians[5], outer, sizeof outer);
    return true;
  }

 private:
  csolver_lens lens_;
  Start side_, head_, object_;
  double angle_, x_, y_;
  bool on_table_;
};

/// A picture of a camera of its own.
struct FreeResidual {
  csolver_lens lens;
  Start head;
  double x, y;

  template <typename T>
  bool operator()(const T *lens_change, const T *head_change, const T *point, T *residual) const {
    T camera[3];
    head.Apply(head_change, point, camera);
    return Project(lens, lens_change, camera, x, y, residual);
  }
};

struct LengthPrior {
  Start start;
  double length, sigma;

  template <typename T>
  bool operator()(const T *change, T *residual) const {
    T sum = T(0);
    for (int r = 0; r < 3; r++) {
      T t = T(start.translation[r]) + change[3 + r];
      sum += t * t;
    }
    residual[0] = (ceres::sqrt(sum) - T(length)) / T(sigma);
    return true;
  }
};

struct HeightPrior {
  double sigma;

  template <typename T>
  bool operator()(const T *point, T *residual) const {
    residual[0] = point[1] / T(sigma);
    return true;
  }
};

/// A belief that a number is near -`start`.
struct TurnBelief {
  double start, sigma;

  template <typename T>
  bool operator()(const T *x, T *residual) const {
    residual[0] = (x[0] + T(start)) / T(sigma);
    return true;
  }
};

/// A belief that every number of a block is near 0.
template <int N>
struct Belief {
  double weight[N];

  template <typename T>
  bool operator()(const T *x, T *residual) const {
    for (int i = 0; i < N; i++) residual[i] = T(weight[i]) * x[i];
    return true;
  }
};

class StopCallback : public ceres::IterationCallback {
 public:
  StopCallback(csolver_should_stop ask, void *context) : ask_(ask), context_(context) {}
  ceres::CallbackReturnType operator()(const ceres::IterationSummary &) override {
    if (ask_ && ask_(context_)) return ceres::SOLVER_ABORT;
    return ceres::SOLVER_CONTINUE;
  }

 private:
  csolver_should_stop ask_;
  void *context_;
};

bool InRange(int32_t index, size_t count, bool optional) {
  return index < 0 ? optional && index == -1 : static_cast<size_t>(index) < count;
}

bool IsValid(const csolver_bundle &b) {
  for (size_t i = 0; i < b.view_count; i++) {
    const csolver_view &v = b.views[i];
    if (
      !InRange(v.lens, b.lens_count, false) || !InRange(v.side, b.pose_count, true)
      || !InRange(v.head, b.pose_count, false) || !InRange(v.turn, b.turn_count, true)
      || !InRange(v.object, b.pose_count, true))
      return false;
  }
  for (size_t i = 0; i < b.observation_count; i++)
    if (
      !InRange(b.observations[i].view, b.view_count, false) || !InRange(b.observations[i].point, b.point_count, false))
      return false;
  return b.loss_scale > 0 && b.max_iterations > 0;
}

class Adjustment {
 public:
  explicit Adjustment(csolver_bundle *bundle)
      : bundle_(*bundle),
        starts_(bundle->pose_count),
        numbers_(
          6 * bundle->pose_count + 3 * bundle->lens_count + bundle->turn_count + 1 + 12 + 3 * bundle->point_count, 0.0) {
    motions_ = numbers_.data();
    lenses_ = motions_ + 6 * bundle->pose_count;
    turns_ = lenses_ + 3 * bundle->lens_count;
    no_side_ = turns_ + bundle->turn_count + 1;
    no_object_ = no_side_ + 6;
    points_ = no_object_ + 6;
    identity_ = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    for (size_t i = 0; i < bundle_.pose_count; i++) {
      std::memcpy(starts_[i].rotation, bundle_.poses[i].rotation, sizeof starts_[i].rotation);
      std::memcpy(starts_[i].translation, bundle_.poses[i].translation, sizeof starts_[i].translation);
    }
    for (size_t i = 0; i < bundle_.point_count; i++)
      std::memcpy(&points_[3 * i], bundle_.points[i].position, 3 * sizeof(double));
  }

  int Solve(csolver_should_stop ask, void *context, std::string *message) {
    ceres::Problem::Options problem_options;
    ceres::Problem problem(problem_options);
    AddObservations(&problem);
    AddBeliefs(&problem);
    ceres::Solver::Options options;
    size_t cameras = 0;
    auto order = std::make_shared<ceres::ParameterBlockOrdering>();
    for (size_t i = 0; i < bundle_.point_count; i++)
      if (problem.HasParameterBlock(&points_[3 * i])) order->AddElementToGroup(&points_[3 * i], 0);
    std::vector<double *> blocks;
    problem.GetParameterBlocks(&blocks);
    for (double *block : blocks) {
      if (order->GroupId(block) == 0) continue;
      order->AddElementToGroup(block, 1);
      if (!problem.IsParameterBlockConstant(block)) cameras += static_cast<size_t>(problem.ParameterBlockSize(block));
    }
    options.linear_solver_ordering = order;
    options.linear_solver_type = cameras <= 1200 ? ceres::DENSE_SCHUR : ceres::ITERATIVE_SCHUR;
    options.preconditioner_type = ceres::SCHUR_JACOBI;
    options.max_num_iterations = bundle_.max_iterations;
    options.function_tolerance = 1e-5;
    options.num_threads = 1;
    options.logging_type = ceres::SILENT;
    options.minimizer_progress_to_stdout = false;
    StopCallback callback(ask, context);
    options.callbacks.push_back(&callback);
    ceres::Solver::Summary summary;
    ceres::Solve(options, &problem, &summary);
    if (summary.termination_type == ceres::USER_FAILURE) return 1;
    if (!summary.IsSolutionUsable()) {
      *message = summary.message;
      return 2;
    }
    WriteBack();
    return 0;
  }

 private:
  double *Motion(int32_t index) { return &motions_[6 * static_cast<size_t>(index)]; }
  double *TurnOf(int32_t index) { return &turns_[index < 0 ? bundle_.turn_count : static_cast<size_t>(index)]; }
  const Start &StartOf(int32_t index) const { return index < 0 ? identity_ : starts_[static_cast<size_t>(index)]; }

  double AngleOf(int32_t turn) const { return turn < 0 ? 0 : bundle_.turns[turn].angle; }

  void AddObservations(ceres::Problem *problem) {
    ceres::LossFunction *loss = new ceres::CauchyLoss(bundle_.loss_scale);  // the problem deletes it once
    for (size_t i = 0; i < bundle_.observation_count; i++) {
      const csolver_observation &o = bundle_.observations[i];
      const csolver_view &v = bundle_.views[o.view];
      const csolver_lens &lens = bundle_.lenses[v.lens];
      double *point = &points_[3 * static_cast<size_t>(o.point)];
      if (v.side < 0 && v.turn < 0 && v.object < 0 && v.angle == 0) {
        auto *cost = new ceres::AutoDiffCostFunction<FreeResidual, 2, 3, 6, 3>(
          new FreeResidual{lens, StartOf(v.head), o.x, o.y});
        problem->AddResidualBlock(cost, loss, &lenses_[3 * static_cast<size_t>(v.lens)], Motion(v.head), point);
        continue;
      }
      const bool on_table = bundle_.points[o.point].on_table != 0;
      // the blocks of a residual must differ; each kind of pose that is absent has a place of its own
      double *side = v.side < 0 ? no_side_ : Motion(v.side);
      double *object = v.object < 0 || on_table ? no_object_ : Motion(v.object);
      auto *cost = new RigResidual(
        lens, StartOf(v.side), StartOf(v.head), StartOf(v.object), v.angle + AngleOf(v.turn), o.x, o.y, on_table);
      problem->AddResidualBlock(
        cost, loss, &lenses_[3 * static_cast<size_t>(v.lens)], side, Motion(v.head), TurnOf(v.turn), object, point);
    }
    for (double *block : {no_side_, no_object_, TurnOf(-1)})
      if (problem->HasParameterBlock(block)) problem->SetParameterBlockConstant(block);
  }

  void AddBeliefs(ceres::Problem *problem) {
    for (size_t i = 0; i < bundle_.pose_count; i++) {
      double *motion = Motion(static_cast<int32_t>(i));
      if (!problem->HasParameterBlock(motion)) continue;
      const csolver_pose &pose = bundle_.poses[i];
      if (pose.rotation_sigma <= 0 || pose.translation_sigma <= 0) {
        problem->SetParameterBlockConstant(motion);
        continue;
      }
      const double r = 1 / pose.rotation_sigma, t = 1 / pose.translation_sigma;
      problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<Belief<6>, 6, 6>(new Belief<6>{{r, r, r, t, t, t}}), nullptr, motion);
      if (pose.length_sigma > 0) {
        const double *p = pose.translation;
        const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
        problem->AddResidualBlock(
          new ceres::AutoDiffCostFunction<LengthPrior, 1, 6>(new LengthPrior{starts_[i], length, pose.length_sigma}),
          nullptr, motion);
      }
    }
    for (size_t i = 0; i < bundle_.lens_count; i++) {
      double *change = &lenses_[3 * i];
      if (!problem->HasParameterBlock(change)) continue;
      const csolver_lens &lens = bundle_.lenses[i];
      if (lens.focal_sigma <= 0 || lens.centre_sigma <= 0) {
        problem->SetParameterBlockConstant(change);
        continue;
      }
      const double f = 1 / lens.focal_sigma, c = 1 / lens.centre_sigma;
      problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<Belief<3>, 3, 3>(new Belief<3>{{f, c, c}}), nullptr, change);
    }
    for (size_t i = 0; i < bundle_.turn_count; i++) {
      if (!problem->HasParameterBlock(&turns_[i])) continue;
      if (bundle_.turns[i].sigma <= 0) {
        problem->SetParameterBlockConstant(&turns_[i]);
        continue;
      }
      problem->AddResidualBlock(
        new ceres::AutoDiffCostFunction<TurnBelief, 1, 1>(
          new TurnBelief{bundle_.turns[i].angle, bundle_.turns[i].sigma}),
        nullptr, &turns_[i]);
    }
    for (size_t i = 0; i < bundle_.point_count; i++)
      if (bundle_.points[i].height_sigma > 0 && problem->HasParameterBlock(&points_[3 * i]))
        problem->AddResidualBlock(
          new ceres::AutoDiffCostFunction<HeightPrior, 1, 3>(new HeightPrior{bundle_.points[i].height_sigma}), nullptr,
          &points_[3 * i]);
  }

  void WriteBack() {
    for (size_t i = 0; i < bundle_.pose_count; i++) {
      const double *motion = &motions_[6 * i];
      double turn[9];  // column by column, as Ceres has it
      ceres::AngleAxisToRotationMatrix(motion, turn);
      csolver_pose &pose = bundle_.poses[i];
      for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
          double sum = 0;
          for (int k = 0; k < 3; k++) sum += turn[r + 3 * k] * starts_[i].rotation[3 * k + c];
          pose.rotation[3 * r + c] = sum;
        }
      for (int r = 0; r < 3; r++) pose.translation[r] = starts_[i].translation[r] + motion[3 + r];
    }
    for (size_t i = 0; i < bundle_.lens_count; i++) {
      csolver_lens &lens = bundle_.lenses[i];
      lens.fx *= 1 + lenses_[3 * i];
      lens.fy *= 1 + lenses_[3 * i];
      lens.cx += lenses_[3 * i + 1];
      lens.cy += lenses_[3 * i + 2];
    }
    for (size_t i = 0; i < bundle_.turn_count; i++) bundle_.turns[i].angle += turns_[i];
    for (size_t i = 0; i < bundle_.point_count; i++)
      std::memcpy(bundle_.points[i].position, &points_[3 * i], 3 * sizeof(double));
  }

  csolver_bundle &bundle_;
  std::vector<Start> starts_;
  Start identity_;
  /// All parameters side by side: Ceres orders blocks by address, and a different order rounds differently.
  std::vector<double> numbers_;
  double *motions_, *lenses_, *turns_, *no_side_, *no_object_, *points_;
};

}  // namespace

int csolver_adjust(
  csolver_bundle *bundle, csolver_should_stop should_stop, void *context, char *message, size_t capacity) {
  // where memory has run out a string cannot be made either: texts go straight to the caller's buffer
  const auto say = [&](const char *text) {
    if (message && capacity > 0) std::snprintf(message, capacity, "%s", text);
  };
  try {
    if (!IsValid(*bundle)) {
      say("an index is out of range");
      return 2;
    }
    std::string text;
    const int result = Adjustment(bundle).Solve(should_stop, context, &text);
    if (result == 2) say(text.c_str());
    return result;
  } catch (const std::bad_alloc &) {
    say("not enough memory");
    return 3;
  } catch (const std::exception &error) {
    say(error.what());
  } catch (...) {
    say("unknown");
  }
  return 2;
}
