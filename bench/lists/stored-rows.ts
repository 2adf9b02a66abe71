import { type Amounts, monthSeconds } from './amounts.ts';
import { type Rows, root, spread, whose } from './rows.ts';

/** Stored data besides the logs: files, batches, responses and conversations, imports and the steps of runs. */
export const keptRows = (amounts: Amounts): Rows[] => [
  ...files(amounts),
  ...responses(amounts),
  ...imports(amounts),
  ...steps(amounts),
];

const files = (amounts: Amounts): Rows[] => [
  {
    table: 'files',
    count: amounts.memory,
    values: {
      id: `'file-grown-' || i`,
      user_id: whose(10, amounts.users),
      purpose: `case when i = 10 then 'vision' else 'user_data' end`,
      filename: `'tea.txt'`,
      bytes: '5',
      blob: `'grown-' || i`,
      ready: '1',
      created_at: spread(amounts, amounts.memory, monthSeconds),
    },
  },
  {
    table: 'batches',
    count: amounts.runs,
    values: {
      id: `case when i % 20 = 0 then 'batch_grown-' else 'msgbatch_grown-' end || i`,
      user_id: whose(10, amounts.users),
      wire: `case when i % 20 = 0 then 'openai' else 'anthropic' end`,
      endpoint: `'/v1/chat/completions'`,
      input_file_id: `'file-grown-' || i`,
      input_blob: `'grown-' || i`,
      status: `case when i % 20 = 0 then 'completed' else 'ended' end`,
      total: '1',
      succeeded: '1',
      created_at: spread(amounts, amounts.runs, monthSeconds),
      expires_at: spread(amounts, amounts.runs, monthSeconds),
      ended_at: spread(amounts, amounts.runs, monthSeconds),
      touched_at: spread(amounts, amounts.runs, monthSeconds),
    },
  },
];

/** Of other users: callers only see responses created with the same key. */
const responses = (amounts: Amounts): Rows[] => [
  {
    table: 'kept_responses',
    count: amounts.memory,
    values: {
      id: `'resp_grown-' || i`,
      user_id: whose(10, amounts.users),
      key_id: '1',
      status: `'completed'`,
      model: `'demo/chat'`,
      background: '0',
      response: `'{}'`,
      items: '2',
      bytes: '100',
      created_at: spread(amounts, amounts.memory, monthSeconds),
      touched_at: spread(amounts, amounts.memory, monthSeconds),
      ended_at: spread(amounts, amounts.memory, monthSeconds),
    },
  },
  {
    table: 'kept_items',
    count: 4 * amounts.memory,
    values: {
      user_id: whose(10, amounts.users, '(i / 4)'),
      key_id: '1',
      item_id: `'msg_grown-' || i`,
      response_id: `case when i % 2 = 0 then 'resp_grown-' || (i / 4) end`,
      position: 'i % 4',
      made: 'i % 4 / 2',
      conversation_id: `case when i % 2 = 1 then 'conv_grown-' || (i / 40) end`,
      place: 'i % 40',
      body: `'{"type":"message","role":"user","content":"Good morning"}'`,
    },
  },
];

const imports = (amounts: Amounts): Rows[] => [
  {
    table: 'ms_sources',
    count: amounts.runs,
    values: {
      public_id: `'grown-' || i`,
      user_id: whose(10, amounts.users),
      name: `'tea.txt'`,
      kind: `'text'`,
      content_hash: `'grown-' || i`,
      size: '5',
      category: `'fact'`,
      keywords: `'[]'`,
      replaces: '0',
      state: `'ready'`,
      created_at: `${amounts.now}`,
      updated_at: `${amounts.now}`,
    },
  },
];

/** The runs that the rows below belong to: all in one session of root's. */
const ofRuns = `(select id from ms_sessions where user_id = ${root} and session_id = 'grown-20')`;
const eventsEach = 4;

const steps = (amounts: Amounts): Rows[] => [
  {
    table: 'ms_run_checkpoints',
    count: amounts.runs,
    values: {
      checkpoint_id: `'grown-' || i`,
      run_ref: 'i',
      session_ref: `case when i <= 20 then ${ofRuns} else -i end`,
      iteration: '1',
      config: `'{}'`,
      state: `'{}'`,
      created_at: `${amounts.now}`,
    },
  },
  {
    table: 'ms_run_streams',
    count: amounts.memory,
    values: { session_ref: 'i', last_seq: `${eventsEach}`, turns: '1' },
  },
  {
    table: 'ms_run_events',
    count: eventsEach * amounts.memory,
    values: {
      session_ref: `1 + (i - 1) / ${eventsEach}`,
      seq: `1 + (i - 1) % ${eventsEach}`,
      run_ref: `${amounts.runs}`,
      event: `'task_content_chunk'`,
      data: `'{}'`,
      created_at: `${amounts.now}`,
    },
  },
];
