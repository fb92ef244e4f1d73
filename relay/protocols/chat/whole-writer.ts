import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { ChatPart } from './chat-part.ts'
import type { PartWriter } from './part-writer.ts'

/** Gathers the parts of a stream to one whole answer, for a client that asked for no stream. */
export class WholeWriter implements PartWriter {
  readonly contentType = 'application/json'
  /** White space before the JSON. */
  readonly keepAlive = ' '
  readonly #write: (parts: readonly ChatPart[], usage: Usage) => JsonObject
  readonly #parts: ChatPart[] = []

  constructor(write: (parts: readonly ChatPart[], usage: Usage) => JsonObject) {
    this.#write = write
  }

  part(part: ChatPart): string {
    this.#parts.push(part)
    return ''
  }

  closing(usage: Usage): string {
    return JSON.stringify(this.#write(this.#parts, usage))
  }

  /** Nothing was written yet: the status tells of the failure, or behind a sent head the broken connection. */
  refused(): string {
    return ''
  }
}
