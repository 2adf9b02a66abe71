import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { echoOf } from '../wire/responses/echo.ts';
import type { ResponseObject } from './keeper.ts';
import { restoreDefaults, splitDefaults } from './response-defaults.ts';

const answered = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status: 'completed',
  error: null,
  incomplete_details: null,
};
const responseTo = (body: object, more: object = {}): ResponseObject => ({
  ...answered,
  model: 'a/b',
  output: [],
  ...echoOf(body as Record<string, unknown>),
  usage: null,
  ...more,
});
const read = (open: string) => JSON.parse(`${open}}`);
const bodies = fc.record(
  {
    instructions: fc.option(fc.string()),
    metadata: fc.dictionary(fc.string(), fc.string()),
    reasoning: fc.constantFrom(null, {}, { effort: 'low' }, { effort: null, summary: null }),
    text: fc.constantFrom(null, {}, { format: { type: 'text' } }, { verbosity: 'low' }),
    tools: fc.constantFrom([], [{ type: 'function', name: 'f' }]),
    temperature: fc.constantFrom(0, 1, null),
    store: fc.boolean(),
    user: fc.string(),
  },
  { requiredKeys: [] },
);

describe('fields that most responses share', () => {
  test('are read back and sent unchanged', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { output, ...rest } = responseTo(body);
        const { stored, sent } = splitDefaults({ ...rest, output } as ResponseObject);
        expect(restoreDefaults(`${stored}}`)).toEqual(JSON.parse(JSON.stringify(rest)));
        expect(read(sent)).toEqual(JSON.parse(JSON.stringify(rest)));
      }),
    );
  });

  test('are not stored for each response', () => {
    const whole = JSON.stringify(responseTo({})).length;
    expect(splitDefaults(responseTo({})).stored.length).toBeLessThan(whole / 3);
  });

  test('an omitted field stays omitted', () => {
    const { output, ...rest } = responseTo({}, { truncation: undefined });
    const { stored } = splitDefaults({ ...rest, output } as ResponseObject);
    expect(restoreDefaults(`${stored}}`)).toEqual(JSON.parse(JSON.stringify(rest)));
    expect(restoreDefaults(`${stored}}`)).not.toHaveProperty('truncation');
  });

  test('older rows are read unchanged', () => {
    expect(restoreDefaults('{"id":"resp_old","error":{"code":"x"}}')).toEqual({ id: 'resp_old', error: { code: 'x' } });
  });
});
