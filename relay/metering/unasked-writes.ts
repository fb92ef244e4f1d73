import { cacheWriteTokens, type Usage } from '@tollgate/domain/pricing/usage.ts'
import type { ModelRequest } from '../protocols/model-request.ts'

/** Models that are remembered; the one that wrote longest ago is forgotten first. */
const MODELS_MAX = 1_000

/**
 * Models whose provider caches prompts unasked and has a price for that, by their names: OpenAI's from gpt-5.6 on
 * (developers.openai.com/api/docs/guides/prompt-caching). `gpt-35` is Azure's name of gpt-3.5.
 */
const NAMES = /(?:^|[/:])gpt-(?!35)(?:5\.(?:[6-9]|[1-9]\d)|[6-9]|[1-9]\d)(?!\d)/

/**
 * Models whose prompts may be written to a cache though nobody asked for it, which costs more than reading them.
 * Models under other names are known by the writes that they report.
 */
export class UnaskedWrites {
  readonly #models = new Set<string>()

  /** Whether the prompt of a request that asks for no cache may be written to one. */
  expects(model: string): boolean {
    return NAMES.test(model.toLowerCase()) || this.#models.has(model)
  }

  /** Notes what a charged request was told to have written. */
  note({ model, cacheWrites }: Pick<ModelRequest, 'model' | 'cacheWrites'>, usage: Usage): void {
    if (cacheWrites !== undefined || cacheWriteTokens(usage) === 0) return
    // Those that wrote last stand at the end.
    this.#models.delete(model)
    this.#models.add(model)
    if (this.#models.size <= MODELS_MAX) return
    for (const oldest of this.#models) {
      this.#models.delete(oldest)
      return
    }
  }
}
