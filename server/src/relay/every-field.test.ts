import { describe, expect, test } from 'bun:test';
import { askedKinds, membersOf, outcomeOf, type Place } from './every-field.fixture.ts';
import { chatPlaces, responsesPlaces } from './every-field-openai.fixture.ts';
import { geminiPlaces, messagesPlaces } from './every-field-others.fixture.ts';
import { parseChatRequest } from './wire/chat/request.ts';
import type { Conversation, Json } from './wire/conversation.ts';
import { parseGeminiRequest } from './wire/gemini/request.ts';
import { parseMessagesRequest } from './wire/messages/request.ts';
import { parseResponsesRequest } from './wire/responses/request.ts';

const fronts: Record<string, { parse: (body: Json) => Conversation; places: Record<string, Place> }> = {
  chat: { parse: parseChatRequest, places: chatPlaces },
  responses: { parse: (body) => parseResponsesRequest(body), places: responsesPlaces },
  messages: { parse: (body) => parseMessagesRequest(body), places: messagesPlaces },
  gemini: { parse: (body) => parseGeminiRequest(body, { model: 'm', stream: false }), places: geminiPlaces },
};

/** Everybody but the vendor of the format itself. */
const butOpenai = 'claude gemini converse';
const butResponses = `openai mistral ${butOpenai}`;
const butClaude = 'openai responses mistral gemini converse';
const butGoogle = 'openai responses mistral claude converse';
const unseeded = 'responses claude converse';

/** Why a member may be left out, and for whom it is. All else is carried, or refused by its name. */
const leftOut: [why: string, members: Record<string, string>][] = [
  [
    'A wish: an answer without it is the same kind of answer.',
    {
      'chat.body.seed': unseeded,
      'chat.body.frequency_penalty': unseeded,
      'chat.body.presence_penalty': unseeded,
      'chat.body.parallel_tool_calls': 'gemini converse',
      'chat.body.verbosity': `mistral ${butOpenai}`,
      'responses.body.parallel_tool_calls': 'gemini converse',
      'responses.text.verbosity': `mistral ${butOpenai}`,
      'responses.reasoning.context': butResponses,
      'responses.reasoning.generate_summary': butResponses,
      'responses.reasoning.mode': butResponses,
      'responses.reasoning.summary': butResponses,
      'messages.body.top_k': 'openai responses mistral converse',
      'messages.output_config.task_budget': butClaude,
      'messages.system.output_config': butClaude,
      'messages.thinking.display': butClaude,
      'gemini.config.seed': unseeded,
      'gemini.config.frequencyPenalty': unseeded,
      'gemini.config.presencePenalty': unseeded,
      'gemini.config.topK': 'openai responses mistral converse',
      'gemini.config.enableEnhancedCivicAnswers': butGoogle,
    },
  ],
  [
    'Models of this vendor think as they do, or not at all.',
    {
      'responses.body.reasoning': 'mistral',
      'responses.reasoning.effort': 'mistral',
      'messages.body.thinking': 'mistral',
      'messages.body.output_config': 'mistral',
      'messages.thinking.budget_tokens': 'mistral',
      'messages.output_config.effort': 'mistral',
      'gemini.config.thinkingConfig': 'mistral',
      'gemini.thinking.includeThoughts': 'mistral',
      'gemini.thinking.thinkingBudget': 'mistral',
      'gemini.thinking.thinkingLevel': 'mistral',
    },
  ],
  [
    'How fast, how cheap or from which cache: the answer is the same.',
    {
      'chat.body.prediction': `responses ${butOpenai}`,
      'chat.body.prompt_cache_key': `mistral ${butOpenai}`,
      'chat.body.prompt_cache_options': butOpenai,
      'chat.body.prompt_cache_retention': `mistral ${butOpenai}`,
      'chat.body.service_tier': `mistral ${butOpenai}`,
      'chat.text.prompt_cache_breakpoint': 'responses mistral gemini',
      'responses.body.prompt_cache_key': `mistral ${butOpenai}`,
      'responses.body.prompt_cache_options': `mistral ${butOpenai}`,
      'responses.body.prompt_cache_retention': `mistral ${butOpenai}`,
      'responses.body.image': butResponses,
      'responses.body.service_tier': `mistral ${butOpenai}`,
      'responses.input_text.prompt_cache_breakpoint': 'openai mistral gemini',
      'responses.input_image.prompt_cache_breakpoint': 'openai mistral gemini',
      'responses.input_file.prompt_cache_breakpoint': 'openai mistral gemini',
      'messages.body.cache_control': butClaude,
      'messages.body.fallback_credit_token': butClaude,
      'messages.body.service_tier': butClaude,
      'messages.body.speed': butClaude,
      'messages.tool.cache_control': butClaude,
      'messages.tool.eager_input_streaming': butClaude,
      'messages.text.cache_control': 'openai responses mistral gemini',
      'messages.image.cache_control': 'openai responses mistral gemini',
      'messages.document.cache_control': 'openai responses mistral gemini',
      'messages.tool_result.cache_control': 'openai responses mistral gemini',
      'messages.compaction.cache_control': butClaude,
      'gemini.config.serviceTier': butGoogle,
    },
  ],
  [
    'For the books and dashboards of the vendor, whose customer we are.',
    {
      'chat.body.metadata': `mistral ${butOpenai}`,
      'chat.body.store': `responses mistral ${butOpenai}`,
      'chat.body.user': 'mistral gemini converse',
      'chat.body.safety_identifier': 'mistral gemini converse',
      'responses.body.access_programs': butResponses,
      'responses.body.metadata': butResponses,
      'responses.body.user': 'mistral gemini converse',
      'responses.body.safety_identifier': 'mistral gemini converse',
      'messages.body.metadata': 'mistral gemini converse',
      'messages.body.diagnostics': butClaude,
      'gemini.config.labels': butGoogle,
      'gemini.config.store': butGoogle,
      'gemini.part.partMetadata': butGoogle,
    },
  ],
  [
    'Done here, whoever answers.',
    {
      'chat.body.stream_options': `openai responses mistral ${butOpenai}`,
      'responses.body.stream_options': butResponses,
      'responses.body.truncation': butResponses,
    },
  ],
  [
    'Goes with what is refused by itself: without that it means nothing.',
    {
      'chat.body.top_logprobs': `mistral ${butOpenai}`,
      'responses.body.max_tool_calls': butResponses,
      'gemini.config.logprobs': 'mistral claude converse',
      'gemini.config.audioTimestamp': butGoogle,
      'gemini.part.videoMetadata': butGoogle,
      'gemini.part.speechMetadata': butGoogle,
      'gemini.part.mediaProcessing': butGoogle,
    },
  ],
  [
    'How a tool is offered where a vendor runs code or looks for tools; others are offered all of them, with what they take and give in words.',
    {
      'responses.tool.allowed_callers': butResponses,
      'responses.tool.async': butResponses,
      'responses.tool.defer_loading': butResponses,
      'responses.tool.output_schema': butResponses,
      'responses.tool.strict': butOpenai,
      'messages.tool.allowed_callers': butClaude,
      'messages.tool.defer_loading': butClaude,
      'messages.tool.input_examples': butClaude,
      'messages.tool.strict': 'gemini converse',
      'gemini.declaration.behavior': butGoogle,
      'gemini.declaration.response': butGoogle,
      'gemini.declaration.responseJsonSchema': butGoogle,
    },
  ],
  [
    'Sealed by its vendor, or of its own account: nobody else can read it.',
    {
      'chat.assistant.audio': `responses mistral ${butOpenai}`,
      'messages.text.citations': butClaude,
      'messages.thinking.block_binding': butClaude,
      'messages.compaction.encrypted_content': butClaude,
      'messages.compaction.signature': butClaude,
      'gemini.part.thoughtSignature': butGoogle,
    },
  ],
  [
    'The format has no place for it; what is said and seen stays.',
    {
      'chat.user.name': `responses mistral ${butOpenai}`,
      'chat.assistant.name': `responses mistral ${butOpenai}`,
      'responses.input_image.detail': butOpenai,
      'responses.input_file.detail': butResponses,
      'responses.input_file.filename': 'gemini',
      'messages.document.title': 'gemini',
      'messages.document.citations': butClaude,
      'messages.image.transformations': butClaude,
      'gemini.config.mediaResolution': butGoogle,
      'gemini.part.mediaResolution': butGoogle,
    },
  ],
  [
    'Edits of a long conversation, other models for refusals, other thresholds: the vendor that answers has its own.',
    {
      'messages.body.context_management': butClaude,
      'messages.body.fallbacks': butClaude,
      'gemini.config.routingConfig': butGoogle,
      'gemini.config.modelSelectionConfig': butGoogle,
      'gemini.config.safetySettings': butGoogle,
    },
  ],
];
const reasons = new Map(leftOut.flatMap(([, members]) => Object.entries(members)));

