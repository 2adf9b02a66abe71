import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { providerKinds } from '../providers/index.ts';
import { parseChatRequest } from './chat/request.ts';
import { type Json, UpstreamFault } from './conversation.ts';
import { parseMessagesRequest } from './messages/request.ts';

const target = { baseUrl: 'http://h.test', credential: 'k', modelName: 'claude-x' };

/** Objects with the names that matter and values of every type. */
const names = fc.constantFrom(
  ...[
    'model',
    'messages',
    'role',
    'content',
    'type',
    'text',
    'tool_calls',
    'function',
    'name',
    'arguments',
    'id',
    'system',
  ],
  ...[
    'tools',
    'tool_choice',
    'stop',
    'input_schema',
    'parameters',
    'properties',
    'image_url',
    'url',
    'source',
    'thinking',
  ],
  ...[
    'tool_use_id',
    'tool_call_id',
    'max_tokens',
    'choices',
    'delta',
    'message',
    'usage',
    'error',
    'candidates',
    'parts',
  ],
  ...[
    'functionCall',
    'content_block',
    'finish_reason',
    'stop_reason',
    'reasoning_details',
    '$ref',
    '$defs',
    'data',
    'code',
  ],
);
const words = fc.constantFrom(
  'user',
  'assistant',
  'tool',
  'text',
  'tool_use',
  'tool_result',
  'image',
  'function',
  'x',
  '',
  '\u0000',
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 5 }, fc.constant(null), fc.double(), fc.boolean(), words, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(names, tie('any'), { maxKeys: 8 }),
}));

/** Runs it; anything thrown must be an error we know. */
function known<T>(act: () => T, type: new (...args: never[]) => Error): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof type)) throw error;
    return undefined;
  }
}

test('for any request, parsers and builders throw only AppError', () => {
  fc.assert(
    fc.property(value.object, fc.array(value.object, { maxLength: 4 }), (extra, messages) => {
      const body = { max_tokens: 5, ...(extra as Json), model: 'm', messages };
      for (const parse of [parseChatRequest, parseMessagesRequest]) {
        const conversation = known(() => parse(body), AppError);
        if (conversation === undefined) continue;
        for (const kind of Object.values(providerKinds)) known(() => kind.toUpstream(conversation, target), AppError);
      }
    }),
    { numRuns: 1500 },
  );
});

test('for any upstream answer, readers throw only UpstreamFault', () => {
  fc.assert(
    fc.property(value.object, (json) => {
      for (const kind of Object.values(providerKinds)) {
        known(() => kind.fromUpstream(json), UpstreamFault);
        kind.decoder()(json as Json);
        kind.errorOf(400, new Headers(), JSON.stringify(json));
      }
    }),
    { numRuns: 1500 },
  );
});

test('a deeply nested body is rejected before it is serialised', () => {
  const depth = 50_000;
  const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }], unknown: deep };
  expect(() => parseChatRequest(body)).toThrow(AppError);
  expect(() => parseMessagesRequest(body)).toThrow(AppError);
});

test('bodies that are not objects are rejected', () => {
  for (const body of [null, undefined, 1, 'x', [], true]) {
    expect(() => parseChatRequest(body)).toThrow(AppError);
    expect(() => parseMessagesRequest(body)).toThrow(AppError);
  }
});
