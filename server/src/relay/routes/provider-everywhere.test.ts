import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { openRelayTest, type RelayTest } from '../endpoints/relay.fixture.ts';
import type { Json } from '../wire/conversation.ts';
import { addressOf, askedEverywhere, chat, contents, google, said } from './every-endpoint.fixture.ts';

/** `provider` decides who may see what a request brings: wherever a model is named, it is obeyed or refused. */
let relay: RelayTest;
beforeAll(async () => {
  relay = await openRelayTest({ env: { DEMO_PROVIDER: 'on' } });
  await relay.test.setOption('RateLimitEnabled', false);
});
afterAll(() => relay.close());

const counted: typeof askedEverywhere = [
  ['/v1/messages/count_tokens', chat],
  ['/v1/responses/input_tokens', said],
  [`${google}:countTokens`, contents],
];

const withProvider = (body: Json | FormData, provider: unknown): Json | FormData => {
  if (!(body instanceof FormData)) return { ...body, provider };
  const copy = new FormData();
  for (const [name, value] of body) copy.append(name, value);
  copy.set('provider', JSON.stringify(provider));
  return copy;
};

const told = async (answer: Response): Promise<[number, string]> => [answer.status, await answer.text()];

describe.each([...askedEverywhere, ...counted])('%s %j', (route, body, address = addressOf(route)) => {
  const ask = (provider: unknown) => relay.post(address, withProvider(body, provider));

  test('a provider that is not there is not replaced by another', async () => {
    const [status, text] = await told(await ask({ only: ['nobody'] }));
    expect(text).toContain('each one is not among the providers this request allows');
    expect(status).toBe(404);
  });

  test('a value that cannot be understood is refused by name', async () => {
    const [status, text] = await told(await ask({ only: 7 }));
    expect(text).toContain('provider.only');
    expect(status).toBe(400);
  });
});
