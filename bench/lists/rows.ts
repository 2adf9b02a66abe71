import { type Amounts, monthSeconds, yearSeconds } from './amounts.ts';

/** The rows of one table as SQL for both engines: `i` counts from 1 to `count`. */
export interface Rows {
  table: string;
  count: number;
  values: Record<string, string>;
}

/** Root, who requests the lists, owns one in twenty rows, or one in ten. */
export const root = 1;
/** Pseudo-random numbers that are the same in every run. */
const scattered = (i: string): string => `(${i} * 2654435761 % 4294967296)`;
export const whose = (share: number, users: number, i = 'i'): string =>
  `case when ${i} % ${share} = 0 then ${root} else 2 + ${scattered(i)} % ${users} end`;
export const spread = ({ now }: Amounts, count: number, over: number): string =>
  `${now - over} + i * ${over} / ${count}`;

/** People make several requests in a row, and then none for a while. */
const inARow = 10;

export function rowsOf(amounts: Amounts): Rows[] {
  return [...people(amounts), ...traces(amounts), ...applications(amounts), ...memory(amounts), videos(amounts)];
}

const people = ({ users, now }: Amounts): Rows[] => [
  {
    table: 'users',
    count: users,
    values: {
      username: `'user-' || i`,
      username_key: `'user-' || i`,
      password_hash: `''`,
      display_name: `'Person ' || i`,
      avatar_url: `''`,
      email: `i || '@example.org'`,
      role: '1',
      status: '1',
      '"group"': `'default'`,
      quota: '0',
      created_at: `${now}`,
    },
  },
  {
    table: 'api_keys',
    count: 2 * users,
    values: {
      user_id: `case when i <= 20 then ${root} else 2 + i % ${users} end`,
      name: `'key'`,
      key_hash: `'grown-' || i`,
      key_start: `'abcd'`,
      key_end: `'wxyz'`,
      status: '1',
      created_time: `${now}`,
      accessed_time: `${now}`,
      expired_time: '-1',
      remain_quota: '0',
      unlimited_quota: '1',
      models: `'[]'`,
      allowed_ips: `'[]'`,
    },
  },
  {
    table: 'sessions',
    count: 2 * users,
    values: {
      user_id: `case when i <= 20 then ${root} else 2 + i % ${users} end`,
      token_hash: `'grown-' || i`,
      ip: `'192.0.2.1'`,
      user_agent: `'benchmark'`,
      created_at: `${now}`,
      last_seen_at: `${now} - i % 1000`,
      expires_at: `${now + yearSeconds}`,
    },
  },
];

/** Most models are used all the time; one was used once, by root, long ago. */
const modelOf = (i: string): string => `case when i = 205 then 'rare' else 'model-' || (${scattered(i)} % 20) end`;

const traces = (amounts: Amounts): Rows[] => [
  {
    table: 'usage_logs',
    count: amounts.usage,
    values: {
      request_id: `'grown-' || i`,
      user_id: whose(20, amounts.users, `(i / ${inARow})`),
      key_id: whose(20, amounts.users, `(i / ${inARow})`),
      model_id: modelOf(`(i / ${inARow})`),
      endpoint: `'chat'`,
      provider: `'bench'`,
      channel_id: '1',
      prompt_tokens: '100',
      completion_tokens: '50',
      cache_read_tokens: '0',
      cache_write_tokens: '0',
      reasoning_tokens: '0',
      units: '0',
      quota: 'case when i % 3 = 0 then 0 else 5 end',
      shortfall: '0',
      stream: '0',
      status: `'ok'`,
      duration_ms: '100',
      first_token_ms: '10',
      balance_after: '1000',
      created_at: spread(amounts, amounts.usage, yearSeconds),
    },
  },
  {
    table: 'credits',
    count: amounts.credits,
    values: {
      user_id: whose(20, amounts.users),
      amount: '1000',
      balance_after: '1000',
      note: `'benchmark'`,
      actor_id: `${root}`,
      place: `i * ${amounts.usage} / ${amounts.credits}`,
      created_at: spread(amounts, amounts.credits, yearSeconds),
    },
  },
  {
    table: 'audit_log',
    count: amounts.audit,
    values: {
      action: `case when i = 7 then 'app_suspended' when i % 4 = 0 then 'token_issued' else 'login' end`,
      actor_id: whose(20, amounts.users),
      target_type: `case when i % 4 = 0 then 'application' else 'user' end`,
      target_id: `case when i % 4 = 0 then 1 + i % ${amounts.applications} else 2 + i % ${amounts.users} end`,
      target_name: `case when i = 8 then 'Needlework' when i % 4 = 0 then 'App ' || (1 + i % ${amounts.applications}) else '' end`,
      ip: `'192.0.2.1'`,
      user_agent: `'benchmark'`,
      metadata: `'{}'`,
      // Older rows would be swept at the start.
      created_at: spread(amounts, amounts.audit, yearSeconds - 86_400),
    },
  },
  {
    table: 'routing_decisions',
    count: amounts.decisions,
    values: {
      request_id: `'grown-' || i`,
      user_id: whose(20, amounts.users),
      model_id: modelOf('i'),
      provider: `'bench'`,
      channel_id: '1',
      strategy: `'balanced'`,
      reason: `'It is the only one.'`,
      outcome: `'success'`,
      duration_ms: '100',
      candidates: `'[]'`,
      attempts: `'[]'`,
      created_at: spread(amounts, amounts.decisions, monthSeconds),
    },
  },
];

