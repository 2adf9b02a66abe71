import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** A reader within this distance of the end counts as being at the end. */
const nearPx = 48;
const upwards = new Set(['ArrowUp', 'PageUp', 'Home']);

interface Follow<Content extends HTMLElement> {
  /** The scrolling element. */
  region: RefObject<HTMLDivElement | null>;
  /** The growing element inside it. */
  content: RefObject<Content | null>;
  following: boolean;
  follow: () => void;
}

/**
 * Keeps the end of a growing region in view while the reader is at the end. Scrolling up stops following; scrolling
 * back to the end, or `follow`, resumes it.
 */
export function useStickToBottom<Content extends HTMLElement = HTMLOListElement>(): Follow<Content> {
  const region = useRef<HTMLDivElement>(null);
  const content = useRef<Content>(null);
  const [following, setFollowing] = useState(true);
  // A ref, because state updates one render late: text that grows in the same frame would pull the reader back.
  const held = useRef(true);
  const hold = useCallback((value: boolean) => {
    held.current = value;
    setFollowing(value);
  }, []);
  const toEnd = useCallback(() => {
    const element = region.current;
    if (element && held.current) element.scrollTop = element.scrollHeight;
  }, []);
  useEffect(() => {
    const element = region.current;
    if (!element) return;
    let [lastTop, lastHeight] = [element.scrollTop, element.scrollHeight];
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // Shrinking text also moves the scroll position up, without the reader scrolling.
      if (scrollTop < lastTop && scrollHeight >= lastHeight) hold(false);
      else if (scrollTop > lastTop && scrollHeight - scrollTop - clientHeight < nearPx) hold(true);
      [lastTop, lastHeight] = [scrollTop, scrollHeight];
    };
    const letGo = () => {
      if (element.scrollTop > 0) hold(false);
    };
    const onWheel = ({ deltaY }: WheelEvent) => deltaY < 0 && letGo();
    const onKey = ({ key, target }: KeyboardEvent) => target === element && upwards.has(key) && letGo();
    let touchedAt = 0;
    const onTouch = ({ touches }: TouchEvent) => {
      touchedAt = touches[0]?.clientY ?? 0;
    };
    const onMove = ({ touches }: TouchEvent) => (touches[0]?.clientY ?? 0) > touchedAt && letGo();
    const ended = new AbortController();
    const options = { passive: true, signal: ended.signal };
    element.addEventListener('scroll', onScroll, options);
    // On a busy page, text can grow between the reader's input and its scroll event, which then looks like no move.
    element.addEventListener('wheel', onWheel, options);
    element.addEventListener('keydown', onKey, options);
    element.addEventListener('touchstart', onTouch, options);
    element.addEventListener('touchmove', onMove, options);
    return () => ended.abort();
  }, [hold]);
  useEffect(() => {
    if (!content.current) return;
    // ResizeObserver runs after layout and before paint, so the end never flickers out of view.
    const observer = new ResizeObserver(toEnd);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [toEnd]);
  const follow = () => {
    hold(true);
    toEnd();
  };
  return { region, content, following, follow };
}
