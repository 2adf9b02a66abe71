import { createTransport } from 'nodemailer';

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
  const transport = createTransport({ url, ...timeouts });
  return {
    send: async (mail) => {
      await transport.sendMail({ ...mail, from });
    },
    close: () => transport.close(),
  };
}
