import { z } from 'zod'
import { queryInstant, queryInt, queryText } from '../http/query.ts'
import { type JournalFilter, LEDGER_ACCOUNTS } from './journal-filter.ts'

const accountProblem = `参数 account 无效，应为 ${LEDGER_ACCOUNTS.join('、')}，个人科目可加用户编号，如 wallet:12`

/** Such as `wallet`, or `wallet:12`; '' = all. */
function isAccount(account: string): boolean {
  const [kind = '', owner] = account.split(':')
  return (
    account === '' ||
    (LEDGER_ACCOUNTS.some((known) => known === kind) &&
      (owner === undefined || /^\d{1,15}$/.test(owner)))
  )
}

/** Conditions on postings, as the query of an address has them. */
export const filterQuery = z.object({
  account: queryText()
    .refine(isAccount, accountProblem)
    .meta({
      description: `Ledger account on either side, of one user as wallet:12; empty = any. One of ${LEDGER_ACCOUNTS.join(', ')}`,
      pattern: `^((${LEDGER_ACCOUNTS.join('|')})(:\\d{1,15})?)?$`,
    }),
  user_id: queryInt().describe('Postings of this user; 0 = of all. An id in account goes first'),
  type: queryText().describe('Type of the event, such as UsageCharged; empty = any'),
  actor: queryText().describe('Cause of the event: user:<id>, relay:<id> or system; empty = any'),
  min: queryInt().describe('Amounts from this on, in quota; 0 = any'),
  max: queryInt().describe('Amounts up to and with this, in quota; 0 = any'),
  token: queryInt().describe('Postings of the token with this id; 0 = of all'),
  channel: queryInt().describe('Postings of the channel with this id; 0 = of all'),
  model: queryText().describe('Postings for exactly this model; empty = for all'),
  request_id: queryText().describe('Postings of the request with this id; empty = of all'),
  from_position: queryInt().describe('Events from this position of the log on; 0 = from the first'),
  to_position: queryInt().describe(
    'Events up to and with this position of the log; 0 = up to the last',
  ),
  from: queryInstant(
    'from',
    'Postings from here on, by their effective time; absent = from the first',
  ),
  to: queryInstant('to', 'Postings before this, by their effective time; absent = up to the last'),
})
export type FilterQuery = z.output<typeof filterQuery>

/** The conditions that a query has. */
export function filterOf(query: FilterQuery): JournalFilter {
  const [kind = '', owner] = query.account.split(':')
  const userId = owner === undefined ? query.user_id : Number(owner)
  const given: Readonly<Record<keyof JournalFilter, string | number | null>> = {
    account: kind,
    userId,
    type: query.type,
    actor: query.actor,
    min: query.min,
    max: query.max,
    tokenId: query.token,
    channel: query.channel,
    model: query.model,
    requestId: query.request_id,
    fromPosition: query.from_position,
    toPosition: query.to_position,
    from: query.from,
    to: query.to,
  }
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) =>
        value !== null && value !== '' && (value !== 0 || name === 'from' || name === 'to'),
    ),
  )
}
