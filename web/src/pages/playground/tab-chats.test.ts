import { expect, test } from 'bun:test';
import { ChatStore } from './chat-store.ts';
import { defaultSettings } from './settings.ts';
import { newLike, TabChats } from './tab-chats.ts';

/** As it comes from the service. */
const saved = (id: string): ChatStore =>
  new ChatStore({
    ...{ id, columns: [{ id: 'c', model: 'm' }], settings: defaultSettings },
    entries: [{ id: 'u', role: 'user', content: id, images: [] }],
  });
const type = (tab: TabChats, text: string) => tab.current().keepTyped({ text, images: [] });
const typed = (tab: TabChats) => tab.current().typed.text;

test('each chat keeps its own draft', () => {
  const tab = new TabChats(1);
  type(tab, 'for a new one');
  tab.show(saved('a'));
  expect(typed(tab)).toBe('');
  type(tab, 'for a');
  tab.show(saved('b'));
  expect(typed(tab)).toBe('');
  tab.show(saved('a'));
  expect(typed(tab)).toBe('for a');
  type(tab, '');
  tab.start(newLike(tab.current()));
  expect(typed(tab)).toBe('for a new one');
  tab.show(saved('a'));
  expect(typed(tab)).toBe('');
});

test('a new chat takes over the draft, also after the chat is deleted', () => {
  const tab = new TabChats(1);
  tab.show(saved('a'));
  type(tab, 'better in a new one');
  tab.start(newLike(tab.current()));
  expect(typed(tab)).toBe('better in a new one');
  tab.show(saved('a'));
  expect(typed(tab)).toBe('');
  type(tab, 'more');
  tab.remove('a');
  expect([tab.current().isEmpty, typed(tab)]).toEqual([true, 'more']);
});
