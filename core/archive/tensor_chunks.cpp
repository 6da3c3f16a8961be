// SPDX-License-Identifier: Apache-2.0
#include "core/archive/tensor_chunks.h"

#include <algorithm>
#include <string_view>

#include "core/base/number_text.h"
#include "core/base/sha256.h"

namespace mantissa::archive {
namespace {

constexpr char kFindChunk[] = "SELECT id FROM chunks WHERE sha256 = ?1";
constexpr char kInsertChunk[] = "INSERT OR IGNORE INTO chunks (sha256, bytes) VALUES (?1, ?2)";
constexpr char kRemoveTensors[] = "DELETE FROM tensors WHERE trial = ?1 AND moment = ?2";
constexpr char kInsertTensor[] =
    "INSERT INTO tensors (trial, moment, position, name, dtype, shape, size) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr char kInsertTensorChunk[] = "INSERT INTO tensor_chunks (tensor, position, chunk) VALUES (?1, ?2, ?3)";
constexpr char kSelectTensors[] =
    "SELECT id, name, dtype, shape, size FROM tensors WHERE trial = ?1 AND moment = ?2 ORDER BY position";
constexpr char kSelectTensorChunks[] =
    "SELECT chunks.sha256, chunks.bytes FROM tensor_chunks JOIN chunks ON chunks.id = tensor_chunks.chunk "
    "WHERE tensor_chunks.tensor = ?1 ORDER BY tensor_chunks.position";

std::string text_of(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

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

class ChunkStore {
 public:
  explicit ChunkStore(Connection& connection)
      : connection_(connection), find_(connection, kFindChunk), insert_(connection, kInsertChunk) {}

  // The id of the piece, stored now or before.
  std::int64_t put(std::string_view bytes) {
    const std::string digest = sha256(bytes);
    if (const std::int64_t id = find(digest); id != 0) return id;
    Transaction transaction(connection_);
    insert_.bind(1, std::string_view(digest)).bind_bytes(2, bytes).run();
    transaction.commit();
    return find(digest);
  }

 private:
  std::int64_t find(const std::string& digest) {
    find_.bind(1, std::string_view(digest));
    if (!find_.step()) return 0;
    const std::int64_t id = find_.integer(0);
    find_.reset();
    return id;
  }

  Connection& connection_;
  Statement find_;
  Statement insert_;
};

}  // namespace

void store_tensors(Connection& connection, std::int64_t trial, const std::string& moment,
                   const std::vector<record::TensorBytes>& tensors) {
  std::vector<std::vector<std::int64_t>> chunks(tensors.size());
  {
    ChunkStore store(connection);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      const std::string_view bytes = tensors[i].bytes;
      for (std::size_t at = 0; at < bytes.size(); at += kChunkBytes) {
        chunks[i].push_back(store.put(bytes.substr(at, kChunkBytes)));
      }
    }
  }
  Transaction transaction(connection);
  Statement(connection, kRemoveTensors).bind(1, trial).bind(2, std::string_view(moment)).run();
  Statement insert(connection, kInsertTensor);
  Statement insert_chunk(connection, kInsertTensorChunk);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::string shape = text_of(tensors[i].shape);
    insert.bind(1, trial)
        .bind(2, std::string_view(moment))
        .bind(3, static_cast<std::int64_t>(i))
        .bind(4, std::string_view(tensors[i].name))
        .bind(5, std::string_view(tensors[i].dtype))
        .bind(6, std::string_view(shape))
        .bind(7, static_cast<std::int64_t>(tensors[i].bytes.size()))
        .run();
    const std::int64_t tensor = connection.last_row();
    for (std::size_t k = 0; k < chunks[i].size(); ++k) {
      insert_chunk.bind(1, tensor).bind(2, static_cast<std::int64_t>(k)).bind(3, chunks[i][k]).run();
    }
  }
  transaction.commit();
}

std::vector<record::TensorBytes> load_tensors(Connection& connection, std::int64_t trial, const std::string& moment) {
  std::vector<record::TensorBytes> tensors;
  Statement select(connection, kSelectTensors);
  Statement select_chunks(connection, kSelectTensorChunks);
  select.bind(1, trial).bind(2, std::string_view(moment));
  while (select.step()) {
    record::TensorBytes& tensor = tensors.emplace_back();
    tensor.name = select.text(1);
    tensor.dtype = select.text(2);
    tensor.shape = shape_of(select.text(3), connection);
    select_chunks.bind(1, select.integer(0));
    while (select_chunks.step()) {
      const std::string_view bytes = select_chunks.bytes(1);
      if (sha256(bytes) != select_chunks.text(0)) {
        connection.fail_damaged("stored weights are damaged: a piece does not match its hash", "tensor " + tensor.name);
      }
      tensor.bytes += bytes;
    }
    if (static_cast<std::int64_t>(tensor.bytes.size()) != select.integer(4)) {
      connection.fail_damaged("stored weights are damaged: a piece is missing", "tensor " + tensor.name);
    }
  }
  return tensors;
}

}  // namespace mantissa::archive
