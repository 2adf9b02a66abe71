import { SMTPServer } from 'smtp-server';

export interface Inbox {
  url: string;
  /** What came, oldest first. */
  mails: ({ to: string } & Read)[];
  close(): Promise<void>;
}

interface Read {
  headers: Headers;
  subject: string;
  text: string;
}

/** RFC 2045 §6.7, without the ends of lines that are there to be taken away. */
function unquoted(text: string): string {
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, hex) => `%${hex}`);
  return decodeURIComponent(bytes.replace(/%(?![0-9A-F]{2})/g, '%25'));
}

/** RFC 2047: words that follow each other are one text. */
function decoded(header: string): string {
  return header
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toUpperCase() === 'B' ? Buffer.from(word, 'base64').toString('utf8') : unquoted(word.replaceAll('_', ' ')),
    );
}

function read(mail: string): Read {
  const end = mail.indexOf('\r\n\r\n');
  const lines = mail
    .slice(0, end)
    .replace(/\r\n(?=[ \t])/g, '')
    .split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const body = mail.slice(end + 4);
  const isBase64 = headers.get('content-transfer-encoding') === 'base64';
  const text = isBase64 ? Buffer.from(body, 'base64').toString('utf8') : unquoted(body);
  return { headers, subject: decoded(headers.get('subject') ?? ''), text };
}

/** A real SMTP server that keeps what it is given. */
export async function openInbox(): Promise<Inbox> {
  const mails: Inbox['mails'] = [];
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, session, done) => {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address).join();
        mails.push({ to, ...read(Buffer.concat(parts).toString('utf8')) });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
