from absl import testing
