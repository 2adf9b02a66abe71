import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { fieldsOf, parseJson, readBody, refuseNul } from './body.ts';
import { formDecode, parseForm } from './form.ts';

const anyText = fc.string({ unit: 'binary' });
const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'));
const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', ''), text);

/** The value, or the refusal; anything else that is thrown is a fault of ours. */
function orRefusal<T>(read: () => T): T | AppError {
  try {
    return read();
  } catch (error) {
    if (error instanceof AppError && error.status === 400) return error;
    throw error;
  }
}

test('a form with unique names is read as written', () => {
  fc.assert(
    fc.property(fc.dictionary(name, text), (fields) => {
      const read = fieldsOf(new URLSearchParams(new URLSearchParams(Object.entries(fields)).toString()));
      expect(Object.entries(read).sort()).toEqual(Object.entries(fields).sort());
    }),
  );
});

test('a repeated parameter is rejected, whatever its name', () => {
  fc.assert(
    fc.property(name, fc.array(fc.tuple(text, text)), (twice, others) => {
      expect(orRefusal(() => fieldsOf(new URLSearchParams([[twice, 'a'], ...others, [twice, 'b']])))).toBeInstanceOf(
        AppError,
      );
    }),
  );
});

test('any text is a form or rejected', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (body) => void orRefusal(() => fieldsOf(new URLSearchParams(body)))),
  );
});

/** What forms are made of, the broken ones too; half a surrogate pair is not among what UTF-8 can say. */
const formText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '&',
        '=',
        '+',
        '%',
        '?',
        '#',
        ';',
        '%26',
        '%3d',
        '%3D',
        '%2B',
        '%00',
        '%C3%A9',
        '%C3',
        '%EF%BB%BF',
        '%ED%A0%80',
        '%f0%9f%98%80',
        '\0',
        '\ufeff',
      ),
      fc.constantFrom('a', 'code', 'redirect_uri', 'https://a.example/', '__proto__', 'é', '😀'),
      anyText,
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join('').toWellFormed());

test('a form is read as URLSearchParams reads it', () => {
  fc.assert(
    fc.property(formText, (body) => {
      const expected = orRefusal(() => fieldsOf(new URLSearchParams(body)));
      const read = orRefusal(() => parseForm(body));
      if (expected instanceof AppError) return expect((read as AppError).code).toBe(expected.code);
      expect(read).not.toBeInstanceOf(AppError);
      expect(Object.entries(read)).toEqual(Object.entries(expected));
    }),
    { numRuns: 20_000, examples: [['?a=1'], ['a=1&?b=2'], ['&&a&=b&'], ['a==b'], ['a=%'], ['%ED%A0%80=1&a=+']] },
  );
});

test('a single value is decoded as by decodeURIComponent, or not at all', () => {
  const decoded = (value: string): string | null => {
    try {
      return decodeURIComponent(value.replaceAll('+', ' '));
    } catch {
      return null;
    }
  };
  fc.assert(
    fc.property(formText, (value) => expect(formDecode(value)).toBe(decoded(value))),
    { numRuns: 20_000, examples: [['%'], ['%4'], ['%4g'], ['%`1'], ['%2B%2b+'], ['%41%C3%A9']] },
  );
});

test('JSON is read as written, and any bytes are JSON or rejected', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.stringify(parseJson(Buffer.from(JSON.stringify(value))))).toBe(JSON.stringify(value));
      // As editors and shells of Windows write files; a second mark is an error of the file.
      expect(JSON.stringify(parseJson(Buffer.from(`\ufeff${JSON.stringify(value)}`)))).toBe(JSON.stringify(value));
      expect(orRefusal(() => parseJson(Buffer.from(`\ufeff\ufeff${JSON.stringify(value)}`)))).toBeInstanceOf(AppError);
    }),
  );
  fc.assert(fc.property(fc.uint8Array(), (bytes) => void orRefusal(() => parseJson(bytes))));
});

test('NUL is found at any position', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const holds = JSON.stringify(value).includes('\\u0000');
      expect(orRefusal(() => refuseNul(value)) instanceof AppError).toBe(holds);
    }),
  );
});

test('a body over its limit is rejected, and the limit is named', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(1_024, 16_384), async (size, most) => {
      const request = new Request('http://127.0.0.1/', { method: 'POST', body: new Uint8Array(size) });
      const read = await readBody({ request }, most).catch((error: AppError) => error);
      if (read instanceof AppError) expect(read.message).toBe(`The request body is larger than ${most / 1024} KiB.`);
      expect(read instanceof AppError).toBe(size > most);
    }),
  );
});
