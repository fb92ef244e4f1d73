import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { ConsoleClient } from '../support/console-client.ts'

export interface Code {
  readonly key: string
  /** Its stream in the log. */
  readonly stream: string
}

export interface Redeeming {
  /** Codes that a user was told to have redeemed. */
  readonly redeemed: readonly Code[]
  /** Ends after the one under way. */
  stop(): Promise<void>
}

const WORTH = 1_000
const PAUSE_MS = 200

export async function makeCodes(root: ConsoleClient, count: number): Promise<readonly Code[]> {
  await root.ask('POST', '/api/redemption/', z.array(z.string()), {
    name: 'chaos',
    quota: WORTH,
    count,
  })
  const listed = await root.ask(
    'GET',
    `/api/redemption/?p=1&page_size=${count}`,
    z.object({ items: z.array(z.object({ id: z.number(), key: z.string() })) }),
  )
  return listed.items.map(({ id, key }) => ({ key, stream: `redemption-${id}` }))
}

/** A user redeems codes one after the other, each tried once: what decides is one stream, what credits another. */
export function startRedeeming(user: ConsoleClient, codes: readonly Code[]): Redeeming {
  const redeemed: Code[] = []
  const stopping = new AbortController()
  async function work(): Promise<void> {
    for (const [index, code] of codes.entries()) {
      if (stopping.signal.aborted) return
      // From another address each time: few tries are let through from one.
      const address = { 'x-forwarded-for': `203.0.113.${index}` }
      const answer = await user
        .send('POST', '/api/user/topup', { key: code.key }, address)
        // Its process is down or was killed; whether the code was redeemed is not known.
        .catch(() => null)
      if (answer?.success === true) redeemed.push(code)
      await pause(PAUSE_MS)
    }
  }
  const working = work()
  return {
    redeemed,
    async stop() {
      stopping.abort()
      await working
    },
  }
}
