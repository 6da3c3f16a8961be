// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/model/built_in.h"

namespace mantissa::model {

/// The kind transformer: a causal language model over characters, [batch, time] int64 → [batch, time, characters].
///
/// The output at a position depends on the characters up to it. d = width, V = characters of the vocabulary,
/// T = length of a row (data.context); shorter rows are taken too.
///
///     token_embedding           Embedding(V, d)                      weight [V, d]
///     position_embedding        Embedding(T, d)                      weight [T, d]
///     dropout                   Dropout(dropout), on their sum
///     blocks.B                  B from 0 to layers - 1
///       .norm1                  LayerNorm(d)                         weight, bias [d]
///       .attn.qkv               Linear(d, 3d)                        weight [3d, d], bias [3d]: queries, keys, values
///       .attn.dropout           Dropout(dropout), on the attention's probabilities
///       .attn.proj              Linear(d, d)                         weight [d, d], bias [d]
///       .dropout                Dropout(dropout), used twice: see below
///       .norm2                  LayerNorm(d)
///       .mlp.0                  Linear(d, 4d)                        weight [4d, d], bias [4d]
///       .mlp.1                  GELU (by erf)
///       .mlp.2                  Linear(4d, d)                        weight [d, 4d], bias [d]
///     norm                      LayerNorm(d)
///     head                      Linear(d, V, bias = false)           weight [V, d]
///
/// A block is x = x + dropout(attn(norm1(x))), then x = x + dropout(mlp(norm2(x))). `blocks` and `mlp` are
/// nn.Sequential. Weights: PyTorch's defaults, drawn in this order. Backward may compute each block again.
///
/// attention = "own": with n = d / heads, on [batch·heads, T, n]: bmm of queries and keys, times 1/√n (after the
/// product, so it is the product that overflows), masked_fill with -inf above the diagonal, softmax, attn.dropout, bmm
/// with the values: each an operator that can be kept in FP32. "sdpa": `F.scaled_dot_product_attention(q, k, v,
/// dropout_p = dropout, is_causal = True)`, one operator.
///
/// \throws Error ModelProblem for data that is no language model's.
std::unique_ptr<Network> build_transformer(const spec::Model& settings, const DataShape& shape);

}  // namespace mantissa::model
