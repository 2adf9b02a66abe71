import { expect, test } from 'bun:test';
import {
  alertsIn,
  type BudgetFields,
  bodyOf,
  changeOf,
  emptyBudget,
  faultsOf,
  fieldsOf,
  fullness,
  refuses,
} from './budget-fields.ts';

const fields: BudgetFields = { ...emptyBudget({ level: 'team', level_id: 7 }), usd: 12.5 };

test('a budget is sent in quota units and shares, and read back unchanged', () => {
  const body = bodyOf(fields);
  expect(body).toEqual({
    ...{ level: 'team', level_id: 7, window: 'month', amount: 6_250_000, hard: true, alerts: [0.5, 0.8, 1] },
  });
  const budget = { ...body, id: 1, used: 0, remaining: body.amount, starts_at: null, resets_at: null };
  expect(fieldsOf(budget)).toEqual(fields);
});

test('invalid amounts, levels and percentages are reported', () => {
  expect(faultsOf(fields)).toEqual({});
  expect(Object.keys(faultsOf({ ...fields, usd: '' }))).toEqual(['usd']);
  expect(Object.keys(faultsOf({ ...fields, usd: 1e12 }))).toEqual(['usd']);
  expect(Object.keys(faultsOf({ ...fields, place: '' }))).toEqual(['place']);
  for (const alert of ['0', '101', 'half', '-5'])
    expect(Object.keys(faultsOf({ ...fields, alerts: [alert] }))).toEqual(['alerts']);
});

test('computes how full a budget is and whether it rejects requests', () => {
  expect([fullness({ used: 1, amount: 4 }), fullness({ used: 9, amount: 4 })]).toEqual([25, 100]);
  expect([fullness({ used: 0, amount: 0 }), fullness({ used: 1, amount: 0 })]).toEqual([0, 100]);
  expect([refuses({ hard: true, remaining: 0 }), refuses({ hard: false, remaining: 0 })]).toEqual([true, false]);
});

test('typed and pasted percentages are read as one number or several, never as others', () => {
  expect(alertsIn(['50', '80,100', '12.50', '50%', '0,5'])).toEqual(['50', '80', '100', '12.5', '0.5']);
  expect(alertsIn(['12,5'])).toEqual(['12,5']);
  expect(faultsOf({ ...fields, alerts: ['12,5'] }).alerts).toContain('12.5');
  expect(changeOf({ ...fields, alerts: ['100', '0,5', '12.5'] }).alerts).toEqual([0.005, 0.125, 1]);
});
