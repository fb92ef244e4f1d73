import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart } from '../chat/chat-part.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import type { ChunkAnswer } from './chunk-answer.ts'
import { ChunkReader } from './read-parts.ts'

/** Chunks for a client of another protocol: their contents, written anew. */
export class TranslatedChunks implements ChunkAnswer {
  readonly keepAlive: string
  readonly contentType: string | undefined
  readonly #reader: ChunkReader
  readonly #writer: PartWriter

  /** `answeredAt` in unix milliseconds. */
  constructor(writer: PartWriter, answeredAt: number) {
    this.#reader = new ChunkReader(answeredAt)
    this.keepAlive = writer.keepAlive
    this.contentType = writer.contentType
    this.#writer = writer
  }

  chunk(chunk: JsonObject): string {
    return this.#written(this.#reader.of(chunk))
  }

  closing(usage: Usage): string {
    return this.#written(this.#reader.end()) + this.#writer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return this.#writer.refused(why, requestId)
  }
  #written(parts: readonly ChatPart[]): string {
    let text = ''
    for (const part of parts) text += this.#writer.part(part)
    return text
  }
}
