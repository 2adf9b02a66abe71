import { Drawer, type DrawerProps, Modal, type ModalProps } from '@mantine/core';
import { t } from '../language/words.ts';
import { mayClose } from '../unsaved-changes.ts';
import { useBackCloses, useFocusBack } from '../use-overlay.ts';

const stay = () => {};

/**
 * Base of all dialogs: Esc and Back close it, after asking if it has unsent changes, and focus returns to the opener.
 */
export function Dialog(props: ModalProps) {
  const root = useFocusBack(props.opened);
  const close = () => mayClose(root.current) && props.onClose();
  // If Esc must not close the dialog, Back does nothing either, and does not leave the page.
  useBackCloses(props.opened, props.closeOnEscape === false ? stay : close);
  return <Modal ref={root} {...props} onClose={close} returnFocus={false} />;
}

/** Details of a list item. The URL names the item (`useOpened`), so Back closes the drawer. */
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

/** The same for a drawer that is not in the URL. */
export function SideDialog(props: DrawerProps) {
  useBackCloses(props.opened, props.onClose);
  return <DetailDrawer {...props} />;
}
