import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { t } from '../language/words.ts';
import { useBackCloses, useFocusBack } from '../use-overlay.ts';

const stay = () => {};

/** Every dialog: Esc and Back close it, and focus returns to what opened it. */
export function Dialog(props: ModalProps) {
  const root = useFocusBack(props.opened);
  // What Esc may not close, Back may not either, and does not leave.
  useBackCloses(props.opened, props.closeOnEscape === false ? stay : props.onClose);
  return <Modal ref={root} {...props} returnFocus={false} />;
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
      returnFocus={false}
    />
  );
}

/** The same for what the address does not name. */
export function SideDialog(props: DrawerProps) {
  useBackCloses(props.opened, props.onClose);
  return <DetailDrawer {...props} />;
}
