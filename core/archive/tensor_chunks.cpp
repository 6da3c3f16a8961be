// SPDX-License-Identifier: Apache-2.0
#include "core/archive/tensor_chunks.h"

#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/atomic_file.h"
#include "core/base/number_text.h"
#include "core/base/sha256.h"

namespace mantissa::archive {
namespace {

namespace fs = std::filesystem;

constexpr char kFindChunk[] = "SELECT id, length(bytes) = 0 FROM chunks WHERE sha256 = ?1";
constexpr char kInsertChunk[] = "INSERT INTO chunks (sha256, bytes) VALUES (?1, ?2)";
constexpr char kRemoveTensors[] = "DELETE FROM tensors WHERE trial = ?1 AND moment = ?2";
constexpr char kInsertTensor[] =
    "INSERT INTO tensors (trial, moment, position, name, dtype, shape, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char kInsertTensorChunk[] = "INSERT INTO tensor_chunks (tensor, position, chunk) VALUES (?1, ?2, ?3)";
constexpr char kSelectTensors[] =
    "SELECT id, name, dtype, shape, size FROM tensors WHERE trial = ?1 AND moment = ?2 "
    "AND substr(name, 1, length(?3)) = ?3 ORDER BY position";
constexpr char kSelectTensorChunks[] =
    "SELECT chunks.sha256, chunks.bytes FROM tensor_chunks JOIN chunks ON chunks.id = tensor_chunks.chunk "
    "WHERE tensor_chunks.tensor = ?1 ORDER BY tensor_chunks.position";
constexpr char kSelectChunksOfMoment[] =
    "SELECT DISTINCT tensor_chunks.chunk FROM tensor_chunks JOIN tensors ON tensors.id = tensor_chunks.tensor "
    "WHERE tensors.trial = ?1 AND tensors.moment = ?2";
constexpr char kSelectUnusedChunk[] =
    "SELECT sha256, length(bytes) = 0 FROM chunks WHERE id = ?1 "
    "AND NOT EXISTS (SELECT 1 FROM tensor_chunks WHERE chunk = ?1)";
constexpr char kRemoveChunk[] = "DELETE FROM chunks WHERE id = ?1";

std::vector<std::int64_t> shape_of(std::string_view text, const Connection& connection) {
  std::vector<std::int64_t> shape;
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') {
    connection.fail_damaged("a tensor's shape is damaged", std::string(text));
  }
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = text.find(", ");
    const auto size = integer_from_text(text.substr(0, comma));
    if (!size || *size < 0) connection.fail_damaged("a tensor's shape is damaged", std::string(text));
    shape.push_back(*size);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 2);
  }
  return shape;
}

/// Bytes of one element, by the word for its type (record/trial.h); those that safetensors has no word for are spelled
/// as LibTorch spells them. Nothing for an unknown word.
std::optional<std::int64_t> element_bytes(std::string_view dtype) {
  static const std::map<std::string_view, std::int64_t> kBytes = {{"F64", 8},
                                                                  {"F32", 4},
                                                                  {"F16", 2},
                                                                  {"BF16", 2},
                                                                  {"I64", 8},
                                                                  {"I32", 4},
                                                                  {"I16", 2},
                                                                  {"I8", 1},
                                                                  {"U8", 1},
                                                                  {"BOOL", 1},
                                                                  {"ComplexHalf", 4},
                                                                  {"ComplexFloat", 8},
                                                                  {"ComplexDouble", 16},
                                                                  {"UInt16", 2},
                                                                  {"UInt32", 4},
                                                                  {"UInt64", 8},
                                                                  {"Float8_e5m2", 1},
                                                                  {"Float8_e4m3fn", 1},
                                                                  {"Float8_e5m2fnuz", 1},
                                                                  {"Float8_e4m3fnuz", 1}};
  const auto found = kBytes.find(dtype);
  if (found == kBytes.end()) return std::nullopt;
  return found->second;
}

/// Whether a tensor of this shape has so many bytes.
bool fits(const std::vector<std::int64_t>& shape, std::int64_t bytes_each, std::int64_t bytes) {
  std::int64_t expected = bytes_each;
  for (const std::int64_t size : shape) {
    if (size != 0 && expected > std::numeric_limits<std::int64_t>::max() / size) return false;
    expected *= size;
  }
  return expected == bytes;
}