const applications = ({ applications, users, now }: Amounts): Rows[] => [
  {
    table: 'oauth_applications',
    count: applications,
    values: {
      owner_id: `case when i <= 40 then ${root} else 2 + i % (${users} - 2) end`,
      name: `case when i = 60 then 'Needlework' else 'App ' || i end`,
      description: `''`,
      homepage_url: `''`,
      logo_url: `''`,
      client_id: `'grown-' || i`,
      secret_hash: `''`,
      redirect_uris: `'[]'`,
      allowed_scopes: `'[]'`,
      app_type: `'public'`,
      status: '1',
      is_verified: '0',
      webhook_url: `''`,
      webhook_secret: `''`,
      rate_limit: '1000',
      epoch: '0',
      created_at: `${now}`,
      updated_at: `${now}`,
    },
  },
  {
    table: 'oauth_consents',
    count: 2 * applications,
    values: {
      user_id: `case when i <= 40 then ${root} else 2 + (i - 40) % (${users} - 2) end`,
      application_id: `case when i <= 40 then i else 1 + (i - 40) / (${users} - 2) end`,
      scopes: `'["openid"]'`,
      epoch: '0',
      created_at: `${now}`,
      updated_at: `${now} - i % 1000`,
    },
  },
];

const memory = (amounts: Amounts): Rows[] => [
  {
    table: 'ms_sessions',
    count: amounts.memory,
    values: {
      user_id: whose(10, amounts.users),
      session_id: `'grown-' || i`,
      tags: `case when i % 50 = 0 then '["work","home"]' else '["home"]' end`,
      created_at: `${amounts.now}`,
      last_accessed: spread(amounts, amounts.memory, yearSeconds),
    },
  },
  {
    table: 'ms_messages',
    count: amounts.messages,
    values: {
      session_ref: `(select id from ms_sessions where user_id = ${root} and session_id = 'grown-10')`,
      message: `'{"role":"user","content":"Good morning"}'`,
      tokens: '2',
      created_at: spread(amounts, amounts.messages, yearSeconds),
    },
  },
  {
    table: 'ms_knowledge',
    count: amounts.memory,
    values: {
      public_id: `'grown-' || i`,
      user_id: whose(10, amounts.users),
      category: `case when i % 50 = 0 then 'preference' else 'fact' end`,
      title: `'Drinks'`,
      content: `'I drink tea.'`,
      keywords: `'["tea"]'`,
      created_at: `${amounts.now}`,
      updated_at: `${amounts.now}`,
    },
  },
  {
    table: 'ms_runs',
    count: amounts.runs,
    values: {
      execution_id: `'grown-' || i`,
      user_id: whose(10, amounts.users),
      session_ref: `(select id from ms_sessions where user_id = ${root} and session_id = 'grown-20')`,
      caller: `'{"userId":1}'`,
      goal: `'Plan a tea party'`,
      config: `'{}'`,
      state: `'{"tasks":[]}'`,
      status: `case when i % 50 = 0 then 'failed' else 'completed' end`,
      turn: 'i',
      first_seq: '0',
      epoch: '0',
      created_at: spread(amounts, amounts.runs, yearSeconds),
      updated_ms: '0',
    },
  },
];

const videos = (amounts: Amounts): Rows => ({
  table: 'video_jobs',
  count: amounts.videos,
  values: {
    id: `'video-' || i`,
    generation_id: `''`,
    user_id: whose(10, amounts.users),
    group_name: `'default'`,
    model_id: `'demo/video'`,
    status: `'completed'`,
    held: '1',
    closed: '2',
    request: `'{"model":"demo/video","prompt":"waves"}'`,
    inputs: `'[]'`,
    override: `'{}'`,
    seconds: '4',
    cost: '0',
    provider: `'demo'`,
    channel_id: '1',
    model_name: `'video'`,
    upstream_id: `''`,
    poll_url: `''`,
    submitted_at_ms: '0',
    rounds: '0',
    polls: '0',
    misses: '0',
    progress: '100',
    error: `''`,
    results: `'[]'`,
    callback_url: `''`,
    callback_tries: '0',
    called_back_at_ms: '0',
    created_at_ms: `(${spread(amounts, amounts.videos, yearSeconds)}) * 1000`,
    touched_at_ms: '0',
    finished_at_ms: '0',
    expires_at_ms: `${(amounts.now + yearSeconds) * 1000}`,
  },
});
