import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import { errorEvent } from '../claude/errors.ts'
import { EventWriter } from '../claude/write-parts.ts'
import { ChunkReader } from './read-parts.ts'

/** What a client of another protocol is told of chunks. */
export interface ChunkAnswer {
  readonly keepAlive: string
  /** What to deliver of a chunk without its usage; '' = nothing. */
  chunk(chunk: JsonObject): string
  /** The last events, when the charge stands. */
  closing(usage: Usage): string
  refused(why: Refusal, requestId: string): string
}

/** To Anthropic's clients: events of a message. `inputTokens` is about how many the prompt has. */
export class TranslatedChunks implements ChunkAnswer {
  readonly keepAlive = 'event: ping\ndata: {"type":"ping"}\n\n'
  readonly #reader = new ChunkReader()
  readonly #writer: EventWriter

  constructor(inputTokens: number) {
    this.#writer = new EventWriter(inputTokens)
  }

  chunk(chunk: JsonObject): string {
    let text = ''
    for (const part of this.#reader.of(chunk)) text += this.#writer.part(part)
    return text
  }

  closing(usage: Usage): string {
    return this.#writer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return errorEvent(why, requestId)
  }
}
