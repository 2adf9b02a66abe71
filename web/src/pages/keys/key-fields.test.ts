import { describe, expect, test } from 'bun:test';
import { bodyOf, changesOf, emptyKey, faultsOf, fieldsOf, localDay } from './key-fields.ts';

const now = 1_800_000_000;
const named = { ...emptyKey, name: ' ci ' };

describe('a new key', () => {
  test('needs only a name', () => {
    expect(faultsOf(emptyKey, now)).toEqual({ name: 'Give the key a name.' });
    expect(faultsOf(named, now)).toEqual({});
    expect(bodyOf(named, now)).toEqual({
      name: 'ci',
      expired_time: -1,
      remain_quota: 0,
      unlimited_quota: true,
      models: [],
      allowed_ips: [],
      cache: null,
    });
  });

  test('expires after some days, or at the end of a date', () => {
    expect(bodyOf({ ...named, expiry: '30' }, now).expired_time).toBe(now + 30 * 86_400);
    const date = localDay(now + 86_400);
    const at = bodyOf({ ...named, expiry: 'date', date }, now).expired_time;
    expect(localDay(at)).toBe(date);
    expect(localDay(at + 1)).not.toBe(date);
    expect(faultsOf({ ...named, expiry: 'date', date: localDay(now - 2 * 86_400) }, now).date).toContain('in the past');
    expect(faultsOf({ ...named, expiry: 'date' }, now).date).toContain('Choose');
  });

  test('has its limit in whole quota units', () => {
    expect(bodyOf({ ...named, unlimited: false, usd: 0.1 + 0.2 }, now).remain_quota).toBe(150_000);
    expect(faultsOf({ ...named, unlimited: false }, now).usd).toBeDefined();
  });

  test('accepts IP addresses and ranges', () => {
    expect(faultsOf({ ...named, ips: ['10.0.0.0/8', '::1', '192.0.2.7'] }, now)).toEqual({});
    expect(faultsOf({ ...named, ips: ['office'] }, now).ips).toContain('office');
  });
});

test('an edit sends only changed fields', () => {
  const key = {
    ...{ id: 1, key: 'sk-', status: 1, created_time: now, accessed_time: 0, used_quota: 0 },
    ...{ name: 'ci', expired_time: now + 1000, remain_quota: 500_000, unlimited_quota: false },
    ...{ saved_quota: 0, saved_requests: 0, previous: null, made_by: null, imposed: [] },
    ...{ models: ['a'], allowed_ips: [], cache: { ttl_seconds: 77, when: 'any' as const } },
  };
  const fields = fieldsOf(key);
  expect(changesOf(fields, fields, now)).toEqual({});
  expect(changesOf(fields, { ...fields, name: 'cd', models: [] }, now)).toEqual({ name: 'cd', models: [] });
  expect(changesOf(fields, { ...fields, usd: 2 }, now)).toEqual({ remain_quota: 1_000_000 });
  expect(changesOf(fields, { ...fields, cache: 'off' }, now)).toEqual({ cache: null });
  const narrower = { cache: { ttl_seconds: 77, when: 'temperature_0' as const } };
  expect(changesOf(fields, { ...fields, cacheAny: false }, now)).toEqual(narrower);
  expect(changesOf(fields, { ...fields, unlimited: true }, now)).toEqual({ unlimited_quota: true });
});
