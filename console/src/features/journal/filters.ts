import type { Query } from '../../core/api.ts'
import type { Filters, ListSearch } from '../../parts/list/filters.ts'
import { listQuery, listSearchReader } from '../../parts/list/filters.ts'
import { LEDGER_ACCOUNTS } from '../../parts/ledger-accounts.ts'

/** Events that move quota. */
export const POSTED_TYPES = [
  'QuotaCredited',
  'QuotaDebited',
  'QuotaHeld',
  'HoldExtended',
  'HoldReduced',
  'HoldReleased',
  'HoldExpired',
  'UsageCharged',
  'UsageRefunded',
  'AffiliateRewardEarned',
  'AffiliateQuotaTransferred',
] as const
/** The filters of the journal. */
export const JOURNAL_FILTERS = {
  range: { kind: 'range', label: 'audit.time' },
  account: {
    kind: 'one',
    label: 'audit.account',
    options: [
      { value: '', label: 'audit.allAccounts' },
      ...LEDGER_ACCOUNTS.map(
        (account) => ({ value: account, label: `audit.account_${account}` }) as const,
      ),
    ],
  },
  type: {
    kind: 'one',
    label: 'audit.type',
    options: [
      { value: '', label: 'audit.allTypes' },
      ...POSTED_TYPES.map((type) => ({ value: type, label: `audit.type_${type}` }) as const),
    ],
  },
  user: { kind: 'userId', label: 'audit.user', api: 'user_id' },
  model: { kind: 'model', label: 'audit.model' },
  channel: { kind: 'channel', label: 'audit.channel' },
  token: { kind: 'count', label: 'audit.token' },
  actor: { kind: 'words', label: 'audit.actor', help: 'audit.actorHelp' },
  min: { kind: 'amount', label: 'audit.min' },
  max: { kind: 'amount', label: 'audit.max' },
  request: { kind: 'words', label: 'audit.request', api: 'request_id' },
  fromPosition: { kind: 'count', label: 'audit.fromPosition', api: 'from_position' },
  toPosition: { kind: 'count', label: 'audit.toPosition', api: 'to_position' },
} as const satisfies Filters

/** The journal's address. */
export type JournalSearch = ListSearch<typeof JOURNAL_FILTERS>

/** Reads the address; odd values are left out. */
export const parseJournalSearch = listSearchReader(JOURNAL_FILTERS)

/** The filters as the API names them: times in milliseconds, the end exclusive. */
export function journalQueryOf(search: JournalSearch): Query {
  const {
    start_timestamp: start,
    end_timestamp: end,
    ...query
  } = listQuery(JOURNAL_FILTERS, search, { isAdmin: true, nowSeconds: Date.now() / 1000 })
  return {
    ...query,
    from: typeof start === 'number' ? start * 1000 : undefined,
    to: typeof end === 'number' ? (end + 1) * 1000 : undefined,
  }
}
