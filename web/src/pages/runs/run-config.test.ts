import { expect, test } from 'bun:test';
import { configSchema } from '../../../../server/src/orchestra/autonomous/config.ts';
import { changesOf, defaultConfig, faultsOf, numberFields } from './run-config.ts';

test('defaults and ranges match the service', () => {
  expect(configSchema.parse({})).toEqual(defaultConfig);
  for (const { name, min, max, step } of numberFields) {
    for (const value of [min - step, min, max, max + step, 1.5]) {
      const config = { ...defaultConfig, [name]: value };
      expect({ name, value, fine: faultsOf(config)[name] === undefined }).toEqual({
        name,
        value,
        fine: configSchema.safeParse(config).success,
      });
    }
  }
  expect(faultsOf({ ...defaultConfig, max_iterations: '' }).max_iterations).toContain('1 to 100');
});

test('resuming sends only changed settings', () => {
  expect(changesOf(defaultConfig, defaultConfig)).toEqual({});
  expect(changesOf(defaultConfig, { ...defaultConfig, max_iterations: 20 })).toEqual({ max_iterations: 20 });
});

test('numbers count as typed, also before the field is left', () => {
  const typed = { ...defaultConfig, confidence_threshold: '0.50', max_iterations: '020' };
  expect(faultsOf(typed)).toEqual({});
  expect(changesOf(defaultConfig, typed)).toEqual({ confidence_threshold: 0.5, max_iterations: 20 });
  expect(changesOf(defaultConfig, { ...defaultConfig, confidence_threshold: '0.80' })).toEqual({});
  expect(Object.keys(faultsOf({ ...defaultConfig, confidence_threshold: '', max_time_secs: '-' }))).toEqual([
    'max_time_secs',
    'confidence_threshold',
  ]);
});
