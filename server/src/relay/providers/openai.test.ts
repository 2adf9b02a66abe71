import { describe, expect, test } from 'bun:test';
import { AppError } from '../../lib/errors.ts';
import { vendorOf } from '../../lib/vendors/find-vendor.ts';
import { vendors } from '../../lib/vendors/table.ts';
import { renderChatAnswer } from '../wire/chat/answer.ts';
import { parseChatRequest } from '../wire/chat/request.ts';
import { type Json, UpstreamFault } from '../wire/conversation.ts';
import { renderMessagesAnswer } from '../wire/messages/answer.ts';
import { parseMessagesRequest } from '../wire/messages/request.ts';
import type { Target } from './kind.ts';
import { openaiKind } from './openai.ts';

const target = (provider: string, modelName = 'up-model'): Target => ({
  baseUrl: vendors.find((vendor) => vendor.id === provider)?.baseUrl || 'http://127.0.0.1:8000/v1',
  credential: 'sk-upstream',
  modelName,
  provider,
});

const chat = { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'hi' }] };

const sent = (body: Json, to: Target): Json =>
  JSON.parse(openaiKind.toUpstream(parseChatRequest(body), to).body as string);
const sentMessages = (body: Json, to: Target): Json =>
  JSON.parse(openaiKind.toUpstream(parseMessagesRequest({ model: 'm', max_tokens: 50, ...body }), to).body as string);

const options = { model: 'openai/gpt-4o', id: 'x-1', created: 1 };

