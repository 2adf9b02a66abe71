import { useCallback, useEffect, useRef, useState } from 'react';
import { eventNames, parseEvent, type RunEvent } from './run-events.ts';
import { emptyView, type RunView, withEvent } from './run-view.ts';

export type Connection = 'connecting' | 'live' | 'ended' | 'lost';

/** Pieces of output come many a second; the page is drawn this often at most. */
const drawEveryMs = 80;
const longestRetryMs = 15_000;

const hasEnded = ({ status }: RunView): boolean => status !== null && status !== 'running';

/**
 * The run's events from its beginning, then live. The browser reconnects with Last-Event-ID by itself; where it gives up
 * (an error answer), this tries again with `last_event_id`. `follow` opens the stream again after a resume.
 */
export function useRunEvents(
  sessionId: string,
  /** Whether there is a run at all. */
  exists: boolean,
): { view: RunView; connection: Connection; follow: () => void } {
  const [view, setView] = useState(emptyView);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [round, setRound] = useState(0);
  // What has been taken in, drawn or not; also where to go on from.
  const current = useRef({ sessionId, view: emptyView });

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is the reason to run, though nothing inside reads it
  useEffect(() => {
    if (current.current.sessionId !== sessionId) {
      current.current = { sessionId, view: emptyView };
      setView(emptyView);
    }
    if (!exists) return;
    let source: EventSource | undefined;
    let drawing: ReturnType<typeof setTimeout> | undefined;
    let retrying: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;

    const draw = () => {
      drawing = undefined;
      setView(current.current.view);
    };
    const take = (id: number, event: RunEvent) => {
      current.current.view = withEvent(current.current.view, id, event);
      drawing ??= setTimeout(draw, drawEveryMs);
    };
    const open = () => {
      const { lastId } = current.current.view;
      const query = lastId > 0 ? `?last_event_id=${lastId}` : '';
      source = new EventSource(`/api/svc-ms/autonomous/${encodeURIComponent(sessionId)}/events${query}`);
      source.onopen = () => {
        failures = 0;
        setConnection('live');
      };
      // A broken connection and the run's own `error` event come by the same name; only the latter is a message.
      const onEvent = (message: Event) => {
        if (!(message instanceof MessageEvent)) return;
        const event = parseEvent(message.data);
        if (event) take(Number(message.lastEventId), event);
      };
      for (const name of eventNames) source.addEventListener(name, onEvent);
      source.addEventListener('error', (event) => {
        if (event instanceof MessageEvent) return;
        // The service closes after the last event; asked for more, it answers 204, and the browser stays away.
        const ended = hasEnded(current.current.view);
        setConnection(ended ? 'ended' : 'lost');
        if (ended || source?.readyState !== EventSource.CLOSED) return;
        failures += 1;
        retrying = setTimeout(open, Math.min(longestRetryMs, 500 * 2 ** failures));
      });
    };
    setConnection('connecting');
    open();
    return () => {
      source?.close();
      clearTimeout(drawing);
      clearTimeout(retrying);
    };
  }, [sessionId, exists, round]);

  const follow = useCallback(() => setRound((before) => before + 1), []);
  return { view, connection, follow };
}
