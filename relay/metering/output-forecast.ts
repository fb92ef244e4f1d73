import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import { completionTokens } from '@tollgate/domain/pricing/usage.ts'
import type { ModelRequest } from '../protocols/model-request.ts'

/** Charges of a model that are remembered. */
const CHARGES_MAX = 1_000
/** Models that are remembered; the one that was charged longest ago is forgotten first. */
const MODELS_MAX = 1_000
/** Output of a reasoning model of which too little is known yet. */
const TOKENS_TO_BEGIN_WITH = 8_192
/** Charges that say something of a model. */
const CHARGES_LEAST = 20
/** The share of a model's charges that had no more output than is reserved. */
const SHARE_RESERVED = 0.95
/** Sorted anew after so many charges. */
const SORTED_EVERY = 20

/**
 * Models that think before they answer, by their names: OpenAI's o-series and gpt-5, and those of other vendors. Models
 * under other names are known by the reasoning tokens that they report.
 */
const REASONING_NAMES =
  /(^|\/)(o[134]|gpt-5(?!.*chat)|gpt-oss|grok-(3-mini|4)|gemini-(2\.5|3)|qwq|qvq|magistral|deepseek-r\d|hunyuan-t\d|ernie-x\d|glm-z\d|minimax-m\d)(?![a-z0-9])|think|reason/u

/** Whether a model thinks before it answers, as far as its name tells. */
export const isReasoningName = (model: string): boolean => REASONING_NAMES.test(model.toLowerCase())

/**
 * Forecasts output that is written out of sight, hidden reasoning and whole spoken answers, from the charges of this
 * process.
 */
export class OutputForecast {
  readonly #models = new Map<string, ModelOutput>()

  /**
   * Output tokens of one choice to reserve for a request that sets no limit itself; null for a model that does not
   * reason and does not speak: its output is seen and covered as it comes.
   */
  expect(request: ModelRequest): number | null {
    const { model, reasoningEffort } = request
    const known = this.#models.get(keyOf(request))
    if (known !== undefined && known.count >= CHARGES_LEAST) return known.most()
    const isUnseen =
      known !== undefined ||
      request.isSpokenWhole ||
      reasoningEffort !== null ||
      isReasoningName(model)
    return isUnseen ? TOKENS_TO_BEGIN_WITH : null
  }

  /** Notes the output of a charged request. */
  note(request: ModelRequest, usage: Usage): void {
    if (usage.reasoningOut === 0 && this.expect(request) === null) return
    const key = keyOf(request)
    const known = this.#models.get(key) ?? new ModelOutput()
    // Those charged last stand at the end.
    this.#models.delete(key)
    this.#models.set(key, known)
    known.add(Math.ceil(completionTokens(usage) / request.choices))
    if (this.#models.size <= MODELS_MAX) return
    for (const oldest of this.#models.keys()) {
      this.#models.delete(oldest)
      return
    }
  }
}

/**
 * A key of its own for spoken answers: the tokens of speech say nothing of those of text. Names have no control
 * characters.
 */
const keyOf = (request: ModelRequest): string =>
  request.isSpokenWhole ? `${request.model}\nspoken` : request.model

/** The output of one model's last charges. */
class ModelOutput {
  readonly #tokens: number[] = []
  #next = 0
  #most: number | null = null
  #sortedAt = 0
  /** Charges so far. */
  count = 0

  add(tokens: number): void {
    this.#tokens[this.#next] = tokens
    this.#next = (this.#next + 1) % CHARGES_MAX
    this.count += 1
  }

  /** The output that most charges keep to. */
  most(): number {
    if (this.#most !== null && this.count - this.#sortedAt < SORTED_EVERY) return this.#most
    const sorted = this.#tokens.toSorted((one, other) => one - other)
    this.#most = sorted[Math.ceil(sorted.length * SHARE_RESERVED) - 1] ?? TOKENS_TO_BEGIN_WITH
    this.#sortedAt = this.count
    return this.#most
  }
}
