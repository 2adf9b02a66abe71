import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { askedKinds } from '../every-field.fixture.ts';
import type { Conversation, Json } from './conversation.ts';
import { parseGeminiRequest } from './gemini/request.ts';
import { parseMessagesRequest } from './messages/request.ts';

type Turn = [own: string, content: Json[]];

const result = (tool_use_id: string): Json => ({ type: 'tool_result', tool_use_id, content: 'Yes.' });
const response = (name: string): Json => ({ functionResponse: { name, response: { result: 'Yes.' } } });

const messages: Turn[] = [
  [
    'user',
    [
      { type: 'text', text: 'Is' },
      { type: 'text', text: 'it?' },
    ],
  ],
  [
    'assistant',
    [
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'a', name: 'one', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'two', input: {} },
      { type: 'text', text: 'Well,' },
    ],
  ],
  ['user', [result('b'), { type: 'text', text: 'And?' }, result('a')]],
];

const contents: Turn[] = [
  ['user', [{ text: 'Is' }, { text: 'it?' }]],
  [
    'model',
    [
      { text: 'I look.' },
      { functionCall: { id: 'a', name: 'one', args: { x: 1 } } },
      { functionCall: { id: 'b', name: 'two', args: {} } },
      { text: 'Well,' },
    ],
  ],
  ['user', [response('two'), { text: 'And?' }, response('one')]],
];

const clients: Record<string, { turns: Turn[]; parse(turns: Turn[]): Conversation }> = {
  messages: {
    turns: messages,
    parse: (turns) =>
      parseMessagesRequest({
        ...{ model: 'm', max_tokens: 9 },
        messages: turns.map(([role, content]) => ({ role, content })),
      }),
  },
  gemini: {
    turns: contents,
    parse: (turns) =>
      parseGeminiRequest({ contents: turns.map(([role, parts]) => ({ role, parts })) }, { model: 'm', stream: false }),
  },
};

/** Cuts each turn in two at these places. */
const cut = (turns: Turn[], places: number[]): Turn[] =>
  turns.flatMap(([role, content], i): Turn[] =>
    [content.slice(0, places[i]), content.slice(places[i])].flatMap((part): Turn[] =>
      part.length > 0 ? [[role, part]] : [],
    ),
  );

const foreign = Object.entries(askedKinds).flatMap(([name, asked]) =>
  Object.entries(clients)
    .filter(([client]) => asked.kind.wire !== client || name === 'converse')
    .map(([client, reader]) => [`${client} to ${name}`, reader, asked] as const),
);

test.each(foreign)('adjacent messages of one role are one turn: %s', (_, { turns, parse }, { kind, target }) => {
  const sent = (given: Turn[]) => JSON.parse(kind.toUpstream(parse(given), target).body as string);
  const whole = sent(turns);
  fc.assert(
    fc.property(fc.tuple(fc.nat(4), fc.nat(4), fc.nat(4)), (places) => {
      expect(sent(cut(turns, places))).toEqual(whole);
    }),
    { numRuns: 40 },
  );
});
