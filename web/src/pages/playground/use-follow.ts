import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Nearer to the end than this counts as reading the end. */
const nearPx = 48;

/**
 * Keeps the end of a growing region in view while the reader is there. Scrolling up lets go; coming back, or `follow`,
 * takes up again.
 */
export function useFollow(grown: unknown): {
  region: RefObject<HTMLDivElement | null>;
  following: boolean;
  follow: () => void;
} {
  const region = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const toEnd = useCallback(() => {
    const element = region.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    let last = element.scrollTop;
    const onScroll = () => {
      const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < nearPx;
      // Growing text moves the end away without any scrolling: only a move upwards is the reader's.
      if (atEnd) setFollowing(true);
      else if (element.scrollTop < last) setFollowing(false);
      last = element.scrollTop;
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => element.removeEventListener('scroll', onScroll);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: growth is the reason to run, though nothing inside reads it
  useEffect(() => {
    if (following) toEnd();
  }, [grown, following, toEnd]);
  const follow = () => {
    setFollowing(true);
    toEnd();
  };
  return { region, following, follow };
}
