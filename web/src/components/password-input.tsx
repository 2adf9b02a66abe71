import { PasswordInput as Input, type PasswordInputProps } from '@mantine/core';

/** Mantine's own leaves the input itself unmarked when its value is refused, and the eye out of the keyboard's reach. */
export function PasswordInput(props: PasswordInputProps) {
  return <Input visibilityToggleFocusable aria-invalid={props.error ? true : undefined} {...props} />;
}
