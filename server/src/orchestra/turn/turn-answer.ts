import type { Usage } from '../../lib/money.ts';
import type { ChatMessage } from '../messages.ts';
import type { Meta } from './meta.ts';

export interface TurnAnswer {
  message: ChatMessage & { reasoning_content?: string };
  finishReason: string;
  usage: Usage;
  meta: Meta;
}
