import { describe, expect, test } from 'bun:test';
import { bodyOf, circuitOf, emptyCredential, faultsOf } from './credential-fields.ts';

const named = { ...emptyCredential, name: ' Spare ', credential: ' sk-spare ' };

describe('channel credential form', () => {
  test('requires a name and a key when adding, and only a name when editing', () => {
    expect(Object.keys(faultsOf(emptyCredential, true))).toEqual(['name', 'credential']);
    expect(faultsOf(named, true)).toEqual({});
    expect(faultsOf({ ...named, credential: '' }, false)).toEqual({});
    expect(faultsOf({ ...named, credential: 'two words' }, true).credential).toBeDefined();
  });

  test('an empty limit means no limit; 0 is rejected', () => {
    expect(bodyOf(named)).toEqual({
      ...{ name: 'Spare', credential: 'sk-spare', weight: 1 },
      ...{ requests_per_minute: null, tokens_per_minute: null, spend_per_day: null },
    });
    expect(bodyOf({ ...named, credential: '' })).not.toHaveProperty('credential');
    const limited = { ...named, weight: 0, requestsPerMinute: 60, spendPerDay: '2.5' };
    expect(bodyOf(limited)).toMatchObject({ weight: 0, requests_per_minute: 60, spend_per_day: 2.5 });
    expect(faultsOf({ ...named, weight: '', requestsPerMinute: 0, spendPerDay: 0 }, true)).toMatchObject({
      ...{ weight: expect.any(String), requestsPerMinute: expect.any(String), spendPerDay: expect.any(String) },
    });
  });

  test('shows the worst state of its circuits', () => {
    const of = (closed: number, half_open: number, open: number) =>
      circuitOf({
        ...{ circuits: { closed, half_open, open }, at_limit: false },
        today: { requests: 0, failures: 0, tokens: 0, spent: 0 },
      }).label;
    expect(of(3, 0, 0)).toBe('Circuit closed');
    expect(of(2, 1, 0)).toBe('Being tested again');
    expect(of(2, 0, 1)).toBe('Circuit open for 1 of 3 models');
    expect(of(0, 0, 3)).toBe('Circuit open');
  });
});
