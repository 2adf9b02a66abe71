import { expect, test } from 'bun:test';
import { parseGeminiRequest } from '../../wire/gemini/request.ts';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { openaiKind } from '../openai.ts';

const target = { baseUrl: 'https://api.openai.com/v1', modelName: 'gpt-5.1', credential: 'k' };

function nameSent(conversation: ReturnType<typeof parseMessagesRequest>, kind = openaiKind): unknown {
  const text = kind.toUpstream(conversation, target).body as string;
  return /"filename":"([^"]*)"/.exec(text)?.[1];
}

const document = (title?: string) =>
  parseMessagesRequest({
    ...{ model: 'm', max_tokens: 9 },
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' }, title },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
  });
const blob = (mimeType: string, displayName?: string) =>
  parseGeminiRequest(
    { contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data: 'UEsD', displayName } }] }] },
    { model: 'm', stream: false },
  );

const office = 'application/vnd.openxmlformats-officedocument';

test.each([
  ['of no name', document(), 'document.pdf'],
  ['with a title instead', document('Annual report v1.2'), 'Annual report v1.2.pdf'],
  ['with an extension', document('report.PDF'), 'report.PDF'],
  ['that is no PDF', blob(`${office}.wordprocessingml.document`), 'document.docx'],
  ['that is no PDF, with a title', blob(`${office}.presentationml.presentation`, 'Talk'), 'Talk.pptx'],
  ['of another type', blob('application/zip', 'all'), 'all'],
])('a file %s has the extension by which OpenAI knows its type', (_, conversation, name) => {
  expect(nameSent(conversation)).toBe(name);
  expect(nameSent(conversation, openaiKind.responses)).toBe(name);
});
