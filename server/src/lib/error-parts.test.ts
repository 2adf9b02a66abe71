import { expect, test } from 'bun:test';
import { readErrorParts } from './error-parts.ts';

test('a code or status that is not a number is ignored', () => {
  for (const odd of [
    '{"toString":1}',
    '{"valueOf":null,"toString":{}}',
    '[]',
    '[[502]]',
    'null',
    'true',
    '"x"',
    '1e99',
    '-502',
    '502.7',
    '"502.7"',
  ])
    expect(
      readErrorParts(JSON.parse(`{"error":{"message":"m","code":${odd},"status":${odd}}}`)).status,
    ).toBeUndefined();
});

test('a number, or a numeric string, is the status', () => {
  for (const code of ['502', '"502"'])
    expect(readErrorParts(JSON.parse(`{"error":{"code":${code}}}`)).status).toBe(502);
});
