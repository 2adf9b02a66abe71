import { Button, Group } from '@mantine/core';
import { t } from '../language/words.ts';
import { useAct } from '../use-act.ts';
import { CopyButton } from './copy-button.tsx';
import { notifyError } from './notify.ts';
import { PasswordInput } from './password-input.tsx';

interface SecretFieldProps {
  label: string;
  description: string;
  /** Null until loaded. */
  value: string | null;
  /** Loads it; the service may ask for the second factor first. */
  onShow: () => Promise<unknown>;
}

/** A secret that can be shown again: loaded on demand, then masked at first, with a copy button. */
export function SecretField({ label, description, value, onShow }: SecretFieldProps) {
  const show = useAct({ mutationFn: onShow, onError: notifyError });
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
          {value === null ? (
            <Button
              variant="default"
              loading={show.isPending}
              aria-label={t('Show: {label}', { label })}
              onClick={() => show.mutate()}
            >
              {t('Show')}
            </Button>
          ) : (
            <CopyButton value={value} label={t('Copy {label}', { label })} />
          )}
        </Group>
      )}
      value={value ?? ''}
      placeholder={value === null ? '••••••••••••' : undefined}
      readOnly
      autoComplete="off"
      visibilityToggleButtonProps={{
        'aria-label': t('Show or hide: {label}', { label }),
        ...(value === null && { display: 'none' }),
      }}
    />
  );
}
