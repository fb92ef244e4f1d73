import { checkHeld, evolveConserving } from '@tollgate/domain/account/conservation.ts'
import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { type AccountDecision, decide } from '@tollgate/domain/account/decider.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import type { AccountState } from '@tollgate/domain/account/state.ts'
import type { NewEvent, Position } from '@tollgate/domain/event.ts'
import type { UserId } from '@tollgate/domain/ids.ts'
import type { Randomness } from '@tollgate/domain/ports/randomness.ts'
import type { Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { type CommandCause, newEvents } from '../aggregates/cause.ts'
import type { ProcessedCauses, Deduplication } from './processed-causes.ts'
import type { CommandOutcome, OutcomeEvent } from './command-outcome.ts'
import type { LateCharges } from './late-charges.ts'
import { bytesOf, type EventAmount, type LoadedAccount } from './load-account.ts'

/** Bytes of events after which a batch is closed: the size of one append is bounded. */
const BATCH_BYTES_MAX = 512 * 1024

/** An entry in an account's mailbox: a command, or a query of the account's state that waits its turn. */
export type MailboxEntry =
  | {
      readonly command: AccountCommand
      readonly cause: CommandCause
      readonly deduplicateFrom: Deduplication | null
      /** Unix milliseconds; null = it waits for as long as it takes. */
      readonly deadline: number | null
      readonly resolve: (outcome: CommandOutcome) => void
      readonly reject: (error: unknown) => void
    }
  | {
      /** Looks at once, and answers the function that gives the answer, once the state it saw stands. */
      readonly look: (state: AccountState) => () => void
      readonly reject: (error: unknown) => void
    }

/** The facts at hand when a batch is decided. */
export interface BatchContext {
  readonly account: UserId
  /** Unix milliseconds by the owner's clock, never below the stream's last event's. */
  readonly at: number
  readonly randomness: Randomness
  readonly timelines: Timelines
  readonly late: LateCharges
  readonly caused: ProcessedCauses
}

export interface DecidedBatch {
  /** With all the events. */
  readonly state: AccountState
  readonly events: readonly NewEvent[]
  /** To be called once the events stand. */
  readonly answers: readonly ((position: Position) => void)[]
  /** Entries that could not be decided together with the rest, in order. */
  readonly postponed: readonly MailboxEntry[]
  /** Some answer rests on the state, and on no event. */
  readonly needsConfirming: boolean
  readonly since: EventAmount
}

/**
 * Decides mailbox entries one after the other, each on what those before it decided. Consumes the loaded state. Throws
 * InvariantBroken when decided events do not add up: then nothing is appended.
 */
export function decideBatch(
  loaded: LoadedAccount,
  batch: readonly MailboxEntry[],
  { account, at, randomness, timelines, late, caused }: BatchContext,
): DecidedBatch {
  const events: NewEvent[] = []
  const answers: ((position: Position) => void)[] = []
  const postponed: MailboxEntry[] = []
  let { state } = loaded
  let needsConfirming = false
  let { bytes } = loaded.since
  const take = (decided: readonly AccountEvent[], cause: CommandCause): readonly OutcomeEvent[] => {
    state = evolveConserving(state, decided)
    const first = loaded.head.revision + 1 + events.length
    const written = newEvents(decided, cause, randomness)
    events.push(...written)
    for (const event of decided) bytes += bytesOf(event)
    return written.map((event, index) => ({ ...event, revision: first + index }))
  }
  const decideOne = (entry: MailboxEntry): void => {
    if (bytes - loaded.since.bytes > BATCH_BYTES_MAX) return void postponed.push(entry)
    if ('look' in entry) return void answers.push(entry.look(state))
    const done = (decided: readonly OutcomeEvent[]): void =>
      void answers.push((position) => entry.resolve({ status: 'done', position, events: decided }))
    if (caused.has(entry)) return done([])
    const command = late.informed(entry.command)
    const nextRevision = loaded.head.revision + 1 + events.length
    const decision = decide(state, command, { account, at, nextRevision, timelines })
    // The hold ended within this batch: the charge comes again, with the stream scanned for it.
    if (needsScan(decision, command)) return void postponed.push(entry)
    if (decision.status === 'rejected') {
      const { rejection } = decision
      needsConfirming = true
      return void answers.push(() => entry.resolve({ status: 'rejected', rejection }))
    }
    const decided = take(decision.events, entry.cause)
    if (decided.length === 0) needsConfirming = true
    late.note(command)
    caused.note(entry, decided)
    return done(decided)
  }
  for (const entry of batch) decideOne(entry)
  checkHeld(state)
  const count = loaded.since.events + events.length
  return { state, events, answers, postponed, needsConfirming, since: { events: count, bytes } }
}

const needsScan = (decision: AccountDecision, { type }: AccountCommand): boolean =>
  type === 'ChargeUsage' &&
  decision.status === 'rejected' &&
  decision.rejection.reason === 'hold-ended'
