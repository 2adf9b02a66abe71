import { Outlet, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';
import { StepUp } from './components/step-up.tsx';
import { titleOf, usePageName } from './page-name.ts';

/** Around every page: keeps the document's title in step, and asks for the second factor where an act needs it. */
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
