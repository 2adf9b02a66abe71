import { type CallInit, type Member, openTestApp, type TestApp } from '../app.fixture.ts';
import type { Clock } from '../lib/clock.ts';

export interface JobAnswer {
  id: string;
  generation_id: string;
  polling_url: string;
  status: string;
  error?: string;
  unsigned_urls?: string[];
  usage?: { cost: number };
}

type Caller = (path: string, init?: CallInit) => Promise<Response>;

/** Somebody with a key. */
export interface Client {
  member: Member;
  call: Caller;
  create(body: object): Promise<JobAnswer>;
  job(id: string): Promise<JobAnswer>;
  /** Waits until the job is in one of these states. */
  reach(id: string, ...statuses: string[]): Promise<JobAnswer>;
  quota(): Promise<number>;
}

export interface VideoTest {
  test: TestApp;
  root: Member;
  client(quota?: number, key?: Record<string, unknown>): Promise<Client>;
  close(): Promise<void>;
}

/** What the model of the tests can do. */
export const capabilities = {
  supported_aspect_ratios: ['16:9', '9:16'],
  supported_resolutions: ['720p', '1080p'],
  supported_durations: [4, 8],
  supported_sizes: ['1280x720', '720x1280', '1920x1080', '1080x1920'],
  supported_frame_images: ['first_frame'],
  generate_audio: false,
  seed: false,
};

export async function openVideoTest(options: { env?: Record<string, string>; clock?: Clock } = {}): Promise<VideoTest> {
  const test = await openTestApp({ ...options, env: { DEMO_PROVIDER: 'on', ...options.env } });
  await test.app.start();
  const root = await test.root();
  return {
    test,
    root,
    client: async (quota = 0, keyFields = {}) => {
      const member = await test.user();
      if (quota > 0) await post(root.call, `/api/admin/users/${member.id}/credits`, { quota });
      const authorization = `Bearer ${await member.key(keyFields)}`;
      const call: Caller = (path, init = {}) =>
        test.call(path, { ...init, headers: { authorization, ...init.headers } });
      return clientOf(member, call);
    },
    close: () => test.close(),
  };
}

export function clientOf(member: Member, call: Caller): Client {
  const job = async (id: string) => (await (await call(`/v1/videos/${id}`)).json()) as JobAnswer;
  return {
    member,
    call,
    job,
    create: async (body) => {
      const answer = await call('/v1/videos', { method: 'POST', body });
      if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
      return (await answer.json()) as JobAnswer;
    },
    reach: async (id, ...statuses) => {
      for (;;) {
        const now = await job(id);
        if (statuses.includes(now.status)) return now;
        if (!['pending', 'in_progress'].includes(now.status)) throw new Error(`ended as ${JSON.stringify(now)}`);
        await Bun.sleep(50);
      }
    },
    quota: async () => {
      const { data } = (await (await member.call('/api/user/self')).json()) as { data: { quota: number } };
      return data.quota;
    },
  };
}

async function post(call: Caller, path: string, body: object): Promise<{ id: number }> {
  const answer = await call(path, { method: 'POST', body });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: { id: number } }).data;
}

/** A channel to a scripted upstream and a model on it; USD 0.1 a second unless told. */
export async function addModel(
  call: Caller,
  upstreamUrl: string,
  fields: { kind?: string; model?: string; price?: number; priority?: number; capabilities?: object } = {},
): Promise<{ channelId: number; modelId: number }> {
  const channel = await post(call, '/api/admin/channels', {
    name: `films ${crypto.randomUUID()}`,
    provider: `films-${fields.priority ?? 0}`,
    kind: fields.kind ?? 'openai',
    base_url: upstreamUrl,
    credential: 'secret-credential',
    priority: fields.priority ?? 0,
    timeout_ms: 5_000,
  });
  const model = await post(call, '/api/admin/provider-models', {
    model_id: fields.model ?? 'films/one',
    channel_id: channel.id,
    model_name: 'one-upstream',
    type: 'video',
    request_price: fields.price ?? 0.1,
    capabilities: fields.capabilities ?? capabilities,
  });
  return { channelId: channel.id, modelId: model.id };
}
