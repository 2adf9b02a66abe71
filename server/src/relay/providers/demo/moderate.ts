import { z } from 'zod';
import { randomString } from '../../../lib/ids.ts';
import { mapYielding } from '../../../lib/map-yielding.ts';
import { table } from '../../../lib/table.ts';

export const moderationRequest = z.looseObject({
  model: z.string().optional(),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1),
    z.array(z.looseObject({ type: z.string(), text: z.string().optional() })).min(1),
  ]),
});

/** A few simple patterns per category: enough to show the endpoint's shape, not to judge real content. */
const patterns = table<RegExp>({
  harassment:
    /\b(?:you(?:'re| are) (?:an? )?(?:idiot|moron|loser|worthless|stupid|pathetic)|shut up|nobody likes you)\b/gi,
  'harassment/threatening': /\b(?:i(?:'ll| will| am going to) (?:hurt|kill|find|beat|destroy) you|watch your back)\b/gi,
  hate: /\b(?:i hate (?:all )?(?:immigrants|women|men|gays|jews|muslims|christians)|subhumans?|inferior race)\b/gi,
  'hate/threatening':
    /\b(?:kill|exterminate|wipe out) (?:all )?(?:the )?(?:immigrants|women|men|gays|jews|muslims|christians)\b/gi,
  illicit:
    /\b(?:how to|help me) (?:steal|shoplift|launder money|forge|counterfeit|make (?:meth|drugs)|pick a lock)\b/gi,
  'illicit/violent': /\b(?:how to|help me) (?:make|build) (?:a )?(?:bomb|explosives?|pipe bomb|weapon)\b/gi,
  'self-harm': /\b(?:suicide|self[- ]harm|cut myself|kill myself|end my life)\b/gi,
  'self-harm/intent': /\b(?:i (?:want|am going|plan) to (?:kill myself|die|end my life|hurt myself))\b/gi,
  'self-harm/instructions': /\bhow (?:to|can i|do i) (?:kill myself|commit suicide|hurt myself|self[- ]harm)\b/gi,
  sexual: /\b(?:porn(?:ography)?|explicit sex|erotica|nudes?|sexual intercourse)\b/gi,
  'sexual/minors': /\b(?:child porn(?:ography)?|sexual\w* .{0,20}\b(?:child|minor|underage)\w*)\b/gi,
  violence: /\b(?:kill|murder|stab|shoot|massacre|slaughter|torture)(?:s|ed|ing)?\b/gi,
  'violence/graphic': /\b(?:dismember\w*|decapitat\w*|disembowel\w*|blood everywhere|gore)\b/gi,
});

function judge(text: string): Record<string, unknown> {
  const scores = Object.entries(patterns).map(([category, pattern]): [string, number] => {
    const hits = text.match(pattern)?.length ?? 0;
    return [category, hits === 0 ? 0.0001 : Math.round((1 - 0.25 ** hits) * 10_000) / 10_000];
  });
  const categories = scores.map(([category, score]): [string, boolean] => [category, score >= 0.5]);
  return {
    flagged: categories.some(([, hit]) => hit),
    categories: Object.fromEntries(categories),
    category_scores: Object.fromEntries(scores),
    category_applied_input_types: Object.fromEntries(scores.map(([category]) => [category, ['text']])),
  };
}

export async function answerModeration(request: z.infer<typeof moderationRequest>): Promise<Record<string, unknown>> {
  const { input } = request;
  const texts = typeof input === 'string' ? [input] : input.every((one) => typeof one === 'string') ? input : null;
  return {
    id: `modr-${randomString(24)}`,
    model: request.model ?? 'demo/moderation',
    // Parts are judged together, strings separately, as with OpenAI.
    results: texts
      ? await mapYielding(texts, judge)
      : [judge((input as { text?: string }[]).map((part) => part.text ?? '').join('\n'))],
  };
}
