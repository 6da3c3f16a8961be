// SPDX-License-Identifier: Apache-2.0
#include "core/session/case_hash.h"

#include "core/base/sha256.h"

namespace mantissa::session {

std::string sha256_of_cases(const std::vector<std::string>& data_sha256, const std::vector<record::CaseRow>& rows) {
  Sha256 hash;
  hash.add("mantissa frozen cases 1\n");
  for (const std::string& data : data_sha256) hash.add(data);
  for (const record::CaseRow& row : rows) {
    hash.add("\n" + std::to_string(row.id.size()) + ' ' + row.id + ' ').add(record::to_text(row.kind));
    for (const double value : row.target) hash.add(&value, sizeof value);
  }
  return hash.hex();
}

}  // namespace mantissa::session
