import { type ComponentType, createElement, useEffect, useState } from 'react';

/** Exports of a script that is loaded on demand, once it is here. */
export interface Source<Exports> {
  here?: Exports;
  load: () => Promise<Exports>;
}

const againMs = 2_000;

/** Loads for as long as the component is mounted: a script may fail to load because the network is gone for a while. */
export function useLater<Exports>(source: Source<Exports>): { here: Exports | undefined; failed: boolean } {
  const [, show] = useState(() => source.here);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (source.here) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wanted = true;
    const ask = async () => {
      try {
        const exports = await source.load();
        source.here = exports;
        if (wanted) show(() => exports);
      } catch {
        if (!wanted) return;
        setFailed(true);
        timer = setTimeout(ask, againMs);
      }
    };
    void ask();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [source]);
  return { here: source.here, failed };
}

/**
 * A component from a script that is loaded when it is first shown; until then, `Meanwhile` stands in for it. `lazy` of
 * React would throw after a failure, again and again, and take the whole page with it.
 */
export function later<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Meanwhile: ComponentType<Props & { failed: boolean }>,
): ComponentType<Props> {
  const source: Source<ComponentType<Props>> = { load };
  return function Later(props: Props) {
    const { here, failed } = useLater(source);
    return here ? createElement(here, props) : createElement(Meanwhile, { ...props, failed });
  };
}
