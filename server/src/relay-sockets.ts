import type { Config } from './config.ts';
import type { Identity } from './identity/open.ts';
import type { Route } from './platform/http/route.ts';
import type { Platform } from './platform/open.ts';
import type { RelayDeps } from './relay/deps.ts';
import { openRealtime } from './relay/realtime/open.ts';
import { openResponseSockets } from './relay/response-sockets/open.ts';
import type { Ask } from './relay/response-sockets/request-sender.ts';

interface Needed {
  platform: Platform;
  config: Config;
  identity: Identity;
  relay: RelayDeps;
  /** The service's entry point. */
  ask: Ask;
}

export interface RelaySockets {
  routes: Route[];
  /** Connections end as soon as they are idle. */
  drain(): void;
  stop(): Promise<void>;
}

/** The relay's WebSocket endpoints. */
export function openRelaySockets({ platform, config, identity, relay, ask }: Needed): RelaySockets {
  const { metrics, clock, log } = platform;
  const realtime = openRealtime({
    ...relay,
    ...{ clientSecrets: identity.clientSecrets, outgoingProxy: config.outgoingProxy, metrics },
    identify: identity.authenticators.socketKey,
  });
  const responses = openResponseSockets({ clock, log, ask, metrics, baseUrl: config.baseUrl });
  return {
    routes: [...realtime.routes, ...responses.routes],
    drain: () => {
      realtime.drain();
      responses.drain();
    },
    stop: async () => {
      responses.stop();
      await realtime.stop();
    },
  };
}
