import { IconChevronDown } from '@tabler/icons-react';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { type MouseEvent, useEffect, useId, useRef } from 'react';
import { t } from '../language/words.ts';
import { type NavigationEntry, type NavigationGroup, navigationFor } from '../navigation.ts';
import { useUser } from '../session.ts';
import { useFolded } from '../use-folded.ts';
import { Brand } from './brand.tsx';

/** Below a page's own address are pages of single things; the first pages have all others below theirs. */
const leadsTo = (path: string, open: string): boolean =>
  open === path || (path !== '/' && path !== '/admin' && open.startsWith(`${path}/`));

/** A plain link: there are some thirty, and the router's own takes a slow machine longer than the page itself. */
function NavigationLink({ label, path, icon: Icon, onLeave }: NavigationEntry & { onLeave?: () => void }) {
  const router = useRouter();
  const isOpen = useRouterState({ select: ({ location }) => leadsTo(path, location.pathname) });
  const follow = (event: MouseEvent) => {
    // Another key or button asks the browser for another tab or window.
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
  const [folded, fold] = useFolded(name);
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

/** `onLeave` runs when a link is followed: a drawer closes. */
export function NavigationList({ onLeave }: { onLeave?: () => void }) {
  const user = useUser();
  const list = useRef<HTMLElement>(null);
  // The list may be longer than the window, and begins at its top after a reload.
  useEffect(() => {
    // With the frame: asked at once, the browser would lay out the page for this, and again to show it.
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
