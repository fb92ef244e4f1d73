import { z } from 'zod'
import { type Drive, driveHistory } from '../drive.ts'
import type { SeededData } from '../seed-data.ts'
import type { PlannedRequest } from '../history.ts'
import { CHANNELS, DYING_KEY } from '../people.ts'

const ROUNDS_MAX = 12
const PER_ROUND = 8
const MINUTE_MS = 60_000
const ENABLED = 1

const channels = z.array(z.object({ id: z.number(), status: z.number() }))

/** Sends requests while a provider's key is withdrawn, until Tollgate has switched that key's channel off. */
export async function failChannel(
  at: number,
  drive: Omit<Drive, 'history' | 'furnished' | 'onProgress'> & { readonly seeded: SeededData },
): Promise<void> {
  const { seeded, signal } = drive
  const id = seeded.channelIds[CHANNELS.findIndex(({ key }) => key === DYING_KEY)]
  for (let round = 0; round < ROUNDS_MAX && !signal.aborted; round += 1) {
    const history = Array.from({ length: PER_ROUND }, (_, index) =>
      requestAt(at + round * MINUTE_MS + index * 1_000),
    )
    await driveHistory({ ...drive, history, keyDiesAt: 0, onProgress: () => undefined })
    const rows = await seeded.root().ask('GET', '/api/channel/?p=0&page_size=50', channels)
    if (rows.some((row) => row.id === id && row.status !== ENABLED)) return
  }
}

const requestAt = (at: number): PlannedRequest => ({
  at,
  username: 'mei.lin',
  token: 'support-bot',
  model: 'gpt-4o-mini',
  stream: true,
  promptTokens: 420,
  answerTokens: 60,
  firstByteMs: 450,
  perTokenMs: 9,
  failure: null,
})
