import { describe, expect, test } from 'bun:test';
import { parseMessagesRequest } from '../../wire/messages/request.ts';
import { bedrockKind } from '../bedrock.ts';
import type { Target } from '../kind.ts';

const usual: Target = {
  baseUrl: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  credential: 'AKID:secret',
  modelName: 'amazon.nova-lite-v1:0',
};
const hello = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
const asked = (target: Partial<Target> = {}, stream = false) => {
  const to = { ...usual, ...target };
  return bedrockKind.forModel!(to.modelName).toUpstream(parseMessagesRequest({ ...hello, stream }), to);
};

test.each([
  ['bedrock-runtime.us-east-1.amazonaws.com', 'us-east-1', 'bedrock.us-east-1.amazonaws.com'],
  ['bedrock-runtime.cn-north-1.amazonaws.com.cn', 'cn-north-1', 'bedrock.cn-north-1.amazonaws.com.cn'],
  ['bedrock-runtime-fips.us-gov-west-1.amazonaws.com', 'us-gov-west-1', 'bedrock-fips.us-gov-west-1.amazonaws.com'],
  ['bedrock-runtime.eu-west-3.api.aws', 'eu-west-3', 'bedrock.eu-west-3.api.aws'],
  ['vpce-0a1b-c2d3.bedrock-runtime.ap-south-1.vpce.amazonaws.com', 'ap-south-1', 'bedrock.ap-south-1.amazonaws.com'],
  ['bedrock-runtime.eu-west-1.amazonaws.com.example.org', 'us-east-1', undefined],
  ['proxy.example.org', 'us-east-1', undefined],
])('%s is in region %s', (host, region, control) => {
  const baseUrl = `https://${host}`;
  const { proof, headers } = asked({ baseUrl });
  expect(proof).toEqual({ by: 'aws', credential: 'AKID:secret', service: 'bedrock', region });
  expect(headers).not.toHaveProperty('authorization');
  const list = bedrockKind.models.toUpstream({ ...usual, baseUrl });
  expect(list.url).toBe(`https://${control ?? host}/inference-profiles?maxResults=1000&type=SYSTEM_DEFINED`);
  expect(list.proof).toEqual(proof!);
});

test('an API key is sent in a header, and the request is not signed', () => {
  const { proof, headers } = asked({ credential: 'bedrock-api-key-YmVkcm9jaw==' });
  expect(proof).toBeUndefined();
  expect(headers.authorization).toBe('Bearer bedrock-api-key-YmVkcm9jaw==');
});

const arn = 'arn:aws:bedrock:eu-west-1:123456789012:';
describe('API used for a model', () => {
  test.each([
    ['anthropic.claude-3-haiku-20240307-v1:0', 'invoke', 'invoke-with-response-stream'],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'invoke', 'invoke-with-response-stream'],
    ['global.anthropic.claude-opus-5-5', 'invoke', 'invoke-with-response-stream'],
    [`${arn}inference-profile/eu.anthropic.claude-sonnet-4-6`, 'invoke', 'invoke-with-response-stream'],
    [`${arn}application-inference-profile/a1b2c3`, 'converse', 'converse-stream'],
    ['us.amazon.nova-pro-v1:0', 'converse', 'converse-stream'],
    ['meta.llama3-3-70b-instruct-v1:0', 'converse', 'converse-stream'],
    ['notanthropic.model', 'converse', 'converse-stream'],
  ])('%s', (modelName, whole, streamed) => {
    const { url, headers } = asked({ modelName });
    expect(url).toBe(`${usual.baseUrl}/model/${encodeURIComponent(modelName)}/${whole}`);
    expect(headers.accept).toBe('application/json');
    const stream = asked({ modelName, baseUrl: `${usual.baseUrl}/` }, true);
    expect(stream.url).toBe(`${usual.baseUrl}/model/${encodeURIComponent(modelName)}/${streamed}`);
    expect(stream.headers.accept).toBe('application/vnd.amazon.eventstream');
  });

  test('only embedding models support embeddings', () => {
    const able = (name: string) => bedrockKind.forModel!(name).embeddings !== undefined;
    expect(able('amazon.titan-embed-text-v2:0')).toBe(true);
    expect(able('us.cohere.embed-v4:0')).toBe(true);
    expect(able('amazon.nova-lite-v1:0')).toBe(false);
    expect(able('global.anthropic.claude-opus-5-5')).toBe(false);
  });
});

test('the model list contains only active profiles', () => {
  const listed = bedrockKind.models.fromUpstream({
    inferenceProfileSummaries: [
      { inferenceProfileId: 'us.amazon.nova-lite-v1:0', inferenceProfileName: 'US Nova Lite', status: 'ACTIVE' },
      { inferenceProfileId: 'us.amazon.old', status: 'GONE' },
      null,
    ],
  });
  expect(listed).toEqual([{ id: 'us.amazon.nova-lite-v1:0', name: 'US Nova Lite' }]);
  expect(() => bedrockKind.models.fromUpstream({ message: 'no' })).toThrow('listed no models');
});
