import type { EndpointName, Row } from '../../classify-refusal.fixture.ts';
import type { Script } from '../../scripted-upstream.fixture.ts';
import { eventFrame, exceptionFrame } from './frames.fixture.ts';

/** As AWS says no. */
const refuses =
  (name: string, status: number, message = 'no'): Script =>
  () =>
    Response.json({ message }, { status, headers: { 'x-amzn-errortype': `${name}:http://internal.amazon.com/` } });
const sends =
  (...frames: Uint8Array[]): Script =>
  () =>
    new Response(Buffer.concat(frames), { headers: { 'content-type': 'application/vnd.amazon.eventstream' } });

const both: EndpointName[] = ['bedrock', 'bedrockStreamed'];
const streamed: EndpointName[] = ['bedrockStreamed'];
const said = eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'a' } });
const begun = [eventFrame('messageStart', { role: 'assistant' }), said];
const turned = Uint8Array.from(said).fill(0, 30, 32);

export const byRequestAtBedrock: Row[] = [
  ['throttled', both, refuses('ThrottlingException', 429)],
  ['over a quota, as 400', both, refuses('ServiceQuotaExceededException', 400)],
  ['a model that is not ready', both, refuses('ModelNotReadyException', 429)],
  ['too long for Bedrock', both, refuses('ValidationException', 400, 'Input is too long for requested model.')],
  ['throttled at the beginning of a stream', streamed, sends(exceptionFrame('throttlingException', 'slow down'))],
  ['throttled in mid-stream', streamed, sends(...begun, exceptionFrame('throttlingException', 'slow down'))],
  ['invalid, in a stream', streamed, sends(exceptionFrame('validationException', 'bad schema'))],
];

export const byProviderAtBedrock: Row[] = [
  ['no access', both, refuses('AccessDeniedException', 403)],
  ['an expired session', both, refuses('ExpiredTokenException', 403)],
  ['an invalid model', both, refuses('ValidationException', 400, 'The provided model identifier is invalid.')],
  ['a model that timed out', both, refuses('ModelTimeoutException', 408)],
  ['Bedrock unavailable', both, refuses('ServiceUnavailableException', 503)],
  ['an internal error in a stream', streamed, sends(...begun, exceptionFrame('internalServerException', 'boom'))],
  ['a model error in mid-stream', streamed, sends(...begun, exceptionFrame('modelStreamErrorException', 'boom'))],
  ['a truncated frame', streamed, sends(...begun, said.subarray(0, 20))],
  ['a malformed frame', streamed, sends(...begun, turned)],
];
