import { IconChevronDown } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import { t } from '../language/words.ts';
import { type NavigationGroup, navigationFor } from '../navigation.ts';
import { useUser } from '../session.ts';
import { useFolded } from '../use-folded.ts';
import { Brand } from './brand.tsx';

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
        {entries.map(({ label: text, path, icon: Icon }) => (
          <li key={path}>
            {/* The router marks the link of the open page with aria-current. */}
            <Link
              to={path}
              className="svc-nav-link"
              activeOptions={{ exact: path === '/' || path === '/admin', includeSearch: false }}
              onClick={onLeave}
            >
              <Icon size={18} stroke={1.7} aria-hidden />
              {text}
            </Link>
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
