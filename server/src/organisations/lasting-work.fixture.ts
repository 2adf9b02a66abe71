import type { ManualClock } from '../lib/clock.ts';
import { administration, type McpTestServer, startMcp } from '../mcp/mcp.fixture.ts';
import {
  created,
  done,
  listen,
  type ScriptedVendor,
  scriptedVendor,
  words,
} from '../relay/realtime/realtime.fixture.ts';
import { addUpstream, type SeenRequest } from '../relay/scripted-upstream.fixture.ts';
import { type ScriptedStripe, scriptedStripe } from '../topups/stripe.fixture.ts';
import { answerOf, models } from './mixture.fixture.ts';
import { openWorld, price, type World } from './organisations.fixture.ts';

export interface LastingWorld extends World {
  stripe: ScriptedStripe;
  tools: McpTestServer;
  port: number;
}

/** A world whose background work runs, with a vendor of each kind. */
export async function openLastingWorld(clock: ManualClock, env: Record<string, string> = {}): Promise<LastingWorld> {
  const stripe = scriptedStripe();
  const { secretKey, webhookSecret, url } = stripe;
  const payments = { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_API_URL: url };
  const world = await openWorld({ clock, env: { ...payments, ALLOW_PRIVATE_WEBHOOKS: '1', ...env } });
  await world.t.app.start();
  const server = listen(world.t);
  world.upstream.answer((seen) => filmOf(seen) ?? answerOf(seen));
  await addUpstream(world.t, world.upstream.url, models);
  const vendor = scriptedVendor();
  vendor.onEvent = speak;
  const prices = { prompt: 2, completion: 2, audio_in: 4, audio_out: 4 };
  const voice = { model_id: 'voice', model_name: 'rt-1', type: 'realtime', context_length: 900, max_output_tokens: 90 };
  await addUpstream(world.t, vendor.url, [{ ...voice, prices }]);
  for (const name of ['MsPlanModel', 'MsEasyModel', 'MsMediumModel', 'MsHardModel']) await world.t.setOption(name, 'm');
  const tools = startMcp([
    { name: 'dear' },
    { name: 'failing', answer: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }) },
    { name: 'broken', answer: () => Promise.reject(new Error('out of order')) },
  ]);
  const admin = administration(world.root);
  const { id } = await admin.connect('tools', tools.url);
  const offered = (await admin.test(id)).tools.map(({ name, definition }) => ({ name, definition }));
  await admin.send('PUT', `/${id}/tools`, { tools: offered.map((tool) => ({ ...tool, ask_first: false, price })) });
  return {
    ...{ ...world, stripe, tools, port: server.port! },
    close: async () => {
      await server.stop(true);
      await world.close();
      tools.stop();
      await vendor.close();
      await stripe.close();
    },
  };
}

/** Films are ready as soon as somebody looks. */
function filmOf({ path, method }: SeenRequest): Response | null {
  if (!path.includes('/videos')) return null;
  if (path.endsWith('/content')) return new Response('film', { headers: { 'content-type': 'video/mp4' } });
  const id = path.split('/')[3] ?? `film-${crypto.randomUUID()}`;
  return Response.json({ id, object: 'video', status: method === 'POST' ? 'queued' : 'completed' });
}

const usage = { input_tokens: 30, output_tokens: 9, total_tokens: 39 };
/** A session answers, answers without an end, or is cut off, as it is asked. */
function speak(socket: ScriptedVendor['sockets'][number], { type, response }: Record<string, unknown>): void {
  if (type !== 'response.create') return;
  const how = (response as { instructions?: string } | undefined)?.instructions;
  const id = `resp_${crypto.randomUUID()}`;
  socket.send(created(id));
  socket.send(words(id, 'so'));
  if (how === 'cut') socket.terminate();
  else if (how === 'whole') socket.send(done(id, usage));
}
