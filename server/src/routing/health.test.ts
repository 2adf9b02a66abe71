import { expect, test } from 'bun:test';
import { type Health, sharedHealth } from './health.ts';

const health = (fields: Partial<Health>): Health => ({
  circuit: 'closed',
  samples: 0,
  successRate: 1,
  latencyP50Ms: null,
  ttftP50Ms: null,
  throughput: null,
  ...fields,
});

test('the health of a model is that of its available providers', () => {
  expect(sharedHealth([])).toBeNull();
  expect(sharedHealth([health({})])).toEqual({ circuit: 'closed', samples: 0, successRate: 1 });
  const broken = health({ circuit: 'open', samples: 90, successRate: 0 });
  expect(sharedHealth([broken, health({ samples: 10, successRate: 0.9 })])).toEqual({
    circuit: 'closed',
    samples: 10,
    successRate: 0.9,
  });
  expect(sharedHealth([broken, health({ circuit: 'half_open' })])?.circuit).toBe('half_open');
  expect(sharedHealth([broken])).toEqual({ circuit: 'open', samples: 90, successRate: 0 });
});

test('providers are weighted by their number of samples', () => {
  const of = [health({ samples: 30, successRate: 1 }), health({ samples: 10, successRate: 0 }), health({})];
  expect(sharedHealth(of)).toEqual({ circuit: 'closed', samples: 40, successRate: 0.75 });
});
