import { channelId, requestId } from '@tollgate/domain/ids.ts'
import { NO_USAGE } from '@tollgate/domain/pricing/usage.ts'
import { bareAttempt, UNTOLD } from '@tollgate/domain/account/request-facts.ts'
import type { ChargedUsage } from '@tollgate/domain/account/events.ts'

/** A small charged request by this id, for tests that are not about what it says. */
export const exampleUsage = (id: string, more: Partial<ChargedUsage> = {}): ChargedUsage => ({
  id: requestId(id),
  channel: channelId(1),
  model: 'gpt-4o',
  upstreamModel: 'gpt-4o',
  group: 'default',
  endpoint: '/v1/chat/completions',
  usage: NO_USAGE,
  price: {
    by: 'call',
    bookRevision: -1,
    callPrice: '0.1',
    groupRatio: '1',
    quotaPerUnit: '500000',
  },
  stream: false,
  startedAt: 0,
  firstByteMs: null,
  durationMs: 1,
  admittedAt: 0,
  attempts: [bareAttempt(channelId(1))],
  upstream: UNTOLD,
  estimated: false,
  cancelled: false,
  cutShort: false,
  reasoningEffort: null,
  ...more,
})
