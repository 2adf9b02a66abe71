import { type ModalProps, Stack } from '@mantine/core';
import type { FormEvent } from 'react';
import { Dialog } from './dialog.tsx';
import { FormFoot, type FormFootProps } from './form-foot.tsx';

interface FormDialogProps
  extends Pick<ModalProps, 'title' | 'size' | 'zIndex' | 'onClose' | 'children'>,
    Omit<FormFootProps, 'onCancel'> {
  /** Absent if the caller renders the dialog only while it is open. */
  opened?: boolean;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  noValidate?: boolean;
}

/** A form in a dialog; its children are the fields. */
export function FormDialog(props: FormDialogProps) {
  const { opened = true, onClose, title, size, zIndex, onSubmit, noValidate, children, ...foot } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={size} zIndex={zIndex}>
      <form onSubmit={onSubmit} noValidate={noValidate}>
        <Stack>
          {children}
          <FormFoot {...foot} onCancel={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
