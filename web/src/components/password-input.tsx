import { PasswordInput as Input, type PasswordInputProps } from '@mantine/core';
import { t } from '../language/words.ts';

/** Mantine's own leaves the input itself unmarked when its value is refused, and the eye out of the keyboard's reach. */
export function PasswordInput(props: PasswordInputProps) {
  return <Input visibilityToggleFocusable aria-invalid={props.error ? true : undefined} {...props} />;
}

/** For changes that need the signed-in user's password again; the form has it as `password`. */
export const OwnPassword = (props: PasswordInputProps) => (
  <PasswordInput name="password" label={t('Your password')} autoComplete="current-password" required {...props} />
);
