-- SPDX-License-Identifier: Apache-2.0
-- The archive: one SQLite file. Written by core/archive; read it with any SQLite program (3.37 or later), best through
-- the views at the end. Three marks are filled in when the schema is made, so that every column is declared once:
--   @step_columns@, @optimizer_columns@, @case_columns@  the columns of core/record/step_columns.h and case_columns.h
--   @step_values@, @optimizer_values@, @state(loss)@     expressions over those columns
--
-- Numbers. SQLite keeps no NaN, compares infinities like numbers, and drops the sign of a zero. A real column therefore
-- holds finite numbers only, and the row's `states` has two bits for each real column, in the order of the columns,
-- lowest bits first. Where the column is NULL: 0 not measured, 1 NaN, 2 +infinity, 3 -infinity. Where it has a value: 0, or
-- 3 for a zero with a minus sign. So no filter on a number ever meets a non-finite value.
--
-- Times are UTC, ISO 8601. The file's application_id is 0x4D616E74 ("Mant"), its user_version the number of this schema.

-- Facts about the file itself.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,  -- 'minimum_reader': the least schema number a program must know to read this file;
                         -- 'created_by', 'created_at'
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row a run of an experiment file, written before its first step and never changed.
CREATE TABLE experiments (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at TEXT NOT NULL,
  name TEXT NOT NULL,
  file TEXT NOT NULL,           -- path as given
  text TEXT NOT NULL,           -- the file's text with the overrides applied
  resolved TEXT NOT NULL,       -- JSON: overrides applied, defaults filled in (null: the data set's own way)
  sha256 TEXT NOT NULL,         -- of `resolved` without name, description and [expect]
  rules TEXT NOT NULL,          -- JSON of [rules]; empty where there are none
  rules_sha256 TEXT NOT NULL,
  cases_sha256 TEXT NOT NULL,   -- of the pool of frozen cases and the selection rule
  lock TEXT NOT NULL,           -- JSON: what locks the reference
  lock_sha256 TEXT NOT NULL
) STRICT;

-- One row an arm: the reference or a trial.
CREATE TABLE trials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment INTEGER NOT NULL REFERENCES experiments (id),
  reference INTEGER REFERENCES trials (id),  -- the arm it is compared with; NULL for a reference
  kind TEXT NOT NULL,                        -- reference, trial, foreign, repeat, rounding
  name TEXT NOT NULL,
  autocast TEXT NOT NULL,                    -- off, float16, bfloat16
  cast_policy TEXT NOT NULL,                 -- device, …
  device TEXT NOT NULL,                      -- cpu, cuda
  policy TEXT NOT NULL,                      -- JSON of the [[trial]] block; empty for a reference
  status TEXT NOT NULL,                      -- running, finished, stopped, interrupted, failed
  failure TEXT NOT NULL,                     -- why it failed, one word; empty unless failed
  failure_text TEXT NOT NULL,                -- the same as a sentence
  started_at TEXT NOT NULL,
  finished_at TEXT,                          -- NULL while it runs, and where it was interrupted
  heartbeat_at TEXT NOT NULL,                -- renewed every second while it runs
  host TEXT NOT NULL,                        -- where it runs: `running` is true only while this process lives
  process INTEGER NOT NULL,                  -- process id there
  process_started TEXT NOT NULL,             -- boot, process namespace and start time: tells reused process ids apart
  attempted INTEGER NOT NULL,                -- steps tried
  applied INTEGER NOT NULL,                  -- optimizer updates done
  skipped INTEGER NOT NULL,                  -- steps whose update was refused
  iterations INTEGER NOT NULL,               -- microbatches
  samples INTEGER NOT NULL,
  final_loss REAL,                           -- real columns: final_loss, quality, quality_reference, seconds
  quality_metric TEXT NOT NULL,              -- accuracy, rmse, …; empty: not measured
  quality REAL,
  quality_reference REAL,
  flips INTEGER,                             -- decision flips of the comparison that the rules judge
  seconds REAL,                              -- duration
  states INTEGER NOT NULL,                   -- two bits a real column, see above
  cases_stored INTEGER                       -- rows in `cases`; NULL until all of them are there
) STRICT;
CREATE INDEX trials_by_experiment ON trials (experiment);
CREATE INDEX trials_by_name ON trials (name);

