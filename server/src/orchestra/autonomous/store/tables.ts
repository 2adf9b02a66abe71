import type { Generated } from 'kysely';

interface RunsTable {
  id: Generated<number>;
  execution_id: string;
  user_id: number;
  session_ref: number;
  /** JSON: the caller who pays, and the key. */
  caller: string;
  goal: string;
  /** JSON: the caller's own tools, in the format sent to models. */
  tools: Generated<string>;
  /** The checkpoint that the run stopped at; null while it runs. */
  checkpoint_id: string | null;
  /** JSON; see config.ts. */
  config: string;
  /** JSON; see state.ts. */
  state: string;
  status: string;
  reason: string | null;
  result: string | null;
  error: string | null;
  iteration: Generated<number>;
  tasks_completed: Generated<number>;
  tasks_failed: Generated<number>;
  tasks_total: Generated<number>;
  tokens_used: Generated<number>;
  cost: Generated<number>;
  elapsed_ms: Generated<number>;
  current_task: string | null;
  confidence: Generated<number>;
  checkpoints: Generated<number>;
  /** Number of the start or resume within the session; the session shows the run with the highest. */
  turn: number;
  /** Id of the run's first event. */
  first_seq: number;
  owner: string | null;
  epoch: number;
  created_at: number;
  updated_ms: number;
}

interface StepsTable {
  run_ref: number;
  step_key: string;
  epoch: number;
  result: string;
  tokens: number;
  created_at: number;
}

interface CheckpointsTable {
  id: Generated<number>;
  checkpoint_id: string;
  run_ref: number;
  session_ref: number;
  iteration: number;
  config: string;
  state: string;
  created_at: number;
}

interface StreamsTable {
  session_ref: number;
  last_seq: number;
  turns: number;
}

interface EventsTable {
  session_ref: number;
  seq: number;
  run_ref: number;
  event: string;
  data: string;
  created_at: number;
}

declare module '../../../platform/db/tables.ts' {
  interface Tables {
    ms_runs: RunsTable;
    ms_run_steps: StepsTable;
    ms_run_checkpoints: CheckpointsTable;
    ms_run_streams: StreamsTable;
    ms_run_events: EventsTable;
  }
}
