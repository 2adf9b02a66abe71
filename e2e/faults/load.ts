/** Paying clients that send requests continuously, and a comparison of their answers with their charges. */
import { says } from '../relay-replies.ts';
import type { Caller, Self, Service } from '../service.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

/** 10 + 20 tokens at 100 USD for a million. */
export const cost = 30 * 50;
const startQuota = 1_000_000_000;

export interface Failure {
  status: number;
  code: string;
  message: string;
}

export interface Load {
  readonly upstream: Upstream;
  readonly model: string;
  readonly users: Caller[];
  /** Whole answers, per user. */
  readonly answered: number[];
  readonly failures: Failure[];
  /** Calls that ended without any answer. */
  broken: number;
  total(): number;
  /** Ends the load; resolves when the last call is over. */
  end(): Promise<void>;
}

interface LoadOptions {
  clients?: number;
  /** Between two calls of a client. */
  pauseMs?: number;
  everyMs?: number;
  /** Where to send the calls; changes take effect with the next. */
  url?: () => string;
  /** Every n-th call is aborted after the first bytes. */
  abortEvery?: number;
  /** A new connection per call: an exiting process may close a kept-alive one just as it is reused. */
  ownConnections?: boolean;
}

const chat = '/v1/chat/completions';

export async function startLoad(service: Service, options: LoadOptions = {}): Promise<Load> {
  const { clients = 16, pauseMs = 0, everyMs = 3, abortEvery = 0, ownConnections = false } = options;
  const url = options.url ?? (() => service.url);
  const upstream = startUpstream(
    says('openai', { text: 'a b c d e f', usage: { input: 10, output: 20 } }, { everyMs }),
  );
  const { modelId } = await service.serve({
    kind: 'openai',
    url: upstream.url,
    promptPrice: 100,
    completionPrice: 100,
  });
  const users = [await service.user(startQuota), await service.user(startQuota)];
  const keys = await Promise.all(users.map((user) => user.key()));
  let going = true;
  const load: Load = {
    ...{ upstream, model: modelId, users, answered: users.map(() => 0), failures: [], broken: 0 },
    total: () => load.answered.reduce((sum, count) => sum + count, 0),
    end: async () => {
      going = false;
      await running;
    },
  };
  const call = async (mine: number, count: number): Promise<void> => {
    const leave = abortEvery > 0 && count % abortEvery === abortEvery - 1 ? new AbortController() : null;
    const stream = count % 2 === 0 || leave !== null;
    const answer = await fetch(url() + chat, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys[mine]}`,
        'content-type': 'application/json',
        ...(ownConnections && { connection: 'close' }),
      },
      body: JSON.stringify({ model: modelId, messages: [{ role: 'user', content: 'hi' }], max_tokens: 40, stream }),
      ...(leave && { signal: leave.signal }),
    });
    if (leave && answer.ok) {
      await answer.body!.getReader().read();
      return leave.abort();
    }
    const text = await answer.text();
    if (answer.ok && (text.includes('[DONE]') || text.includes('"finish_reason":"stop"'))) load.answered[mine]! += 1;
    else load.failures.push(failureOf(answer.status, text));
  };
  const client = async (index: number): Promise<void> => {
    for (let count = index; going; count++) {
      await call(index % users.length, count).catch(() => {
        load.broken += 1;
        // A closed port fails immediately; without a pause the clients would use all processor time.
        return Bun.sleep(20);
      });
      if (pauseMs > 0) await Bun.sleep(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  return load;
}

function failureOf(status: number, text: string): Failure {
  const last = [...text.matchAll(/^data: (\{.*)$/gm)].at(-1)?.[1] ?? text;
  try {
    const { error } = JSON.parse(last) as { error?: { code?: string; message?: string } };
    return { status, code: error?.code ?? 'no error object', message: error?.message ?? text.slice(0, 200) };
  } catch {
    return { status, code: 'not JSON', message: text.slice(0, 200) };
  }
}

/** Failures by status and code, such as `503 unavailable: 12`. */
export function tally(failures: Failure[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status, code } of failures) counts[`${status} ${code}`] = (counts[`${status} ${code}`] ?? 0) + 1;
  return counts;
}

export interface Account {
  answered: number;
  charged: number;
  served: number;
  /** Money that is neither in a balance nor in the ledger. */
  astray: number;
  /** Log rows missing in a counter, or the other way round. */
  mismatched: number;
}

/** What was answered, charged and served; correct if answered ≤ charged ≤ served and the rest is 0. */
export async function account(load: Load, at: { url: string }): Promise<Account> {
  const sums = { answered: load.total(), charged: 0, served: load.upstream.asked.length, astray: 0, mismatched: 0 };
  for (const [i, user] of load.users.entries()) {
    const self = await read<Self>(at.url, user, '/api/user/self');
    const { total } = await read<{ total: number }>(at.url, user, '/api/usage/logs?page_size=1');
    sums.charged += self.used_quota / cost;
    sums.astray += startQuota - self.quota - self.used_quota;
    sums.mismatched += Math.abs(self.request_count - total);
    if (self.used_quota < load.answered[i]! * cost) sums.mismatched += 1;
  }
  return sums;
}

export async function read<T>(url: string, user: Caller, path: string): Promise<T> {
  const answer = await fetch(url + path, { headers: { cookie: user.cookie } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
}

/** Throws if anything was lost, charged twice or left held. */
export function inOrder({ answered, charged, served, astray, mismatched }: Account): void {
  if (answered <= charged && charged <= served && astray === 0 && mismatched === 0) return;
  throw new Error(`the ledger is wrong: ${JSON.stringify({ answered, charged, served, astray, mismatched })}`);
}
