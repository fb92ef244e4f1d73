import { legacyAdjustment, originOf } from '@tollgate/domain/account/adjustment.ts'
import { bareAttempt } from '@tollgate/domain/account/request-facts.ts'
import { type RequestWithPath, withAttempts } from '@tollgate/domain/account/request-with-path.ts'
import type { DomainEvent } from '@tollgate/domain/event.ts'
import { readRefundReason } from '@tollgate/domain/task/refund.ts'
import type { ChannelId } from '@tollgate/domain/ids.ts'
import { checkFit } from './schemas/fit.ts'

type Data = DomainEvent['data']

/** Lifts the data of one event type from one schema version to the next. */
export interface Upcaster {
  readonly type: string
  readonly fromVersion: number
  upcast(data: Data): Data
}

/** All upcasters of a process; see `createUpcasters`. */
export interface Upcasters {
  /**
   * Data in the newest version that can be reached, and which one that is. Unknown types pass untouched. Fails with
   * InvalidData for data that is not of the shape that its version has.
   */
  upcast(
    type: string,
    schemaVersion: number,
    data: Data,
  ): { readonly data: Data; readonly schemaVersion: number }
}

/**
 * Keys upcasters by (type, version); an event passes through as many as there are from its version on, once `check` has
 * found that its data is what its version has.
 */
export function createUpcasters(
  list: readonly Upcaster[],
  check: (type: string, schemaVersion: number, data: unknown) => void = () => undefined,
): Upcasters {
  const byTypeAndVersion = new Map<string, Upcaster>()
  for (const upcaster of list) {
    const key = keyOf(upcaster.type, upcaster.fromVersion)
    if (byTypeAndVersion.has(key)) throw new Error(`two upcasters for ${key}`)
    byTypeAndVersion.set(key, upcaster)
  }
  const typesWithHistory = new Set(list.map((upcaster) => upcaster.type))
  return {
    upcast(type, schemaVersion, data) {
      check(type, schemaVersion, data)
      if (!typesWithHistory.has(type)) return { data, schemaVersion }
      let version = schemaVersion
      let current = data
      for (;;) {
        const upcaster = byTypeAndVersion.get(keyOf(type, version))
        if (upcaster === undefined) return { data: current, schemaVersion: version }
        current = upcaster.upcast(current)
        version += 1
      }
    },
  }
}

/**
 * Every change that the shape of a stored event has ever gone through, one entry from each version to the next. Entries
 * stay for ever: the log keeps what was written. domain/README.md, "Changing an event", says how to add one.
 */
