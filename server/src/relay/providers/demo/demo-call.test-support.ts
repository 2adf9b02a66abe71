import { demoFetch } from './demo-fetch.ts';

/** An answer read loosely: the tests state its shape. */
// biome-ignore lint/suspicious/noExplicitAny: bodies of every endpoint pass through here
export type Loose = any;

export async function call(
  path: string,
  body: unknown,
  signal = new AbortController().signal,
): Promise<{ status: number; body: Loose }> {
  const response = await demoFetch({ path, body, stream: false, signal }, { paceMs: 0 });
  return { status: response.status, body: await response.json() };
}

export async function chat(content: string | Loose[], extra: Record<string, unknown> = {}): Promise<Loose> {
  const messages = typeof content === 'string' ? [{ role: 'user', content }] : content;
  const { body } = await call('/chat/completions', { model: 'demo/chat', messages, ...extra });
  return body;
}

export async function chatEvents(
  body: Record<string, unknown>,
  paceMs = 0,
  signal = new AbortController().signal,
): Promise<Loose[]> {
  const response = await demoFetch(
    { path: '/chat/completions', body: { model: 'demo/chat', ...body }, stream: true, signal },
    { paceMs },
  );
  const lines = (await response.text()).split('\n\n').filter(Boolean);
  return lines.map((line) => (line === 'data: [DONE]' ? 'DONE' : JSON.parse(line.replace(/^data: /, ''))));
}