/// Where the pieces of large states are. The folder belongs to the archive itself, not to a link to it.
fs::path outside_folder(const Connection& connection) {
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(connection.path(), ignored);
  return (ignored ? fs::path(connection.path()) : canonical).string() + ".chunks";
}

fs::path outside_file(const Connection& connection, const std::string& digest) {
  return outside_folder(connection) / digest;
}

void write_outside(const Connection& connection, const std::string& digest, std::string_view bytes) {
  const fs::path path = outside_file(connection, digest);
  std::error_code code;
  if (fs::file_size(path, code) == bytes.size() && !code) return;
  fs::create_directories(path.parent_path(), code);
  AtomicFile file(path);
  file.write(bytes);
  file.commit();
}

/// Nothing where there is no such file.
std::optional<std::string> read_outside(const Connection& connection, const std::string& digest) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(outside_file(connection, digest).c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string bytes(kChunkBytes + 1, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  return bytes;
}

/// Finds pieces and puts them; inside the caller's transaction.
class PieceTable {
 public:
  PieceTable(Connection& connection, bool outside)
      : connection_(connection), outside_(outside), find_(connection, kFindChunk), insert_(connection, kInsertChunk) {}

  /// The id of the piece, stored now or before.
  std::int64_t put(const std::string& digest, std::string_view bytes) {
    find_.bind(1, std::string_view(digest));
    if (find_.step()) {
      const std::int64_t id = find_.integer(0);
      const bool is_outside = find_.integer(1) != 0;
      find_.reset();
      if (is_outside) write_outside(connection_, digest, bytes);
      return id;
    }
    insert_.bind(1, std::string_view(digest));
    if (outside_) {
      write_outside(connection_, digest, bytes);
      insert_.bind_bytes(2, "");
    } else {
      insert_.bind_bytes(2, bytes);
    }
    insert_.run();
    return connection_.last_row();
  }

 private:
  Connection& connection_;
  bool outside_;
  Statement find_;
  Statement insert_;
};

std::string_view piece_of(const record::TensorBytes& tensor, std::size_t index) {
  return std::string_view(tensor.bytes).substr(index * kChunkBytes, kChunkBytes);
}

}  // namespace

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

TensorPieces::TensorPieces(const std::vector<record::TensorBytes>& tensors, bool outside)
    : tensors_(tensors), outside_(outside), digests_(tensors.size()) {}

bool TensorPieces::store_some(Connection& connection) {
  struct Piece {
    std::size_t tensor;
    std::string_view bytes;
    std::string digest;
  };
  std::vector<Piece> round;
  std::size_t tensor = tensor_, offset = offset_, bytes = 0;
  while (tensor < tensors_.size() && bytes < kChunkBytes) {
    const std::string_view rest = std::string_view(tensors_[tensor].bytes).substr(offset);
    if (rest.empty()) {
      ++tensor;
      offset = 0;
      continue;
    }
    const std::string_view piece = rest.substr(0, kChunkBytes);
    round.push_back({tensor, piece, sha256(piece)});  // before the transaction: others need not wait for it
    offset += piece.size();
    bytes += piece.size();
  }
  if (!round.empty()) {
    Transaction transaction(connection);
    PieceTable table(connection, outside_);
    for (const Piece& piece : round) table.put(piece.digest, piece.bytes);
    transaction.commit();
  }
  for (Piece& piece : round) digests_[piece.tensor].push_back(std::move(piece.digest));
  tensor_ = tensor;
  offset_ = offset;
  return tensor_ < tensors_.size();
}

void TensorPieces::insert_rows(Connection& connection, std::int64_t trial, const std::string& moment) const {
  PieceTable table(connection, outside_);
  Statement insert(connection, kInsertTensor);
  Statement insert_chunk(connection, kInsertTensorChunk);
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    const std::string shape = shape_text(tensors_[i].shape);
    insert.bind(1, trial)
        .bind(2, std::string_view(moment))
        .bind(3, static_cast<std::int64_t>(i))
        .bind(4, std::string_view(tensors_[i].name))
        .bind(5, std::string_view(tensors_[i].dtype))
        .bind(6, std::string_view(shape))
        .bind(7, static_cast<std::int64_t>(tensors_[i].bytes.size()))
        .run();
    const std::int64_t tensor = connection.last_row();
    for (std::size_t k = 0; k < digests_[i].size(); ++k) {
      const std::int64_t piece = table.put(digests_[i][k], piece_of(tensors_[i], k));
      insert_chunk.bind(1, tensor).bind(2, static_cast<std::int64_t>(k)).bind(3, piece).run();
    }
  }
}

