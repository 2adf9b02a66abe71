import { IconChevronDown } from '@tabler/icons-react';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useId, useRef } from 'react';
import { t } from '../language/words.ts';
import { type NavigationEntry, type NavigationGroup, navigationFor } from '../navigation.ts';
import { useUser } from '../session.ts';
import { useCollapsed } from '../use-collapsed.ts';
import { Brand } from './brand.tsx';

/**
 * A page's entry is also current for detail pages below its path, except `/` and `/admin`, which contain all others.
 */
const leadsTo = (path: string, open: string): boolean =>
  open === path || (path !== '/' && path !== '/admin' && open.startsWith(`${path}/`));

/** A plain link: there are about thirty, and on a slow machine the router's own take longer than the page itself. */
function NavigationLink({ label, path, icon: Icon, onLeave }: NavigationEntry & { onLeave?: () => void }) {
  const router = useRouter();
  const isOpen = useRouterState({ select: ({ location }) => leadsTo(path, location.pathname) });
  const follow = (event: MouseEvent) => {
    // Modifier keys and other buttons open a new tab or window: leave those to the browser.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onLeave?.();
    void router.navigate({ to: path });
  };
  const preload = () => void router.preloadRoute({ to: path });
  return (
    <a
      href={path}
      className="svc-nav-link"
      aria-current={isOpen ? 'page' : undefined}
      onClick={follow}
      onMouseEnter={preload}
      onFocus={preload}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
      {label}
    </a>
  );
}

function NavigationSection({ name, label, entries, onLeave }: NavigationGroup & { onLeave?: () => void }) {
  const id = useId();
  const [folded, fold] = useCollapsed(name);
  return (
    <>
      {label && (
        <button
          type="button"
          className="svc-nav-fold"
          id={id}
          aria-expanded={!folded}
          aria-controls={`${id}-list`}
          onClick={() => fold(!folded)}
        >
          {label}
          <IconChevronDown size={14} stroke={1.8} aria-hidden />
        </button>
      )}
      <ul id={`${id}-list`} aria-labelledby={label ? id : undefined} data-folded={folded}>
        {entries.map((entry) => (
          <li key={entry.path}>
            <NavigationLink {...entry} onLeave={onLeave} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** `onLeave` runs when a link is followed, for example to close the drawer. */
export function NavigationList({ onLeave }: { onLeave?: () => void }) {
  const user = useUser();
  const list = useRef<HTMLElement>(null);
  // The list may be taller than the window, and starts at its top after a reload: scroll to the current page.
  useEffect(() => {
    // In an animation frame: scrolling right now would force an extra layout.
    const frame = requestAnimationFrame(() =>
      list.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' }),
    );
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <nav className="svc-nav" aria-label={t('Main')} ref={list}>
      <Brand onClick={onLeave} />
      {navigationFor(user).map((group) => (
        <NavigationSection key={group.name} {...group} onLeave={onLeave} />
      ))}
    </nav>
  );
}
