import { Burger } from '@mantine/core';
import { Outlet, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { AccountMenu } from './components/account-menu.tsx';
import { ColorSchemeMenu } from './components/color-scheme-menu.tsx';
import { LanguageMenu } from './components/language-menu.tsx';
import { NavigationList } from './components/navigation-list.tsx';
import { Notices } from './components/notices.tsx';
import { PaletteButton } from './components/palette-button.tsx';
import { SessionEnded } from './components/session-ended.tsx';
import { SkipLink } from './components/skip-link.tsx';
import { t } from './language/words.ts';
import { lazyComponent } from './lazy-components.tsx';
import { keepLists } from './left-lists.ts';
import { guardLeaving } from './unsaved-changes.ts';

const NavigationDrawer = lazyComponent('NavigationDrawer');

function NarrowNavigation() {
  const [opened, setOpened] = useState<boolean>();
  return (
    <div className="svc-only-narrow">
      <Burger
        opened={opened}
        onClick={() => setOpened(true)}
        size="sm"
        aria-label={t('Open navigation')}
        aria-expanded={opened === true}
      />
      {opened !== undefined && <NavigationDrawer opened={opened} onClose={() => setOpened(false)} />}
    </div>
  );
}

/** The layout of every page for signed-in users. */
export function Shell() {
  const router = useRouter();
  const { history } = router;
  useEffect(() => guardLeaving(history), [history]);
  useEffect(() => keepLists(router), [router]);
  return (
    <>
      <SessionEnded />
      <SkipLink />
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
    </>
  );
}
