/** The service with a vendor of each kind behind it, which refuses what that vendor refuses. */
import type { Json } from '../../server/src/relay/wire/conversation.ts';
import { type Kind, kinds, says } from '../relay-replies.ts';
import { type Service, startService } from '../service.ts';
import { type Script, startUpstream, type Upstream } from '../upstream.ts';
import { strictVendor } from '../vendor-rules.ts';
import { asksForResponse, respond } from './responses-vendor.ts';
import { list, type Question, type ScriptedModel } from './scripted-model.ts';

export interface World {
  service: Service;
  upstreams: Record<Kind, Upstream>;
  models: Record<Kind, string>;
  /** The replies of the models from now on. */
  think(mind: ScriptedModel): void;
  stop(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const service = await startService({ env: { DEMO_PROVIDER: 'on' } });
  const upstreams = {} as Record<Kind, Upstream>;
  const models = {} as Record<Kind, string>;
  for (const kind of kinds) {
    upstreams[kind] = startUpstream(strictVendor(kind, says(kind, { text: 'unset' })));
    models[kind] = (await service.serve({ kind, url: upstreams[kind].url, modelId: `clients/${kind}` })).modelId;
  }
  return {
    service,
    upstreams,
    models,
    think: (mind) => {
      for (const kind of kinds) {
        const chat = strictVendor(kind, answering(kind, mind));
        upstreams[kind].script = (asked) => (asksForResponse(asked) ? respond(asked, mind) : chat(asked));
      }
    },
    stop: async () => {
      for (const kind of kinds) upstreams[kind].stop();
      await service.stop();
    },
  };
}

const answering =
  (kind: Kind, mind: ScriptedModel): Script =>
  (asked) =>
    says(kind, mind({ ...read[kind](asked.body), text: JSON.stringify(asked.body) }))(asked);

const read: Record<Kind, (body: Json) => Omit<Question, 'text'>> = {
  openai: (body) => ({
    tools: list(body.tools).map((tool) => `${(tool.function as Json).name}`),
    results: list(body.messages).filter(({ role }) => role === 'tool').length,
  }),
  anthropic: (body) => ({
    tools: list(body.tools).map(({ name }) => `${name}`),
    results: list(body.messages)
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result').length,
  }),
  gemini: (body) => ({
    tools: list(body.tools)
      .flatMap((tool) => list(tool.functionDeclarations))
      .map(({ name }) => `${name}`),
    results: list(body.contents)
      .flatMap(({ parts }) => list(parts))
      .filter((part) => part.functionResponse).length,
  }),
};

/** What the table of client-tasks.mjs expects of a model. */
export const plainModel: ScriptedModel = ({ tools, text }) => {
  if (text.includes('sunny in Paris')) return { text: 'It is sunny.' };
  if (tools.length > 0) return { calls: [{ id: 'call_paris', name: tools[0]!, args: { city: 'Paris' } }] };
  if (text.includes('Reply in JSON')) return { text: '{"city":"Paris"}' };
  if (text.includes('Again?')) return { text: text.includes('Hello, world') ? 'Hello again' : 'Who are you?' };
  return { text: 'Hello, world' };
};
