import { expect, test } from 'bun:test';
import { defaultPreferences, preferencesSchema } from '../../../../server/src/orchestra/preferences.ts';
import { faultOf, groups, initialText } from './preference-fields.ts';

const fields = groups.flatMap((group) => group.fields);

test('every preference of the service has a field, with its default', () => {
  const initial = Object.fromEntries(fields.map(({ name, initial }) => [name, initial]));
  expect(initial).toEqual(defaultPreferences);
});

test('ranges are those of the service', () => {
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
    expect(faultOf(field, '')).toContain('whole number');
    expect(initialText(field)).not.toBe('');
  }
});
