import { Burger, CloseButton, Drawer } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { Outlet } from '@tanstack/react-router';
import { AccountMenu } from './components/account-menu.tsx';
import { ColorSchemeMenu } from './components/color-scheme-menu.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { NavigationList } from './components/navigation-list.tsx';
import { Notices } from './components/notices.tsx';
import { PaletteButton } from './components/palette-button.tsx';
import { SessionEnded } from './components/session-ended.tsx';
import { StepUp } from './components/step-up.tsx';
import { t } from './language/words.ts';
import { useBackCloses, useFocusBack } from './use-overlay.ts';

function NarrowNavigation() {
  const [opened, { open, close }] = useDisclosure();
  const root = useFocusBack(opened);
  useBackCloses(opened, close);
  return (
    <div className="svc-only-narrow">
      <Burger opened={opened} onClick={open} size="sm" aria-label={t('Open navigation')} aria-expanded={opened} />
      <Drawer.Root ref={root} opened={opened} onClose={close} size={280} padding="sm" returnFocus={false}>
        <Drawer.Overlay />
        <Drawer.Content aria-label={t('Navigation')}>
          <Drawer.Body>
            <CloseButton className="svc-drawer-close" onClick={close} aria-label={t('Close navigation')} />
            <NavigationList onLeave={close} />
          </Drawer.Body>
        </Drawer.Content>
      </Drawer.Root>
    </div>
  );
}

/** The frame of every page for signed-in users. */
export function Shell() {
  return (
    <ModalsProvider>
      <StepUp />
      <SessionEnded />
      <a className="svc-skip" href="#main">
        {t('Skip to content')}
      </a>
      <div className="svc-frame">
        <div className="svc-sidebar">
          <NavigationList />
        </div>
        <div>
          <header className="svc-header">
            <NarrowNavigation />
            <div style={{ flex: 1 }} />
            <PaletteButton />
            <LanguageMenu />
            <ColorSchemeMenu />
            <AccountMenu />
          </header>
          <main className="svc-main" id="main" tabIndex={-1}>
            <Notices />
            <Outlet />
          </main>
        </div>
      </div>
    </ModalsProvider>
  );
}
