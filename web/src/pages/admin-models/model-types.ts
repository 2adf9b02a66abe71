import { type ModelType, modelTypes } from '../../catalog.ts';
import { t } from '../../language/words.ts';

export const typeNames: Record<ModelType, string> = {
  chat: t('chat'),
  embedding: t('embedding'),
  image: t('image'),
  speech: t('speech'),
  transcription: t('transcription'),
  moderation: t('moderation'),
  rerank: t('rerank'),
  video: t('video'),
};

export const typeChoices = modelTypes.map((value) => ({ value, label: typeNames[value] }));
