import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { AppError } from '../../lib/errors.ts';
import { readFormBody } from './read-body.ts';

const place = 'http://127.0.0.1/v1/audio/transcriptions';
const post = (body: BodyInit, type?: string) =>
  new Request(place, { method: 'POST', body, headers: type === undefined ? {} : { 'content-type': type } });

async function orRefusal(request: Request): Promise<FormData | AppError> {
  try {
    return await readFormBody({ request });
  } catch (error) {
    if (error instanceof AppError && error.status < 500) return error;
    throw error;
  }
}

test('form fields are read back unchanged, files byte for byte', async () => {
  const name = fc.stringMatching(/^[a-z_[\]]{1,20}$/);
  const value = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]+/g, ' '));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), fc.uint8Array({ maxLength: 5_000 }), async (fields, bytes) => {
      const form = new FormData();
      for (const [key, text] of Object.entries(fields)) form.append(key, text);
      form.append('file', new File([bytes], 'a.wav'));
      const read = await readFormBody({ request: post(form) });
      for (const [key, text] of Object.entries(fields)) expect(read.getAll(key)).toEqual(key === 'file' ? [] : [text]);
      expect(await (read.get('file') as unknown as File).bytes()).toEqual(bytes);
    }),
  );
});

test('any bytes with any boundary are either a form or rejected', async () => {
  const boundary = fc.stringMatching(/^[A-Za-z0-9'()+_,./:=?-]{0,70}$/);
  const line = fc.oneof(
    fc.constantFrom('--x', '--x--', '', 'Content-Disposition: form-data; name="a"', 'Content-Disposition: form-data'),
    fc.constantFrom('Content-Type: text/plain', 'content-disposition: form-data; name="file"; filename="\u00e9\0"'),
    fc.string({ unit: 'binary' }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line), boundary, async (lines, given) => {
      await orRefusal(post(lines.join('\r\n'), `multipart/form-data; boundary=${given}`));
      await orRefusal(post(lines.join('\r\n'), 'multipart/form-data; boundary=x'));
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array(), async (bytes) => {
      await orRefusal(post(bytes as Uint8Array<ArrayBuffer>, 'multipart/form-data; boundary=x'));
    }),
  );
});
