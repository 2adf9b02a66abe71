interface Stored {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
  writtenMs: number;
}

/** Small, so that few objects are several pages. */
const pageSize = 2;

/** The part of S3 that blobs need, in memory: objects, ranges and multipart uploads. */
export function startS3() {
  const objects = new Map<string, Stored>();
  const uploads = new Map<string, { type: string; parts: Map<number, Uint8Array> }>();
  const seen = { parts: 0, unsigned: 0, broken: false };

  const upload = async (request: Request, path: string, query: URLSearchParams): Promise<Response> => {
    const type = request.headers.get('content-type') ?? '';
    const bytes = await request.bytes();
    if (query.has('uploads')) {
      const id = crypto.randomUUID();
      uploads.set(id, { type, parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    const started = uploads.get(query.get('uploadId') ?? '');
    if (request.method === 'PUT' && started) {
      started.parts.set(Number(query.get('partNumber')), bytes);
      seen.parts += 1;
    } else if (request.method === 'PUT') {
      objects.set(path, { bytes, type, writtenMs: Date.now() });
    } else if (started) {
      const parts = [...started.parts].sort(([a], [b]) => a - b).map(([, part]) => part);
      const bytes = new Uint8Array(Buffer.concat(parts));
      objects.set(path, { bytes, type: started.type, writtenMs: Date.now() });
      return xml('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
    }
    return new Response('', { headers: { etag: '"part"' } });
  };
  const list = (bucket: string, query: URLSearchParams): Response => {
    const found = [...objects]
      .map(([path, { writtenMs }]) => ({ key: path.slice(bucket.length), writtenMs }))
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? '') && key > (query.get('start-after') ?? ''))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const page = found
      .slice(0, pageSize)
      .map(
        ({ key, writtenMs }) =>
          `<Contents><Key>${key}</Key><LastModified>${new Date(writtenMs).toISOString()}</LastModified></Contents>`,
      );
    const more = `<IsTruncated>${found.length > pageSize}</IsTruncated>`;
    return xml(`<ListBucketResult>${more}${page.join('')}</ListBucketResult>`);
  };
  const download = (request: Request, path: string): Response => {
    const object = objects.get(path);
    if (!object) return xml('<Error><Code>NoSuchKey</Code><Message>none</Message></Error>', 404);
    const headers = { 'content-type': object.type, etag: '"e"', 'last-modified': new Date().toUTCString() };
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.get('range') ?? '');
    if (!range) return new Response(object.bytes, { headers });
    return new Response(object.bytes.slice(Number(range[1]), Number(range[2]) + 1), { status: 206, headers });
  };

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      if (!request.headers.get('authorization')?.startsWith('AWS4-HMAC-SHA256 Credential=key/')) seen.unsigned += 1;
      if (seen.broken) return xml('<Error><Code>AccessDenied</Code><Message>no</Message></Error>', 403);
      if (request.method === 'PUT' || request.method === 'POST') return upload(request, pathname, searchParams);
      if (searchParams.has('list-type')) return list(pathname.endsWith('/') ? pathname : `${pathname}/`, searchParams);
      if (request.method !== 'DELETE') return download(request, pathname);
      objects.delete(pathname);
      return new Response(null, { status: 204 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, objects, seen, stop: () => server.stop(true) };
}

const xml = (text: string, status = 200): Response =>
  new Response(text, { status, headers: { 'content-type': 'application/xml' } });