export const UPCASTERS: Upcasters = createUpcasters(
  [
    {
      type: 'BalanceCarriedForward',
      fromVersion: 1,
      // Version 1 did not carry what had caused the events before it.
      upcast: (data) => ({ ...data, causes: null }),
    },
    {
      type: 'ChannelAdded',
      fromVersion: 1,
      // Version 1 did not keep max_input_tokens.
      upcast: (data) => ({ ...data, maxInputTokens: 0 }),
    },
    {
      type: 'ChannelRevised',
      fromVersion: 1,
      // As ChannelAdded.
      upcast: (data) => ({ ...data, maxInputTokens: 0 }),
    },
    {
      type: 'HoldExpired',
      fromVersion: 1,
      // Version 1 did not say which messages had been accepted: late charges are looked up in the stream.
      upcast: (data) => ({ ...data, accepted: null }),
    },
    {
      type: 'HoldReleased',
      fromVersion: 1,
      // As HoldExpired.
      upcast: (data) => ({ ...data, accepted: null }),
    },
    {
      type: 'OptionChanged',
      fromVersion: 1,
      // Version 1 did not say why.
      upcast: (data) => ({ ...data, note: null }),
    },
    {
      type: 'QuotaCredited',
      fromVersion: 1,
      // Version 1 held the rendered text of an adjustment as the reason of a grant.
      upcast: (data) => {
        const { source, reason, ...rest } = data as Data & Record<'source' | 'reason', string>
        return { ...rest, ...originOf(source, reason) }
      },
    },
    {
      type: 'QuotaDebited',
      fromVersion: 1,
      // As QuotaCredited.
      upcast: (data) => {
        const { reason, ...rest } = data as Data & Record<'reason', string>
        return { ...rest, ...legacyAdjustment(reason) }
      },
    },
    {
      type: 'RequestFailed',
      fromVersion: 1,
      // Version 1 named the channel alone, whose type may have been changed since.
      upcast: (data) => ({ ...data, channelType: null }),
    },
    {
      type: 'RequestFailed',
      fromVersion: 2,
      // Failures that were not logged were not counted then.
      upcast: (data) => ({ ...data, suppressed: 0 }),
    },
    {
      type: 'RequestFailed',
      fromVersion: 3,
      // Version 3 did not say when a stream that failed had begun.
      upcast: (data) => ({ ...data, firstByteMs: null }),
    },
    {
      type: 'RequestFailed',
      fromVersion: 4,
      // Version 4 did not note how the client calls its request.
      upcast: (data) => data,
    },
    {
      type: 'RequestFailed',
      fromVersion: 5,
      // Version 5 named the channels tried.
      upcast: (data) => {
        const { path, ...failure } = data as Data & { readonly path: readonly ChannelId[] }
        return { ...failure, attempts: path.map(bareAttempt) }
      },
    },
    {
      type: 'TokenIssued',
      fromVersion: 1,
      // Version 1 held the addresses that it allowed: they are read as they are.
      upcast: (data) => data,
    },
    {
      type: 'TokenRevised',
      fromVersion: 1,
      // As TokenIssued.
      upcast: (data) => data,
    },
    {
      type: 'UsageCharged',
      fromVersion: 1,
      // Version 1 did not say when the request had ended; by the same clock that is its start and what it took.
      upcast: (data) => ({ ...data, endedAt: endOf(data) }),
    },
    {
      type: 'UsageCharged',
      fromVersion: 2,
      // Version 2 named the channels tried, and kept nothing of what upstream told.
      upcast: (data) => {
        const { request } = data as Data & { readonly request?: RequestWithPath }
        return request?.path === undefined ? data : { ...data, request: withAttempts(request) }
      },
    },
    {
      type: 'UsageCharged',
      fromVersion: 3,
      // Version 3 counted in fewer kinds: those that came since have no tokens in it.
      upcast: (data) => data,
    },
    {
      type: 'UsageCharged',
      fromVersion: 4,
      // As RequestFailed.
      upcast: (data) => data,
    },
    {
      type: 'UsageCharged',
      fromVersion: 5,
      // Version 5 did not note that thoughts were lost.
      upcast: (data) => data,
    },
    {
      type: 'UsageCharged',
      fromVersion: 6,
      // Version 6 had no factors of terms: none applied.
      upcast: (data) => data,
    },
    {
      type: 'UsageRefunded',
      fromVersion: 1,
      // Version 1 did not say which channel the charge had counted for, and no counter was lowered.
      upcast: (data) => ({ ...data, channel: null }),
    },
    {
      type: 'UsageRefunded',
      fromVersion: 2,
      // Version 2 named the failed task in a text.
      upcast: (data) => {
        const failed = readRefundReason((data as Data & Record<'reason', string>).reason)
        return failed === null ? data : { ...data, reason: '', failed }
      },
    },
    {
      type: 'UserRegistered',
      fromVersion: 1,
      // Nothing was paid for an invitation then.
      upcast: (data) => ({ ...data, invitation: null }),
    },
  ],
  checkFit,
)

function endOf(charged: Data): number {
  const { request, at } = charged as Data & {
    readonly request?: { readonly startedAt?: number; readonly durationMs?: number }
  }
  return Math.round((request?.startedAt ?? at) + (request?.durationMs ?? 0))
}

function keyOf(type: string, version: number): string {
  return `${type} version ${version}`
}
