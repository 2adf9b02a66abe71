import { describe, expect, test } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import { resultLine } from './batches/render.ts';
import type { RequestRow } from './batches/store/tables.ts';
import { commands, usageOf } from './cli/commands.ts';
import { importFrom } from './cli/import.ts';
import { typeOf } from './intake/litellm/prices.ts';
import { intakeOf } from './intake/litellm/read-litellm.ts';
import { placeIn, vendorAndModel } from './intake/litellm/vendors.ts';
import { classifyRefusal } from './lib/classify-refusal.ts';
import { encodeCapabilities } from './mcp/client-capabilities.ts';
import { keysThatFit, readKeySet } from './oauth/assertion/key-set.ts';
import { fitsSchema } from './orchestra/json-schema.ts';
import { parseSvcMs } from './orchestra/params.ts';
import { noFields, told } from './organisations/scim/user-fields.ts';
import { groupAttributes, userAttributes } from './organisations/store/scim-conditions.ts';
import { fetchedAnswer, unpacked } from './platform/upstream/source.ts';
import { supportedParameters } from './relay/endpoints/model-view.ts';
import { toClaudeSchema } from './relay/providers/anthropic/schema.ts';
import { blockWriter, isCarried } from './relay/providers/bedrock/converse-blocks.ts';
import { endOf } from './relay/providers/bedrock/converse-message.ts';
import { bedrockError } from './relay/providers/bedrock/errors.ts';
import { demoFetch } from './relay/providers/demo/demo-fetch.ts';
import { toGeminiSchema } from './relay/providers/gemini/schema.ts';
import { providerKinds } from './relay/providers/index.ts';
import { firstEventOf } from './relay/realtime/first-event.ts';
import { noClientHeaders } from './relay/request-context.ts';
import { asKept, checkItems } from './relay/responses/items.ts';
import { endType } from './relay/responses/render.ts';
import { supportsParameter } from './relay/supported-parameters.ts';
import { readChatFinish } from './relay/wire/chat/answer.ts';
import { reasoningFormats } from './relay/wire/chat/reasoning.ts';
import { readGeminiFinish } from './relay/wire/gemini/finish.ts';
import { writeMedia } from './relay/wire/gemini/media.ts';
import { readGeminiParams } from './relay/wire/gemini/params.ts';
import { readStopReason } from './relay/wire/messages/answer.ts';
import { dimensionsOf } from './video/dimensions.ts';
import { fromUpstream as fromOpenai } from './video/upstreams/openai.ts';
import { fromUpstream as fromOpenrouter } from './video/upstreams/openrouter.ts';

/** What every object has. Some places look the name up in lower case, which these two survive. */
const inherited = ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty'];

const unheard = 'unheard';
const transcription = (format: string) =>
  firstEventOf({ clientHeaders: noClientHeaders } as never, { type: 'transcription' } as never, {
    model: 'm',
    configuration: { input_audio_format: format },
  });
const video = { id: 'v' };
const answerTo = (path: string) =>
  demoFetch({ path, body: {}, signal: new AbortController().signal } as never).then(({ status }) => status);
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicJwk = publicKey.export({ format: 'jwk' });

