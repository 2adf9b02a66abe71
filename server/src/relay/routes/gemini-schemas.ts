import { z } from 'zod';

/** For the API reference; requests are parsed by hand, so that unknown fields are forwarded. */
const content = z
  .looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({ text: z.string().optional() })) })
  .meta({ id: 'GeminiContent' });

export const generateRequest = z
  .looseObject({
    contents: z.array(content),
    systemInstruction: content.optional(),
    tools: z.array(z.looseObject({})).optional(),
    toolConfig: z.looseObject({}).optional(),
    generationConfig: z.looseObject({}).optional(),
    safetySettings: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'GenerateContentRequest' });

const answerWith = (candidate: z.ZodType) =>
  z.looseObject({
    candidates: z.array(candidate).optional(),
    usageMetadata: z.looseObject({ promptTokenCount: z.int(), totalTokenCount: z.int() }).optional(),
    modelVersion: z.string(),
    responseId: z.string().optional(),
  });

export const generateAnswer = answerWith(z.looseObject({ content, finishReason: z.string() })).meta({
  id: 'GenerateContentResponse',
});

/** Only the last element says why the answer ended. */
export const streamedAnswer = z.array(
  answerWith(z.looseObject({ content: content.optional(), finishReason: z.string().optional() })).meta({
    id: 'GenerateContentResponsePart',
  }),
);

export const countRequest = z
  .looseObject({ contents: z.array(content).optional(), generateContentRequest: generateRequest.optional() })
  .meta({ id: 'GeminiCountTokensRequest' });

export const countAnswer = z.object({ totalTokens: z.int() }).meta({ id: 'GeminiTokenCount' });

export const embedRequest = z
  .looseObject({ content, outputDimensionality: z.int().optional(), taskType: z.string().optional() })
  .meta({ id: 'EmbedContentRequest' });

const embedding = z.looseObject({ values: z.array(z.number()) });
export const embedAnswer = z.object({ embedding }).meta({ id: 'EmbedContentResponse' });

export const batchEmbedRequest = z
  .looseObject({ requests: z.array(embedRequest) })
  .meta({ id: 'BatchEmbedContentsRequest' });
export const batchEmbedAnswer = z.object({ embeddings: z.array(embedding) }).meta({ id: 'BatchEmbedContentsResponse' });
