/** Fills a service with some weeks of usage for the screenshots, through the API. */

export interface DemoData {
  adaPassword: string;
  sessionId: string;
  runSessionId: string;
  applicationId: number;
  /** The consent page of Ada's application. */
  authorizePath: string;
  /** Stops the providers that the demo channels point to. */
  stop(): void;
}

type Api = <T>(path: string, init?: { method?: string; body?: unknown; key?: string }) => Promise<T>;

const adaPassword = 'a password of ada';
const models = [
  { provider: 'Northwind', model: 'northwind/large', prompt: 2.5, completion: 10, waitMs: 220 },
  { provider: 'Northwind', model: 'northwind/small', prompt: 0.15, completion: 0.6, waitMs: 90 },
  { provider: 'Harbour', model: 'northwind/small', prompt: 0.12, completion: 0.5, waitMs: 160 },
];
const questions = [
  'Plan a week of meals',
  'Explain tides',
  'Translate: good morning',
  'Name three teas',
  'Sum up the minutes',
];

const answer = `A strong black tea, such as **Assam**, is a good start:

1. It has about as much caffeine as half a cup of coffee, and gives it off more slowly.
2. Milk takes nothing of its taste away.
3. Three minutes in boiling water are enough.

Later in the day a green tea is gentler: brew it at 80 °C, for two minutes.`;

/** The answer as events of an OpenAI stream. */
function streamed(model: string, usage: object): Response {
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-demo', object: 'chat.completion.chunk', created: 1, model, ...fields })}\n\n`;
  const parts = answer.split(/(?<=\s)/).map((content) => chunk({ choices: [{ index: 0, delta: { content } }] }));
  const end = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  const body = `${parts.join('')}${end}${chunk({ choices: [], usage })}data: [DONE]\n\n`;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** An OpenAI-compatible provider with its own response time. */
function startProvider() {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      if (!new URL(request.url).pathname.endsWith('/chat/completions')) return Response.json({ data: [] });
      const { model, messages, stream } = (await request.json()) as {
        model: string;
        messages: unknown;
        stream?: boolean;
      };
      await Bun.sleep(models.find((entry) => entry.model.endsWith(model))?.waitMs ?? 100);
      const words = 40 + (JSON.stringify(messages).length % 160);
      const usage = { prompt_tokens: 120 + words, completion_tokens: words * 3, total_tokens: 120 + words * 4 };
      if (stream) return streamed(model, usage);
      return Response.json({
        id: 'chatcmpl-demo',
        object: 'chat.completion',
        created: Math.floor(Date.now() / 1000),
        model,
        choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
        usage,
      });
    },
  });
}