/** What was refused, where the format has another word for what a member asks. */
const otherWords: Record<string, string> = {
  'responses.body.include': 'logprobs',
  'responses.body.top_logprobs': 'logprobs',
  'gemini.part.fileData': 'fileUri',
};

const places = Object.entries(fronts).flatMap(([front, { parse, places }]) =>
  Object.entries(places).map(([name, place]) => ({ at: `${front}.${name}`, parse, place })),
);

describe.each(places)('$at', ({ at, parse, place }) => {
  test('has a sample for every field of the vendor’s library', () => {
    expect([...place.given, ...Object.keys(place.samples)].sort()).toEqual(membersOf(...place.type).sort());
  });

  test.each(Object.keys({ ...place.samples, ...place.older, ...place.newer }))(
    '%s is forwarded, rejected by name, or dropped for a listed reason',
    (name) => {
      const member = `${at}.${name}`;
      const outcomes = Object.entries(askedKinds).map(([asked, one]) => [asked, outcomeOf(place, parse, name, one)]);
      const found = (is: (outcome: string) => boolean) =>
        outcomes.filter(([, outcome]) => is(outcome!)).map(([asked]) => asked);
      expect(
        found((outcome) => outcome === 'dropped')
          .join(' ')
          .split(' ')
          .sort(),
      ).toEqual((reasons.get(member) ?? '').split(' ').sort());
      expect(
        found((outcome) => outcome.startsWith('refused as') && !outcome.includes(otherWords[member] ?? name)),
      ).toEqual([]);
    },
  );
});

test('reasons are listed only for existing fields', () => {
  const known = new Set(
    places.flatMap(({ at, place }) =>
      Object.keys({ ...place.samples, ...place.older, ...place.newer }).map((name) => `${at}.${name}`),
    ),
  );
  expect([...reasons.keys()].filter((member) => !known.has(member))).toEqual([]);
});
