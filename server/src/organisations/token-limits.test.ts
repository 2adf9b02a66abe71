import { afterAll, describe, expect, test } from 'bun:test';
import { systemClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { until } from '../lib/until.fixture.ts';
import { openShared } from '../platform/shared/open.ts';
import { startRedis } from '../platform/shared/redis-server.fixture.ts';
import { Gate } from './admission.ts';
import type { PlaceStanding, Places } from './places.ts';

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

async function stateIn(kind: string) {
  if (kind === 'memory') return openShared({}, systemClock);
  const server = await startRedis();
  const shared = await openShared({ redisUrl: server.url, prefix: 'test:' }, systemClock);
  closing.push(
    () => shared.close(),
    () => server.stop(),
  );
  if (kind === 'Redis while it is away') {
    await server.stop();
    await until('its absence is noticed', () => !shared.healthy());
  }
  return shared;
}

describe.each(['memory', 'Redis', 'Redis while it is away'])('tokens a minute, counted in %s', async (kind) => {
  const shared = await stateIn(kind);
  const limits = { level: 'team', levelId: 3, requestsPerMinute: 0, tokensPerMinute: 100 } as const;
  const none = new Set<string>();
  const standing = {
    organisationId: 7,
    limits: [{ ...limits, models: none, providers: none }],
  } as unknown as PlaceStanding;
  const gate = new Gate({ shared, places: { of: () => standing } as unknown as Places });
  const refusal = async (): Promise<AppError | null> => {
    try {
      await gate.admit(1, ['m']);
      return null;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  };

  test('the request that exceeds them is answered, and the next told when it may come again', async () => {
    expect(await refusal()).toBeNull();
    gate.used(standing, 99);
    await Bun.sleep(50);
    expect(await refusal()).toBeNull();
    gate.used(standing, 60);
    await until('the tokens are counted', async () => (await refusal()) !== null);
    // The minute began with the first request.
    await Bun.sleep(20);
    const error = (await refusal())!;
    expect(error.code).toBe('rate_limit_exceeded');
    const ms = Number((error.extras.headers as Record<string, string>)['retry-after-ms']);
    expect(ms).toBeLessThan(60_000);
    expect(ms).toBeGreaterThan(0);
    expect(error.message).toContain(`limited to 100 tokens per minute. Try again in ${Math.ceil(ms / 1000)} s.`);
  });
});
