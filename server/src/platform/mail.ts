interface Mail {
  to: string;
  subject: string;
  text: string;
  language: string;
}

/** Sends mail through the operator's SMTP server. */
export interface MailTransport {
  send(mail: Mail): Promise<void>;
  /** Connects and logs in without sending; throws the server's error. */
  verify(): Promise<void>;
  close(): void;
}

/** An unresponsive server must not block callers. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

export function openMailTransport({ url, from }: { url: string; from: string }): MailTransport {
  // Loaded with the first mail, to keep the start fast.
  const open = async () => (await import('nodemailer')).createTransport({ url, ...timeouts });
  let transport: ReturnType<typeof open> | null = null;
  return {
    send: async ({ language, ...mail }) => {
      transport ??= open();
      // Screen readers and translators use it (RFC 3282).
      await (await transport).sendMail({ ...mail, from, headers: { 'Content-Language': language } });
    },
    verify: async () => {
      transport ??= open();
      await (await transport).verify();
    },
    close: () =>
      void transport?.then(
        (opened) => opened.close(),
        () => {},
      ),
  };
}
