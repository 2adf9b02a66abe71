import { expect, test } from 'bun:test';
import { vendors } from '../../../lib/vendors/table.ts';
import { rewriteResponsesRequest } from './responses/rewrite-request.ts';
import { rewriteChatRequest } from './rewrite.ts';

// What is checked and charged are the body's own members.
test('a member called __proto__ brings no parameters', () => {
  const body = JSON.parse(
    '{"model":"m","messages":[],"input":"a","__proto__":{"tools":[{"type":"custom","custom":{"name":"a"}},{"type":"web_search"}]}}',
  );
  const vendor = vendors.find(({ id }) => id === 'groq')!;
  const chat = rewriteChatRequest(body, { modelName: 'm', vendor, stream: false, limit: undefined });
  expect(chat.tools).toBeUndefined();
  expect(JSON.stringify(chat)).toBe('{"model":"m","messages":[],"input":"a"}');
  const options = { modelName: 'm', stream: false, limit: undefined, reasons: false, seals: undefined };
  expect(rewriteResponsesRequest(body, options).tools).toBeUndefined();
});
