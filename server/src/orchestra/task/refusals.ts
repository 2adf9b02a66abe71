import { normalizeWhitespace } from '../messages.ts';

/** A refusal is short and comes at once; a long answer that starts with an apology is an answer. */
const longestRefusal = 500;

/** Models refuse in the language of the request: how a refusal starts, and what distinguishes it from an apology. */
const refusals: { openings: string[]; refuses: RegExp; toldBy?: number }[] = [
  {
    openings: ["i'", 'i’', 'i ', 'im ', 'sorry', 'unfortunately', 'as an ai'],
    refuses:
      /^(?:i['’]?m (?:really |very |so )?sorry|sorry|i apologi[sz]e|unfortunately|as an ai\b[^.]{0,40}|i)[,.]?\s*(?:but\s+)?(?:i\s+)?(?:can(?:no|['’])?t|am (?:not able|unable)|['’]?m (?:not able|unable)|won['’]?t|will not|must decline)\s+(?:to\s+)?(?:help|assist|provide|comply|do that|do this|fulfil|answer|create|generate|continue|complete|engage|discuss|support|write|produce|share|process|access|with)/i,
  },
  {
    openings: ['es tut mir', 'tut mir', 'leider', 'entschuldig'],
    // In German the verb comes last.
    toldBy: 90,
    refuses:
      /^(?:(?:es )?tut mir (?:sehr )?leid|leider|entschuldigung|entschuldige)[,.]?\s*(?:aber\s+)?(?:ich (?:kann|darf|werde)|(?:kann|darf|werde) ich)\b[^.!?]{0,60}\b(?:nicht|keine[nr]?)\b[^.!?]{0,60}(?:helfen|beantworten|bereitstellen|erfüllen|unterstützen|erstellen|schreiben|geben|nachkommen)/i,
  },
  {
    openings: ['je ', 'désol', 'malheureusement'],
    refuses:
      /^(?:(?:je suis )?(?:vraiment )?désolée?|malheureusement|je regrette)[,.]?\s*(?:mais\s+)?je ne (?:peux|puis|suis) pas (?:en mesure d[e’'] ?)?(?:(?:vous |t[’']|te )?aider|répondre|fournir|satisfaire|accéder|créer|générer|écrire|continuer|traiter)/i,
  },
  {
    openings: ['lo siento', 'lamentablemente', 'disculp', 'lo lamento'],
    refuses:
      /^(?:lo siento(?: mucho)?|lo lamento|lamentablemente|disculp[ae])[,.]?\s*(?:pero\s+)?no (?:puedo|me es posible) (?:ayudar|proporcionar|cumplir|responder|generar|crear|escribir|asistir|continuar|hacer|atender)/i,
  },
  {
    openings: ['desculpe', 'sinto muito', 'lamento', 'infelizmente'],
    refuses:
      /^(?:desculpe|sinto muito|lamento|infelizmente)[,.]?\s*(?:mas\s+)?(?:eu )?não posso (?:ajudar|te ajudar|fornecer|cumprir|responder|gerar|criar|escrever|continuar|fazer|atender)/i,
  },
  {
    openings: ['mi dispiace', 'purtroppo', 'spiacente'],
    refuses:
      /^(?:mi dispiace|purtroppo|spiacente)[,.]?\s*(?:ma\s+)?non posso (?:aiutar|fornire|soddisfare|rispondere|generare|creare|scrivere|continuare|fare)/i,
  },
  {
    openings: ['извините', 'простите', 'к сожалению', 'мне жаль', 'мне очень жаль'],
    refuses:
      /^(?:извините|простите|к сожалению|мне (?:очень )?жаль)[,.]?\s*(?:но\s+)?я не могу (?:вам |тебе |с этим )?(?:помочь|предоставить|выполнить|ответить|создать|написать|продолжить|сделать)/i,
  },
  {
    openings: ['抱歉', '很抱歉', '非常抱歉', '对不起', '對不起'],
    refuses:
      /^(?:很|非常)?(?:抱歉|对不起|對不起)[，,。！]?\s*(?:但是?|不过)?我?(?:暂时)?(?:无法|不能|無法|没法)(?:为|帮|給|给|向|提供|协助|協助|回答|满足|完成|处理|继续|生成|执行|讨论)/,
  },
  {
    openings: ['申し訳', 'すみません', 'ごめんなさい'],
    refuses:
      /^(?:申し訳(?:ございません|ありません|ないの?です)|すみません|ごめんなさい)[^。]{0,60}(?:お答え|お応え|お手伝い|ご提供|提供|対応|お受け|作成|生成)(?:することは|は)?(?:でき(?:ません|かねます)|いたしかねます|しかねます)/,
  },
  {
    openings: ['죄송'],
    refuses: /^죄송(?:합니다|하지만)[^.]{0,60}(?:도와|도움을|제공|답변|응답|작성|생성)[^.]{0,10}수(?:는|가)? 없/,
  },
];

/** Whether the whole answer is a refusal. */
export function looksRefused(text: string): boolean {
  if (text.length > longestRefusal) return false;
  const said = text.trimStart();
  return refusals.some(({ refuses }) => refuses.test(said));
}

/** A refusal is recognizable after this many characters. */
const usuallyToldBy = 48;

/** Whether the beginning of a streamed answer may still turn out to be a refusal. */
export function mayBeRefusal(beginning: string): boolean {
  const text = normalizeWhitespace(beginning).toLowerCase();
  const begins = (opening: string) => text.startsWith(opening) || opening.startsWith(text);
  const like = refusals.filter(({ openings }) => openings.some(begins));
  if (like.length === 0) return false;
  return like.some(({ toldBy = usuallyToldBy }) => text.length < toldBy) || looksRefused(text);
}
