import { TextInput } from '@mantine/core';
import type { FactorMethod } from '../api.ts';

const words = (methods: FactorMethod[]): string =>
  methods.includes('totp')
    ? 'Six digits from your authenticator app, or a recovery code'
    : 'One of your recovery codes';

/** For a code of an app or a recovery code. */
export function CodeInput({ methods }: { methods: FactorMethod[] }) {
  return (
    <TextInput
      name="code"
      label="Code"
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
