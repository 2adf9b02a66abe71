import { describe, expect, test } from 'bun:test';
import { askedKinds } from './every-field.fixture.ts';
import { asKept } from './responses/items.ts';
import type { Json } from './wire/conversation.ts';
import { parseResponsesRequest } from './wire/responses/request.ts';

const user = { role: 'user', content: 'Hi' };
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false };

function sentTo(name: string, input: unknown[], members: Json = {}, paid = false): Json {
  const { kind, target } = askedKinds[name]!;
  const conversation = parseResponsesRequest({ model: 'm', input, ...members });
  return JSON.parse(kind.toUpstream(conversation, { ...target, paid }).body as string);
}

const others = Object.keys(askedKinds).filter((name) => name !== 'responses');

describe('items and parts newer than this service', () => {
  test.each([
    [{ type: 'dream', id: 'dr_1', plot: 'x' }, 'dream'],
    [{ role: 'user', content: [{ type: 'input_smell', smell: 'rose' }] }, 'input_smell'],
  ])('%j reach OpenAI unchanged, and are refused by name for others', (item, name) => {
    expect(sentTo('responses', [user, item]).input).toEqual([user, item]);
    for (const other of others) expect(() => sentTo(other, [user, item])).toThrow(name);
  });

  test.each(['dream', 'constructor', '__proto__'])('%s is stored under a usual id', (type) => {
    expect(asKept([{ type }])[0]?.id).toMatch(/^item_\w+$/);
  });

  test('bring no tools with a price of their own', () => {
    const bringing = (type: string) => [user, { type: 'dream', tools: [{ type, name: 'f' }] }];
    expect(() => sentTo('responses', bringing('image_generation'), {}, true)).toThrow('input');
    expect(sentTo('responses', bringing('function'), {}, true).input).toEqual(bringing('function'));
  });
});

describe('configuration_update', () => {
  const format = { type: 'json_schema', name: 'a', schema };
  const update = (members: Json) => ({ type: 'configuration_update', ...members });

  test('reaches OpenAI unchanged', () => {
    const input = [user, update({ reasoning: { effort: 'high' }, text: { format } })];
    expect(sentTo('responses', input).input).toEqual(input);
  });

  test('sets effort and format for other vendors, the last one of each', () => {
    const input = [
      update({ reasoning: { effort: 'high' }, text: { format } }),
      user,
      update({ reasoning: { effort: 'low' } }),
    ];
    const asked = { reasoning: { effort: 'medium' }, text: { verbosity: 'low' } };
    for (const name of others) {
      const plain = { reasoning: { effort: 'low' }, text: { verbosity: 'low', format } };
      expect(sentTo(name, input, asked)).toEqual(sentTo(name, [user], plain));
      expect(sentTo(name, input, asked)).not.toEqual(sentTo(name, [user], asked));
    }
  });

  test('of ten thousand items is read in linear time', () => {
    const input = [user, ...Array.from({ length: 10_000 }, () => update({ reasoning: { effort: 'high' } }))];
    const unknown = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`member_${index}`, 1]));
    const { params } = parseResponsesRequest({ ...unknown, model: 'm', input });
    expect(params.reasoning).toMatchObject({ effort: 'high' });
  });

  test('returns to plain text', () => {
    const input = [user, update({ text: { format: { type: 'text' } } })];
    for (const name of others) expect(sentTo(name, input, { text: { format } })).toEqual(sentTo(name, [user]));
  });
});

describe('a call whose result comes later', () => {
  const tools = [{ type: 'function', name: 'find', async: true }];
  const call = { type: 'function_call', call_id: 'c1', name: 'find', arguments: '{}', async: true };
  const late = { type: 'function_call_output', call_id: 'c1', output: 'Tea.' };
  const next = { role: 'user', content: 'And?' };

  test('reaches OpenAI without one', () => {
    const input = [user, call, next];
    expect(sentTo('responses', input, { tools })).toMatchObject({ input, tools });
  });

  test('has a stand-in for other vendors, until the result is there', () => {
    for (const name of others) {
      expect(JSON.stringify(sentTo(name, [user, call, next], { tools }))).toContain('not there yet');
      const given = JSON.stringify(sentTo(name, [user, call, next, late], { tools }));
      expect(given).toContain('Tea.');
      expect(given).not.toContain('not there yet');
    }
  });
});
