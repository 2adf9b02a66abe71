import { OutgoingError, sendGuarded } from '../../platform/http/outgoing.ts';
import { failure, UpstreamFault } from '../wire/conversation.ts';

/** Enough for 4096 × 4096 pixels; anything larger is no image. */
const maxImageBytes = 40 * 1024 * 1024;
const timeoutMs = 30_000;

/** The image of a data URL, which some upstreams also return as base64; null for anything else. */
export function inlineImage(url: string): Uint8Array | null {
  const head = /^data:[^,;]*;base64,/.exec(url);
  return head && Buffer.from(url.slice(head[0].length), 'base64');
}

/** Fetches an image from an upstream's URL. Private addresses are allowed only on the host the operator configured. */
export async function fetchImage(url: string, channelUrl: string, signal: AbortSignal): Promise<Uint8Array> {
  const inline = inlineImage(url);
  if (inline) return inline;
  const sameHost = URL.parse(url)?.host === URL.parse(channelUrl)?.host;
  try {
    const answer = await sendGuarded(
      { url, method: 'GET', headers: { accept: 'image/*' }, timeoutMs, maxAnswerBytes: maxImageBytes, signal },
      { allowPrivate: sameHost },
    );
    if (answer.status === 200 && !answer.truncated) return answer.body;
    const why = answer.truncated ? 'is too large' : `returned ${answer.status}`;
    throw new UpstreamFault(failure(`the image URL ${why}`));
  } catch (error) {
    if (error instanceof OutgoingError)
      throw new UpstreamFault(failure(`an image could not be fetched: ${error.message}`));
    throw error;
  }
}
