import { isUtf8 } from 'node:buffer';
import { FileFault } from './faults.ts';

export type FileKind = 'pdf' | 'text';

/** PDF readers accept the `%PDF-` header within this many bytes of the start. */
const pdfHead = 1024;

const startsWith = (bytes: Uint8Array, ...head: number[]): boolean => head.every((byte, i) => bytes[i] === byte);

/** Detects the kind by content, because name and declared type are unreliable. Throws if it is not supported. */
export function kindOfFile(bytes: Uint8Array): FileKind {
  if (bytes.byteLength === 0) throw new FileFault('empty');
  if (Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(pdfHead, bytes.byteLength)).includes('%PDF-')) return 'pdf';
  if (startsWith(bytes, 0x50, 0x4b, 3, 4) || startsWith(bytes, 0x50, 0x4b, 5, 6)) throw new FileFault('archive');
  if (encodingOf(bytes) !== 'utf-8') return 'text';
  // Text contains no zero bytes; a file with them is some program's binary format, even if the rest is letters.
  if (Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(0)) throw new FileFault('not_text');
  if (!isUtf8(bytes)) throw new FileFault(hasControls(bytes) ? 'not_text' : 'not_unicode');
  if (hasControls(bytes)) throw new FileFault('not_text');
  return 'text';
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be';

const encodingOf = (bytes: Uint8Array): Encoding =>
  startsWith(bytes, 0xff, 0xfe) ? 'utf-16le' : startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : 'utf-8';

/**
 * Whether the first bytes contain many control characters. Escapes are not counted, because terminal output has them; a
 * few others are tolerated.
 */
function hasControls(bytes: Uint8Array): boolean {
  let found = 0;
  for (let i = 0; i < Math.min(bytes.byteLength, 4096); i += 1) {
    const byte = bytes[i]!;
    if (byte < 32 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27) found += 1;
  }
  return found > 8;
}

/** Decodes the text, without its byte order mark. */
export function decodeText(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch {
    throw new FileFault('not_unicode');
  }
  if (text.includes('\0')) throw new FileFault('not_text');
  return text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
}
