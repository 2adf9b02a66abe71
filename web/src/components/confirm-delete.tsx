import { Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../language/words.ts';
import { useAct } from '../use-act.ts';
import { FormDialog } from './form-dialog.tsx';

interface ConfirmDeleteProps {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** Says what will be lost. */
  children: ReactNode;
  confirmLabel?: string;
  /** Text that must be typed to confirm; for things that cannot be recreated. */
  typeToConfirm?: string;
  /** The dialog closes on success and shows a failure itself. */
  onConfirm: () => Promise<unknown>;
}

/** As the text reads: pages show several spaces as one, and pasting adds some at the ends. */
const plain = (text: string): string => text.normalize().replace(/\s+/g, ' ').trim();
export const isSame = (typed: string, text: string): boolean => plain(typed) === plain(text);

export function ConfirmDelete(props: ConfirmDeleteProps) {
  const { opened, onClose, title, children, confirmLabel = t('Delete'), typeToConfirm, onConfirm } = props;
  const [typed, setTyped] = useState('');
  const act = useAct({ mutationFn: onConfirm, onSuccess: () => close() });
  const close = () => {
    onClose();
    act.reset();
    setTyped('');
  };
  return (
    <FormDialog
      opened={opened}
      onClose={close}
      title={title}
      onSubmit={(event) => {
        event.preventDefault();
        act.mutate();
      }}
      act={act}
      submitLabel={confirmLabel}
      disabled={typeToConfirm !== undefined && !isSame(typed, typeToConfirm)}
      danger
    >
      <Text size="sm" component="div">
        {children}
      </Text>
      {typeToConfirm && (
        <TextInput
          label={t('Type {text} to confirm', { text: typeToConfirm })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
          data-unmissed
          autoComplete="off"
        />
      )}
    </FormDialog>
  );
}
