import { describe, expect, test } from 'bun:test';
import type { ErrorFormat } from '../../lib/error-shapes.ts';
import { AppError, type ErrorCode, errorTable } from '../../lib/errors.ts';
import { mountAlone } from './mount.fixture.ts';
import { defineRoute } from './route.ts';

const formats: ErrorFormat[] = ['management', 'oauth', 'openai', 'anthropic', 'cohere', 'video'];
const relayed = (format: ErrorFormat): boolean => !['management', 'oauth'].includes(format);

/** One route that ends in a way of the test's choice. */
async function answerOf(format: ErrorFormat, end: () => Response): Promise<Response> {
  const route = defineRoute({
    method: 'get',
    path: '/x',
    summary: 'x',
    tag: 'x',
    auth: 'none',
    limit: null,
    errors: format,
    answers: {},
    handle: async () => end(),
  });
  return mountAlone([route]).fetch(new Request('http://localhost/x'));
}

const throwing = (error: unknown) => (): Response => {
  throw error;
};
const retries = ({ headers }: Response) => [headers.get('retry-after'), headers.get('retry-after-ms')];

describe.each(formats)('%s: every 503 has Retry-After', (format) => {
  const codes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => errorTable[code] === 503);
  const ends: [string, () => Response][] = [
    ...codes.map((code): [string, () => Response] => [code, throwing(new AppError(code, 'away'))]),
    ['a status of its own', throwing(new AppError('provider_error', 'away', { status: 503 }))],
    ['the database is away', throwing({ code: 'ERR_POSTGRES_CONNECTION_CLOSED' })],
    ['the disk is full', throwing({ code: 'SQLITE_FULL' })],
    ['made by hand', () => new Response('away', { status: 503 })],
    ['made by hand as JSON', () => Response.json({}, { status: 503 })],
  ];
  test.each(ends)('%s', async (_, end) => {
    const answer = await answerOf(format, end);
    expect(answer.status).toBe(503);
    const [seconds, ms] = retries(answer);
    expect(Number(seconds)).toBeGreaterThanOrEqual(1);
    expect(ms).toBe(relayed(format) ? `${Number(seconds) * 1000}` : null);
  });

  test('a more precise value is kept', async () => {
    const given = new AppError('unavailable', 'away', { headers: { 'retry-after': '41' } });
    expect(retries(await answerOf(format, throwing(given)))).toEqual(['41', relayed(format) ? '41000' : null]);
  });

  test('other responses have none', async () => {
    for (const end of [throwing(new AppError('internal_error', 'x')), () => new Response('fine')])
      expect(retries(await answerOf(format, end))).toEqual([null, null]);
  });
});
