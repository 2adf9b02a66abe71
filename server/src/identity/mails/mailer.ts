import type { Language } from '../../lib/languages.ts';
import { openMailTransport } from '../../platform/mail.ts';
import type { MailKind, Mails } from './mail-texts.ts';

export interface Reader {
  email: string;
  /** Empty if there is no account yet. */
  username: string;
  language: Language;
}

/** Only mails of mail-texts.ts are mailed, so that each exists in every language. */
export interface Mailer {
  send<K extends MailKind>(reader: Reader, kind: K, about: Mails[K]): Promise<void>;
  close(): void;
}

export function openMailer({ webUrl, ...server }: { url: string; from: string; webUrl: string }): Mailer {
  const transport = openMailTransport(server);
  return {
    send: async ({ email, username, language }, kind, about) => {
      // Loaded with the first mail, to keep the start fast.
      const [{ renderMail: written }, { wordsOf }] = await Promise.all([
        import('./mail-texts.ts'),
        import('./words.ts'),
      ]);
      const letter = written(wordsOf(language), kind, about, { name: username, webUrl });
      await transport.send({ ...letter, to: email, language });
    },
    close: () => transport.close(),
  };
}
