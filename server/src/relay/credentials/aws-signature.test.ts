import { expect, test } from 'bun:test';
import type { UpstreamRequest } from '../providers/kind.ts';
import { UpstreamFault } from '../wire/conversation.ts';
import { awsHeaders } from './aws-signature.ts';

const key = 'AKIDEXAMPLE:wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const token = 'IQoJb3JpZ2luX2VjEXAMPLE/TOKEN+with=';
const profile =
  'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

/** As AWS' own library (botocore 1.44.3) signs the same requests at the same time. */
const vectors: [name: string, UpstreamRequest, credential: string, region: string, time: string, signature: string][] =
  [
    [
      'an id with a colon, a body beyond ASCII',
      {
        url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke',
        ...{ method: 'POST', headers: {}, body: '{"a":"ü"}' },
      },
      ...([key, 'us-east-1', '20150830T123600Z'] as const),
      '2a42952c73cb7b0ae8fa3abbf09ad992a5e7e6ee90a3aba47a09a1104730984f',
    ],
    [
      'an ARN and a session token',
      {
        url: `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${encodeURIComponent(profile)}/converse-stream`,
        ...{ method: 'POST', headers: {}, body: '{}' },
      },
      ...([`${key}:${token}`, 'eu-central-1', '20260102T030405Z'] as const),
      'd3df56eefaf12fbbe99b2f39557c1e090ed1a9318169975eeba81b610c589dcc',
    ],
    [
      'a query, and no body',
      {
        url: 'https://bedrock.us-east-1.amazonaws.com/inference-profiles?maxResults=1000&typeEquals=SYSTEM_DEFINED',
        ...{ method: 'GET', headers: {} },
      },
      ...([key, 'us-east-1', '20150830T123600Z'] as const),
      '12ae19b810255e4ab3fd53bc8409f64d4a2b33b6fa616a440fedaf3bd3810f95',
    ],
    [
      'a port',
      { url: 'http://127.0.0.1:8080/inference-profiles?maxResults=1000', method: 'GET', headers: {} },
      ...([key, 'us-east-1', '20150830T123600Z'] as const),
      '195b9291f4629f4afe21f9636bad24fc3ddc9ff56084ef1d04397aaa0caa57c7',
    ],
  ];

test.each(vectors)('signs a request with %s', async (_, request, credential, region, time, signature) => {
  const headers = await awsHeaders(request, { by: 'aws', credential, service: 'bedrock', region }, time);
  const hasToken = credential.endsWith(token);
  expect(headers).toEqual({
    'x-amz-date': time,
    ...(hasToken && { 'x-amz-security-token': token }),
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${time.slice(0, 8)}/${region}/bedrock/aws4_request, SignedHeaders=host;x-amz-date${hasToken ? ';x-amz-security-token' : ''}, Signature=${signature}`,
  });
});

test.each([':secret', 'AKID:', ':'])('%p is not a valid access key', async (credential) => {
  const asked = awsHeaders(vectors[0]![1], { by: 'aws', credential, service: 'bedrock', region: 'us-east-1' });
  expect(await asked.catch((error: UpstreamFault) => [error instanceof UpstreamFault, error.error.kind])).toEqual([
    true,
    'auth',
  ]);
});
