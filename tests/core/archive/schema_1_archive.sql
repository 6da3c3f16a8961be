-- SPDX-License-Identifier: Apache-2.0
-- An archive as Mantissa 0.1.0 wrote it (schema 1): a reference and an FP16 trial of 4 steps, one of them skipped for an
-- infinite gradient norm. Made with `sqlite3 archive.db .dump`; host and lock are left out.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE meta (
  key TEXT PRIMARY KEY,  -- 'minimum_reader': the least schema number a program must know to read this file;
                         -- 'created_by', 'created_at'
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('created_at','2026-11-29T15:19:33.538Z');
INSERT INTO meta VALUES('created_by','mantissa 0.1.0');
INSERT INTO meta VALUES('minimum_reader','1');
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
INSERT INTO experiments VALUES(1,'2026-11-29T15:19:33.562Z','grew','grew.toml',replace('mantissa = 1\n[data]\npath = "grew.csv"\ntask = "regression"\norder = "file"\nstandardize = false\ntest = { fraction = 0 }\n[model]\nkind = "linear"\n[training]\nthreads = 1\nsteps = 4\nbatch = 1\nloss = "mse"\n[[training.optimizer]]\nkind = "sgd"\nlr = 0.001\n[[trial]]\nname = "h"\nautocast = "float16"\nshadow_every = 0\n[trial.scaler]\ninit_scale = 7.3\n','\n',char(10)),'{"cases":{"holdout":0},"data":{"classes":null,"columns":{"id":"","inputs":[],"slice":"","target":[]},"labels":null,"missing":"refuse","order":"file","path":"grew.csv","shape":[],"source":"","standardize":false,"target_transform":null,"task":"regression","test":{"fraction":0,"seed":7}},"description":"","expect":{},"mantissa":1,"model":{"bias":true,"kind":"linear"},"name":"grew","rules":null,"training":{"accumulate":1,"batch":1,"clip_norm":null,"device":"cpu","drop_last":false,"epochs":null,"float32_matmul":"highest","ignore_index":-100,"loss":"mse","on_non_finite":"stop","optimizer":[{"clip_norm":null,"dampening":0,"kind":"sgd","lr":0.001,"maximize":false,"momentum":0,"nesterov":false,"parameters":["*"],"weight_decay":0}],"reduction":"mean","schedule":{"kind":"constant"},"seed":1,"steps":4,"threads":1},"trial":[{"autocast":"float16","cast_policy":"device","float32_regions":[],"name":"h","scaler":{"backoff_factor":0.5,"enabled":true,"growth_factor":2,"growth_interval":2000,"init_scale":7.3}}]}','a9dd7cef79b01354e65383757014487895df7d2a743228aca99b3f37c9fb5abc','','','f4d65f185025e6bc77bf4e29d96ded7d11898b470918614a43a16d76576f70da','{}','e6fd4efbc4ef096366b6a37d889fd99052ec2810b127057ad00c29af3fb14c50');
CREATE TABLE trials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  experiment INTEGER NOT NULL REFERENCES experiments (id),
  reference INTEGER REFERENCES trials (id),  -- the arm it is compared with; NULL for a reference
  kind TEXT NOT NULL,                        -- reference, trial, foreign
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
INSERT INTO trials VALUES(1,1,NULL,'reference','reference','off','device','cpu','','finished','','','2026-11-29T15:19:33.590Z','2026-11-29T15:19:33.630Z','2026-11-29T15:19:33.630Z','host',15734,'13e0412c-840c-4be7-bffe-34278b6b0882/pid:[4026531836]/502560',4,4,0,4,4,48064278560768.0,'rmse',103264086821.3629303,NULL,NULL,0.00181551400000000006,0,4);
INSERT INTO trials VALUES(2,1,1,'trial','h','float16','device','cpu','{"autocast":"float16","cast_policy":"device","float32_regions":[],"name":"h","scaler":{"backoff_factor":0.5,"enabled":true,"growth_factor":2,"growth_interval":2000,"init_scale":7.3}}','finished','','','2026-11-29T15:19:33.614Z','2026-11-29T15:19:33.647Z','2026-11-29T15:19:33.647Z','host',15734,'13e0412c-840c-4be7-bffe-34278b6b0882/pid:[4026531836]/502560',4,3,1,4,4,0.15488529205322265625,'rmse',14328.000040491613618,103264086821.3629303,NULL,0.00181551400000000006,0,4);
CREATE TABLE notes (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,
  note TEXT NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE verdicts (
  trial INTEGER PRIMARY KEY REFERENCES trials (id),
  verdict TEXT NOT NULL,             -- accepted, rejected, undecided
  scope_device TEXT NOT NULL,        -- where it was reached
  scope_cast_policy TEXT NOT NULL,
  target TEXT NOT NULL,              -- where it must hold: as-run, cpu, cuda
  rules_sha256 TEXT NOT NULL         -- of the rules that judged
) STRICT;
INSERT INTO verdicts VALUES(2,'rejected','cpu','device','as-run','');
CREATE TABLE verdict_reasons (
  trial INTEGER NOT NULL REFERENCES verdicts (trial),
  position INTEGER NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (trial, position)
) STRICT, WITHOUT ROWID;
INSERT INTO verdict_reasons VALUES(2,0,'the output (same_weights) is non-finite in 4 of 4 cases: 1, 2, 3 and 1 more');
INSERT INTO verdict_reasons VALUES(2,1,'the frozen cases are training rows, because there is no test part');
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
INSERT INTO rule_verdicts VALUES(2,0,'non_finite','rejected','','nothing non-finite beyond what the scaler skipped',NULL,NULL,0,'',4,'the output (same_weights) is non-finite in 4 of 4 cases: 1, 2, 3 and 1 more');
INSERT INTO rule_verdicts VALUES(2,1,'progress.underflow','accepted','','gradients that are not all zero and weights that change, where the reference''s do',NULL,NULL,0,'',4,'gradients and weights move where the reference''s do');
CREATE TABLE steps (
  trial INTEGER NOT NULL REFERENCES trials (id),
  states INTEGER NOT NULL,  -- two bits a real column, see above
  step INTEGER NOT NULL,  -- attempted step, from 1
  iteration INTEGER NOT NULL,  -- microbatches done, this step's included
  applied_updates INTEGER NOT NULL,  -- optimizer updates applied so far, this step's included
  samples INTEGER NOT NULL,  -- samples seen, this step's included
  epoch INTEGER NOT NULL,  -- epoch of this step's last microbatch, from 1
  wall_seconds REAL,  -- seconds since the run's first step began
  loss REAL,  -- mean of the window's microbatch losses, unscaled
  loss_reference REAL,  -- the reference's loss on the same window
  scale_before REAL,  -- loss scale used in this step
  scale_after REAL,  -- loss scale after the update
  growth_tracker INTEGER NOT NULL,  -- clean steps since the scale last changed, after the update
  skipped INTEGER NOT NULL,  -- the optimizer update was refused
  skip_cause TEXT NOT NULL,  -- why it was refused
  overflow_optimizer INTEGER,  -- index of the first optimizer with a non-finite gradient
  overflow_parameter TEXT NOT NULL,  -- first parameter with a non-finite gradient
  lr REAL,  -- learning rate of this step
  grad_norm_scaled REAL,  -- gradient 2-norm before unscaling
  grad_norm REAL,  -- gradient 2-norm after unscaling, before clipping
  grad_norm_clipped REAL,  -- gradient 2-norm after clipping
  clipped INTEGER NOT NULL,  -- clipping changed the gradients
  weight_change REAL,  -- 2-norm of the update of all parameters
  live_bytes INTEGER,  -- tensor memory alive after the step
  peak_bytes INTEGER,  -- most tensor memory alive within the step
  step_seconds REAL,  -- duration of this arm's step
  deviation_output_max REAL,  -- trajectory: largest |output - reference output|
  deviation_output_rmse REAL,  -- trajectory: root mean square of the output difference
  deviation_output_relative REAL,  -- trajectory: 2-norm of the output difference / 2-norm of the reference output
  deviation_output_cosine REAL,  -- trajectory: cosine between outputs
  deviation_output_ulp REAL,  -- trajectory: largest output difference in FP32 units in the last place
  deviation_loss REAL,  -- trajectory: loss - loss_reference
  deviation_gradient_relative REAL,  -- trajectory: 2-norm of the gradient difference / of the reference gradient
  deviation_gradient_cosine REAL,  -- trajectory: cosine between gradients
  deviation_weight_relative REAL,  -- trajectory: 2-norm of the weight difference / of the reference weights
  shadow_output_max REAL,  -- shadow: largest |output - reference output|
  shadow_output_rmse REAL,  -- shadow: root mean square of the output difference
  shadow_output_relative REAL,  -- shadow: 2-norm of the output difference / 2-norm of the reference output
  shadow_output_cosine REAL,  -- shadow: cosine between outputs
  shadow_output_ulp REAL,  -- shadow: largest output difference in FP32 units in the last place
  shadow_loss REAL,  -- shadow: loss - loss_reference
  shadow_gradient_relative REAL,  -- shadow: 2-norm of the gradient difference / of the reference gradient
  shadow_gradient_cosine REAL,  -- shadow: cosine between gradients
  shadow_weight_relative REAL,  -- shadow: 2-norm of the weight difference / of the reference weights
  UNIQUE (trial, step)
) STRICT;
INSERT INTO steps VALUES(1,0,1,1,1,1,1,0.0012182679999999999984,0.85768908262252807617,NULL,NULL,NULL,0,0,'',NULL,'',0.0010000000000000000208,NULL,2.6194489002227783203,NULL,0,0.0026194477084610871125,20,40,0.0009308619999999999655,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(2,0,1,1,1,1,1,0.0012554829999999999462,0.85797524452209472656,0.85768908262252807617,7.2999999999999998223,7.3000001907348632812,1,0,'',NULL,'',0.0010000000000000000208,19.125028722404902481,2.6198670864105224609,NULL,0,0.0026198481034371730313,34,54,0.00030776799999999998472,0.0001544952392578125,0.0001544952392578125,0.0020910240854996515504,1.0,20736.0,0.00028616189956665039062,0.00015961248149010093906,1.0,5.907877211581760473e-07,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(1,0,2,2,2,2,1,0.0014410079999999999156,839464512.0,NULL,NULL,NULL,0,0,'',NULL,'',0.0010000000000000000208,NULL,3476821760.0,NULL,0,3476821.9833674775436,24,52,7.9597000000000003795e-05,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(2,103079256064,2,2,1,2,1,0.001443782000000000008,839608576.0,839464512.0,7.3000001907348632812,3.6500000953674316406,0,1,'growth-probe',0,'weight',0.0010000000000000000208,NULL,NULL,NULL,0,0.0,44,64,8.7379999999999993483e-05,2.486328125,2.486328125,8.013566533784988231e-05,1.0,1273.0,144064.0,NULL,NULL,0.99999985126982615657,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(1,0,3,3,3,3,1,0.0015980009999999999353,12088680382464.0,NULL,NULL,NULL,0,0,'',NULL,'',0.0010000000000000000208,NULL,9834096.0,NULL,0,9834.0921746014919339,28,56,6.172200000000000299e-05,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(2,0,3,3,2,3,1,0.0016024480000000000234,3.6954805850982666015,12088680382464.0,3.6500000953674316406,3.6500000953674316406,1,0,'',NULL,'',0.0010000000000000000208,19.843184047047490281,5.4364886283874511718,NULL,0,0.0054365009160368092666,38,66,8.4656999999999999395e-05,3476879.92236328125,3476879.92236328125,0.999999977670578577,1.0,213202496.0,-12088680382460.304687,1.0000005528203694815,-1.0,0.99999984961283394646,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(1,0,4,4,4,4,1,0.0017462910000000000758,48064278560768.0,NULL,NULL,NULL,0,0,'',NULL,'',0.0010000000000000000208,NULL,31004606.0,NULL,0,31004.5058177529354,32,60,5.8066999999999998173e-05,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO steps VALUES(2,0,4,4,3,4,1,0.0017504169999999999885,0.15488529205322265625,48064278560768.0,3.6500000953674316406,3.6500000953674316406,2,0,'',NULL,'',0.0010000000000000000208,6.4243281150433411141,1.7600899934768676757,NULL,0,0.0017600961751259697717,40,68,7.8135999999999998641e-05,6932840.8935546874999,6932840.8935546874999,0.99999991252572084654,1.0,196629203.0,-48064278560767.84375,1.0000000567686604391,-1.0,0.99999984743834013922,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE cases (
  trial INTEGER NOT NULL REFERENCES trials (id),
  position INTEGER NOT NULL,  -- order in the frozen set, from 0
  states INTEGER NOT NULL,    -- two bits a real column, see above
  id TEXT NOT NULL,  -- the case's id in the frozen set
  kind TEXT NOT NULL,  -- ordinary, edge or boundary
  slice TEXT NOT NULL,  -- the slice of the data it belongs to
  target BLOB NOT NULL,  -- class index, or the target in the model's units
  output BLOB NOT NULL,  -- output of the trial's own weights
  output_reference BLOB NOT NULL,  -- output of the reference
  output_same_weights BLOB NOT NULL,  -- output of the reference's weights under the trial's policy
  decision INTEGER,  -- decision of the trial's own weights
  decision_reference INTEGER,  -- decision of the reference
  decision_same_weights INTEGER,  -- decision of the reference's weights
  tie INTEGER NOT NULL,  -- the trial's decision needed the tie rule
  tie_reference INTEGER NOT NULL,  -- the reference's decision needed the tie rule
  margin REAL,  -- distance of the trial's output to another decision
  margin_reference REAL,  -- distance of the reference's output to another decision
  flip INTEGER NOT NULL,  -- the trial decides otherwise than the reference
  flip_same_weights INTEGER NOT NULL,  -- the reference's weights decide otherwise under the policy
  abs_error REAL,  -- trained: largest |output - reference output|
  rel_error REAL,  -- trained: largest |output - reference output| / |reference output|
  case_relative REAL,  -- trained: largest difference / scale of the case's outputs
  ulp_error REAL,  -- trained: largest difference in FP32 units in the last place
  abs_error_same_weights REAL,  -- same weights: as abs_error
  rel_error_same_weights REAL,  -- same weights: as rel_error
  case_relative_same_weights REAL,  -- same weights: as case_relative
  ulp_error_same_weights REAL,  -- same weights: as ulp_error
  correct INTEGER,  -- the trial's decision equals the target
  correct_reference INTEGER,  -- the reference's decision equals the target
  UNIQUE (trial, position)
) STRICT;
INSERT INTO cases VALUES(1,0,0,'1','ordinary','',X'000000000000f03f',X'000000c05f1a4a41',X'000000c05f1a4a41',X'000000c05f1a4a41',NULL,NULL,NULL,0,0,NULL,NULL,0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,NULL,NULL);
INSERT INTO cases VALUES(1,1,0,'2','ordinary','',X'00000000004ced40',X'00000060050b4842',X'00000060050b4842',X'00000060050b4842',NULL,NULL,NULL,0,0,NULL,NULL,0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,NULL,NULL);
INSERT INTO cases VALUES(1,2,0,'3','ordinary','',X'0000000000000040',X'000000c05f1a4a41',X'000000c05f1a4a41',X'000000c05f1a4a41',NULL,NULL,NULL,0,0,NULL,NULL,0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,NULL,NULL);
INSERT INTO cases VALUES(1,3,0,'4','ordinary','',X'000000000000f03f',X'00000040a62e5a41',X'00000040a62e5a41',X'00000040a62e5a41',NULL,NULL,NULL,0,0,NULL,NULL,0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,NULL,NULL);
INSERT INTO cases VALUES(2,0,696320,'1','ordinary','',X'000000000000f03f',X'000000000070b63f',X'000000c05f1a4a41',X'000000000000f07f',NULL,NULL,NULL,0,0,NULL,NULL,0,0,3421375.4123535156249,0.99999997438267607119,3.3132277868334150422e-05,211636990.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO cases VALUES(2,1,696320,'2','ordinary','',X'00000000004ced40',X'00000000009cde40',X'00000060050b4842',X'000000000000f07f',NULL,NULL,NULL,0,0,NULL,NULL,0,0,206528202128.0,0.99999984823382515042,0.99999984823382515042,189495339.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO cases VALUES(2,2,696320,'3','ordinary','',X'0000000000000040',X'000000000070b63f',X'000000c05f1a4a41',X'000000000000f07f',NULL,NULL,NULL,0,0,NULL,NULL,0,0,3421375.4123535156249,0.99999997438267607119,3.3132277868334150422e-05,211636990.0,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO cases VALUES(2,3,696320,'4','ordinary','',X'000000000000f03f',X'000000000088e33f',X'00000040a62e5a41',X'000000000000f07f',NULL,NULL,NULL,0,0,NULL,NULL,0,0,6863512.3896484374998,0.99999991107300845172,6.6465608779879055021e-05,196425010.0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL UNIQUE,  -- of `bytes`, checked at every reading
  bytes BLOB NOT NULL           -- at most 4 MiB
) STRICT;
INSERT INTO chunks VALUES(1,'e7ef5163cf5d0f0c9e669db746989a540dcc38288a1b220d59e8000b945edede',X'4ae8033f');
INSERT INTO chunks VALUES(2,'53a41de1655c95c83a83072e68b18783b686d8409e83821a21dba632dd16bbdb',X'54fce1be');
INSERT INTO chunks VALUES(3,'e6424fe037cb77504bb2757822e57c51cb21ebe5abbbd73b1cdfadc0de613b8e',X'6617524a');
INSERT INTO chunks VALUES(4,'57c3671f5c58a94b14bd485038d71bc0110b867aa4861b974b660410c7ab165b',X'dd33a2c6');
INSERT INTO chunks VALUES(5,'831cbd4688e4193f4f5a774b7487e65f7d87bcdf473ff2061538f4726f223109',X'cdc4053f');
INSERT INTO chunks VALUES(6,'e9d3e1c9a39886e7394335d3a489c805d6e3082639bc5a34e6f8af0fe8e1a854',X'7baadebe');
CREATE TABLE tensors (
  id INTEGER PRIMARY KEY,
  trial INTEGER NOT NULL REFERENCES trials (id),
  moment TEXT NOT NULL,         -- initial, final
  position INTEGER NOT NULL,    -- order in the state_dict, from 0
  name TEXT NOT NULL,
  dtype TEXT NOT NULL,          -- F32, F16, BF16, I64, …
  shape TEXT NOT NULL,          -- JSON: [64, 16]
  size INTEGER NOT NULL,        -- bytes
  UNIQUE (trial, moment, name)
) STRICT;
INSERT INTO tensors VALUES(1,1,'initial',0,'weight','F32','[1, 1]',4);
INSERT INTO tensors VALUES(2,1,'initial',1,'bias','F32','[1]',4);
INSERT INTO tensors VALUES(3,1,'final',0,'weight','F32','[1, 1]',4);
INSERT INTO tensors VALUES(4,1,'final',1,'bias','F32','[1]',4);
INSERT INTO tensors VALUES(5,2,'final',0,'weight','F32','[1, 1]',4);
INSERT INTO tensors VALUES(6,2,'final',1,'bias','F32','[1]',4);
CREATE TABLE tensor_chunks (
  tensor INTEGER NOT NULL REFERENCES tensors (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  chunk INTEGER NOT NULL REFERENCES chunks (id),
  PRIMARY KEY (tensor, position)
) STRICT, WITHOUT ROWID;
INSERT INTO tensor_chunks VALUES(1,0,1);
INSERT INTO tensor_chunks VALUES(2,0,2);
INSERT INTO tensor_chunks VALUES(3,0,3);
INSERT INTO tensor_chunks VALUES(4,0,4);
INSERT INTO tensor_chunks VALUES(5,0,5);
INSERT INTO tensor_chunks VALUES(6,0,6);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('experiments',1);
INSERT INTO sqlite_sequence VALUES('trials',2);
CREATE INDEX trials_by_experiment ON trials (experiment);
CREATE INDEX trials_by_name ON trials (name);
CREATE INDEX tensor_chunks_by_chunk ON tensor_chunks (chunk);
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
  (SELECT count(*) FROM steps WHERE steps.trial = trials.id AND loss IS NULL AND (states >> 2 & 3) <> 0) AS non_finite_losses,
  (SELECT count(*) FROM steps WHERE steps.trial = trials.id AND (loss IS NOT NULL OR (states >> 2 & 3) <> 0)) AS losses,
  trials.quality_metric AS quality_metric,
  trials.quality AS quality,
  trials.quality_reference AS quality_reference,
  trials.flips AS flips,
  trials.seconds AS seconds,
  trials.started_at AS started_at,
  trials.finished_at AS finished_at
FROM trials
JOIN experiments ON experiments.id = trials.experiment
LEFT JOIN verdicts ON verdicts.trial = trials.id
;
CREATE VIEW step_values AS
SELECT
  trial,
  step,
  iteration,
  applied_updates,
  samples,
  epoch,
  wall_seconds,
  CASE WHEN wall_seconds IS NOT NULL THEN 'finite' ELSE CASE (states >> 0 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS wall_seconds_state,
  loss,
  CASE WHEN loss IS NOT NULL THEN 'finite' ELSE CASE (states >> 2 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS loss_state,
  loss_reference,
  CASE WHEN loss_reference IS NOT NULL THEN 'finite' ELSE CASE (states >> 4 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS loss_reference_state,
  scale_before,
  CASE WHEN scale_before IS NOT NULL THEN 'finite' ELSE CASE (states >> 6 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS scale_before_state,
  scale_after,
  CASE WHEN scale_after IS NOT NULL THEN 'finite' ELSE CASE (states >> 8 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS scale_after_state,
  growth_tracker,
  skipped,
  skip_cause,
  overflow_optimizer,
  overflow_parameter,
  lr,
  CASE WHEN lr IS NOT NULL THEN 'finite' ELSE CASE (states >> 10 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS lr_state,
  grad_norm_scaled,
  CASE WHEN grad_norm_scaled IS NOT NULL THEN 'finite' ELSE CASE (states >> 12 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS grad_norm_scaled_state,
  grad_norm,
  CASE WHEN grad_norm IS NOT NULL THEN 'finite' ELSE CASE (states >> 14 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS grad_norm_state,
  grad_norm_clipped,
  CASE WHEN grad_norm_clipped IS NOT NULL THEN 'finite' ELSE CASE (states >> 16 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS grad_norm_clipped_state,
  clipped,
  weight_change,
  CASE WHEN weight_change IS NOT NULL THEN 'finite' ELSE CASE (states >> 18 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS weight_change_state,
  live_bytes,
  peak_bytes,
  step_seconds,
  CASE WHEN step_seconds IS NOT NULL THEN 'finite' ELSE CASE (states >> 20 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS step_seconds_state,
  deviation_output_max,
  CASE WHEN deviation_output_max IS NOT NULL THEN 'finite' ELSE CASE (states >> 22 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_output_max_state,
  deviation_output_rmse,
  CASE WHEN deviation_output_rmse IS NOT NULL THEN 'finite' ELSE CASE (states >> 24 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_output_rmse_state,
  deviation_output_relative,
  CASE WHEN deviation_output_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 26 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_output_relative_state,
  deviation_output_cosine,
  CASE WHEN deviation_output_cosine IS NOT NULL THEN 'finite' ELSE CASE (states >> 28 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_output_cosine_state,
  deviation_output_ulp,
  CASE WHEN deviation_output_ulp IS NOT NULL THEN 'finite' ELSE CASE (states >> 30 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_output_ulp_state,
  deviation_loss,
  CASE WHEN deviation_loss IS NOT NULL THEN 'finite' ELSE CASE (states >> 32 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_loss_state,
  deviation_gradient_relative,
  CASE WHEN deviation_gradient_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 34 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_gradient_relative_state,
  deviation_gradient_cosine,
  CASE WHEN deviation_gradient_cosine IS NOT NULL THEN 'finite' ELSE CASE (states >> 36 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_gradient_cosine_state,
  deviation_weight_relative,
  CASE WHEN deviation_weight_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 38 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS deviation_weight_relative_state,
  shadow_output_max,
  CASE WHEN shadow_output_max IS NOT NULL THEN 'finite' ELSE CASE (states >> 40 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_output_max_state,
  shadow_output_rmse,
  CASE WHEN shadow_output_rmse IS NOT NULL THEN 'finite' ELSE CASE (states >> 42 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_output_rmse_state,
  shadow_output_relative,
  CASE WHEN shadow_output_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 44 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_output_relative_state,
  shadow_output_cosine,
  CASE WHEN shadow_output_cosine IS NOT NULL THEN 'finite' ELSE CASE (states >> 46 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_output_cosine_state,
  shadow_output_ulp,
  CASE WHEN shadow_output_ulp IS NOT NULL THEN 'finite' ELSE CASE (states >> 48 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_output_ulp_state,
  shadow_loss,
  CASE WHEN shadow_loss IS NOT NULL THEN 'finite' ELSE CASE (states >> 50 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_loss_state,
  shadow_gradient_relative,
  CASE WHEN shadow_gradient_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 52 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_gradient_relative_state,
  shadow_gradient_cosine,
  CASE WHEN shadow_gradient_cosine IS NOT NULL THEN 'finite' ELSE CASE (states >> 54 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_gradient_cosine_state,
  shadow_weight_relative,
  CASE WHEN shadow_weight_relative IS NOT NULL THEN 'finite' ELSE CASE (states >> 56 & 3) WHEN 0 THEN 'not measured' WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' ELSE '-Infinity' END END AS shadow_weight_relative_state
FROM steps;
COMMIT;
PRAGMA application_id = 1298230900;
PRAGMA user_version = 1;
