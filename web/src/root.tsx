import { Outlet, useMatches } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Around every page: keeps the document's title in step. */
export function Root() {
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title });
  useEffect(() => {
    document.title = title ? `${title} · svc` : 'svc';
  }, [title]);
  return <Outlet />;
}