describe('chat requests to an OpenAI-compatible upstream', () => {
  test('use the URL, credential and model of the channel', () => {
    const request = openaiKind.toUpstream(parseChatRequest(chat), target('openai', 'gpt-4o'));
    expect(request.url).toBe('https://api.openai.com/v1/chat/completions');
    expect(request.headers.authorization).toBe('Bearer sk-upstream');
    expect(sent(chat, target('openai', 'gpt-4o'))).toEqual({ ...chat, model: 'gpt-4o' });
  });

  test('support base URLs with and without version, and servers without a credential', () => {
    const at = (baseUrl: string): string =>
      openaiKind.toUpstream(parseChatRequest(chat), { ...target('x'), baseUrl }).url;
    expect(at('http://h:1')).toBe('http://h:1/v1/chat/completions');
    expect(at('http://h:1/v1/')).toBe('http://h:1/v1/chat/completions');
    expect(at('https://api.groq.com/openai/v1')).toBe('https://api.groq.com/openai/v1/chat/completions');
    const open = openaiKind.toUpstream(parseChatRequest(chat), { ...target('ollama'), credential: '' });
    expect(open.headers.authorization).toBeUndefined();
  });

  test('the output limit is sent in the field that the vendor supports', () => {
    expect(sent({ ...chat, max_tokens: 9 }, target('openai'))).toMatchObject({ max_completion_tokens: 9 });
    expect(sent({ ...chat, max_tokens: 9 }, target('openai'))).not.toHaveProperty('max_tokens');
    expect(sent({ ...chat, max_completion_tokens: 9 }, target('mistral'))).toMatchObject({ max_tokens: 9 });
    expect(sent({ ...chat, max_completion_tokens: 9 }, target('mistral'))).not.toHaveProperty('max_completion_tokens');
    expect(sent({ ...chat, max_tokens: 9 }, target('unheard-of', 'gpt-5-mini'))).toMatchObject({
      max_completion_tokens: 9,
    });
  });

  test('unknown parameters are forwarded, our own are not', () => {
    const body = sent(
      { ...chat, svc_ms: {}, provider: { only: [] }, logit_bias: { 1: 2 }, brand_new: [1] },
      target('openai'),
    );
    expect(body).toMatchObject({ brand_new: [1], logit_bias: { 1: 2 } });
    expect(body).not.toHaveProperty('svc_ms');
    expect(body).not.toHaveProperty('provider');
  });

  test('streams always request usage and keep other stream options, unless the vendor rejects it', () => {
    const streamed = { ...chat, stream: true, stream_options: { include_obfuscation: false } };
    expect(sent(streamed, target('openai')).stream_options).toEqual({
      include_obfuscation: false,
      include_usage: true,
    });
    expect(sent(streamed, target('mistral'))).not.toHaveProperty('stream_options');
    expect(sent({ ...chat, stream_options: { include_usage: true } }, target('openai'))).not.toHaveProperty(
      'stream_options',
    );
  });

  test('system messages are merged for vendors that accept only one', () => {
    const body = {
      ...chat,
      messages: [{ role: 'system', content: 'a' }, ...chat.messages, { role: 'developer', content: 'b' }],
    };
    expect(sent(body, target('perplexity')).messages).toEqual([
      { role: 'system', content: 'a\n\nb' },
      ...chat.messages,
    ]);
    expect((sent(body, target('groq')).messages as Json[])[2]?.role).toBe('system');
    expect(sent(body, target('openai')).messages).toEqual(body.messages);
  });

  test('unsupported parameters are dropped, or rejected if dropping would change the result', () => {
    const empty = { tools: [], tool_choice: 'auto', logprobs: false, n: 1, logit_bias: {} };
    const body = sent({ ...chat, ...empty, top_k: 3 }, target('groq'));
    for (const field of [...Object.keys(empty), 'top_k']) expect(body).not.toHaveProperty(field);
    for (const asked of [{ n: 2 }, { logprobs: true }, { logit_bias: { 5: 1 } }])
      expect(() => sent({ ...chat, ...asked }, target('groq'))).toThrow(AppError);
    expect(sent({ ...chat, stop: [] }, target('perplexity'))).not.toHaveProperty('stop');
    for (const stop of ['END', ['END']]) expect(() => sent({ ...chat, stop }, target('perplexity'))).toThrow(AppError);
    expect(sent({ ...chat, n: 2 }, target('openai')).n).toBe(2);
  });

  test('null tool calls and foreign thinking are removed without changing the given body', () => {
    const assistant = {
      role: 'assistant',
      content: 'x',
      tool_calls: null,
      reasoning_content: 'r',
      reasoning_details: [{ type: 'reasoning.text', signature: 's' }],
    };
    const body = { ...chat, messages: [...chat.messages, assistant] };
    const copy = structuredClone(body);
    expect((sent(body, target('openai')).messages as Json[])[1]).toEqual({ role: 'assistant', content: 'x' });
    expect((sent(body, target('openrouter')).messages as Json[])[1]).toMatchObject({
      reasoning_details: [{ type: 'reasoning.text', signature: 's' }],
    });
    expect((sent(body, target('deepseek')).messages as Json[])[1]).toMatchObject({ reasoning_content: 'r' });
    expect(body).toEqual(copy);
  });
});