-- Things a reader of an arm must know, in order.
CREATE TABLE notes (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- What each optimizer of an arm came to, written at the arm's end.
CREATE TABLE trial_optimizers (
  trial INTEGER NOT NULL REFERENCES trials (id),
  optimizer INTEGER NOT NULL,  -- index in the experiment file, from 0
  kind TEXT NOT NULL,          -- sgd, adamw, …
  applied INTEGER NOT NULL,    -- updates done
  skipped INTEGER NOT NULL,    -- updates refused
  lr REAL,                     -- learning rate of the last step
  lr_per TEXT NOT NULL,        -- what its schedule counts: applied-update, iteration
  states INTEGER NOT NULL,     -- two bits a real column, see above
  PRIMARY KEY (trial, optimizer)
) STRICT, WITHOUT ROWID;

-- How far an arm is from its reference, beside the yardstick of that distance.
CREATE TABLE trial_yardsticks (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,
  compared TEXT NOT NULL,      -- same_weights, shadow; trained, trajectory
  measure TEXT NOT NULL,       -- q0.99 of case_relative, accuracy, …
  yardstick TEXT NOT NULL,     -- rounding-floor, run-to-run-spread
  value REAL,                  -- real columns: value, size; NULL for the reference itself
  size REAL,                   -- of the yardstick
  states INTEGER NOT NULL,     -- two bits a real column, see above
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- The judgement of a trial.
CREATE TABLE verdicts (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  verdict TEXT NOT NULL,             -- accepted, rejected, undecided
  scope_device TEXT NOT NULL,        -- where it was reached
  scope_cast_policy TEXT NOT NULL,
  target TEXT NOT NULL,              -- where it must hold: as-run, cpu, cuda
  rules_sha256 TEXT NOT NULL         -- of the rules that judged
) STRICT;

-- Why, most important reason first.
CREATE TABLE verdict_reasons (
  trial INTEGER NOT NULL REFERENCES verdicts (trial),
  position INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- The judgement of each rule.
CREATE TABLE rule_verdicts (
  trial INTEGER NOT NULL REFERENCES verdicts (trial),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,                -- the rule's key: output, flips, …
  verdict TEXT NOT NULL,             -- accepted, rejected, undecided
  compared TEXT NOT NULL,            -- same_weights, trained or empty
  limit_text TEXT NOT NULL,          -- as a person reads it
  limit_value REAL,                  -- real columns: limit_value, value
  value REAL,                        -- the value found
  states INTEGER NOT NULL,           -- two bits a real column, see above
  unit TEXT NOT NULL,
  cases INTEGER NOT NULL,            -- number of cases or steps behind the value
  reason TEXT NOT NULL,              -- one sentence
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- One row an attempted step of an arm.
CREATE TABLE steps (
  trial INTEGER NOT NULL REFERENCES trials (id),
  states INTEGER NOT NULL,  -- two bits a real column, see above
@step_columns@
  UNIQUE (trial, step)
) STRICT;

-- One row an optimizer of an attempted step, only of arms that have several.
CREATE TABLE step_optimizers (
  trial INTEGER NOT NULL REFERENCES trials (id),
  step INTEGER NOT NULL,
  optimizer INTEGER NOT NULL,  -- index in the experiment file, from 0
  states INTEGER NOT NULL,     -- two bits a real column, see above
@optimizer_columns@
  PRIMARY KEY (trial, step, optimizer)
) STRICT, WITHOUT ROWID;

-- One row a frozen case of a trial. Vectors are little-endian doubles, 8 bytes each, non-finite values included.
CREATE TABLE cases (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,  -- order in the frozen set, from 0
  states INTEGER NOT NULL,    -- two bits a real column, see above
@case_columns@
  UNIQUE (trial, position)
) STRICT;

-- All outputs of the first cases of an arm (cases.golden). Vectors as in `cases`; empty: not measured.
CREATE TABLE golden_outputs (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,  -- of the case in `cases`
  output_reference BLOB NOT NULL,
  output BLOB NOT NULL,       -- the trial's own weights
  output_same_weights BLOB NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- Outputs beside the prediction, of the cases of an arm, as far as a rule names them. Vectors as in `cases`; empty: not
-- measured. Archives that were begun before this table have it from their first such output on.
CREATE TABLE other_outputs (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,  -- of the case in `cases`
  selector TEXT NOT NULL,     -- as the rule names the output: output[1], output.boxes
  output_reference BLOB NOT NULL,
  output BLOB NOT NULL,       -- the trial's own weights
  output_same_weights BLOB NOT NULL,
  PRIMARY KEY (trial, position, selector)
) STRICT, WITHOUT ROWID;

-- Which cases are in the frozen set of an experiment: hashed before any output of a trial was read.
CREATE TABLE case_sets (
  experiment INTEGER PRIMARY KEY REFERENCES experiments (id),
  sha256 TEXT NOT NULL,         -- of ids, kinds, targets and raw data; empty while boundary cases are to be chosen
  cases INTEGER NOT NULL,
  frozen_at TEXT NOT NULL,      -- when the hash was stored
  taken_from INTEGER REFERENCES trials (id)  -- the trial whose very cases these are; NULL: none
) STRICT;

-- What predictors other than the experiment's model reach on the frozen set, kept with the reference before any output
-- of a trial was read.
CREATE TABLE context_scores (
  trial INTEGER NOT NULL REFERENCES trials (id),  -- the reference
  position INTEGER NOT NULL,
  predictor TEXT NOT NULL,      -- constant, linear, written-rule
  metric TEXT NOT NULL,         -- accuracy, rmse, …
  value REAL,                   -- the only real column; not measured: `note` says why
  states INTEGER NOT NULL,      -- two bits a real column, see above
  note TEXT NOT NULL,           -- what the predictor is
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- The inputs of the frozen set, kept in the same way.
CREATE TABLE input_quality (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),  -- the reference
  cases INTEGER NOT NULL,
  columns INTEGER NOT NULL,
  missing TEXT NOT NULL         -- why it was not measured; empty: it was
) STRICT;

-- Input columns of which there is something to say, in the units in which the model gets them.
CREATE TABLE input_columns (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,    -- among the inputs, from 0
  name TEXT NOT NULL,
  training_minimum REAL,        -- real columns: training_minimum, training_maximum, of its finite values
  training_maximum REAL,
  states INTEGER NOT NULL,      -- two bits a real column, see above
  constant INTEGER NOT NULL,    -- 1: one value over the whole frozen set
  non_finite INTEGER NOT NULL,  -- cases
  outside INTEGER NOT NULL,     -- cases with a finite value outside the training part's range
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- Frozen cases of which an input is non-finite or outside the training part's range.
CREATE TABLE input_cases (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,    -- of the case in `cases`
  case_id TEXT NOT NULL,
  slice TEXT NOT NULL,
  non_finite INTEGER NOT NULL,  -- columns
  outside INTEGER NOT NULL,     -- columns
  columns TEXT NOT NULL,        -- the first of them by name
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- What the verdict on a trial rests on beside its cases, steps and counts, so that it can be judged again.
CREATE TABLE trial_evidence (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  evidence TEXT NOT NULL,       -- JSON, see core/session/archived_evidence.h
  sha256 TEXT NOT NULL          -- of it
) STRICT;

-- Judgements of a trial by other rules than those of its run, made after its end. Nothing here changes `verdicts`.
CREATE TABLE judgements (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trial INTEGER NOT NULL REFERENCES trials (id),
  created_at TEXT NOT NULL,
  post_hoc INTEGER NOT NULL,    -- 0: the rules are those fixed before the first step, applied once more
  rules TEXT NOT NULL,          -- JSON of [rules]; empty: none
  rules_sha256 TEXT NOT NULL,
  rules_file TEXT NOT NULL,     -- as given; empty: those of the run
  verdict TEXT NOT NULL,        -- accepted, rejected, undecided
  scope_device TEXT NOT NULL,
  scope_cast_policy TEXT NOT NULL,
  target TEXT NOT NULL
) STRICT;
CREATE INDEX judgements_by_trial ON judgements (trial);

-- What turned out to be right for frozen cases of a trial, after its verdict, which stays.
CREATE TABLE outcomes (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,    -- of the case in `cases`
  case_id TEXT NOT NULL,
  outcome REAL NOT NULL,        -- class index, or the target in its own unit; always finite
  received_at TEXT NOT NULL,
  cases_sha256 TEXT NOT NULL,   -- of the frozen set that it was joined with: that of case_sets then
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- As verdict_reasons.
CREATE TABLE judgement_reasons (
  judgement INTEGER NOT NULL REFERENCES judgements (id),
  position INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (judgement, position)
) STRICT, WITHOUT ROWID;

-- As rule_verdicts.
CREATE TABLE judgement_rules (
  judgement INTEGER NOT NULL REFERENCES judgements (id),
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  verdict TEXT NOT NULL,
  compared TEXT NOT NULL,
  limit_text TEXT NOT NULL,
  limit_value REAL,             -- real columns: limit_value, value
  value REAL,
  states INTEGER NOT NULL,      -- two bits a real column, see above
  unit TEXT NOT NULL,
  cases INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (judgement, position)
) STRICT, WITHOUT ROWID;

-- Pieces of tensors by content; equal pieces are stored once. A piece that no tensor names is what a killed run left.
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,  -- of the piece, checked at every reading
  bytes BLOB NOT NULL           -- at most 4 MiB; empty: the file of this name in the folder `<archive>.chunks`, where
                                -- the pieces of states above 2 GiB are
) STRICT;

-- The weights of an arm under PyTorch's state_dict names, and the tensors of its checkpoints: "model." and that name,
-- "optimizer.0.exp_avg." and a parameter's name, "generator".
CREATE TABLE tensors (
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL REFERENCES trials (id),
  moment TEXT NOT NULL,         -- initial, final, or 'checkpoint 500'
  position INTEGER NOT NULL,    -- order in the state_dict, from 0
  name TEXT NOT NULL,
  dtype TEXT NOT NULL,          -- F32, F16, BF16, I64, …
  shape TEXT NOT NULL,          -- JSON: [64, 16]
  size INTEGER NOT NULL,        -- bytes
  UNIQUE (trial, moment, name)
) STRICT;

-- The pieces of a tensor in order.
CREATE TABLE tensor_chunks (
  tensor INTEGER NOT NULL REFERENCES tensors (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  chunk INTEGER NOT NULL REFERENCES chunks (id),
  PRIMARY KEY (tensor, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX tensor_chunks_by_chunk ON tensor_chunks (chunk);

-- States to go on from. All arms of a run are saved at one step, in one transaction. Tensors: the moment
-- 'checkpoint ' || step.
CREATE TABLE checkpoints (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trial INTEGER NOT NULL REFERENCES trials (id),
  step INTEGER NOT NULL,        -- attempted steps that the run had done
  created_at TEXT NOT NULL,
  bytes INTEGER NOT NULL,       -- of its tensors
  sha256 TEXT NOT NULL,         -- of the values and of each tensor's name, dtype, shape, size and pieces' hashes
  UNIQUE (trial, step)
) STRICT;

-- Arms that go on from a checkpoint of another arm, under another policy.
CREATE TABLE parents (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  parent INTEGER NOT NULL REFERENCES trials (id),
  step INTEGER NOT NULL         -- of the parent's checkpoint
) STRICT;

-- The numbers of a state: counters, the scaler's state, schedules.
CREATE TABLE checkpoint_values (
  checkpoint INTEGER NOT NULL REFERENCES checkpoints (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,           -- integer, real, text
  value TEXT NOT NULL,          -- a real in the shortest form that reads back equal, or NaN, Infinity, -Infinity
  PRIMARY KEY (checkpoint, name)
) STRICT, WITHOUT ROWID;

-- The quality on the frozen cases while an arm trained.
CREATE TABLE evaluations (
  trial INTEGER NOT NULL REFERENCES trials (id),
  step INTEGER NOT NULL,        -- attempted steps that the run had done
  metric TEXT NOT NULL,         -- accuracy, rmse, …
  direction TEXT NOT NULL,      -- higher, lower: what is better
  value REAL,                   -- the only real column
  states INTEGER NOT NULL,      -- two bits a real column, see above
  PRIMARY KEY (trial, step)
) STRICT, WITHOUT ROWID;

-- Every time an arm went on from a checkpoint. Steps after it that had been written before were replaced.
CREATE TABLE resumptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  trial INTEGER NOT NULL REFERENCES trials (id),
  step INTEGER NOT NULL,        -- of the checkpoint
  resumed_at TEXT NOT NULL,
  overrides TEXT NOT NULL       -- JSON list of every --set since the first run
) STRICT;
CREATE INDEX resumptions_by_trial ON resumptions (trial);

-- Where an arm went on under another policy than the one in `trials`.
CREATE TABLE policy_changes (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,
  step INTEGER NOT NULL,       -- the first attempted step under the new policy
  policy_of TEXT NOT NULL,     -- the trial whose policy it is
  autocast TEXT NOT NULL,      -- off, float16, bfloat16
  cast_policy TEXT NOT NULL,   -- device, …
  policy TEXT NOT NULL,        -- JSON of that [[trial]] block
  reason TEXT NOT NULL,        -- scale-floor
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;

-- What an arm costs, measured after its validation on copies. No row for a trial that another rule than those on costs
-- rejects.
CREATE TABLE gains (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  repetitions INTEGER NOT NULL,
  steps INTEGER NOT NULL,        -- attempted steps of one repetition
  samples INTEGER NOT NULL,      -- rows of one repetition
  step_seconds REAL,             -- median over the repetitions
  step_seconds_spread REAL,      -- interquartile range
  samples_per_second REAL,
  speed_up REAL,                 -- the reference's time of a step / this arm's; NULL for a reference
  speed_up_low REAL,             -- ends of the 95 % interval
  speed_up_high REAL,
  finish_seconds REAL,           -- all planned steps, this arm alone
  deadline_seconds REAL,         -- budget.deadline
  cost_per_sample REAL,          -- in the unit of budget.price_per_hour
  finish_cost REAL,              -- of all planned steps
  states INTEGER NOT NULL,       -- two bits a real column (step_seconds to finish_cost), see above
  peak_bytes INTEGER,            -- most tensor memory alive within a step of the run
  method TEXT NOT NULL           -- how it was measured
) STRICT;

-- How long an arm takes to answer a batch of frozen cases, measured as its gains are. Nothing was asked for: no row.
CREATE TABLE latency (
  trial INTEGER NOT NULL REFERENCES trials (id),
  batch INTEGER NOT NULL,        -- cases of a call
  calls INTEGER NOT NULL,        -- that were timed; 0: column missing says why
  p50_seconds REAL,              -- percentiles of the calls; NULL: too few for one
  p95_seconds REAL,
  p99_seconds REAL,
  p50_ratio REAL,                -- by the reference's; NULL for a reference
  p50_ratio_low REAL,            -- ends of the 95 % interval
  p50_ratio_high REAL,
  p95_ratio REAL,
  p95_ratio_low REAL,
  p95_ratio_high REAL,
  states INTEGER NOT NULL,       -- two bits a real column (p50_seconds to p95_ratio_high), see above
  method TEXT NOT NULL,          -- how it was measured
  missing TEXT NOT NULL,         -- why nothing was timed; '' where it was
  PRIMARY KEY (trial, batch)
) STRICT, WITHOUT ROWID;

-- What a step of an arm was expected to hold before the run, and what its steps held; see core/record/memory_comparison.h.
-- Inputs are left out everywhere. No row: nobody looked.
CREATE TABLE trial_memory (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  microbatch INTEGER NOT NULL,      -- samples of a full one
  accumulation INTEGER NOT NULL,    -- microbatches of a full step
  predicted_bytes INTEGER,          -- at the peak of a step; NULL: not predicted
  predicted_from TEXT NOT NULL,     -- the microbatches that were traced for it
  traced_step INTEGER,              -- of the run; NULL: none was traced
  traced_bytes INTEGER,             -- at its peak
  peak_bytes INTEGER,               -- most of all steps of the run but the first; NULL: not measured
  missing TEXT NOT NULL             -- why one of them is not there; empty: none is missing
) STRICT;

-- The same by category, at the peak of each.
CREATE TABLE trial_memory_categories (
  trial INTEGER NOT NULL REFERENCES trial_memory (trial),
  category TEXT NOT NULL,           -- parameters, buffers, optimizer_state, gradients, saved_activations, …
  predicted INTEGER,                -- bytes; NULL: not predicted
  measured INTEGER,                 -- bytes, of the traced step; NULL: not measured
  PRIMARY KEY (trial, category)
) STRICT, WITHOUT ROWID;

-- For people: one line an arm. Non-finite losses are counted, never averaged and never dropped silently. Sort by
-- `final_loss_rank, final_loss` for the order -infinity, finite, +infinity, NaN, not measured.
CREATE VIEW trial_summary AS
SELECT
  trials.id AS id,
  experiments.name AS experiment,
  trials.kind AS kind,
  trials.name AS name,
  trials.autocast AS autocast,
  trials.device AS device,
  trials.status AS status,  -- as stored: an arm that was killed says `running` until a program opens the archive
  trials.failure AS failure,
  verdicts.verdict AS verdict,
  trials.attempted AS attempted,
  trials.applied AS applied,
  trials.skipped AS skipped,
  trials.final_loss AS final_loss,
  CASE
    WHEN trials.final_loss IS NOT NULL THEN 'finite'
    ELSE CASE trials.states & 3 WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END
  END AS final_loss_state,
  CASE
    WHEN trials.final_loss IS NOT NULL THEN 1
    ELSE CASE trials.states & 3 WHEN 0 THEN 4 WHEN 1 THEN 3 WHEN 2 THEN 2 ELSE 0 END
  END AS final_loss_rank,
  (SELECT avg(loss) FROM steps WHERE steps.trial = trials.id) AS mean_finite_loss,
  (SELECT count(*) FROM steps WHERE steps.trial = trials.id AND loss IS NULL AND @state(loss)@ <> 0) AS non_finite_losses,
  (SELECT count(*) FROM steps WHERE steps.trial = trials.id AND (loss IS NOT NULL OR @state(loss)@ <> 0)) AS losses,
  trials.quality_metric AS quality_metric,
  trials.quality AS quality,
  trials.quality_reference AS quality_reference,
  trials.flips AS flips,
  trials.seconds AS seconds,
  trials.started_at AS started_at,
  trials.finished_at AS finished_at
FROM trials
JOIN experiments ON experiments.id = trials.experiment
LEFT JOIN verdicts ON verdicts.trial = trials.id;

-- For people: every step with each real value beside its state: finite, NaN, Infinity, -Infinity or not measured.
CREATE VIEW step_values AS
SELECT
  trial,
@step_values@
FROM steps;

-- The same for each of several optimizers.
CREATE VIEW step_optimizer_values AS
SELECT
  trial,
  step,
  optimizer,
@optimizer_values@
FROM step_optimizers;

-- For people: predicted beside measured, whole peaks first, with the error in percent of what was measured.
CREATE VIEW memory_errors AS
SELECT
  trial,
  'peak' AS category,
  predicted_bytes AS predicted,
  peak_bytes AS measured,
  100.0 * (predicted_bytes - peak_bytes) / nullif(peak_bytes, 0) AS error_percent
FROM trial_memory
UNION ALL
SELECT trial, category, predicted, measured, 100.0 * (predicted - measured) / nullif(measured, 0)
FROM trial_memory_categories;
