import { expect, test } from 'bun:test';
import { type ChatState, packed } from './chat-content.ts';
import { fileNameOf, markdownOf } from './chat-markdown.ts';
import { newAnswer } from './conversation.ts';
import { defaultSettings } from './settings.ts';

const column = { id: 'c', model: 'demo/chat' };
const answer = (id: string, changes: object) => ({ ...newAnswer(id, column, {}), state: 'done' as const, ...changes });
const call = { id: 'k', name: 'weather', arguments: '{"at":"sea"}' };
const chat: ChatState = {
  columns: [column],
  settings: defaultSettings,
  entries: [
    { id: '1', role: 'user', content: 'What is this?', images: ['data:image/png;base64,AA=='] },
    answer('2', { toolCalls: [call] }),
    { id: '3', role: 'tool', column: 'c', toolCallId: 'k', name: 'weather', content: 'Clear.' },
    answer('4', { content: 'A **clear** sky.' }),
    { id: '5', role: 'user', content: 'And then?', images: [] },
    answer('6', { state: 'failed', error: new Error('The model is away.') }),
  ],
};

test('a chat is exported as Markdown with speakers, tool calls, images and errors', () => {
  expect(markdownOf('Sky', packed(chat)).split('\n\n')).toEqual([
    ...['# Sky', '## You', 'What is this?', '*1 image*'],
    ...['## demo/chat', '`weather({"at":"sea"})`', '## Result of weather', 'Clear.'],
    ...['## demo/chat', 'A **clear** sky.', '## You', 'And then?', '## demo/chat', 'The model is away.\n'],
  ]);
});

test('the file name is valid on every operating system', () => {
  expect(fileNameOf('Where do rivers go?')).toBe('Where do rivers go.md');
  expect(fileNameOf('a/b\\c: "d"')).toBe('a b c d.md');
  expect(fileNameOf('???')).toBe('chat.md');
  expect(fileNameOf('河流 🌊')).toBe('河流 🌊.md');
});
