import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { t } from '../language/words.ts';
import { mayClose } from '../unsent.ts';
import { useBackCloses, useFocusBack } from '../use-overlay.ts';

const stay = () => {};

/** Every dialog: Esc and Back close it, not without asking where something was typed, and focus returns to what opened it. */
export function Dialog(props: ModalProps) {
  const root = useFocusBack(props.opened);
  const close = () => mayClose(root.current) && props.onClose();
  // What Esc may not close, Back may not either, and does not leave.
  useBackCloses(props.opened, props.closeOnEscape === false ? stay : close);
  return <Modal ref={root} {...props} onClose={close} returnFocus={false} />;
}

/** The details of what a list shows. The address names them (`useOpened`), and so Back closes them. */
export function DetailDrawer(props: DrawerProps) {
  const root = useFocusBack(props.opened);
  return (
    <Drawer
      ref={root}
      position="right"
      styles={{ title: { fontWeight: 600 } }}
      closeButtonProps={{ 'aria-label': t('Close') }}
      {...props}
      onClose={() => mayClose(root.current) && props.onClose()}
      returnFocus={false}
    />
  );
}

/** The same for what the address does not name. */
export function SideDialog(props: DrawerProps) {
  useBackCloses(props.opened, props.onClose);
  return <DetailDrawer {...props} />;
}
