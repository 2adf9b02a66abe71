import { TextInput } from '@mantine/core';
import type { FactorMethod } from '../api.ts';
import { t } from '../language/words.ts';

const words = (methods: FactorMethod[]): string =>
  methods.includes('totp')
    ? t('Six digits from your authenticator app, or a recovery code')
    : t('One of your recovery codes');

/** Input for a code from an authenticator app, or a recovery code. */
export function CodeInput({ methods }: { methods: FactorMethod[] }) {
  return (
    <TextInput
      name="code"
      label={t('Code##second factor')}
      description={words(methods)}
      autoComplete="one-time-code"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={100}
      required
      autoFocus
      data-autofocus
    />
  );
}

export const takesCode = (methods: FactorMethod[]): boolean => methods.some((method) => method !== 'passkey');
