// SPDX-License-Identifier: Apache-2.0
// Precompiled for every folder that sees torch. Sources still include what they use.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
