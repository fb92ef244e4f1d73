import type { OptionsView } from '../settings/options.ts'
import { AUDIO_COMPLETION_RATIO, audioRatio } from './audio-ratio.ts'
import { builtInCompletionRatio } from './completion-ratio.ts'
import { pricedName } from './model-name.ts'
import { factorsFrom, factorsOf } from './price-factors.ts'
import type { BookPrice, PriceFactors } from './price.ts'
import type { SearchContext, ToolPrices } from './tool-price.ts'
import { DEFAULT_CONTEXT, toolPricesFrom, webSearchTool } from './tool-price.ts'

/** All prices at one revision, as decimal texts by model or group name. Immutable. */
export interface PriceBook {
  /** Position of the event that made it; −1 = defaults. */
  readonly revision: number
  /** US dollars per call; an entry, even 0, beats every ratio. */
  readonly callPrices: RatioTable
  readonly modelRatios: RatioTable
  readonly completionRatios: RatioTable
  readonly cacheRatios: RatioTable
  /** For writes to a provider's cache, and for those that last an hour. */
  readonly cacheWriteRatios: RatioTable
  readonly cacheWrite1hRatios: RatioTable
  /** Audio input to text input, and audio output to audio input; an entry beats the rule for the name. */
  readonly audioRatios: RatioTable
  readonly audioCompletionRatios: RatioTable
  /** To text input; a model without an entry is priced as cached text, or as text output. */
  readonly cachedAudioRatios: RatioTable
  readonly cachedImageRatios: RatioTable
  readonly imageOutRatios: RatioTable
  readonly groupRatios: RatioTable
  /** Factors of terms that change the provider's price, by model. */
  readonly factors: ReadonlyMap<string, PriceFactors>
  /** US dollars per 1,000 calls of tools that providers run. */
  readonly toolPrices: ToolPrices
  readonly quotaPerUnit: string
  /** Self-use mode: a model without price or ratio is served at UNSET_MODEL_RATIO. */
  readonly acceptsUnsetRatio: boolean
  /** Output tokens assumed of a request without max_tokens (PreConsumedQuota). */
  readonly assumedOutput: number
}

type RatioTable = ReadonlyMap<string, string>

/** The book that the options make; `revision` as PriceBook has it. */
export const priceBookFrom = (options: OptionsView, revision: number): PriceBook => ({
  revision,
  callPrices: ratiosOf(options.table('ModelPrice')),
  modelRatios: ratiosOf(options.table('ModelRatio')),
  completionRatios: ratiosOf(options.table('CompletionRatio')),
  cacheRatios: ratiosOf(options.table('CacheRatio')),
  cacheWriteRatios: ratiosOf(options.table('CacheWriteRatio')),
  cacheWrite1hRatios: ratiosOf(options.table('CacheWrite1hRatio')),
  audioRatios: ratiosOf(options.table('AudioRatio')),
  audioCompletionRatios: ratiosOf(options.table('AudioCompletionRatio')),
  cachedAudioRatios: ratiosOf(options.table('CachedAudioRatio')),
  cachedImageRatios: ratiosOf(options.table('CachedImageRatio')),
  imageOutRatios: ratiosOf(options.table('ImageOutRatio')),
  groupRatios: ratiosOf(options.table('GroupRatio')),
  factors: factorsFrom(options.json('PriceFactors')),
  toolPrices: toolPricesFrom(ratiosOf(options.table('ToolPrices'))),
  quotaPerUnit: String(options.number('QuotaPerUnit')),
  acceptsUnsetRatio: options.flag('SelfUseModeEnabled'),
  assumedOutput: options.number('PreConsumedQuota'),
})

export interface PriceQuestion {
  /** As the client named it. */
  readonly model: string
  /** The group the request runs in: the token's, else the user's. */
  readonly group: string
  /** The user's setting accept_unset_model_ratio_model. */
  readonly acceptsUnsetRatio: boolean
  /** The context size that a web search tool was asked for; medium when unsaid. */
  readonly webSearchContext?: SearchContext
}

export type PriceAnswer =
  | { readonly status: 'priced'; readonly price: BookPrice }
  /** Neither price nor ratio is configured, and neither the mode nor the user accepts that (decision 45). */
  | { readonly status: 'rejected'; readonly rejection: 'model-price-unset' }

/** Ratio of a model that has none, where that is accepted: dear on purpose. */
export const UNSET_MODEL_RATIO = '37.5'

/** Anthropic's ratios for a cache write of five minutes and of an hour, of any model without one of its own. */
const CACHE_WRITE_RATIO = '1.25'
const CACHE_WRITE_1H_RATIO = '2'

/** Answers remembered per book at most; models and groups in use at once are far fewer. */
const ANSWERS_MAX = 5_000

/** Answers by model, group, and the rest of the question. */
interface Answers {
  readonly byModel: Map<string, Map<string, Map<string, PriceAnswer>>>
  count: number
}
/** Books never change, so an answer stands as long as its book; the same price is one object, read once by others. */
const ANSWERS = new WeakMap<PriceBook, Answers>()

