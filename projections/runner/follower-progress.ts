import type { BareEvent, Position } from '@tollgate/domain/event.ts'
import { placeOf } from './log-mark.ts'
import type { Recorded } from './projected-events.ts'

/** An event that a projector could not handle. */
export interface PoisonEvent {
  readonly position: Position
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly message: string
}

export interface FollowerStatus {
  readonly name: string
  readonly position: Position
  /** 'outdated': the tables are of another version of the projector, so that this one may not write them. */
  readonly state: 'following' | 'stopped' | 'outdated'
  /** Set when it stopped at an event. */
  readonly poison: PoisonEvent | null
  /** Why it stopped, in one line; null while it has not. */
  readonly problem: string | null
  /** Events handled since the start of the process. */
  readonly handledEvents: number
  /** Milliseconds from the recording of the newest handled event to its appearance here; null before the first. */
  readonly delayMs: number | null
}

/**
 * How far a follower is in the log, in memory and in its checkpoint, and why it stopped. Nothing here waits: whatever
 * changes it does so in the follower's turn.
 */
export class FollowerProgress {
  /** All that concerns the projector up to here is in the tables. */
  position: Position
  /** Where the stored checkpoint stands, as far as is known. */
  persisted: Position
  readonly #name: string
  readonly #onChange: () => void
  #problem: string | null
  #poison: PoisonEvent | null = null
  #isOutdated = false
  /** False while the stored checkpoint stands on an event whose hash was not read. */
  #isMarked = true
  #handledEvents = 0
  #delayMs: number | null = null

  constructor(
    name: string,
    start: {
      readonly position: Position
      readonly from?: Position
      readonly problem?: string | null
    },
    onChange: () => void,
  ) {
    this.#name = name
    this.#onChange = onChange
    this.position = start.from ?? start.position
    this.persisted = start.position
    this.#problem = start.problem ?? null
  }

  get isStopped(): boolean {
    return this.#problem !== null || this.#isOutdated
  }

  /** True when the checkpoint does not stand where the follower is, or has no mark. */
  get isToPersist(): boolean {
    return this.position > this.persisted || !this.#isMarked
  }

  status(): FollowerStatus {
    return {
      name: this.#name,
      position: this.position,
      state: this.#isOutdated ? 'outdated' : this.#problem === null ? 'following' : 'stopped',
      poison: this.#poison,
      problem: this.#problem,
      handledEvents: this.#handledEvents,
      delayMs: this.#delayMs,
    }
  }

  moveTo(to: Position): void {
    if (to <= this.position) return
    this.position = to
    this.#onChange()
  }

  /** Events were applied and the checkpoint moved to `newest` with them, in one transaction that is committed at `now`. */
  noteCommitted(
    events: readonly Recorded[],
    newest: BareEvent,
    { upTo, now }: { readonly upTo: Position; readonly now: number },
  ): void {
    const place = placeOf(newest)
    this.persisted = place.position
    this.#isMarked = place.mark !== null
    this.#handledEvents += events.length
    const last = events.at(-1)
    if (last !== undefined && 'recordedAt' in last) {
      this.#delayMs = Math.max(0, now - Number(last.recordedAt))
    }
    this.moveTo(upTo)
  }

  /** The checkpoint alone was moved, with its mark. */
  notePersisted(to: Position): void {
    this.persisted = to
    this.#isMarked = true
  }

  /**
   * Takes over a checkpoint that somebody has moved to `stored`, where the tables have all events up to there and none
   * after it. Up to `persisted` they had been in the tables, so with an earlier one those between are to be delivered
   * again. From `persisted` to `position` there was none of this projector, so wherever `stored` lies there, following
   * goes on after `position`. A later one has what was not delivered yet, which is left out when it is delivered.
   */
  goOnFrom(stored: Position): 'done' | 'moved' {
    const isEarlier = stored < this.persisted
    this.persisted = stored
    this.position = isEarlier ? stored : Math.max(this.position, stored)
    this.#onChange()
    return isEarlier ? 'moved' : 'done'
  }

  /** The tables are of another version now. */
  giveWay(): void {
    this.#isOutdated = true
    this.#onChange()
  }

  stopAt(poison: PoisonEvent, problem: string): void {
    this.#poison = poison
    this.#problem = problem
    this.#onChange()
  }

  /** Another process has rebuilt the read model up to `stored`. */
  revive(stored: Position): void {
    this.#poison = null
    this.#problem = null
    this.#isOutdated = false
    this.position = this.persisted = stored
    this.#onChange()
  }
}
