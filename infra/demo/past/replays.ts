import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { ConsoleSession } from '../console-session.ts'

const LOOK_MS = 200
const told = z.object({ id: z.string(), status: z.string() })
const BY = ['model', 'user', 'group', 'token', 'channel'] as const

/** Replays the two finished months: the second as it was charged, and both at the prices of now. */
export async function replayLastMonths(
  root: ConsoleSession,
  from: number,
  signal: AbortSignal,
): Promise<void> {
  const start = new Date(from)
  const monthAt = (index: number): number =>
    Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + index, 1)
  const nameOf = (at: number): string => new Date(at).toISOString().slice(0, 7)
  await replay(root, signal, {
    name: `${nameOf(monthAt(1))}, as charged`,
    from: monthAt(1),
    to: monthAt(2),
    prices: 'as-charged',
  })
  await replay(root, signal, {
    name: `${nameOf(from)} to ${nameOf(monthAt(1))} at today's prices`,
    from,
    to: monthAt(2),
    prices: 'today',
  })
}

async function replay(root: ConsoleSession, signal: AbortSignal, asked: object): Promise<void> {
  const { id } = await root.ask('POST', '/api/replays', told, { ...asked, by: BY })
  for (;;) {
    const { status } = await root.ask('GET', `/api/replays/${id}`, told)
    if (signal.aborted || (status !== 'queued' && status !== 'running')) return
    await sleep(LOOK_MS)
  }
}
