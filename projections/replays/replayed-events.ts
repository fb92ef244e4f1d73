import type { ColumnFilter, EventTable } from '@tollgate/domain/event-columns.ts'

/** Members that every replay reads. `at` stands first: see `datesOf`. */
const CHARGE_NUMBERS = [
  'at',
  'amount',
  'token',
  'late',
  'request.channel',
  'request.stream',
  'request.estimated',
  'request.cancelled',
  'request.durationMs',
  'request.firstByteMs',
  'request.usage.textIn',
  'request.usage.cachedIn',
  'request.usage.cacheWriteIn',
  'request.usage.cacheWrite1hIn',
  'request.usage.cachedAudioIn',
  'request.usage.cachedImageIn',
  'request.usage.audioIn',
  'request.usage.imageIn',
  'request.usage.textOut',
  'request.usage.audioOut',
  'request.usage.imageOut',
  'request.usage.reasoningOut',
  'request.usage.webSearchCalls',
  'request.usage.fileSearchCalls',
] as const
const CHARGE_TEXTS = ['request.model', 'request.group', 'request.endpoint'] as const
const FAILURE_NUMBERS = ['at', 'account', 'token', 'channel', 'stream', 'suppressed'] as const
const FAILURE_TEXTS = ['model', 'group'] as const

export type NumberName = (typeof CHARGE_NUMBERS)[number] | (typeof FAILURE_NUMBERS)[number]
export type TextName = (typeof CHARGE_TEXTS)[number] | (typeof FAILURE_TEXTS)[number]

const replayed = (json: readonly string[]) =>
  ({
    streamPrefixes: ['account-', 'relay-failures-'],
    members: {
      UsageCharged: { numbers: CHARGE_NUMBERS, texts: CHARGE_TEXTS, json },
      RequestFailed: { numbers: FAILURE_NUMBERS, texts: FAILURE_TEXTS, json: [] },
    },
  }) satisfies ColumnFilter

/** The events and their members that a replay as charged is made of. */
export const REPLAYED = replayed([])
/** With the price of each charge, for replays at other prices. */
export const REPLAYED_WITH_PRICES = replayed(['request.price'])

export const datesOf = (table: EventTable): Float64Array =>
  (table.numbers[0] ?? NO_NUMBERS).subarray(0, table.count)

export function numbersOf({ wanted, numbers }: EventTable, name: NumberName): Float64Array {
  return numbers[wanted.numbers.indexOf(name)] ?? NO_NUMBERS
}

export function wordsOf({ wanted, words }: EventTable, name: TextName): Int32Array {
  return words[wanted.texts.indexOf(name)] ?? NO_WORDS
}

/** The ids of the JSON of each charge's price. */
export const pricesOf = ({ wanted, words }: EventTable): Int32Array =>
  words[wanted.texts.length] ?? NO_WORDS

const NO_NUMBERS = new Float64Array()
const NO_WORDS = new Int32Array()
