import { Outlet, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { StepUp } from './components/step-up.tsx';
import { titleOf, usePageName } from './page-name.ts';

/** Wraps every page: keeps the document title up to date, and asks for the second factor when an action needs it. */
export function Root() {
  const kind = useMatches({ select: (matches) => matches.at(-1)?.staticData.title });
  const name = usePageName();
  useEffect(() => {
    document.title = titleOf(name, kind);
  }, [name, kind]);
  return (
    <>
      <Outlet />
      <StepUp />
    </>
  );
}
