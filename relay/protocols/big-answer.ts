import { isObject, type JsonObject, parseForeign } from '../json.ts'
import type { ReportedUsage, ToolCalls } from '../metering/openai-usage.ts'
import type { Told } from '../metering/upstream-facts.ts'
import type { WrittenOutput } from '../metering/written-output.ts'
import type { Passage } from './passage.ts'

/** Providers report usage in the last members of an answer, behind the contents that make it big. */
const TAIL_BYTES = 64 * 1024
const USAGE = /"(?:usage|usageMetadata)"\s*:\s*\{/g
const NO_CALLS: ToolCalls = { webSearchCalls: 0, fileSearchCalls: 0 }

/**
 * A whole answer that is too big to be read at once, on its way to a client of its own protocol: its bytes pass as they
 * come, and its last ones wait for the charge. Nothing of it is parsed but the usage in them.
 */
export class BigAnswer implements Passage {
  readonly contentType: string
  /** White space between the pieces of a text would change it. */
  readonly keepAlive = ''
  readonly told: Told = {}
  readonly error = null
  readonly fault = null
  readonly isDone = false
  readonly hasStarted = true
  readonly #usageOf: (report: JsonObject | null) => ReportedUsage
  #tail: Buffer = Buffer.alloc(0)
  #report: JsonObject | null = null
  #isFinished = false

  constructor(contentType: string, usageOf: (report: JsonObject | null) => ReportedUsage) {
    this.contentType = contentType
    this.#usageOf = usageOf
  }

  /** Something was written; how much, upstream's usage alone tells: where that came there is nothing to count. */
  get output(): WrittenOutput {
    return { ...PASSED, isEmpty: this.#report !== null }
  }
  get report(): JsonObject | null {
    return this.#report
  }
  get usage(): ReportedUsage {
    return this.#usageOf(this.#report)
  }
  /** The JSON came to its end, as far as its last byte tells. */
  get isFinished(): boolean {
    return this.#isFinished
  }

  push(chunk: Buffer): Buffer {
    const all = Buffer.concat([this.#tail, chunk])
    const cut = Math.max(0, all.length - TAIL_BYTES)
    // A copy, so that a large chunk is not kept for the sake of its end.
    this.#tail = Buffer.from(all.subarray(cut))
    return all.subarray(0, cut)
  }

  end(): Buffer {
    const text = this.#tail.toString('utf8')
    this.#isFinished = /[}\]]\s*$/.test(text)
    this.#report = usageIn(text)
    return Buffer.alloc(0)
  }

  closing(): Buffer {
    return this.#tail
  }

  /** An error within the answer would be no JSON: the broken connection tells of it. */
  refused(): string {
    return ''
  }
}

/** The last usage object of the end of a JSON text; null = none. */
function usageIn(text: string): JsonObject | null {
  const starts = [...text.matchAll(USAGE)].map((found) => found.index + found[0].length - 1)
  const start = starts.at(-1)
  if (start === undefined) return null
  for (let end = text.indexOf('}', start); end !== -1; end = text.indexOf('}', end + 1)) {
    const read = parseForeign(text.slice(start, end + 1))
    if (isObject(read)) return read
    if (end - start > USAGE_LENGTH_MAX) return null
  }
  return null
}
const USAGE_LENGTH_MAX = 4_096

const PASSED: Omit<WrittenOutput, 'isEmpty'> = {
  roughTokens: 0,
  mostTokens: 0,
  tokensBesideText: 0,
  imageTokens: 0,
  audioBytes: 0,
  calls: NO_CALLS,
  text: () => '',
  markDelivered: () => undefined,
  dropUndelivered: () => undefined,
}
