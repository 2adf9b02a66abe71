import { expect, test } from 'bun:test';
import { ssePing } from '../../../lib/sse.ts';
import { GoogleEvents } from './google-events.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const events = ['data: {}\n\n', 'data: 1\n\ndata: 2\n\n', 'data: ": ping"\n\n', ''];

test('comments become blank lines, and events stay as they are', () => {
  const google = new GoogleEvents();
  for (const ping of [ssePing, bytesOf(ssePing)]) expect(google.push(ping)).toBe('\n\n');
  for (const event of [...events, ...events.map(bytesOf)]) expect(google.push(event)).toBe(event);
  expect(google.end()).toBe('');
});
