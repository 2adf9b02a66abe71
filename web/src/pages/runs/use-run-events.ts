import { useCallback, useEffect, useRef, useState } from 'react';
import { eventNames, parseEvent, type RunEvent } from './run-events.ts';
import { emptyView, type RunView, withEvent } from './run-view.ts';

export type Connection = 'connecting' | 'live' | 'ended' | 'lost';

/** Output chunks arrive many times a second; render at most this often. */
const drawEveryMs = 80;
const longestRetryMs = 15_000;

const hasEnded = ({ status }: RunView): boolean => status !== null && status !== 'running';

/**
 * Streams the run's events: first the past ones, then live. The browser reconnects with Last-Event-ID; when it gives up
 * (on an error response), this hook retries with `last_event_id`. `follow` reopens the stream after a resume.
 */
export function useRunEvents(
  sessionId: string,
  /** Whether the run exists. */
  exists: boolean,
): { view: RunView; connection: Connection; follow: () => void } {
  const [view, setView] = useState(emptyView);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [round, setRound] = useState(0);
  // All events received, rendered or not; also the position to reconnect from.
  const current = useRef({ sessionId, view: emptyView });

  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` is not read inside, but reopens the stream
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
      // Connection errors and the run's own `error` event share one name; only the latter is a MessageEvent.
      const onEvent = (message: Event) => {
        if (!(message instanceof MessageEvent)) return;
        const event = parseEvent(message.data);
        if (event) take(Number(message.lastEventId), event);
      };
      for (const name of eventNames) source.addEventListener(name, onEvent);
      source.addEventListener('error', (event) => {
        if (event instanceof MessageEvent) return;
        // The service closes the stream after the last event. It answers a reconnect with 204, so the browser stops
        // retrying.
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
