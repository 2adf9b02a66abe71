import type { Message } from '@anthropic-ai/sdk/resources/messages';
import type { CountTokensResponse, EmbedContentResponse, GenerateContentResponse } from '@google/genai';
import type {
  Transcription,
  TranscriptionStreamEvent,
  TranscriptionVerbose,
} from 'openai/resources/audio/transcriptions';
import type { Translation } from 'openai/resources/audio/translations';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Completion } from 'openai/resources/completions';
import type { Conversation } from 'openai/resources/conversations/conversations';
import type { ConversationItemList } from 'openai/resources/conversations/items';
import type { CreateEmbeddingResponse } from 'openai/resources/embeddings';
import type { FileObject } from 'openai/resources/files';
import type { ImageEditStreamEvent, ImageGenStreamEvent, ImagesResponse } from 'openai/resources/images';
import type { Model } from 'openai/resources/models';
import type { ModerationCreateResponse } from 'openai/resources/moderations';
import type { ClientSecretCreateResponse } from 'openai/resources/realtime/client-secrets';
import type { Response } from 'openai/resources/responses/responses';
import type { Upload } from 'openai/resources/uploads/uploads';
import type { Video } from 'openai/resources/videos';
import type { Written } from '../wire/sdk-types.fixture.ts';

/** What each vendor's own library says that a whole answer is, by a word for it. Types of pages are not those on the wire. */
export interface SdkAnswers {
  chat: Written<ChatCompletion>;
  completion: Written<Completion>;
  response: Written<Response>;
  message: Written<Message>;
  gemini: Written<
    Pick<GenerateContentResponse, 'candidates' | 'modelVersion' | 'promptFeedback' | 'responseId' | 'usageMetadata'>
  >;
  geminiEmbedding: Written<EmbedContentResponse>;
  geminiCount: Written<CountTokensResponse>;
  embedding: Written<CreateEmbeddingResponse>;
  moderation: Written<ModerationCreateResponse>;
  images: Written<ImagesResponse>;
  imageEvent: Written<ImageGenStreamEvent>;
  imageEditEvent: Written<ImageEditStreamEvent>;
  transcription: Written<Transcription>;
  transcriptionVerbose: Written<TranscriptionVerbose>;
  transcriptionEvent: Written<TranscriptionStreamEvent>;
  translation: Written<Translation>;
  video: Written<Video>;
  file: Written<FileObject>;
  upload: Written<Upload>;
  model: Written<Model>;
  conversation: Written<Conversation>;
  conversationItems: Written<ConversationItemList>;
  clientSecret: Written<ClientSecretCreateResponse>;
}
