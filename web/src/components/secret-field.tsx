import { Group } from '@mantine/core';
import { t } from '../language/words.ts';
import { CopyButton } from './copy-button.tsx';
import { PasswordInput } from './password-input.tsx';

interface SecretFieldProps {
  label: string;
  description: string;
  value: string;
}

/** A secret that can be shown again: masked at first, with a copy button. */
export function SecretField({ label, description, value }: SecretFieldProps) {
  return (
    <PasswordInput
      w="100%"
      label={label}
      description={description}
      descriptionProps={{ fz: 'sm', lh: 'sm', mt: 'sm', className: 'svc-anywhere' }}
      inputWrapperOrder={['label', 'input', 'description']}
      inputContainer={(input) => (
        <Group gap="xs" wrap="nowrap">
          <div style={{ flex: 1 }}>{input}</div>
          <CopyButton value={value} label={t('Copy {label}', { label })} />
        </Group>
      )}
      value={value}
      readOnly
      autoComplete="off"
      visibilityToggleButtonProps={{ 'aria-label': t('Show or hide: {label}', { label }) }}
    />
  );
}
