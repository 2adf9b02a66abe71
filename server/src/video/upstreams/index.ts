import type { ChannelKind } from '../../lib/vendors/vendor.ts';
import { demoVideos } from './demo.ts';
import type { UpstreamKind } from './kind.ts';
import { openaiVideos } from './openai.ts';
import { openrouterVideos } from './openrouter.ts';

/** By channel kind; kinds missing here make no videos. */
export const upstreamKinds: Partial<Record<ChannelKind, UpstreamKind>> = {
  openai: openaiVideos,
  openrouter: openrouterVideos,
  demo: demoVideos,
};
