import { deflateSync } from 'node:zlib';

export interface PdfPage {
  /** Paragraphs, each of its lines. */
  paragraphs?: string[][];
  /** The content stream itself, instead of paragraphs. */
  content?: Uint8Array;
  filter?: string;
}

const escaped = (text: string): string => text.replace(/[\\()]/g, '\\$&');

/** Lines 14 points apart, paragraphs 30. */
function contentOf(paragraphs: string[][]): Uint8Array {
  const lines = paragraphs.flatMap((paragraph, i) =>
    paragraph.map((line, j) => `0 ${i + j === 0 ? 0 : j === 0 ? -30 : -14} Td (${escaped(line)}) Tj`),
  );
  return Buffer.from(`BT /F1 12 Tf 72 720 Td ${lines.join('\n')} ET`, 'latin1');
}

/** A small PDF, written by hand so that tests can spoil any part of it. */
export function pdfOf(pages: PdfPage[], trailer = ''): Uint8Array<ArrayBuffer> {
  const objects: Buffer[] = [];
  const kids = pages.map((_, i) => `${4 + 2 * i} 0 R`).join(' ');
  objects.push(Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'));
  objects.push(Buffer.from(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`));
  objects.push(Buffer.from('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>'));
  pages.forEach(({ paragraphs = [], content, filter }, i) => {
    const page = `/Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>`;
    objects.push(Buffer.from(`<< /Type /Page ${page} /Contents ${5 + 2 * i} 0 R >>`));
    const stream = content ?? deflateSync(contentOf(paragraphs));
    const head = `<< /Length ${stream.byteLength} /Filter ${filter ?? '/FlateDecode'} >>\nstream\n`;
    objects.push(Buffer.concat([Buffer.from(head), stream, Buffer.from('\nendstream')]));
  });
  let size = 9;
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets = objects.map((object, i) => {
    const whole = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(whole);
    size += whole.byteLength;
    return size - whole.byteLength;
  });
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  parts.push(
    Buffer.from(
      `${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${size}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}
