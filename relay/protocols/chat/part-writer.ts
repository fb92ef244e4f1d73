import type { Usage } from '@tollgate/domain/pricing/usage.ts'
import type { Refusal } from '../../refusal.ts'
import type { ChatPart } from './chat-part.ts'

/** Writes the parts of one answer as a stream of a client's protocol. Keeps state: make one per answer. */
export interface PartWriter {
  /** The content type of the stream; absent = events. */
  readonly contentType?: string
  /** Sent while the stream is silent; clients skip it. */
  readonly keepAlive: string
  /** The events of a part; '' = none. */
  part(part: ChatPart): string
  /** The last events, when the charge stands; `usage` is the charged usage. */
  closing(usage: Usage): string
  /** The last event of a stream that cannot go on. */
  refused(why: Refusal, requestId: string): string
}
