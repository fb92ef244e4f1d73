import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { JsonObject } from '../../json.ts'
import type { Refusal } from '../../refusal.ts'

/** Writes what a client gets that is not given the chunks themselves. */
export interface ChunkAnswer {
  readonly keepAlive: string
  /** That of the answer; absent = an event stream. */
  readonly contentType?: string | undefined
  /** The text to deliver of a chunk without its usage; '' = nothing. */
  chunk(chunk: JsonObject): string
  /** The last of the answer, when the charge stands; `shown` is the same usage as OpenAI's clients see it. */
  closing(usage: Usage, shown: JsonObject): string
  /** The last of an answer that cannot go on. */
  refused(why: Refusal, requestId: string): string
}
