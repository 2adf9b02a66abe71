import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import type { Json } from '../wire/conversation.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import { geminiKind } from './gemini.ts';
import type { Target } from './kind.ts';

const target: Target = {
  baseUrl: 'https://generativelanguage.googleapis.com',
  credential: 'AIza-key',
  modelName: 'gemini-2.5-pro',
};
const user = { role: 'user', content: 'hi' };
const sent = (body: Json, to: Partial<Target> = {}): Json & { generationConfig: Json; contents: Json[] } =>
  JSON.parse(
    geminiKind.toUpstream(parseChatRequest({ model: 'm', messages: [user], ...body }), { ...target, ...to })
      .body as string,
  );

describe('requests', () => {
  test('sets URL and credential; the key is not in the URL', () => {
    const plain = geminiKind.toUpstream(parseChatRequest({ model: 'm', messages: [user] }), target);
    expect(plain.url).toBe('https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:generateContent');
    expect(plain.headers['x-goog-api-key']).toBe('AIza-key');
    const streamed = geminiKind.toUpstream(parseChatRequest({ model: 'm', messages: [user], stream: true }), {
      ...target,
      baseUrl: 'https://h.test/v1beta/',
    });
    expect(streamed.url).toBe('https://h.test/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse');
  });

  test('results are sent in the order of their calls, since calls of one tool have no other distinction', () => {
    const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: `{"of":"${id}"}` } });
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: `found ${id}` });
    const calls = { role: 'assistant', content: null, tool_calls: ['a', 'b', 'c'].map(call) };
    const { contents } = sent({ messages: [user, calls, ...['c', 'a', 'b'].map(result), user] });
    const found = (id: string) => ({ functionResponse: { name: 'read', response: { result: `found ${id}` } } });
    expect(contents[2]!.parts).toEqual([found('a'), found('b'), found('c'), { text: 'hi' }]);
  });

  test.each([
    [{ type: 'json_object' }, 'one JSON object'],
    [{ type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object', title: 'MARK' } } }, 'MARK'],
  ])('%j with tools: as a format if the model supports both, else as an instruction', (response_format, told) => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const older = sent({ response_format, tools });
    expect(older.generationConfig).not.toHaveProperty('responseMimeType');
    expect(JSON.stringify(older.systemInstruction)).toContain(told);
    const newer = sent({ response_format, tools }, { modelName: 'gemini-3-pro-preview' });
    expect(newer.generationConfig).toHaveProperty('responseMimeType', 'application/json');
    expect(newer).not.toHaveProperty('systemInstruction');
  });

  test.each([
    ['gemini-2.5-pro', { reasoning_effort: 'none' }, 128],
    ['gemini-2.5-flash', { reasoning_effort: 'none' }, 0],
    ['gemini-2.5-flash', { reasoning_effort: 'high' }, 24_576],
    ['gemini-2.5-flash', { reasoning_effort: 'high', max_tokens: 5_000 }, 4_000],
    ['gemini-2.5-flash', { reasoning_effort: 'high', max_tokens: 10 }, 512],
    ['gemini-2.5-flash', { reasoning: { max_tokens: 9_000 }, max_tokens: 10 }, 9_000],
  ])(
    '%s gets a thinking budget within its limits that leaves room for the answer: %j',
    (modelName, body, thinkingBudget) => {
      expect(sent(body, { modelName }).generationConfig.thinkingConfig).toMatchObject({ thinkingBudget });
    },
  );

  test('translates system messages, images, stop sequences and JSON output', () => {
    const body = sent({
      stop: ['a', 'b'],
      max_tokens: 5,
      temperature: 0.5,
      seed: 3,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
      messages: [
        { role: 'system', content: 's1' },
        { role: 'system', content: 's2' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'q' },
            { type: 'image_url', image_url: { url: 'data:image/webp;base64,UklG' } },
            { type: 'image_url', image_url: { url: 'https://a.test/x.png?y=1' } },
            { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
          ],
        },
      ],
    });
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: 's1' }, { text: 's2' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'q' },
            { inlineData: { mimeType: 'image/webp', data: 'UklG' } },
            { fileData: { mimeType: 'image/png', fileUri: 'https://a.test/x.png?y=1' } },
            { inlineData: { mimeType: 'audio/wav', data: 'AA' } },
          ],
        },
      ],
      generationConfig: {
        maxOutputTokens: 5,
        temperature: 0.5,
        stopSequences: ['a', 'b'],
        seed: 3,
        responseMimeType: 'application/json',
        responseSchema: { type: 'object', properties: {} },
      },
    });
  });

  test('keeps the order of parallel calls and results; results are named', () => {
    const call = (id: string, name: string) => ({ id, type: 'function', function: { name, arguments: '{"x":1}' } });
    const { contents } = sent({
      messages: [
        user,
        { role: 'assistant', content: null, tool_calls: [call('2', 'g'), call('1', 'f')] },
        { role: 'tool', tool_call_id: '2', content: '{"ok":true}' },
        { role: 'tool', tool_call_id: '1', content: 'plain' },
      ],
    });
    expect(contents.slice(1)).toEqual([
      {
        role: 'model',
        parts: [{ functionCall: { name: 'g', args: { x: 1 } } }, { functionCall: { name: 'f', args: { x: 1 } } }],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'g', response: { ok: true } } },
          { functionResponse: { name: 'f', response: { result: 'plain' } } },
        ],
      },
    ]);
  });

  test('own signatures are returned byte for byte, foreign ones are dropped', () => {
    const { contents } = JSON.parse(
      geminiKind.toUpstream(
        parseMessagesRequest({
          model: 'm',
          max_tokens: 5,
          messages: [
            user,
            {
              role: 'assistant',
              content: [
                { type: 'thinking', thinking: 'other', signature: 'AnthropicSig' },
                { type: 'thinking', thinking: '', signature: 'gemini#Own+/==' },
                { type: 'tool_use', id: 'a', name: 'f', input: {} },
              ],
            },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'boom', is_error: true }] },
          ],
        }),
        target,
      ).body as string,
    );
    expect(contents[1].parts).toEqual([{ functionCall: { name: 'f', args: {} }, thoughtSignature: 'Own+/==' }]);
    expect(contents[2].parts).toEqual([{ functionResponse: { name: 'f', response: { error: 'boom' } } }]);
  });

  test('calls by other vendors’ models are marked so that Gemini 3 accepts them', () => {
    const messages = [
      user,
      { role: 'assistant', tool_calls: [{ id: '1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: '1', content: 'x' },
    ];
    expect(JSON.stringify(sent({ messages }, { modelName: 'gemini-3-pro' }))).toContain(
      'skip_thought_signature_validator',
    );
    expect(JSON.stringify(sent({ messages }))).not.toContain('thoughtSignature');
  });

  test('translates tools, tool_choice and thinking', () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'f', parameters: { type: 'object', properties: { a: { type: ['string', 'null'] } } } },
      },
      { type: 'function', function: { name: 'g', parameters: { type: 'object', properties: {} } } },
    ];
    expect(sent({ tools, tool_choice: { type: 'function', function: { name: 'f' } } })).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: 'f', parameters: { type: 'object', properties: { a: { type: 'string', nullable: true } } } },
            { name: 'g' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
    expect(sent({ reasoning_effort: 'low' }).generationConfig.thinkingConfig).toEqual({
      includeThoughts: true,
      thinkingBudget: 1024,
    });
    expect(sent({ reasoning_effort: 'low' }, { modelName: 'gemini-2.0-flash' }).generationConfig).toEqual({});
    const level = (modelName: string) => (reasoning_effort: string) =>
      (sent({ reasoning_effort }, { modelName }).generationConfig.thinkingConfig as Json).thinkingLevel;
    const taken = (modelName: string) => ['none', 'low', 'medium', 'max'].map(level(modelName));
    expect(taken('gemini-3.8-flash')).toEqual(['minimal', 'low', 'medium', 'high']);
    expect(taken('gemini-3.1-pro-preview')).toEqual(['low', 'low', 'medium', 'high']);
    expect(taken('gemini-3-pro')).toEqual(['low', 'low', 'high', 'high']);
    expect(sent({ reasoning_effort: 'high' }, { modelName: 'gemini-3-pro' }).generationConfig.thinkingConfig).toEqual({
      includeThoughts: true,
      thinkingLevel: 'high',
    });
  });

  test('rejects n above 1 and omits empty tools', () => {
    expect(() => sent({ n: 2 })).toThrow(AppError);
    expect(sent({ tools: [], tool_choice: 'required' })).not.toHaveProperty('tools');
  });
});
