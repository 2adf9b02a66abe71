import { CloseButton, Drawer } from '@mantine/core';
import { t } from '../language/words.ts';
import { useBackCloses, useFocusBack } from '../use-overlay.ts';
import { NavigationList } from './navigation-list.tsx';

export interface NavigationDrawerProps {
  opened: boolean;
  onClose: () => void;
}

/** The navigation on screens without room for a sidebar. */
export function NavigationDrawer({ opened, onClose }: NavigationDrawerProps) {
  const root = useFocusBack(opened);
  useBackCloses(opened, onClose);
  return (
    <Drawer.Root ref={root} opened={opened} onClose={onClose} size={280} padding="sm" returnFocus={false}>
      <Drawer.Overlay />
      <Drawer.Content aria-label={t('Navigation')}>
        <Drawer.Body>
          <CloseButton className="svc-drawer-close" onClick={onClose} aria-label={t('Close navigation')} />
          <NavigationList onLeave={onClose} />
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
