import { expect, test } from 'bun:test';
import { z } from 'zod';
import { receive } from './body.ts';
import { mountAlone } from './mount.fixture.ts';
import { defineRoute, json } from './route.ts';

/* A few letters on the wire may be megabytes in memory: so many of them as one caller may have under way, and no more. */

const mebibyte = 1024 * 1024;
const waiting: (() => void)[] = [];

/** Reads what comes, or what it is told to, and waits to be let go. */
const { fetch } = mountAlone([
  defineRoute({
    ...{ tag: 'Test', summary: '', auth: 'none', limit: null, errors: 'management', answers: { 200: z.object({}) } },
    ...{ method: 'post', path: '/grow', bodyAs: 'raw', maxBytes: 64 * mebibyte },
    query: z.object({ by: z.coerce.number().default(0) }),
    handle: async (call) => {
      call.grow!(call.query.by);
      const { byteLength } = await receive(call, 64 * mebibyte);
      await new Promise<void>((go) => waiting.push(go));
      return json(call, { bytes: byteLength });
    },
  }),
]);
const encodings = {
  gzip: Bun.gzipSync(new Uint8Array(40 * mebibyte)),
  zstd: new Uint8Array(Bun.zstdCompressSync(new Uint8Array(40 * mebibyte))),
};
const packed = (encoding: keyof typeof encodings): RequestInit => ({
  ...{ method: 'POST', body: encodings[encoding], headers: { 'content-encoding': encoding } },
});
const ask = (init: RequestInit, query = ''): Promise<Response> =>
  Promise.resolve(fetch(new Request(`http://localhost/grow${query}`, init)));

const cases: [what: string, init: RequestInit, query: string][] = [
  ['gzip', packed('gzip'), ''],
  ['zstd', packed('zstd'), ''],
  ['content named by an id', { method: 'POST' }, `?by=${40 * mebibyte}`],
];

test.each(cases)(
  '%s: three requests of 40 MiB run, and a fourth is refused until one of them ends',
  async (_, init, query) => {
    const answers = Array.from({ length: 3 }, () => ask(init, query));
    while (waiting.length < 3) await Bun.sleep(5);
    const refused = await ask(init, query);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    // What is as large as it came is no growth.
    const plain = ask({ method: 'POST', body: new Uint8Array(mebibyte) });
    while (waiting.length < 4) await Bun.sleep(5);
    for (const go of waiting.splice(0)) go();
    for (const answer of [...answers, plain]) expect((await answer).status).toBe(200);
    const again = ask(init, query);
    while (waiting.length < 1) await Bun.sleep(5);
    waiting.pop()!();
    expect((await again).status).toBe(200);
  },
);
