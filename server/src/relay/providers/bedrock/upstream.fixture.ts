import type { Server } from 'bun';
import { openRelayTest, type RelayTest } from '../../endpoints/relay.fixture.ts';
import { addUpstream, type Script, type ScriptedUpstream, scriptedUpstream } from '../../scripted-upstream.fixture.ts';
import { chunkFrame, eventFrame } from './frames.fixture.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are read as clients read them, field by field
export type Loose = any;

export const accessKey = 'AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY:token/of+a=session';
export const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
/** In quota: 10 and 20 USD a million tokens are 5 and 10 units a token. */
const price = { prompt_price: 10, completion_price: 20, max_output_tokens: 1_000 };
export const upstreamNames = {
  claude: 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  nova: 'us.amazon.nova-lite-v1:0',
};
export type Way = keyof typeof upstreamNames;
export const ways: Way[] = ['claude', 'nova'];

const modelOf = (model_id: string, way: Way) => ({ model_id, model_name: upstreamNames[way], ...price });

export interface BedrockTest {
  relay: RelayTest;
  upstream: ScriptedUpstream;
  /** The service, for clients that connect to it. */
  server: Server<unknown>;
  /** A model with circuits of its own, which the failures of others have not opened. */
  newModel(way: Way): Promise<string>;
  close(): Promise<void>;
}

/** The service with a channel to Bedrock that has a model of each way, and those that embed. */
export async function openBedrockTest(env: Record<string, string> = {}): Promise<BedrockTest> {
  const relay = await openRelayTest({ env });
  await relay.test.setOption('RateLimitEnabled', false);
  await relay.credit(100_000_000);
  const upstream = scriptedUpstream();
  const models = [
    ...ways.map((way) => modelOf(`bed/${way}`, way)),
    { model_id: 'bed/titan', model_name: 'amazon.titan-embed-text-v2:0', type: 'embedding', prompt_price: 10 },
    { model_id: 'bed/cohere', model_name: 'cohere.embed-english-v3', type: 'embedding', prompt_price: 10 },
  ];
  const fields = { kind: 'bedrock', credential: accessKey, provider: 'bedrock' };
  const channel_id = await addUpstream(relay.test, upstream.url.replace('/v1', ''), models, fields);
  const server = Bun.serve({ port: 0, idleTimeout: 0, fetch: (request, self) => relay.test.app.fetch(request, self) });
  let made = 0;
  return {
    relay,
    upstream,
    server,
    newModel: async (way) => {
      made += 1;
      const model_id = `bed/${way}-${made}`;
      const root = await relay.test.root();
      const body = { channel_id, ...modelOf(model_id, way) };
      const answer = await root.call('/api/admin/provider-models', { method: 'POST', body });
      if (!answer.ok) throw new Error(await answer.text());
      return model_id;
    },
    close: async () => {
      await server.stop(true);
      await upstream.close();
      await relay.close();
    },
  };
}

export const said = 'Good morning to you';
const claudeUsage = { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
const message = { id: 'msg_bdrk_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' };
export const novaUsage = { inputTokens: 10, outputTokens: 4, totalTokens: 14 };

const wholes: Record<Way, object> = {
  claude: {
    ...message,
    ...{ content: [{ type: 'text', text: said }], stop_reason: 'end_turn', stop_sequence: null, usage: claudeUsage },
  },
  nova: {
    output: { message: { role: 'assistant', content: [{ text: said }] } },
    ...{ stopReason: 'end_turn', usage: novaUsage, metrics: { latencyMs: 5 } },
  },
};

const words = said.match(/\S+\s*/g)!;
export const streams: Record<Way, Uint8Array[]> = {
  claude: [
    chunkFrame({
      type: 'message_start',
      message: { ...message, content: [], usage: { ...claudeUsage, output_tokens: 1 } },
    }),
    chunkFrame({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...words.map((text) => chunkFrame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    chunkFrame({ type: 'content_block_stop', index: 0 }),
    chunkFrame({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 4 },
    }),
    chunkFrame({
      type: 'message_stop',
      'amazon-bedrock-invocationMetrics': { inputTokenCount: 10, outputTokenCount: 4 },
    }),
  ],
  nova: [
    eventFrame('messageStart', { role: 'assistant' }),
    ...words.map((text) => eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text } })),
    eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
    eventFrame('messageStop', { stopReason: 'end_turn' }),
    eventFrame('metadata', { usage: novaUsage, metrics: { latencyMs: 5 } }),
  ],
};
/** Up to the second word. */
export const begun: Record<Way, Uint8Array[]> = { claude: streams.claude.slice(0, 4), nova: streams.nova.slice(0, 3) };

/** Each piece comes by itself. */
export const inTurn = (pieces: Uint8Array[]): Response =>
  new Response(
    new ReadableStream({
      async start(controller) {
        for (const piece of pieces) {
          controller.enqueue(piece);
          await Bun.sleep(1);
        }
        controller.close();
      },
    }),
    { headers },
  );

/** Whole or in frames, cut where no frame ends. */
export const answers =
  (way: Way): Script =>
  ({ path }) => {
    if (!path.endsWith('-stream')) return Response.json(wholes[way]);
    const bytes = Buffer.concat(streams[way]);
    return inTurn(Array.from({ length: Math.ceil(bytes.length / 97) }, (_, i) => bytes.subarray(i * 97, i * 97 + 97)));
  };

export const clients: Record<
  string,
  { path: string; body: (model: string) => Loose; textOf: (got: string, stream: boolean) => string }
> = {
  chat: {
    path: '/v1/chat/completions',
    body: (model) => ({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
    textOf: (got, stream) =>
      stream
        ? eventsIn(got)
            .map((event) => event.choices?.[0]?.delta?.content ?? '')
            .join('')
        : JSON.parse(got).choices[0].message.content,
  },
  messages: {
    path: '/v1/messages',
    body: (model) => ({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] }),
    textOf: (got, stream) =>
      stream
        ? eventsIn(got)
            .map((event) => event.delta?.text ?? '')
            .join('')
        : JSON.parse(got).content[0].text,
  },
  responses: {
    path: '/v1/responses',
    body: (model) => ({ model, max_output_tokens: 50, input: 'hello' }),
    textOf: (got, stream) =>
      stream
        ? eventsIn(got)
            .map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''))
            .join('')
        : JSON.parse(got).output[0].content[0].text,
  },
};
export const eventsIn = (text: string): Loose[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data!));