/** Places that look a name from outside up, and what they make of it. */
const places: Record<string, (name: string) => unknown> = {
  'commands of the command line': (name) => [commands[name], usageOf(name)],
  'gateways to import from': async (name) => {
    const lines: string[] = [];
    const call = {
      args: [name, 'file'],
      flags: new Set(),
      env: {},
      config: {},
      print: (line: string) => lines.push(line),
    };
    return [await importFrom(call as never), lines];
  },
  'why a chat answer ended': readChatFinish,
  'why a message ended': readStopReason,
  "why Gemini's answer ended": readGeminiFinish,
  "why Bedrock's answer ended": endOf,
  'how a response ended': endType,
  "statuses of OpenAI's videos": (status) => fromOpenai({ ...video, status }),
  "statuses of OpenRouter's videos": (status) => fromOpenrouter({ ...video, status }),
  'resolutions of videos': (resolution) => dimensionsOf({ resolution } as never, { resolution, aspectRatio: '16:9' }),
  'names of refusals': (code) => [classifyRefusal(500, { code }), classifyRefusal(500, { type: code })],
  'names of errors at Bedrock': (name) =>
    bedrockError(500, new Headers({ 'x-amzn-errortype': name }), '{"message":"no"}'),
  'types in schemas of plans': (type) => [
    fitsSchema(1, { type }),
    fitsSchema('a', { type }),
    fitsSchema(1, { type: [type] }),
  ],
  'types in schemas for Gemini': (type) => toGeminiSchema({ type: [type, 'string'], minLength: 1 }),
  'types in schemas for Claude': (type) => toClaudeSchema({ type }),
  'formats of images at Bedrock': (mediaType) => [
    isCarried({ type: 'image', source: { mediaType, data: 'AAAA' } }),
    blockWriter('nova').content([{ type: 'image', source: { media_type: mediaType, data: 'AAAA' } }]),
  ],
  'formats of documents at Bedrock': (mediaType) => isCarried({ type: 'file', source: { mediaType, data: 'AAAA' } }),
  'formats of sounds at Gemini': (format) => writeMedia({ type: 'audio', data: 'AAAA', format }),
  'endings of image addresses': (ending) =>
    writeMedia({ type: 'image', source: { url: `https://h.test/a.${ending}` } })?.map(
      ({ fileData }) => typeof (fileData as { mimeType: unknown }).mimeType,
    ),
  'levels of thinking': (thinkingLevel) =>
    readGeminiParams({ generationConfig: { thinkingConfig: { thinkingLevel } } }),
  'formats of reasoning': (format) => reasoningFormats[format],
  'formats of realtime sound': transcription,
  'types of items': (type) => [asKept([{ type }], (prefix) => prefix), attempt(() => checkItems([{ type }]))],
  'states of requests in a batch': (state) =>
    resultLine(
      { wire: 'openai', id: 'batch_1' } as never,
      { state, outcome: '{}', custom_id: 'a' } as unknown as RequestRow,
    ),
  "LiteLLM's kinds of models": (mode) => typeOf({ model_info: { mode } } as never),
  "LiteLLM's vendors": (vendor) => [
    vendorAndModel({ model: `${vendor}/m` } as never),
    placeIn(vendor, { model: 'm' } as never, 'https://h.test'),
  ],
  'kinds of channels': (kind) => providerKinds[kind],
  'parameters of models': (name) => [
    attempt(() => supportsParameter({} as never, name)),
    supportedParameters({ types: ['chat'], capabilities: { [name]: false } } as never, () => true),
  ],
  'capabilities of MCP clients': (name) => encodeCapabilities(JSON.parse(`{"${name}":{"${name}":{}}}`)),
  'algorithms of client keys': (alg) => {
    const set = readKeySet({ keys: [{ ...publicJwk, alg }] });
    return 'fault' in set ? set : keysThatFit(set, 'ES256', undefined).length;
  },
  'attributes of SCIM': (attribute) => [
    told(noFields, { op: 'replace', attribute, value: 'a' } as never),
    ...[userAttributes, groupAttributes].flatMap(({ single, multiple }) => [single[attribute], multiple[attribute]]),
    userAttributes.multiple.emails!.parts[attribute],
  ],
  'members of svc_ms': (name) => attempt(() => parseSvcMs(JSON.parse(`{"${name}":null}`))),
  'encodings of answers': (encoding) => {
    const { body } = fetchedAnswer(new Response('a'));
    return unpacked(body, encoding) === body;
  },
  'paths of the built-in provider': answerTo,
};

function attempt(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return { refused: (error as Error).message };
  }
}

/** As text with the name left out, and with functions and NaN told. */
async function outcomeOf(place: (name: string) => unknown, name: string): Promise<string> {
  const outcome = await attempt(() => place(name));
  const written = JSON.stringify(await outcome, (_, value) => {
    if (typeof value === 'function' || typeof value === 'bigint' || Number.isNaN(value))
      return `wrong: ${String(value)}`;
    return value instanceof Headers ? [...value] : value;
  });
  return (written ?? 'nothing').replaceAll(new RegExp(RegExp.escape(name), 'gi'), '…');
}

describe.each(Object.entries(places))('%s', (_, place) => {
  test.each(inherited)('%s is as unknown as any other name', async (name) => {
    const outcome = await outcomeOf(place, name);
    expect(outcome).toBe(await outcomeOf(place, unheard));
    expect(outcome).not.toContain('wrong: ');
  });
});

test.each([[{ toString: 1 }], [[{ toString: 1 }]], [1]])('a type that is no text, %j, is unknown', (type) => {
  expect(fitsSchema('a', { type: [type] })).toBe(true);
  expect(toGeminiSchema({ type: [type, 'string', 'number'] }).anyOf).toHaveLength(3);
});

test.each(['unheard', 'constructor', 'toString'])("a section %s of LiteLLM's file is told", (section) => {
  const { notes } = intakeOf(`model_list: []\n${section}:\n  a: 1\n  includes: 2\n`, {});
  expect(notes).toEqual([`${section} not imported: a, includes`]);
});
