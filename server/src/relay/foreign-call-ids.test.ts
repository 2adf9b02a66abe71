import { expect, test } from 'bun:test';
import { askedKinds } from './every-field.fixture.ts';
import { parseMessagesRequest } from './wire/messages/request.ts';

const use = (id: string) => ({ type: 'tool_use', id, name: 'find', input: {} });
const gives = (tool_use_id: string) => ({ type: 'tool_result', tool_use_id, content: 'Tea.' });

function sent(id: string): unknown {
  const { kind, target } = askedKinds.claude!;
  const conversation = parseMessagesRequest({
    model: 'm',
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [use(id)] },
      { role: 'user', content: [gives(id)] },
    ],
  });
  const { messages } = JSON.parse(kind.toUpstream(conversation, target).body as string);
  return messages.slice(1).map(({ content }: { content: unknown[] }) => content[0]);
}

test('ids of calls that another vendor made are ones that Anthropic accepts, at call and result alike', () => {
  expect(sent('functions.find:0')).toEqual([use('functions_find_0'), gives('functions_find_0')]);
});

test('Anthropic’s own ids stay as they are', () => {
  expect(sent('toolu_01A-b')).toEqual([use('toolu_01A-b'), gives('toolu_01A-b')]);
});

test('an answer of which nothing but another vendor’s thoughts came is left out', () => {
  const { kind, target } = askedKinds.claude!;
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'openai#rs_1#gAAAA' };
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [thought] },
    { role: 'user', content: 'Well?' },
  ];
  const conversation = parseMessagesRequest({ model: 'm', max_tokens: 100, messages });
  const body = JSON.parse(kind.toUpstream(conversation, target).body as string);
  expect(body.messages).toEqual([messages[0], messages[2]]);
});
