import type { PairPlaces } from '@tollgate/command-api/timelines/log-pair/log-mismatch.ts'
import type { LogPair, PairTable } from '@tollgate/command-api/timelines/log-pair/pair-table.ts'
import type { LogWatch } from '@tollgate/command-api/timelines/log-watch.ts'
import { currentTimeline, type Timelines } from '@tollgate/domain/timeline/timelines.ts'
import { repeating, type Repeating } from '../timers/repeating.ts'
import { within } from '../timers/within.ts'
import type { Runtime } from '../runtime.ts'

const COMPARE_MS = 5_000
const STOP_WITHIN_MS = 2_000

export interface KeptPairOptions {
  readonly table: Pick<PairTable, 'read' | 'note'>
  readonly watch: Pick<LogWatch, 'check' | 'disown' | 'hear' | 'isTrusted' | 'log' | 'seen'>
  /** As they were read at the start of this process. */
  readonly timelines: Timelines
  readonly places: PairPlaces
}

/**
 * Notes in the database how far this process has seen the log, and compares the log with what other processes have
 * noted there, so that the next start knows it, too. When the database goes with another log all at once, nothing more
 * is appended.
 */
export function keepPaired(options: KeptPairOptions & Pick<Runtime, 'logger'>): Repeating {
  const { logger } = options
  const { compare, note } = pairComparison(options)
  let isFailing = false
  const comparing = repeating(
    COMPARE_MS,
    () => compare().then(() => (isFailing = false)),
    (err) => {
      if (isFailing) return
      isFailing = true
      logger.warn({ err }, 'the event log was not compared with what the database knows of it')
    },
  )
  return {
    async stop() {
      await comparing.stop()
      await within(
        note().catch(() => undefined),
        STOP_WITHIN_MS,
      )
    },
  }
}

/** The comparison that `keepPaired` makes again and again, and its last note; both fail as the database does. */
export function pairComparison(options: KeptPairOptions): {
  readonly compare: () => Promise<void>
  readonly note: () => Promise<void>
} {
  const { table, watch } = options
  const { openedAt } = currentTimeline(options.timelines)
  let noted = -1
  const isPaired = pairing(options)
  const note = async (): Promise<void> => {
    const { seen } = watch
    if (seen === null || seen.position <= noted || !watch.isTrusted()) return
    await table.note(watch.log, seen)
    noted = seen.position
  }
  return {
    note,
    async compare() {
      const pair = await table.read()
      if (!(await isPaired(pair))) return
      const others = pair?.seen ?? null
      if (others !== null && others.position !== noted) {
        watch.hear({ log: watch.log, openedAt, ...others })
      }
      await note()
    },
  }
}

/** Disowns the log while the database goes with another one. */
function pairing({ watch, places }: KeptPairOptions): (pair: LogPair | null) => Promise<boolean> {
  let isDisowned = false
  return async (pair) => {
    if (pair?.log === watch.log) {
      if (isDisowned) watch.disown('pair', null)
      isDisowned = false
      return true
    }
    // A rollback that was accepted stands in the log first: this process then begins anew.
    await watch.check()
    const named = pair?.log ?? 'none'
    watch.disown(
      'pair',
      `${places.database} goes with another event log now (${named}), and ${places.log} is ${watch.log}`,
    )
    isDisowned = true
    return false
  }
}
