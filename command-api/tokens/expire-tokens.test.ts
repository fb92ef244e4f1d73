import type { AccountCommand } from '@tollgate/domain/account/commands.ts'
import { expect, test } from 'vitest'
import type { CommandOutcome } from '../accounts/account-ledger.ts'
import { expireTokens } from './expire-tokens.ts'

test('given tokens whose time is up, when they are swept, then each account is asked to expire its own', async () => {
  const asked: [number, AccountCommand][] = []
  const ledger = {
    execute: (account: number, command: AccountCommand): Promise<CommandOutcome> => {
      asked.push([account, command])
      return Promise.resolve(
        account === 2
          ? { status: 'rejected', rejection: { reason: 'token-unknown' } }
          : { status: 'done', position: 1, events: [] },
      )
    },
  }
  const due = [
    { userId: 1, tokenId: 10 },
    { userId: 2, tokenId: 20 },
  ]
  const count = await expireTokens({ ledger, dueTokens: () => Promise.resolve(due) })
  expect(count).toBe(1)
  expect(asked).toEqual([
    [1, { type: 'ExpireToken', token: 10 }],
    [2, { type: 'ExpireToken', token: 20 }],
  ])
})
