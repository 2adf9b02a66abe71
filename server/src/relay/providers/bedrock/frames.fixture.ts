/** A frame as Bedrock sends it. */
export function frameOf(headers: Record<string, string>, payload: string | Uint8Array): Uint8Array {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]);
    }),
  );
  const body = Buffer.from(payload as Uint8Array);
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + head.length + body.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  prelude.writeUInt32BE(Bun.hash.crc32(prelude.subarray(0, 8)), 8);
  const most = Buffer.concat([prelude, head, body]);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(Bun.hash.crc32(most));
  return Buffer.concat([most, checksum]);
}

/** An event of `converse-stream`. */
export const eventFrame = (type: string, value: object): Uint8Array =>
  frameOf(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(value),
  );

/** An event of Claude's, as `invoke-with-response-stream` packs it. */
export const chunkFrame = (event: object): Uint8Array =>
  eventFrame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: 'abcdefgh' });

export const exceptionFrame = (type: string, message: string): Uint8Array =>
  frameOf(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  );
