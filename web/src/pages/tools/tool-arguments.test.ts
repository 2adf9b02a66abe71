import { expect, test } from 'bun:test';
import { argumentsIn, argumentsOf, choiceLabel, fieldsOf } from './tool-arguments.ts';

const schema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'Where it is' },
    lines: { type: 'integer' },
    share: { type: ['number', 'null'] },
    deep: { type: 'boolean' },
    order: { enum: ['up', 'down', 3, null] },
    filter: { type: 'object' },
    either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    __proto__: undefined,
  },
  required: ['path', 'deep'],
};
const fields = fieldsOf(schema);

test('each property gets an input of its type, or JSON if none fits', () => {
  expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
    ['path', 'text', true],
    ['lines', 'number', false],
    ['share', 'number', false],
    ['deep', 'boolean', true],
    ['order', 'choice', false],
    ['filter', 'json', false],
    ['either', 'json', false],
  ]);
  expect(fields[4]!.choices.map(choiceLabel)).toEqual(['up', 'down', '3', 'null']);
  for (const odd of [{}, { properties: [] }, { properties: { x: 7 }, required: 'x' }, { properties: { x: true } }])
    expect(() => fieldsOf(odd as Record<string, unknown>)).not.toThrow();
});

test('empty optional fields are left out, empty required fields are reported', () => {
  expect(argumentsOf(fields, { path: '/tmp' })).toEqual({ values: { path: '/tmp', deep: false }, faults: {} });
  expect(argumentsOf(fields, {}).faults).toEqual({ path: 'This field is required.' });
});

test('values are converted to the type in the schema', () => {
  const entered = { path: '7', lines: '12', share: '0.5', deep: true, order: '3', filter: '{"a":[1]}', either: '"x"' };
  expect(argumentsOf(fields, entered)).toEqual({
    values: { path: '7', lines: 12, share: 0.5, deep: true, order: 3, filter: { a: [1] }, either: 'x' },
    faults: {},
  });
  const wrong = { path: 'x', lines: '1.5', share: 'much', filter: '{a}' };
  expect(Object.keys(argumentsOf(fields, wrong).faults)).toEqual(['lines', 'share', 'filter']);
});

test('properties may have names of Object.prototype', () => {
  const odd = fieldsOf({ properties: { constructor: { type: 'string' }, toString: { type: 'string' } } });
  expect(argumentsOf(odd, {})).toEqual({ values: {}, faults: {} });
  expect(argumentsOf(odd, { constructor: 'x' } as never).values).toEqual({ constructor: 'x' } as never);
});

test('arguments can be entered as a JSON object', () => {
  expect(argumentsIn('')).toEqual({ values: {} });
  expect(argumentsIn('{"a": 1}')).toEqual({ values: { a: 1 } });
  expect(argumentsIn('[1]')).toHaveProperty('fault');
  expect(argumentsIn('{a')).toHaveProperty('fault');
});

test.each([
  // typed, as a number, as a whole number
  ['1,5', 1.5, null],
  ['1.500,25', 1500.25, null],
  ['1,500', 1500, 1500],
  ['1 500', 1500, 1500],
  ['１２', 12, 12],
  ['−3', -3, -3],
  ['-0.5', -0.5, null],
  ['5.000', 5, null],
  ['1e3', 1000, 1000],
  ['2.5E-1', 0.25, null],
  ['9007199254740991', 9007199254740991, 9007199254740991],
  ['9007199254740993', null, null],
  ['0x10', null, null],
  ['-', null, null],
  ['.', null, null],
  ['twelve', null, null],
  ['1,2,3', null, null],
] as const)('the number %p', (typed, decimal, whole) => {
  const numbers = fieldsOf({ properties: { decimal: { type: 'number' }, whole: { type: 'integer' } } });
  const { values, faults } = argumentsOf(numbers, { decimal: typed, whole: typed });
  expect(values).toEqual({ ...(decimal !== null && { decimal }), ...(whole !== null && { whole }) });
  expect(Object.keys(faults)).toEqual([...(decimal === null ? ['decimal'] : []), ...(whole === null ? ['whole'] : [])]);
});

test('ids that JavaScript would round are refused, not sent as other ids', () => {
  expect(argumentsIn('{"id": 1234567890123456789}')).toEqual({
    fault: '1234567890123456789 has too many digits to be sent exactly.',
  });
  expect(argumentsOf(fields, { path: 'x', filter: '[[12345678901234567890]]' }).faults).toHaveProperty('filter');
  expect(argumentsIn('{"id": "1234567890123456789", "share": 0.1234567890123456789}')).toHaveProperty('values');
});
