import { exampleTimelines } from '../support/example-timelines.ts'
import { AccountLedger } from '@tollgate/command-api/accounts/account-ledger.ts'
import { userId } from '@tollgate/domain/ids.ts'
import {
  systemClock as clock,
  systemRandomness as randomness,
} from '@tollgate/infra/processes/runtime.ts'
import { type EmbeddedLog, withEmbeddedLog } from './embedded-log.ts'
import type { Figure } from './figures.ts'
import { fraction, whole } from './figures.ts'
import { writeLongAccount } from './long-account.ts'
import { percentile } from './percentiles.ts'
import { scaled } from './scale.ts'

const ACCOUNT = userId(1)
const EVENTS = 1_000_000
const LOADS = 50
const TARGET_MS = 50

/**
 * How long a ledger that does not know an account takes until it can decide on it. The account ends just before its
 * balance would be carried forward again, so every load reads as far back as any has to.
 */
export const coldLoadFigures = (say: (line: string) => void): Promise<Figure[]> =>
  withEmbeddedLog(async (log) => {
    const wanted = scaled(EVENTS)
    say(`cold load: writing an account of ${whole(wanted)} events`)
    const account = await writeLongAccount(log, ACCOUNT, wanted)
    say('cold load: loading it')
    await load(log, account.charged)
    const samples: number[] = []
    while (samples.length < LOADS) samples.push(await load(log, account.charged))
    const worst = Math.max(...samples)
    return [
      {
        what: `cold load of an account with ${whole(account.events)} events, ${account.sinceCarried} since its balance`,
        measured: `${fraction(worst)} ms at most of ${LOADS}, p50 ${fraction(percentile(samples, 50))} ms`,
        target: `< ${TARGET_MS} ms`,
        isReached: worst < TARGET_MS,
      },
    ]
  })

/** Milliseconds until a new ledger has answered its first question about the account. */
async function load({ store }: EmbeddedLog, charged: number): Promise<number> {
  const ledger = new AccountLedger({ timelines: exampleTimelines, store, clock, randomness })
  const startedAt = performance.now()
  const used = await ledger.inspect(ACCOUNT, ({ usedQuota }) => usedQuota)
  const elapsedMs = performance.now() - startedAt
  ledger.stop()
  if (used !== charged) throw new Error(`the account has used ${used}, not ${charged}`)
  return elapsedMs
}
