import { SMTPServer } from 'smtp-server';

export interface Inbox {
  url: string;
  /** What came, headers and text, oldest first. */
  mails: { to: string; text: string }[];
  close(): Promise<void>;
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
        // Long lines are folded with a `=` at their end.
        const text = Buffer.concat(parts).toString('utf8').replace(/=\r\n/g, '').replace(/=3D/g, '=');
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address).join(), text });
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
