import { describe, expect, test } from 'bun:test';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import { parseChatRequest } from '../../wire/chat/request.ts';
import type { Json } from '../../wire/conversation.ts';
import { toAnthropic } from './request.ts';
import { toClaudeSchema } from './schema.ts';

const text = { type: 'string' };
const holding = (properties: Json, more: Json = {}): Json => ({ type: 'object', properties, ...more });

describe('toClaudeSchema', () => {
  test.each<[string, Json]>([
    ['limits', holding({ a: { type: 'integer', minimum: 1, description: 'Age' }, b: { ...text, maxLength: 9 } })],
    ['lists', holding({ a: { type: 'array', items: text, minItems: 3, maxItems: 4 } }, { required: ['a'] })],
    ['a list that is not empty', holding({ a: { type: 'array', items: text, minItems: 1 } })],
    ['formats', holding({ a: { ...text, format: 'date' }, b: { ...text, format: 'color' } })],
    ['choices', holding({ a: { oneOf: [text, holding({ b: text })] }, c: { type: 'string', enum: ['x', 'y'] } })],
    [
      'references',
      holding({ a: { $ref: '#/$defs/N' } }, { $defs: { N: holding({ v: { type: 'number', maximum: 2 } }) } }),
    ],
  ])('writes %s as Anthropic’s library does', (_, schema) => {
    expect(toClaudeSchema(schema)).toEqual(transformJSONSchema(schema as never) as Json);
  });

  test('leaves out a format that is none', () => {
    const written = toClaudeSchema({ ...text, format: { toString: 1 } });
    expect(written).toEqual({ ...text, description: '{format: {"toString":1}}' });
  });

  test('writes several types as choices', () => {
    expect(toClaudeSchema(holding({ a: { type: ['string', 'null'], description: 'Name' } }))).toEqual({
      type: 'object',
      properties: {
        a: {
          anyOf: [
            { type: 'string', description: 'Name' },
            { type: 'null', description: 'Name' },
          ],
        },
      },
      additionalProperties: false,
    });
  });

  test('tells each of several types its own limits only', () => {
    const schema = { type: ['object', 'null', 'string', 'null'], properties: { a: text }, maxLength: 9 };
    expect(toClaudeSchema(schema)?.anyOf).toEqual([
      { ...holding({ a: text }), additionalProperties: false },
      { type: 'null' },
      { type: 'string', description: '{maxLength: 9}' },
    ]);
  });

  test('does not grow with every level of types that are named twice', () => {
    let schema: Json = text;
    for (let level = 0; level < 60; level += 1) schema = holding({ a: schema }, { type: ['object', 'object', 'null'] });
    expect(JSON.stringify(toClaudeSchema(schema)).length).toBeLessThan(60 * 200);
  });

  test.each<[string, Json]>([
    ['types that there are not', holding({ a: { type: '__proto__' }, b: { type: '__defineGetter__' } })],
    ['a type that there is not among others', holding({ a: { type: ['string', 'constructor'] } })],
    ['two kinds of choices', holding({ a: { anyOf: [text], oneOf: [text] } })],
    [
      'recursion',
      holding(
        { a: { $ref: '#/$defs/N' } },
        { $defs: { N: holding({ kids: { type: 'array', items: { $ref: '#/$defs/N' } } }) } },
      ),
    ],
    ['members of any name', holding({ a: { type: 'object', additionalProperties: { type: 'number' } } })],
    ['any value', holding({ a: {} })],
    ['exclusions', holding({ a: { not: text } })],
    ['foreign references', holding({ a: { $ref: 'https://x.test/a.json' } })],
  ])('has no word for %s', (_, schema) => {
    expect(toClaudeSchema(schema)).toBeUndefined();
  });
});

function sent(schema: Json): Json {
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } };
  const conversation = parseChatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], response_format });
  const target = { baseUrl: 'https://api.anthropic.com', modelName: 'claude-sonnet-4-6', credential: 'k' };
  return JSON.parse(toAnthropic(conversation, target).body as string);
}

test('a response schema that Anthropic would refuse is asked for in words', () => {
  const fits = sent(holding({ a: { type: 'integer', minimum: 1 } }));
  expect(fits.system).toBeUndefined();
  expect(fits.output_config).toMatchObject({ format: { schema: { additionalProperties: false } } });
  const open = sent(holding({ a: { type: 'object', additionalProperties: text } }));
  expect(open.output_config).toBeUndefined();
  expect(JSON.stringify(open.system)).toContain('JSON Schema');
});
