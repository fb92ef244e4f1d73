import type { Position } from '@tollgate/domain/event.ts'
import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { EventStore } from '@tollgate/domain/ports/event-store.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { notationOf, quotaFigure } from '@tollgate/domain/quota-text.ts'
import type { OptionsView } from '@tollgate/domain/settings/options.ts'
import {
  currentTimeline,
  positionHere,
  type Timelines,
} from '@tollgate/domain/timeline/timelines.ts'
import { whileHeld } from '../workflows/manager/while-held.ts'
import { readTimelines } from '../timelines/timelines.ts'
import { serverAddress } from '../options/server-address.ts'
import type { Notice } from './notifier.ts'
import type { ChargedUser, QuotaWarningTable } from './quota-warning-rows.ts'

export interface QuotaWarningOptions {
  readonly table: QuotaWarningTable
  /** Accounts charged after a position and up to another, each once, out of so many charges at most. */
  readonly chargedAfter: (
    after: Position,
    upTo: Position,
    chargesMax: number,
  ) => Promise<ChargedAccounts>
  readonly store: Pick<EventStore, 'headPosition' | 'readStream'>
  readonly timelines: Timelines
  readonly options: { current(): OptionsView }
  readonly shareWork: ShareWork
  readonly clock: Clock
  readonly log: {
    info(facts: object, message: string): void
    warn(facts: object, message: string): void
  }
  readonly onWarned: () => void
  readonly everyMs?: number
}

export interface ChargedAccounts {
  readonly accounts: readonly (ChargedUser & {
    /** The balance before the newest charge, which its warning shows (console-api 5.1). */
    readonly before: number
    readonly eventId: string
    readonly at: number
  })[]
  readonly upTo: Position
  readonly isAll: boolean
}

const NAME = 'quota-warnings'
/** A warning is a mail: seconds do not matter, and a busy account is looked at once instead of at each charge. */
const EVERY_MS = 3_000
const CHARGES_MAX = 20_000
/** Between two warnings of a user, at least (seeds; decision 29). */
const AGAIN_MS = 2 * 3_600_000
const STOP_MS = 2_000

/**
 * Warns users whose balance a charge has brought below their threshold (console-api 5.2). It reads the rows that the
 * journal and the balances have of the ledger's charges, in batches and from its checkpoint, and so costs a charge
 * nothing. One process at a time does so; the row of the user's last warning, not the right, keeps warnings apart.
 */
export function startQuotaWarnings(options: QuotaWarningOptions): { stop(): Promise<void> } {
  const { shareWork, clock } = options
  const share = shareWork({
    group: NAME,
    names: [NAME],
    ...whileHeld(clock, STOP_MS, (held) => watchCharges(options, held)),
  })
  return { stop: () => share.stop() }
}

async function watchCharges(options: QuotaWarningOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, everyMs = EVERY_MS } = options
  // An outage is logged when it begins and when it ends.
  let isTold = false
  while (!signal.aborted) {
    try {
      await lookAtCharges(options, signal)
      if (isTold) log.info({}, 'users are warned of low balances again')
      isTold = false
    } catch (err) {
      if (!isTold) log.warn({ err }, 'users cannot be warned of low balances')
      isTold = true
    }
    await clock.sleep(everyMs, signal)
  }
}

/** Everything from the checkpoint on; begins at the log's present end when there is none yet. */
async function lookAtCharges(options: QuotaWarningOptions, signal: AbortSignal): Promise<void> {
  const { table, chargedAfter, store, timelines } = options
  const { log } = currentTimeline(timelines)
  const end = await store.headPosition()
  const stored = await table.checkpoint({ position: end, log })
  let from = positionHere(stored, timelines)
  if (stored.log !== log) {
    // Only for the log's present timeline: a process that goes by an older one is about to begin anew.
    if (stored.log !== null && (await readTimelines(store)).at(-1)?.log !== log) return
    await table.advance(stored.log, { position: from, log })
  }
  while (!signal.aborted) {
    // Not beyond the log's end: read models may still have charges of a past that the log has lost.
    const { accounts, upTo, isAll } = await chargedAfter(from, end, CHARGES_MAX)
    await warnAll(options, accounts)
    if (upTo > from) await table.advance(log, { position: upTo, log })
    if (isAll) return
    from = upTo
  }
}

async function warnAll(
  { table, options, clock, onWarned }: QuotaWarningOptions,
  accounts: ChargedAccounts['accounts'],
): Promise<void> {
  if (accounts.length === 0) return
  const now = options.current()
  const since = clock.now() - AGAIN_MS
  const low = await table.below(accounts, now.number('QuotaRemindThreshold'), since)
  for (const { userId, before, eventId, at } of low) {
    const notice = { ...warning(before, now), userId, causationId: eventId, at }
    if (await table.warn(notice, clock.now(), since)) onWarned()
  }
}

function warning(
  before: number,
  options: OptionsView,
): Pick<Notice, 'type' | 'title' | 'content' | 'values' | 'english'> {
  const link = `${serverAddress(options)}/topup`
  const left = quotaFigure(before, notationOf(options))
  const title = '您的额度即将用尽'
  const english = 'Your quota is running out'
  return {
    type: 'quota_exceed',
    title,
    content: `{{value}}，当前剩余额度为 {{value}}，为了不影响您的使用，请及时充值。<br/>充值链接：${LINK}`,
    values: [title, left, link, link],
    english: {
      title: english,
      content: `{{value}}: {{value}} left. Top up in time, so that your requests go on.<br/>Top up here: ${LINK}`,
      values: [english, left, link, link],
    },
  }
}

const LINK = "<a href='{{value}}'>{{value}}</a>"
