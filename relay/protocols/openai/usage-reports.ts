import { isObject, type JsonObject } from '../../json.ts'
import { mergedUsage } from '../../metering/merged-usage.ts'

/**
 * Gathers the usage that an answer reports, wherever it stands: in the answer or its chunks, or in its choices
 * (Moonshot ends each choice of a stream with that choice's own), or in `x_groq` (Groq, at the end of a stream). Reports
 * of one kind are merged: a later count stands for an earlier one, but a zero or garbage does not undo a count.
 */
export class UsageReports {
  #whole: JsonObject | null = null
  readonly #ofChoices = new Map<unknown, JsonObject>()

  /** Takes an answer or a chunk of one; true when it carries usage. */
  take(answer: JsonObject): boolean {
    const { choices, x_groq: groq } = answer
    const usage = answer['usage'] ?? (isObject(groq) ? groq['usage'] : undefined)
    let isCarrying = false
    if (isObject(usage)) {
      this.#whole = mergedUsage(this.#whole, usage)
      isCarrying = true
    }
    if (!Array.isArray(choices)) return isCarrying
    for (const [place, choice] of choices.entries()) {
      if (!isObject(choice) || !isObject(choice['usage'])) continue
      const index = typeof choice['index'] === 'number' ? choice['index'] : place
      if (this.#ofChoices.size >= CHOICES_MAX && !this.#ofChoices.has(index)) continue
      this.#ofChoices.set(index, mergedUsage(this.#ofChoices.get(index) ?? null, choice['usage']))
      isCarrying = true
    }
    return isCarrying
  }

  /** The usage reported so far; null when none was. Choices share their prompt, each wrote its own completion. */
  get usage(): JsonObject | null {
    if (this.#whole !== null) return this.#whole
    const [first, ...others] = this.#ofChoices.values()
    return first === undefined ? null : others.reduce(withChoice, first)
  }
}

/** OpenAI's own limit on `n`. */
const CHOICES_MAX = 128

/** A choice's usage added to that of those before it: completion counts are summed. */
function withChoice(sum: JsonObject, one: JsonObject): JsonObject {
  const members = new Map(Object.entries(sum))
  for (const name of ['completion_tokens', 'output_tokens']) {
    if (name in sum || name in one) members.set(name, added(sum[name], one[name]))
  }
  for (const name of ['completion_tokens_details', 'output_tokens_details']) {
    const [details, more] = [sum[name], one[name]]
    if (!isObject(more)) continue
    if (!isObject(details)) members.set(name, more)
    else {
      const names = new Set([...Object.keys(details), ...Object.keys(more)])
      const sums = [...names].map((detail) => [detail, added(details[detail], more[detail])])
      members.set(name, Object.fromEntries(sums))
    }
  }
  const total = added(sum['total_tokens'], one['total_tokens'])
  const prompt = one['prompt_tokens'] ?? one['input_tokens']
  // The prompt was given once, and is in the total of each.
  if (typeof total === 'number' && typeof prompt === 'number') {
    members.set('total_tokens', total - prompt)
  }
  return Object.fromEntries(members)
}

/** A value that cannot be added stays as it is, for the reader to refuse. */
function added(sum: unknown, more: unknown): unknown {
  if (typeof sum === 'number' && typeof more === 'number') return sum + more
  return typeof sum === 'number' && more !== undefined && more !== null ? more : (sum ?? more)
}
