import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../../lib/errors.ts';
import { providerKinds } from '../../providers/index.ts';
import type { Json } from '../conversation.ts';
import { renderResponsesAnswer } from './answer.ts';
import { parseResponsesRequest } from './request.ts';

const target = { baseUrl: 'http://h.test', credential: 'k', modelName: 'claude-x' };

/** Objects with the names that matter, and with those that every object has. */
const names = fc.constantFrom(
  ...['type', 'role', 'content', 'text', 'id', 'call_id', 'name', 'namespace', 'arguments', 'input', 'output', 'tools'],
  ...['summary', 'encrypted_content', 'image_url', 'file_data', 'file_url', 'file_id', 'tool_choice', 'format', 'mode'],
  ...['schema', 'effort', 'reasoning', 'include', 'metadata', 'instructions', 'parameters', '__proto__', 'constructor'],
);
const words = fc.constantFrom(
  ...[
    'message',
    'reasoning',
    'function_call',
    'function_call_output',
    'custom_tool_call',
    'item_reference',
    'namespace',
  ],
  ...['user', 'assistant', 'developer', 'input_text', 'output_text', 'input_image', 'input_file', 'function', 'custom'],
  ...[
    'allowed_tools',
    'auto',
    'required',
    'grammar',
    'json_schema',
    '__proto__',
    'toString',
    'svc1.',
    'svc1.t:a:b:c',
    'x',
    '',
  ],
);
const value = fc.letrec((tie) => ({
  any: fc.oneof({ maxDepth: 5 }, fc.constant(null), fc.double(), fc.boolean(), words, tie('list'), tie('object')),
  list: fc.array(tie('any'), { maxLength: 4 }),
  object: fc.dictionary(names, tie('any'), { maxKeys: 8 }),
}));

/** Runs it; anything thrown must be a refusal. */
function known<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    return undefined;
  }
}

/** Items that are nearly right get further than those that are not. */
const item = fc.oneof(
  value.object,
  fc.tuple(words, value.object).map(([type, more]) => ({ call_id: 'c', name: 'f', ...(more as Json), type })),
);

test('for any request, the parser and builders throw only AppError', () => {
  let read = 0;
  fc.assert(
    fc.property(value.object, fc.array(item, { maxLength: 4 }), (extra, items) => {
      const body = { ...(extra as Json), model: 'm', input: [{ role: 'user', content: 'x' }, ...(items as Json[])] };
      const conversation = known(() => parseResponsesRequest(body));
      if (!conversation) return;
      read += 1;
      for (const kind of Object.values(providerKinds)) known(() => kind.toUpstream(conversation, target));
      const call = { type: 'tool_call' as const, id: 'c', name: '__proto__', arguments: '{' };
      const answer = { id: 'x', model: 'up', parts: [call], finish: 'stop' as const };
      renderResponsesAnswer(answer, { model: 'm', id: 'r', created: 1, echo: conversation.echo });
    }),
    { numRuns: 1_500 },
  );
  expect(read).toBeGreaterThan(20);
});

test('deeply nested bodies and bodies that are not objects are rejected', () => {
  const depth = 50_000;
  const deep = JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
  expect(() => parseResponsesRequest({ model: 'm', input: 'x', unknown: deep })).toThrow(AppError);
  for (const body of [null, undefined, 1, 'x', [], true]) expect(() => parseResponsesRequest(body)).toThrow(AppError);
});