describe('messages requests to an OpenAI-compatible upstream', () => {
  test('translates system, images, calls, results in order, stop sequences and tools', () => {
    const body = sentMessages(
      {
        system: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b', cache_control: { type: 'ephemeral' } },
        ],
        stop_sequences: ['END'],
        tools: [{ name: 'f', description: 'd', input_schema: { type: 'object', properties: {} } }],
        tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true },
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iV' } },
              { type: 'text', text: 'q' },
            ],
          },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 'sig' },
              { type: 'text', text: 'ok' },
              { type: 'tool_use', id: 'b', name: 'f', input: { x: 1 } },
              { type: 'tool_use', id: 'a', name: 'f', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'b', content: 'one' },
              { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'bad' }], is_error: true },
              { type: 'text', text: 'go on' },
            ],
          },
        ],
      },
      target('openai', 'gpt-4o'),
    );
    expect(body.messages).toEqual([
      { role: 'system', content: 'a\n\nb' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iV' } },
          { type: 'text', text: 'q' },
        ],
      },
      {
        role: 'assistant',
        content: 'ok',
        tool_calls: [
          { id: 'b', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'b', content: 'one' },
      { role: 'tool', tool_call_id: 'a', content: 'Error: bad' },
      { role: 'user', content: 'go on' },
    ]);
    expect(body).toMatchObject({
      max_completion_tokens: 50,
      stop: ['END'],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      tools: [{ type: 'function', function: { name: 'f', description: 'd' } }],
    });
  });

  test('thinking is requested only from models that support it', () => {
    const body = { thinking: { type: 'enabled', budget_tokens: 20_000 }, messages: chat.messages };
    expect(sentMessages(body, target('openai', 'gpt-5')).reasoning_effort).toBe('high');
    expect(sentMessages(body, target('openai', 'gpt-4o'))).not.toHaveProperty('reasoning_effort');
    expect(sentMessages(body, target('openrouter')).reasoning).toEqual({ max_tokens: 20_000 });
  });

  test.each([
    ['gpt-5', 'minimal', 'low', 'high', 'high'],
    ['gpt-5.1', 'none', 'low', 'high', 'high'],
    ['gpt-5.4-mini', 'none', 'low', 'xhigh', 'xhigh'],
    ['gpt-6-sol', 'none', 'low', 'xhigh', 'max'],
    ['o4-mini', 'low', 'low', 'high', 'high'],
  ])('%s gets only effort levels it supports', (model, ...levels) => {
    const asked = ['none', 'low', 'xhigh', 'max'].map((effort) => {
      const thinking = effort === 'none' ? { thinking: { type: 'disabled' } } : { output_config: { effort } };
      return sentMessages({ ...thinking, messages: chat.messages }, target('openai', model)).reasoning_effort;
    });
    expect(asked).toEqual(levels);
  });

  test('cache_control is sent to vendors that support it', () => {
    const system = [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }];
    const body = sentMessages({ system, messages: chat.messages }, target('openrouter'));
    expect((body.messages as Json[])[0]).toEqual({ role: 'system', content: system });
  });
});

describe('answers', () => {
  const upstream = {
    id: 'chatcmpl-9',
    object: 'chat.completion',
    created: 5,
    model: 'gpt-4o-2024-08-06',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Hi',
          reasoning_content: 'hm',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13, prompt_tokens_details: { cached_tokens: 8 } },
    system_fingerprint: 'fp',
  };

  test('to a chat client: the body with the requested model name', () => {
    expect(renderChatAnswer(openaiKind.fromUpstream(upstream), options)).toEqual({
      ...upstream,
      model: 'openai/gpt-4o',
    });
  });

  test('null tool calls are omitted', () => {
    const body = {
      ...upstream,
      choices: [{ index: 0, message: { role: 'assistant', content: 'x', tool_calls: null }, finish_reason: 'stop' }],
    };
    expect(JSON.stringify(renderChatAnswer(openaiKind.fromUpstream(body), options))).not.toContain('tool_calls');
  });

  test('to a messages client: translated', () => {
    expect(renderMessagesAnswer(openaiKind.fromUpstream(upstream), { model: 'm', id: 'msg_1' })).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [
        { type: 'thinking', thinking: 'hm', signature: '' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 8, output_tokens: 4 },
    });
  });

  test('malformed bodies and errors with status 200 are upstream faults', () => {
    for (const body of [null, 'x', {}, { choices: [] }, { choices: [{}] }, { error: { message: 'no' } }]) {
      expect(() => openaiKind.fromUpstream(body)).toThrow(UpstreamFault);
    }
  });

  test('reasoning counted only in the total is counted as output', () => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 5,
      total_tokens: 35,
      completion_tokens_details: { reasoning_tokens: 20 },
    };
    expect(openaiKind.fromUpstream({ ...upstream, usage }).usage).toMatchObject({
      completionTokens: 25,
      reasoningTokens: 20,
    });
  });
});

test('vendors are recognised by name and by URL', () => {
  expect(vendorOf('Groq', 'http://x').id).toBe('groq');
  expect(vendorOf('my-openai', 'https://api.openai.com/v1').id).toBe('openai');
  expect(vendorOf('corp', 'https://corp.openai.azure.com/openai/v1').authHeader).toBe('api-key');
  expect(vendorOf('corp', 'not a url').id).toBe('compatible');
  expect(new Set(vendors.map((vendor) => vendor.id)).size).toBe(vendors.length);
});
