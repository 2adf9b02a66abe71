import { useEffect, useState } from 'react';

/** More than fit on a screen. */
const atOnce = 20;
/** Few enough that typing does not stall meanwhile. */
const step = 5;
/** Lets the browser handle input and paint in between. */
const pauseMs = 20;

/**
 * Index of the first turn to render: a long chat opens with its end, and the turns before it follow step by step.
 * `chat` identifies the chat.
 */
export function useFirstTurn(chat: string, count: number): number {
  const start = Math.max(0, count - atOnce);
  const [reached, setReached] = useState({ chat, first: start });
  const first = reached.chat === chat ? reached.first : start;
  useEffect(() => {
    if (first === 0 && reached.chat === chat) return;
    const timer = setTimeout(() => setReached({ chat, first: Math.max(0, first - step) }), pauseMs);
    return () => clearTimeout(timer);
  }, [chat, first, reached]);
  return first;
}
