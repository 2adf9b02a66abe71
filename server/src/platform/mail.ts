export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Mail goes out over the operator's SMTP server. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  close(): void;
}

/** A server that does not answer must not hold whoever waits for the mail. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000 };

export function openMailer({ url, from }: { url: string; from: string }): Mailer {
  // Loaded by the first mail: nobody should wait for it at the start.
  const open = async () => (await import('nodemailer')).createTransport({ url, ...timeouts });
  let transport: ReturnType<typeof open> | null = null;
  return {
    send: async (mail) => {
      transport ??= open();
      await (await transport).sendMail({ ...mail, from });
    },
    close: () =>
      void transport?.then(
        (opened) => opened.close(),
        () => {},
      ),
  };
}