async function enter(baseUrl: string, path: string, body: unknown): Promise<{ id: number; api: Api }> {
  const json = { 'content-type': 'application/json' };
  const entered = await fetch(baseUrl + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  if (!entered.ok) throw new Error(`${path}: ${await entered.text()}`);
  const cookie = entered.headers.get('set-cookie')!.split(';')[0]!;
  const { data } = (await entered.json()) as { data: { id: number } };
  const api: Api = async (to, init = {}) => {
    const answer = await fetch(baseUrl + to, {
      method: init.method ?? (init.body ? 'POST' : 'GET'),
      headers: { ...json, ...(init.key ? { authorization: `Bearer ${init.key}` } : { cookie }) },
      ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${to}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  return { id: data.id, api };
}

async function addProviders(api: Api, upstream: string): Promise<void> {
  const channels = new Map<string, number>();
  for (const { provider, model, prompt, completion } of models) {
    let id = channels.get(provider);
    if (id === undefined) {
      const body = {
        name: provider,
        provider: provider.toLowerCase(),
        kind: 'openai',
        base_url: `${upstream}/v1`,
        credential: 'sk-of-the-pictures',
      };
      id = (await api<{ data: { id: number } }>('/api/admin/channels', { body })).data.id;
      channels.set(provider, id);
    }
    const body = {
      model_id: model,
      channel_id: id,
      model_name: model.split('/')[1],
      type: 'chat',
      prompt_price: prompt,
      completion_price: completion,
      context_length: 128_000,
      max_output_tokens: 2_048,
    };
    await api('/api/admin/provider-models', { body });
  }
}

async function useModels(api: Api, keys: string[]): Promise<void> {
  for (let i = 0; i < 40; i += 1) {
    const model = i % 4 === 0 ? 'northwind/large' : i % 5 === 0 ? 'demo/chat' : 'northwind/small';
    const content = `${questions[i % questions.length]} ${'please '.repeat(i % 7)}`;
    const body = { model, max_tokens: 600, messages: [{ role: 'user', content }] };
    await api('/v1/chat/completions', { body, key: keys[i % keys.length]! });
  }
}

export async function fillDemoData(baseUrl: string, rootPassword: string): Promise<DemoData> {
  const provider = startProvider();
  const root = await enter(baseUrl, '/api/user/login', { username: 'root', password: rootPassword });
  await addProviders(root.api, `http://127.0.0.1:${provider.port}`);
  const registration = { username: 'ada', password: adaPassword, display_name: 'Ada', email: 'ada@example.com' };
  const ada = await enter(baseUrl, '/api/user/register', registration);
  await root.api(`/api/admin/users/${ada.id}/credits`, { body: { quota: 10_000_000, note: 'Welcome' } });
  const { api } = ada;
  const keyOf = async (name: string, fields: object = {}) =>
    (await api<{ data: { key: string } }>('/api/tokens', { body: { name, ...fields } })).data.key;
  const keys = [
    await keyOf('laptop'),
    await keyOf('nightly report', { remain_quota: 1_000_000, unlimited_quota: false }),
  ];
  await useModels(api, keys);

  const redirect = 'https://notes.example.com/callback';
  const application = await api<{ data: { id: number; client_id: string } }>('/api/oauth2/applications', {
    body: {
      name: 'Field Notes',
      description: 'Notes that write themselves',
      homepage_url: 'https://notes.example.com',
      redirect_uris: [redirect],
      scopes: 'openid profile email tokens:write',
    },
  });
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: application.data.client_id,
    redirect_uri: redirect,
    scope: 'openid profile tokens:write',
    state: 'state',
  });

  const sessionId = 'garden';
  for (const content of [
    'Compare three herbs for a shady balcony.',
    'Draw up a watering plan for them: first herbs, then days.',
  ])
    await api('/v1/chat/completions', {
      key: keys[0]!,
      body: { model: 'svc/svc-ms', messages: [{ role: 'user', content }], svc_ms: { session_id: sessionId } },
    });
  const fact = { category: 'preference', title: 'Garden', content: 'The balcony faces north.', keywords: ['garden'] };
  await api('/api/svc-ms/knowledge', { body: fact });
  const runSessionId = 'garden-year';
  const goal = 'Plan the garden year: choose herbs, then write a calendar, then list what to buy.';
  await api('/api/svc-ms/autonomous/execute', {
    body: { message: goal, session_id: runSessionId, stream_events: false, config: { max_iterations: 3 } },
  });
  await makeVideos(api, keys[0]!);
  const authorizePath = `/oauth2/authorize?${asked}`;
  return {
    adaPassword,
    sessionId,
    runSessionId,
    applicationId: application.data.id,
    authorizePath,
    stop: () => void provider.stop(true),
  };
}

async function makeVideos(api: Api, key: string): Promise<void> {
  for (const prompt of ['Waves at night', 'Sunrise over the balcony'])
    await api('/v1/videos', { key, body: { model: 'demo/video', prompt } });
  for (let tries = 0; tries < 100; tries += 1) {
    const { data } = await api<{ data: { status: string }[] }>('/v1/videos', { key });
    if (data.every(({ status }) => status === 'completed')) return;
    await Bun.sleep(200);
  }
}
