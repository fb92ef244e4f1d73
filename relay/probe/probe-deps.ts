import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { AnswerReader } from '../protocols/answer-reader.ts'
import type { Dispatchers } from '../upstream/dispatchers.ts'

/** The dependencies of probing channels. */
export interface ProbeDeps {
  readonly dispatchers: Dispatchers
  /** Those that never lead into private networks. */
  readonly publicDispatchers: Dispatchers
  readonly answers: AnswerReader
  readonly clock: Clock
  readonly limits: { readonly firstByteMs: number; readonly idleMs: number }
  /** AutomaticDisableKeywords as they now stand. */
  keywords(): readonly string[]
  /** Yuan for one US dollar (option Price), for providers that report their balance in yuan. */
  yuanPerDollar(): number
}
