import type { Clock } from '@tollgate/domain/ports/clock.ts'
import type { ShareWork } from '@tollgate/domain/ports/leases.ts'
import { type Alarm, makeAlarm } from '../workflows/manager/alarm.ts'
import { errorText } from '../workflows/manager/run-steps.ts'
import { whileHeld } from '../workflows/manager/while-held.ts'
import { retryableOf } from '@tollgate/domain/kernel/transient.ts'
import { backOffMs } from '@tollgate/domain/kernel/back-off.ts'
import { within } from '@tollgate/domain/kernel/within.ts'
import type { Mailer } from '../mail/mailer.ts'
import { noticeMail } from './notice-mail.ts'
import type { NoticeTable, StoredNotice } from './notice-rows.ts'
import type { FindRecipient, Recipient } from './recipient.ts'
import { sendWebhook, type WebhookDeps } from './send-webhook.ts'

export interface DeliveryOptions extends WebhookDeps {
  readonly table: NoticeTable
  readonly findRecipient: FindRecipient
  readonly mailer: Mailer
  /** The limit of notices of one type, per user (console-api 3.5). */
  readonly limit: { readonly count: number; readonly windowMs: number }
  readonly shareWork: ShareWork
  readonly clock: Clock
  readonly log: { warn(facts: object, message: string): void }
  /** How often to look for due notices without a wake-up. */
  readonly everyMs?: number
}

export interface NoticeDelivery {
  /** There may be something to send. */
  readonly ring: () => void
  /** Resolves when no attempt is under way any more, within a bound. */
  stop(): Promise<void>
}

const NAME = 'notices'
const EVERY_MS = 2_000
const BATCH = 100
/** Users notified side by side: a server that hangs must not hold up the others. */
const AT_ONCE_MAX = 8
/** Longer than any mail (20 s) or webhook may take; an attempt that a crash cut off is begun again after it. */
const ATTEMPT_MS = 30_000
/** Pauses between attempts: doubled from the first to the last. With 12 attempts about three and a half hours in all. */
const RETRY_FIRST_MS = 10_000
const RETRY_LAST_MS = 3_600_000
const ATTEMPTS_MAX = 12
/** A notice that could not even be tried for so long is no news any more. */
const STALE_MS = 24 * 3_600_000
/** A notice that has ended is kept for so long, for people to look at. */
const KEPT_MS = 90 * 24 * 3_600_000
const CLEAN_EVERY_MS = 3_600_000
/** How long attempts under way are waited for when another process takes over or this one stops. */
const STOP_MS = 2_000

/**
 * Sends the outbox's notices, each to where its user wants it, again after failures with growing pauses, and records
 * the results. One process at a time does so. Each attempt is noted before it is made: a crash in between leads to
 * another attempt (with the same idempotency key), never to a notice that is not sent.
 */
export function startNoticeDelivery(options: DeliveryOptions): NoticeDelivery {
  const { shareWork, clock } = options
  const alarm = makeAlarm(clock)
  const share = shareWork({
    group: NAME,
    names: [NAME],
    ...whileHeld(clock, STOP_MS, (held) => deliverDue(options, alarm, held)),
  })
  return { ring: () => alarm.ring(), stop: () => share.stop() }
}

async function deliverDue(
  options: DeliveryOptions,
  alarm: Alarm,
  signal: AbortSignal,
): Promise<void> {
  const { table, clock, log, everyMs = EVERY_MS } = options
  let cleanedAt = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    let wasFull = false
    try {
      if (clock.monotonicMs() - cleanedAt >= CLEAN_EVERY_MS) {
        await table.removeEndedBefore(clock.now() - KEPT_MS)
        cleanedAt = clock.monotonicMs()
      }
      const due = await table.due(clock.now(), BATCH)
      wasFull = due.length === BATCH
      await deliverAll(options, due, signal)
    } catch (err) {
      wasFull = false
      log.warn({ err }, 'notices cannot be sent')
    }
    if (!wasFull) await alarm.wait(everyMs, signal)
  }
}

/** Each user's notices in order, so that their limit counts exactly; several users side by side. */
async function deliverAll(
  options: DeliveryOptions,
  due: readonly StoredNotice[],
  signal: AbortSignal,
): Promise<void> {
  const users = [...Map.groupBy(due, ({ userId }) => userId).values()]
  const deliverNext = async (): Promise<void> => {
    for (let notices = users.shift(); notices !== undefined; notices = users.shift()) {
      for (const notice of notices) {
        if (signal.aborted) return
        await deliverOne(options, notice)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, deliverNext))
}

async function deliverOne(options: DeliveryOptions, notice: StoredNotice): Promise<void> {
  const { table, clock, log, findRecipient, limit } = options
  const { id, userId, type } = notice
  const now = clock.now()
  const skip = (why: string): Promise<void> => table.end(id, 'skipped', now, why)
  if (notice.attempts === 0 && now - notice.recordedAt > STALE_MS) return skip('too old')
  // Each attempt ended with the process that made it: it may be the notice that ends them.
  if (notice.attempts >= ATTEMPTS_MAX) return table.end(id, 'given-up', now, notice.lastError)
  try {
    const recipient = await findRecipient(userId)
    if (recipient.channel === 'none') return await skip(recipient.why)
    if ((await table.deliveredSince(userId, type, now - limit.windowMs)) >= limit.count) {
      return await skip(
        `more than ${limit.count} of its type within ${limit.windowMs / 60_000} min`,
      )
    }
    if (!(await table.claim(notice, recipient.channel, now + ATTEMPT_MS))) return
    await within(ATTEMPT_MS, clock, send(options, notice, recipient))
    await table.end(id, 'delivered', clock.now(), '')
  } catch (err) {
    const attempts = notice.attempts + 1
    log.warn({ err, notice: id, type, attempts }, 'a notice was not delivered')
    const isLast = attempts >= ATTEMPTS_MAX || retryableOf(err) === false
    if (isLast) await table.end(id, 'given-up', clock.now(), errorText(err))
    else await table.postpone(id, errorText(err), clock.now() + retryAfterMs(attempts))
  }
}

async function send(
  options: DeliveryOptions,
  notice: StoredNotice,
  recipient: Exclude<Recipient, { channel: 'none' }>,
): Promise<void> {
  const text = (recipient.language === 'en' ? notice.english : null) ?? notice
  if (recipient.channel === 'email') {
    const systemName = options.options.current().text('SystemName')
    return options.mailer.send({
      ...noticeMail(text, { ...recipient, systemName }),
      id: idempotencyKey(notice),
    })
  }
  const { title, content, values } = text
  const { type, happenedAt } = notice
  const posted = { type, title, content, values, happenedAt }
  await sendWebhook(options, { ...posted, idempotencyKey: idempotencyKey(notice) }, recipient)
}

/** The same for every attempt, and for no other notice of any installation. */
const idempotencyKey = ({ causationId, type, userId }: StoredNotice): string =>
  `${causationId}.${type}.${userId}`.replaceAll(/[^\w.-]/g, '-')

const retryAfterMs = (attempts: number): number =>
  backOffMs(attempts, { firstMs: RETRY_FIRST_MS, mostMs: RETRY_LAST_MS })
