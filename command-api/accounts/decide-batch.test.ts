import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import type { AccountEvent } from '@tollgate/domain/account/events.ts'
import { tokenId } from '@tollgate/domain/ids.ts'
import { quota } from '@tollgate/domain/quota.ts'
import { exampleTimelines } from '@tollgate/tests/support/example-timelines.ts'
import {
  account,
  at,
  chargeOf,
  credited,
  opened,
  stateAfter,
  terms,
} from '@tollgate/tests/support/account-history.ts'
import { expect, test } from 'vitest'
import { ProcessedCauses, type Deduplication } from './processed-causes.ts'
import type { CommandOutcome } from './command-outcome.ts'
import { decideBatch, type MailboxEntry } from './decide-batch.ts'
import { LateCharges } from './late-charges.ts'
import { NO_EVENTS } from './load-account.ts'
import { NO_PLACE, RecentCauses } from './recent-causes.ts'

const HISTORY: readonly AccountEvent[] = [opened, credited(1_000)]
const CREDIT: AccountCommand = {
  type: 'CreditQuota',
  amount: quota(5),
  source: 'grant',
  reason: '',
}
/** A tenth of a mebibyte. */
const MODELS = ['m'.repeat(104_858)]

interface Answered {
  outcome?: CommandOutcome
}

const entryOf = (
  command: AccountCommand,
  answered: Answered = {},
  causationId: string | null = null,
  deduplicateFrom: Deduplication | null = null,
): MailboxEntry => ({
  command,
  cause: { actor: 'system', correlationId: 'test', causationId },
  deduplicateFrom,
  deadline: null,
  resolve: (outcome) => void (answered.outcome = outcome),
  reject: () => undefined,
})

/** Decides mailbox entries on an account with 1,000 quota, and gives the answers. */
function decideAll(batch: readonly MailboxEntry[], caused = new ProcessedCauses()) {
  let ids = 0
  const decided = decideBatch(
    {
      state: stateAfter(HISTORY),
      head: { revision: HISTORY.length - 1, hash: '' },
      position: 1,
      at: 1,
      since: NO_EVENTS,
      causes: new RecentCauses(NO_PLACE),
    },
    batch,
    {
      account,
      at,
      randomness: { uuid: () => `id-${++ids}`, fraction: () => 0 },
      timelines: exampleTimelines,
      late: new LateCharges(exampleTimelines),
      caused,
    },
  )
  for (const answer of decided.answers) answer(9)
  return decided
}

test('given a command, when it is decided, then its outcome names the events as they will stand', () => {
  const answered: Answered = {}
  const { events, needsConfirming } = decideAll([entryOf(CREDIT), entryOf(CREDIT, answered)])
  expect(events.map(({ id, type }) => [id, type])).toEqual([
    ['id-1', 'QuotaCredited'],
    ['id-2', 'QuotaCredited'],
  ])
  expect(answered.outcome).toMatchObject({
    status: 'done',
    position: 9,
    events: [{ type: 'QuotaCredited', id: 'id-2', revision: 3 }],
  })
  expect(needsConfirming).toBe(false)
})

test('given events of half a mebibyte, when more is to be decided, then the rest is postponed', () => {
  const issue = (token: number): MailboxEntry =>
    entryOf({
      type: 'IssueToken',
      token: tokenId(token),
      remain: quota(1),
      ...terms,
      models: MODELS,
    })
  const batch = Array.from({ length: 8 }, (_, index) => issue(index + 1))
  const { events, postponed } = decideAll(batch)
  expect([events.length, postponed]).toEqual([5, batch.slice(5)])
})

test('given a question in between, when it is answered, then it saw what was decided before it', () => {
  const seen: number[] = []
  const look: MailboxEntry = {
    look: ({ posted }) => {
      const then: number = posted
      return () => void seen.push(then)
    },
    reject: () => undefined,
  }
  const { answers } = decideAll([entryOf(CREDIT), look, entryOf(CREDIT)])
  expect([seen, answers.length]).toEqual([[1_005], 3])
})

test('given a step that was taken before, when it is decided, then it is done without events', async () => {
  const causes = new RecentCauses(NO_PLACE)
  causes.note(
    { type: 'QuotaCredited', metadata: { causationId: 'step' } },
    { revision: 1, position: 1 },
  )
  const answered: Answered = {}
  const step = entryOf(CREDIT, answered, 'step', {})
  if ('look' in step) throw new TypeError('a step is a command')
  const caused = new ProcessedCauses()
  const unread = { readStream: () => Promise.reject(new Error('the stream was read')) }
  const head = { revision: 1, hash: '' }
  await caused.scan(unread as never, 'account-7', { head, causes }, step)
  expect(decideAll([step], caused).events).toEqual([])
  expect(answered.outcome).toEqual({ status: 'done', position: 9, events: [] })
})

test('given a charge of a hold that ended, when nobody has scanned for it, then it is postponed', () => {
  const answered: Answered = {}
  const charge = entryOf(chargeOf(5), answered)
  expect(decideAll([charge])).toMatchObject({ postponed: [charge], needsConfirming: false })
  expect(answered.outcome).toBeUndefined()
})

test('given a command that is refused, when it is decided, then the refusal is to be confirmed', () => {
  const answered: Answered = {}
  const debit = { type: 'DebitQuota', amount: quota(1_001), reason: '' } as const
  expect(decideAll([entryOf(debit, answered)])).toMatchObject({
    events: [],
    needsConfirming: true,
  })
  expect(answered.outcome).toMatchObject({ status: 'rejected' })
})

test('given what is so already, when it is asked for, then that it is so is to be confirmed', () => {
  const answered: Answered = {}
  const { events, needsConfirming } = decideAll([entryOf({ type: 'ResumeAccount' }, answered)])
  expect([events, needsConfirming]).toEqual([[], true])
  expect(answered.outcome).toEqual({ status: 'done', position: 9, events: [] })
})
