interface Mail {
  to: string;
  subject: string;
  text: string;
  language: string;
}

/** Mail goes out over the operator's SMTP server. */
export interface MailTransport {
  send(mail: Mail): Promise<void>;
  /** Connects and logs in without sending anything; throws what the server says against it. */
  verify(): Promise<void>;
  close(): void;
}

/** A server that does not answer must not hold whoever waits for the mail. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

export function openMailTransport({ url, from }: { url: string; from: string }): MailTransport {
  // Loaded by the first mail: nobody should wait for it at the start.
  const open = async () => (await import('nodemailer')).createTransport({ url, ...timeouts });
  let transport: ReturnType<typeof open> | null = null;
  return {
    send: async ({ language, ...mail }) => {
      transport ??= open();
      // Readers that speak, or offer to translate, go by it (RFC 3282).
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
