/** Yields the `data` of each server-sent event in order, however the bytes are split into chunks. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      // The last piece may be an incomplete line, except at the end of the stream.
      rest = done ? '' : (lines.pop() ?? '');
      for (const raw of lines) {
        const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
        if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
        else if (line === '' && data.length > 0) {
          yield data.join('\n');
          data = [];
        }
      }
      if (done) break;
    }
    if (data.length > 0) yield data.join('\n');
  } finally {
    await reader.cancel().catch(() => {});
  }
}
