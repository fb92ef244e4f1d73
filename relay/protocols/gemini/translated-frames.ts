import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'
import type { PartWriter } from '../chat/part-writer.ts'
import type { FrameAnswer } from './frame-answers.ts'
import { FrameReader } from './read-parts.ts'

/** Answers clients of other protocols: the frames' contents, written anew. */
export class TranslatedFrames implements FrameAnswer {
  readonly isTranslated = true
  readonly contentType: string
  readonly keepAlive: string
  readonly #reader: FrameReader
  readonly #writer: PartWriter

  /** `answeredAt` in unix milliseconds. */
  constructor(writer: PartWriter, answeredAt: number) {
    this.#reader = new FrameReader(answeredAt)
    this.contentType = writer.contentType ?? 'text/event-stream; charset=utf-8'
    this.keepAlive = writer.keepAlive
    this.#writer = writer
  }

  event(_bytes: Buffer, frame: JsonObject | null): Buffer {
    if (frame === null) return Buffer.alloc(0)
    let text = ''
    for (const part of this.#reader.of(frame)) text += this.#writer.part(part)
    return Buffer.from(text)
  }

  closing(usage: Usage): string {
    return this.#writer.closing(usage)
  }

  refused(why: Refusal, requestId: string): string {
    return this.#writer.refused(why, requestId)
  }
}
