#!/usr/bin/env bash
# Run the property tests and the comparison with the compiler at full length; CI runs a seeded sample of them. The outcome is written to docs/full_checks.txt.
#     scripts/full_checks.sh [PYTHON]
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-.venv/bin/python}
mapfile -t files < <(grep -rl --include='test_*.py' 'from hypothesis' tests | sort)
{
  echo "scripts/full_checks.sh, $(date -u +%Y-%m-%d), $($python --version), $(git rev-parse --short HEAD)"
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 2 -q --durations=5 "${files[@]}"
  # what these print is the share of what the model does not know
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 0 -q -s tests/compiler/test_widths_*.py
  # and this one the share of bounds taken away that are found
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 0 -q -s tests/kernel/test_generated_masks.py -k a_bound_that_is_gone
  # and this one the share of broken conventions that are mended
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 0 -q -s tests/rules/test_fault_injection.py
  # and these the share of what Triton refuses of changed kernels and launches
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 0 -q -s tests/compiler/test_mutants.py tests/compiler/test_launch_mutants.py
  # and this one how many tests `flakelint affected` selects beside those that run a definition
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 2 -q -s tests/affected/test_generated.py tests/affected/test_generated_changes.py tests/affected/test_truth.py
  # and this one how many mutants of the kernel package the tests in their answers see
  HYPOTHESIS_PROFILE=full "$python" -m pytest -n 0 -q -s tests/affected/test_mutations.py
} | tee docs/full_checks.txt