/** The price of a request for a model in a group (relay-and-billing 4.1, decision 3). */
export function findPrice(book: PriceBook, question: PriceQuestion): PriceAnswer {
  const { model, group, acceptsUnsetRatio, webSearchContext = DEFAULT_CONTEXT } = question
  const answers = answersOf(book)
  const byGroup = inMap(answers.byModel, model)
  const byTerms = inMap(byGroup, group)
  const terms = acceptsUnsetRatio ? ACCEPTING[webSearchContext] : webSearchContext
  const known = byTerms.get(terms)
  if (known !== undefined) return known
  const answer = lookUpPrice(book, question)
  byTerms.set(terms, answer)
  answers.count += 1
  return answer
}

/** Texts made once: a lookup by one takes no time for making it. */
const ACCEPTING: Readonly<Record<SearchContext, string>> = {
  low: 'low, accepts unset',
  medium: 'medium, accepts unset',
  high: 'high, accepts unset',
}

function answersOf(book: PriceBook): Answers {
  const known = ANSWERS.get(book)
  if (known !== undefined && known.count < ANSWERS_MAX) return known
  const answers: Answers = { byModel: new Map(), count: 0 }
  ANSWERS.set(book, answers)
  return answers
}

function inMap<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = maps.get(key)
  if (known !== undefined) return known
  const map = new Map<string, Value>()
  maps.set(key, map)
  return map
}

function lookUpPrice(book: PriceBook, question: PriceQuestion): PriceAnswer {
  const { model, group } = question
  const base = {
    bookRevision: book.revision,
    groupRatio: groupRatio(book, group),
    quotaPerUnit: book.quotaPerUnit,
  }
  const callPrice = configured(book.callPrices, model)
  if (callPrice !== null) {
    return { status: 'priced', price: { by: 'call', ...base, callPrice } }
  }
  const isUnsetAccepted = book.acceptsUnsetRatio || question.acceptsUnsetRatio
  const modelRatio =
    configured(book.modelRatios, model) ?? (isUnsetAccepted ? UNSET_MODEL_RATIO : null)
  if (modelRatio === null) return { status: 'rejected', rejection: 'model-price-unset' }
  const completion = completionRatio(book, model)
  const audio = configured(book.audioRatios, model) ?? audioRatio(model)
  const cachedAudio = configured(book.cachedAudioRatios, model)
  const cachedImage = configured(book.cachedImageRatios, model)
  const imageOut = configured(book.imageOutRatios, model)
  const factors = factorsOf(book.factors, model)
  return {
    status: 'priced',
    price: {
      by: 'tokens',
      ...base,
      modelRatio,
      completionRatio: completion,
      cacheRatio: configured(book.cacheRatios, model) ?? '1',
      cacheWriteRatio: configured(book.cacheWriteRatios, model) ?? CACHE_WRITE_RATIO,
      cacheWrite1hRatio: configured(book.cacheWrite1hRatios, model) ?? CACHE_WRITE_1H_RATIO,
      audioRatio: audio ?? '1',
      audioCompletionRatio:
        configured(book.audioCompletionRatios, model) ??
        (audio === null ? completion : AUDIO_COMPLETION_RATIO),
      ...(cachedAudio !== null && { cachedAudioRatio: cachedAudio }),
      ...(cachedImage !== null && { cachedImageRatio: cachedImage }),
      ...(imageOut !== null && { imageOutRatio: imageOut }),
      webSearchPrice:
        book.toolPrices[webSearchTool(model, question.webSearchContext ?? DEFAULT_CONTEXT)],
      fileSearchPrice: book.toolPrices.file_search,
      ...(factors !== undefined && { factors }),
    },
  }
}

/** True when the book has a price or ratio of its own for the model; the editor of unset prices lists the others. */
export const hasPrice = (book: PriceBook, model: string): boolean =>
  configured(book.callPrices, model) !== null || configured(book.modelRatios, model) !== null

/** A configured entry, else the rule built in for the name. */
export const completionRatio = (book: PriceBook, model: string): string =>
  book.completionRatios.get(model) ?? fallbackCompletionRatio(book, model)

/** The completion ratio of a model without an entry of its own: its family's, else the rule built in for the name. */
export function fallbackCompletionRatio(book: PriceBook, model: string): string {
  const family = pricedName(model)
  const entry = family === model ? undefined : book.completionRatios.get(family)
  return entry ?? builtInCompletionRatio(family)
}

/** A group without an entry is charged at 1. */
export const groupRatio = (book: PriceBook, group: string): string =>
  book.groupRatios.get(group) ?? '1'

/** The entry of the name itself, else of the family it is priced by. */
const configured = (table: RatioTable, model: string): string | null =>
  table.get(model) ?? table.get(pricedName(model)) ?? null

/**
 * The shortest text of each number, which is the text that the admin typed; a value that is no ratio counts as unset.
 */
const ratiosOf = (table: ReadonlyMap<string, number | string>): RatioTable =>
  new Map(
    [...table]
      .filter(([, value]) => typeof value === 'number' && value >= 0 && Number.isFinite(value))
      .map(([name, value]) => [name, String(value)]),
  )
