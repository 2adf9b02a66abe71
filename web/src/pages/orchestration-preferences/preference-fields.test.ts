import { expect, test } from 'bun:test';
import { defaultPreferences, preferencesSchema } from '../../../../server/src/orchestra/preferences.ts';
import { faultOf, groups, initialText } from './preference-fields.ts';

const fields = groups.flatMap((group) => group.fields);

test('every preference of the service has a field with the same default', () => {
  const initial = Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
  expect(initial).toEqual(defaultPreferences);
});

test('number fields accept the same range as the service', () => {
  for (const field of fields) {
    if (field.kind !== 'number') continue;
    const accepts = (value: number) => preferencesSchema.shape[field.name].safeParse(value).success;
    for (const value of [field.min - 1, field.min, 0, field.max, field.max + 1]) {
      expect({ field: field.name, value, fine: faultOf(field, value) === undefined }).toEqual({
        field: field.name,
        value,
        fine: accepts(value),
      });
    }
    if (field.none === undefined) expect(faultOf(field, '')).toContain('whole number');
    expect(initialText(field)).not.toBe('');
  }
});

test('an empty field means no limit, a negative number is rejected', () => {
  const longest = fields.find(({ name }) => name === 'max_output_tokens')!;
  expect(faultOf(longest, '')).toBeUndefined();
  expect(faultOf(longest, -1)).toBe('Enter a whole number from 1 to 1,000,000.');
  expect(initialText(longest)).toBe('no limit');
  // What is sent for an empty field.
  expect(preferencesSchema.shape.max_output_tokens.safeParse((longest as { none?: number }).none).success).toBe(true);
});
