import { wholeCharacterAt } from './vocabularies.ts'

/** Tokens of a question, and whether all of its text was counted or part of it was extrapolated. */
export interface TokenCount {
  readonly tokens: number
  readonly isExact: boolean
}

/** The CPU time that a count may cost, and how that is measured. */
export interface CountBudget {
  /** CPU milliseconds of this thread so far. */
  cpuMs(): number
  readonly budgetMs: number
}

/** Text counted at a time: at most 4 ms of CPU, so that the budget is kept. In UTF-16 units. */
const CHUNK_CHARACTERS = 4_096
/** How far beyond a chunk's end a place is looked for at which any tokeniser splits. */
const BOUNDARY_SEARCH = 256
/** Text beyond the budget is charged by the text that was counted, and a tenth more: text is never quite even. */
const EXTRAPOLATION = 1.1

/**
 * Counts texts, each by itself, for at most the budget. Chunks are taken in an order in which those counted so far
 * stand evenly over the whole; when the budget ends before the chunks, the rest is extrapolated from them.
 */
export function countWithin(
  texts: readonly string[],
  count: (text: string) => number,
  budget: CountBudget,
): TokenCount {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const endMs = budget.cpuMs() + budget.budgetMs
  let tokens = 0
  let counted = 0
  let checkAt = CHUNK_CHARACTERS
  for (const { text, start, end } of evenly(chunksOf(texts))) {
    tokens += count((texts[text] ?? '').slice(start, end))
    counted += end - start
    if (counted < checkAt) continue
    checkAt = counted + CHUNK_CHARACTERS
    if (budget.cpuMs() >= endMs) break
  }
  if (counted === characters) return { tokens, isExact: true }
  const rest = (tokens * (characters - counted)) / counted
  return { tokens: tokens + Math.ceil(rest * EXTRAPOLATION), isExact: false }
}

interface Chunk {
  /** Index of its text. */
  readonly text: number
  readonly start: number
  readonly end: number
}

function chunksOf(texts: readonly string[]): readonly Chunk[] {
  const chunks: Chunk[] = []
  for (const [index, text] of texts.entries()) {
    for (let start = 0; start < text.length;) {
      const end = boundaryAfter(text, start + CHUNK_CHARACTERS)
      chunks.push({ text: index, start, end })
      start = end
    }
  }
  return chunks
}

/**
 * The first place at or after `at` where both vocabularies end a piece whatever follows: behind a letter or digit and
 * before a sign or space that is no apostrophe. An unbroken run is cut at `at`.
 */
function boundaryAfter(text: string, at: number): number {
  if (at >= text.length) return text.length
  PIECE_END.lastIndex = 0
  const found = PIECE_END.exec(text.slice(at - 1, at + BOUNDARY_SEARCH))
  return found === null ? wholeCharacterAt(text, at) : at - 1 + found.index + found[0].length
}

const PIECE_END = /[\p{L}\p{N}](?=[^\p{L}\p{M}\p{N}'\p{Cs}])/u

/** The items by their reversed index: any first part of the order is spread evenly over the whole. */
function* evenly<Item>(items: readonly Item[]): Generator<Item> {
  const bits = Math.ceil(Math.log2(Math.max(1, items.length)))
  for (let step = 0; step < 2 ** bits; step += 1) {
    const item = items[reversed(step, bits)]
    if (item !== undefined) yield item
  }
}

function reversed(value: number, bits: number): number {
  let from = value
  let result = 0
  for (let bit = 0; bit < bits; bit += 1) {
    result = result * 2 + (from & 1)
    from >>= 1
  }
  return result
}
