import type { FastifyInstance } from 'fastify'
import type { DemoClock } from './demo-clock.ts'
import type { SeededData } from './seed-data.ts'
import type { PlannedRequest } from './history.ts'
import type { Provider } from './provider.ts'
import { openWindow } from './window.ts'

export interface Drive {
  readonly history: readonly PlannedRequest[]
  readonly clock: DemoClock
  /** The product's own server; requests enter it as they would from the network. */
  readonly http: FastifyInstance
  readonly seeded: Pick<SeededData, 'keys'>
  readonly provider: Provider
  /** How far into the history the dying key is withdrawn, 0 to 1. Default KEY_DIES_AT. */
  readonly keyDiesAt?: number
  readonly onProgress: (done: number) => void
  readonly signal: AbortSignal
}

/** Requests under way at once. */
const IN_FLIGHT = 24
/** How far into the history the dying key is withdrawn. */
const KEY_DIES_AT = 0.8

/** Sends the whole history through the relay, oldest first. */
export async function driveHistory(drive: Drive): Promise<void> {
  const { history, clock, signal, keyDiesAt = KEY_DIES_AT } = drive
  const waiting = history.entries()
  const windows = new Map<string, ReturnType<typeof openWindow>>()
  const inWindow = (plan: PlannedRequest): Promise<() => void> => {
    const own = windows.get(plan.username) ?? openWindow()
    windows.set(plan.username, own)
    return own(plan.at)
  }
  let done = 0
  const worker = async (): Promise<void> => {
    for (const [index, plan] of waiting) {
      if (signal.aborted) return
      const leave = await inWindow(plan)
      try {
        clock.advanceTo(plan.at)
        await send(drive, plan, index < keyDiesAt * history.length)
        drive.onProgress(++done)
      } finally {
        leave()
      }
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker))
}

/** One planned request on its own timeline. Refusals are part of a plausible past. */
async function send(
  { clock, http, seeded, provider }: Drive,
  plan: PlannedRequest,
  isDyingKeyValid: boolean,
): Promise<void> {
  const timeline = { at: plan.at, elapsedMs: 0 }
  const mark = provider.begin({ plan, timeline, isDyingKeyValid })
  const key = seeded.keys.get(`${plan.username}/${plan.token}`) ?? ''
  // An injection begins when it is awaited: that has to happen on the timeline too.
  await clock.within(timeline, async () => {
    await http.inject({
      method: 'POST',
      url: plan.answerTokens === 0 ? '/v1/embeddings' : '/v1/chat/completions',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      payload: bodyOf(plan, mark),
    })
  })
  provider.end(mark)
}

function bodyOf(plan: PlannedRequest, mark: string): string {
  // The stand-in counts a token for every four characters.
  const prompt = `${mark} ${FILLER.repeat(Math.ceil((plan.promptTokens * 4) / FILLER.length))}`
  if (plan.answerTokens === 0) return JSON.stringify({ model: plan.model, input: prompt })
  const limit = plan.model.startsWith('o3') ? 'max_completion_tokens' : 'max_tokens'
  return JSON.stringify({
    model: plan.model,
    stream: plan.stream,
    [limit]: plan.answerTokens,
    messages: [{ role: 'user', content: prompt }],
  })
}

const FILLER = 'Please go through the following and say what matters most. '