void store_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                   const std::vector<record::TensorBytes>& tensors) {
  TensorPieces pieces(tensors, /*outside=*/false);
  while (pieces.store_some(connection)) {
  }
  std::vector<std::int64_t> replaced;
  {
    Transaction transaction(connection);
    replaced = remove_tensors(connection, trial, moment);
    pieces.insert_rows(connection, trial, moment);
    transaction.commit();
  }
  for (const std::int64_t piece : replaced) remove_unused_piece(connection, piece);
}

std::vector<std::int64_t> remove_tensors(Connection& connection, std::int64_t trial, const std::string& moment) {
  std::vector<std::int64_t> pieces;
  Statement select(connection, kSelectChunksOfMoment);
  select.bind(1, trial).bind(2, std::string_view(moment));
  while (select.step()) pieces.push_back(select.integer(0));
  Statement(connection, kRemoveTensors).bind(1, trial).bind(2, std::string_view(moment)).run();
  return pieces;
}

void remove_unused_piece(Connection& connection, std::int64_t piece) {
  Transaction transaction(connection);
  std::string digest;
  bool outside = false;
  {
    Statement select(connection, kSelectUnusedChunk);
    select.bind(1, piece);
    if (!select.step()) return;
    digest = select.text(0);
    outside = select.integer(1) != 0;
  }
  Statement(connection, kRemoveChunk).bind(1, piece).run();
  // While the archive is locked: afterwards another process may need the file again.
  std::error_code ignored;
  if (outside) fs::remove(outside_file(connection, digest), ignored);
  transaction.commit();
}

std::vector<record::TensorBytes> load_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                                              const std::string& what, const std::string& prefix,
                                              std::vector<std::vector<std::string>>* digests) {
  const std::string of_trial = what + " of trial " + std::to_string(trial) + " is damaged: ";
  const auto fail = [&](const std::string& problem, const std::string& tensor) {
    connection.fail_damaged(of_trial + problem, "tensor " + tensor);
  };
  std::vector<record::TensorBytes> tensors;
  Statement select(connection, kSelectTensors);
  Statement select_chunks(connection, kSelectTensorChunks);
  select.bind(1, trial).bind(2, std::string_view(moment)).bind(3, std::string_view(prefix));
  while (select.step()) {
    record::TensorBytes& tensor = tensors.emplace_back();
    tensor.name = select.text(1);
    tensor.dtype = select.text(2);
    tensor.shape = shape_of(select.text(3), connection);
    if (digests != nullptr) digests->emplace_back();
    select_chunks.bind(1, select.integer(0));
    while (select_chunks.step()) {
      const std::string digest = select_chunks.text(0);
      std::optional<std::string> outside;
      if (select_chunks.bytes(1).empty()) {
        outside = read_outside(connection, digest);
        if (!outside) fail("the file " + outside_file(connection, digest).string() + " is missing", tensor.name);
      }
      const std::string_view bytes = outside ? std::string_view(*outside) : select_chunks.bytes(1);
      if (sha256(bytes) != digest) fail("a piece does not match its hash", tensor.name);
      tensor.bytes += bytes;
      if (digests != nullptr) digests->back().push_back(digest);
    }
    if (static_cast<std::int64_t>(tensor.bytes.size()) != select.integer(4)) {
      fail("a piece is missing", tensor.name);
    }
    const std::string row = "table tensors, row " + std::to_string(select.integer(0)) + ", column ";
    const std::optional<std::int64_t> bytes_each = element_bytes(tensor.dtype);
    if (!bytes_each) {
      connection.fail_damaged(of_trial + "no such type", "tensor " + tensor.name + ": '" + tensor.dtype + "'",
                              row + "dtype");
    }
    if (!fits(tensor.shape, *bytes_each, select.integer(4))) {
      connection.fail_damaged(of_trial + "shape and type do not fit its bytes",
                              "tensor " + tensor.name + ": " + select.text(3) + " of " + tensor.dtype + " in " +
                                  std::to_string(select.integer(4)) + " bytes",
                              row + "shape");
    }
  }
  return tensors;
}

}  // namespace mantissa::archive
