import { expect, test } from 'bun:test';
import { judge } from './audit.ts';

const report = (severity: string) =>
  JSON.stringify({ auditReportVersion: 2, vulnerabilities: { leaky: { name: 'leaky', severity, range: '<2' } } });

test('an unreachable registry is skipped, whatever npm prints', () => {
  expect(judge('')).toEqual({ state: 'skipped' });
  expect(judge('npm error network')).toEqual({ state: 'skipped' });
  expect(judge('{"message": "405 Method Not Allowed", "statusCode": 405}')).toEqual({ state: 'skipped' });
  expect(judge('null')).toEqual({ state: 'skipped' });
});

test('severe vulnerabilities fail, minor ones do not', () => {
  expect(judge(report('critical'))).toEqual({ state: 'holes', lines: ['leaky <2: critical'] });
  expect(judge(report('high')).state).toBe('holes');
  expect(judge(report('moderate'))).toEqual({ state: 'clean' });
  expect(judge('{"auditReportVersion": 2}')).toEqual({ state: 'clean' });
});
