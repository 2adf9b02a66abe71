import { describe, expect, test } from 'bun:test';
import { AppError } from '../../../lib/errors.ts';
import type { Json } from '../conversation.ts';
import { parseGeminiRequest } from './request.ts';
import { sealThoughts } from './sealed-thoughts.ts';

const hi = [{ role: 'user', parts: [{ text: 'hi' }] }];
const parse = (body: unknown) => parseGeminiRequest(body, { model: 'm', stream: false });
const paramsOf = (body: Json) => parse({ contents: hi, ...body }).params;
const partsOf = (...parts: Json[]) => parse({ contents: [{ parts }] }).turns[0]!.parts;

function faultOf(body: unknown): AppError {
  try {
    parse(body);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('accepted');
}

describe('contents', () => {
  test('accepts roles, and a single element instead of a list', () => {
    const { turns, system } = parse({
      system_instruction: { parts: { text: 'Be brief.' } },
      contents: { parts: { text: 'hi' } },
    });
    expect(turns).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
    expect(system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    expect(parse({ contents: [...hi, { role: 'model', parts: [{ text: 'ho' }] }] }).turns[1]!.role).toBe('assistant');
  });

  test.each(['constructor', 'toString', '__proto__'])('names that all objects have are unknown ones: %s', (name) => {
    const part = JSON.parse(`{"${name}":{"type":"image","source":{"url":"https://h.test/a.png"}}}`);
    expect(partsOf(part)).toEqual([{ type: 'raw', format: 'gemini', value: part }]);
    const sound = { inlineData: { mimeType: `audio/${name}`, data: 'AAAA' } };
    expect(partsOf(sound)).toEqual([{ type: 'audio', data: 'AAAA', format: name.toLowerCase() }]);
  });

  test('inline data is read by media type, in base64 or base64url', () => {
    const blob = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
    expect(partsOf(blob('image/png', 'a-_b'), blob('audio/mpeg', 'AA=='), blob('text/plain', 'aGk='))).toEqual([
      { type: 'image', source: { mediaType: 'image/png', data: 'a+/b' } },
      { type: 'audio', data: 'AA==', format: 'mp3' },
      { type: 'file', source: { text: 'hi' } },
    ]);
    expect(partsOf(blob('video/mp4', 'AA=='))[0]).toMatchObject({ type: 'raw', format: 'gemini' });
    expect(partsOf({ inline_data: { mime_type: 'application/pdf', data: 'AA==' } })).toEqual([
      { type: 'file', source: { mediaType: 'application/pdf', data: 'AA==' } },
    ]);
  });

  test('accepts URLs of images and documents, except Google’s own files', () => {
    const file = (fileUri: string, mimeType?: string) => partsOf({ fileData: { fileUri, mimeType } })[0]!;
    expect(file('https://a.example/x.png')).toEqual({ type: 'image', source: { url: 'https://a.example/x.png' } });
    expect(file('https://a.example/x', 'application/pdf').type).toBe('file');
    expect(file('https://generativelanguage.googleapis.com/v1beta/files/x', 'image/png').type).toBe('raw');
    expect(file('gs://bucket/x.png', 'image/png').type).toBe('raw');
    expect(file('https://www.youtube.com/watch?v=1').type).toBe('raw');
  });

  test('results are matched to calls by id, else by name and order', () => {
    const call = (name: string, id?: string) => ({ functionCall: { name, args: {}, ...(id && { id }) } });
    const result = (name: string, id?: string) => ({ functionResponse: { name, response: {}, ...(id && { id }) } });
    const { turns } = parse({
      contents: [
        { role: 'model', parts: [call('a'), call('a'), call('b', 'own'), call('b', 'own')] },
        { role: 'function', parts: [result('b', 'own'), result('a'), result('a'), result('b'), result('c')] },
      ],
    });
    const calls = turns[0]!.parts.map((part) => part.type === 'tool_call' && part.id);
    const results = turns[1]!.parts.map((part) => part.type === 'tool_result' && part.callId);
    expect(new Set(calls).size).toBe(4);
    expect(calls[2]).toBe('own');
    expect(results.slice(0, 4)).toEqual([calls[2]!, calls[0]!, calls[1]!, calls[3]!]);
    expect(calls).not.toContain(results[4]!);
  });

  test.each<[Json, string, boolean]>([
    [{ result: 'rain' }, 'rain', false],
    [{ output: { c: 1 } }, '{"c":1}', false],
    [{ error: 'no such city' }, 'no such city', true],
    [{ a: 1, result: 2 }, '{"a":1,"result":2}', false],
  ])('function result %j', (response, text, isError) => {
    const [part] = partsOf({ functionResponse: { name: 'f', response } });
    expect(part).toMatchObject({ content: [{ text }], ...(isError && { isError }) });
  });

  test('thinking of other vendors is decoded, and Gemini’s own signatures are recognised', () => {
    const thoughts = [{ text: 'Hm.', signature: 'EqQB' }, { data: 'sealed' }];
    const sealed = sealThoughts(thoughts);
    const call = { functionCall: { name: 'f', args: {} } };
    const read = [
      { type: 'thinking', text: 'Hm.', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'sealed' },
    ];
    for (const thoughtSignature of [sealed, sealed.replaceAll('+', '-').replaceAll('/', '_')]) {
      expect(partsOf({ text: 'x', thoughtSignature }).slice(0, 2)).toEqual(read as never);
      expect(partsOf({ ...call, thoughtSignature })[2]).not.toHaveProperty('signature');
    }
    expect(partsOf({ ...call, thoughtSignature: 'c2ln' })).toMatchObject([{ type: 'tool_call', signature: 'c2ln' }]);
    expect(partsOf({ text: 'x', thoughtSignature: 'c2ln' })[0]).toMatchObject({ signature: 'gemini#c2ln' });
    expect(partsOf({ text: 'x', thoughtSignature: `${sealed.slice(0, 20)}%%` })).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('executed code becomes a code block', () => {
    const code = { executableCode: { language: 'PYTHON', code: 'print(1)' } };
    const ran = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } };
    expect(partsOf(code, ran)).toEqual([
      { type: 'text', text: '```python\nprint(1)\n```' },
      { type: 'text', text: '```\n1\n```' },
    ]);
  });
});

test('many calls and results are matched in linear time', () => {
  const many = Array.from({ length: 60_000 }, (_, i) => i);
  const calls = many.map((i) => ({ functionCall: { name: `f${i}`, id: `call_${i}`, args: {} } }));
  const results = many.map((i) => ({ functionResponse: { name: `f${many.length - 1 - i}`, response: {} } }));
  const { turns } = parse({
    contents: [
      { role: 'model', parts: [...calls, { functionCall: { name: 'last' } }] },
      { role: 'user', parts: results },
    ],
  });
  expect(turns[1]!.parts[0]).toMatchObject({ callId: `call_${many.length - 1}` });
  expect(turns[0]!.parts.at(-1)).toMatchObject({ id: `call_${many.length}` });
});

describe('settings', () => {
  test('accepts both spellings and keeps the names of the caller’s own fields', () => {
    const { params, source } = parse({
      contents: hi,
      generation_config: { max_output_tokens: 5, stop_sequences: ['x'], top_p: 0.5, topK: 3, candidate_count: 1 },
      tools: [
        {
          function_declarations: [
            { name: 'f', parameters: { type: 'OBJECT', properties: { a_b: { type: 'STRING', max_length: '5' } } } },
            { name: 'g', parameters_json_schema: { type: 'object', properties: { c_d: { x_y: 1 } } } },
          ],
        },
      ],
      svc_ms: { session_id: 's' },
    });
    expect(params).toMatchObject({ maxTokens: 5, stop: ['x'], topP: 0.5, topK: 3, n: 1 });
    expect(params.tools).toEqual([
      { name: 'f', parameters: { type: 'object', properties: { a_b: { type: 'string', maxLength: 5 } } } },
      { name: 'g', parameters: { type: 'object', properties: { c_d: { x_y: 1 } } } },
    ]);
    expect(source.body.svc_ms).toEqual({ session_id: 's' });
    const both = paramsOf({ generationConfig: { maxOutputTokens: 7, max_output_tokens: 9 } });
    expect(both.maxTokens).toBe(7);
  });

  test('nullable becomes a JSON Schema type', () => {
    const schema = {
      type: 'OBJECT',
      properties: { a: { type: 'STRING', nullable: true, format: 'enum', enum: ['x'] } },
    };
    const { responseFormat } = paramsOf({
      generationConfig: { responseMimeType: 'application/json', responseSchema: schema },
    });
    expect(responseFormat).toEqual({
      type: 'json_schema',
      name: 'answer',
      schema: { type: 'object', properties: { a: { type: ['string', 'null'], enum: ['x', null] } } },
    });
    expect(paramsOf({ generationConfig: { responseMimeType: 'application/json' } }).responseFormat).toEqual({
      type: 'json_object',
    });
    expect(paramsOf({ generationConfig: { responseMimeType: 'text/plain' } }).responseFormat).toBeUndefined();
  });

  test.each<[Json, unknown]>([
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: -1 }, { adaptive: true }],
    [{ thinkingBudget: 99 }, { budgetTokens: 99 }],
    [{ thinkingLevel: 'HIGH' }, { effort: 'high' }],
    [{ includeThoughts: true }, { adaptive: true }],
    [{}, undefined],
  ])('thinking: %j', (thinkingConfig, reasoning) => {
    expect(paramsOf({ generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning as never);
  });

  const tools = [{ functionDeclarations: ['a', 'b', 'c'].map((name) => ({ name })) }];
  test.each<[Json, unknown, string[]]>([
    [{ mode: 'AUTO' }, { type: 'auto' }, ['a', 'b', 'c']],
    [{ mode: 'VALIDATED' }, { type: 'auto' }, ['a', 'b', 'c']],
    [{ mode: 'NONE' }, { type: 'none' }, ['a', 'b', 'c']],
    [{ mode: 'any' }, { type: 'required' }, ['a', 'b', 'c']],
    [{ mode: 'ANY', allowedFunctionNames: ['b'] }, { type: 'tool', name: 'b' }, ['b']],
    [{ mode: 'ANY', allowed_function_names: ['a', 'c'] }, { type: 'required' }, ['a', 'c']],
    [{}, undefined, ['a', 'b', 'c']],
  ])('allowed functions: %j', (functionCallingConfig, choice, names) => {
    const params = paramsOf({ tools, toolConfig: { functionCallingConfig } });
    expect(params.toolChoice).toEqual(choice as never);
    expect(params.tools!.map(({ name }) => name)).toEqual(names);
  });

  test('tools run by Google keep their names', () => {
    const {
      rawTools,
      tools: own,
      webSearch,
    } = paramsOf({
      tools: [{ google_search: {} }, { codeExecution: {} }, { urlContext: {} }],
    });
    expect(rawTools!.map(({ type }) => type)).toEqual(['codeExecution', 'urlContext']);
    expect(webSearch).toEqual({ name: 'googleSearch', offered: true });
    // What only Google's own search can be told.
    const within = { googleSearch: { timeRangeFilter: {} } };
    expect(paramsOf({ tools: [within] }).rawTools).toEqual([{ type: 'googleSearch', ...within }]);
    expect(own).toBeUndefined();
  });
});

describe('errors name the field', () => {
  test.each<[unknown, string]>([
    [[], 'body'],
    [{}, 'contents'],
    [{ contents: [] }, 'contents'],
    [{ contents: 'hi' }, 'contents'],
    [{ contents: [{ role: 'system', parts: [] }] }, 'contents[0].role'],
    [{ contents: [{ parts: 'hi' }] }, 'contents[0].parts'],
    [{ contents: [{ parts: [{ text: 1 }] }] }, 'contents[0].parts[0]'],
    [{ contents: [{ parts: [{ functionCall: {} }] }] }, 'contents[0].parts[0].functionCall.name'],
    [{ contents: hi, cachedContent: 'cachedContents/1' }, 'cachedContent'],
    [{ contents: hi, cached_content: 'cachedContents/1' }, 'cachedContent'],
    [{ contents: hi, generationConfig: { maxOutputTokens: 0 } }, 'generationConfig.maxOutputTokens'],
    [{ contents: hi, generationConfig: { temperature: 3 } }, 'generationConfig.temperature'],
    [{ contents: hi, systemInstruction: { parts: [{ inlineData: {} }] } }, 'systemInstruction.parts[0]'],
    [
      { contents: hi, toolConfig: { functionCallingConfig: { mode: 'MAYBE' } } },
      'toolConfig.functionCallingConfig.mode',
    ],
  ])('%j', (body, param) => {
    const fault = faultOf(body);
    expect([fault.status, fault.extras.param]).toEqual([400, param]);
  });

  test('a field called __proto__ has no effect', () => {
    const body = JSON.parse(
      '{"contents":[{"parts":[{"text":"hi"}]}],"__proto__":{"cachedContent":"x"},"a_b":{"__proto__":{}}}',
    );
    expect(parse(body).turns).toHaveLength(1);
    expect(({} as Json).cachedContent).toBeUndefined();
  });
});
