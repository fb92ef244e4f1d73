import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { SMALL_CHAT, type Target } from './http-load.ts'

const ASK_AGAIN_MS = 20
/** A target that has not recovered by then has not recovered. */
const SERVED_WITHIN_MS = 90_000
/** A relay that waits for an owner answers sooner, with 503 at the latest. */
const ANSWERED_WITHIN_MS = 30_000

/** Asks for a small chat, again and again, until it is served; when that was, as `performance.now()` tells. */
export async function askUntilServed(target: Target): Promise<number> {
  const deadline = performance.now() + SERVED_WITHIN_MS
  let last = 'nothing was asked'
  while (performance.now() < deadline) {
    last = await answerOf(target)
    if (last === '200') return performance.now()
    await sleep(ASK_AGAIN_MS)
  }
  throw new Error(`${target.url} did not serve again; the last answer was ${last}`)
}

/** The status, or why there was none: a process that was killed refuses connections. */
async function answerOf({ url, key }: Target): Promise<string> {
  try {
    const answer = await request(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: SMALL_CHAT,
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    })
    await answer.body.arrayBuffer()
    return String(answer.statusCode)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
