import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { Pool } from 'undici'

/** Where to send requests and as whom. */
export interface Target {
  readonly url: string
  readonly key: string
}

/** Chat completions a second that a gateway serves to 64 connections that never pause. Fails when any is refused. */
export async function throughput(target: Target, durationSeconds: number): Promise<number> {
  const result = await autocannon({
    url: `${target.url}/v1/chat/completions`,
    method: 'POST',
    headers: headersFor(target),
    body: body('gpt-4o-mini', false),
    connections: 64,
    duration: durationSeconds,
  })
  const refused = result.non2xx + result.errors
  if (refused > 0) throw new Error(`${refused} requests failed under load at ${target.url}`)
  return result['2xx'] / result.duration
}

/** Milliseconds that each request took, sent at an even rate whether or not earlier ones are answered. */
export async function latencies(
  target: Target,
  load: { readonly perSecond: number; readonly durationSeconds: number },
): Promise<number[]> {
  const pool = new Pool(target.url, { connections: 128 })
  const samples: number[] = []
  const running: Promise<void>[] = []
  const total = load.perSecond * load.durationSeconds
  const startedAt = performance.now()
  for (let sent = 0; sent < total; sent++) {
    const dueAt = startedAt + (sent * 1000) / load.perSecond
    const early = dueAt - performance.now()
    // Timers count whole milliseconds; what is due within one is sent now.
    if (early > 1) await sleep(early)
    running.push(timed(pool, target).then((elapsedMs) => void samples.push(elapsedMs)))
  }
  await Promise.all(running)
  await pool.close()
  return samples
}

/** The times that the readers of many streams measured. */
export interface StreamTimes {
  /** Milliseconds from request to first content. */
  readonly firstMs: number[]
  /** Milliseconds between one piece of the stream and the next. */
  readonly gapMs: number[]
}

/** Keeps `streams` streams open for a while, each reader starting another when one ends. */
export async function streamTimes(
  target: Target,
  load: { readonly streams: number; readonly durationSeconds: number },
): Promise<StreamTimes> {
  const pool = new Pool(target.url, { connections: load.streams })
  const times: StreamTimes = { firstMs: [], gapMs: [] }
  const until = performance.now() + load.durationSeconds * 1000
  const reader = async (index: number): Promise<void> => {
    // Readers begin spread over one answer's length, so that words do not all fall due in the same millisecond.
    await sleep(index * 3)
    while (performance.now() < until) await readStream(pool, target, times)
  }
  await Promise.all(Array.from({ length: load.streams }, (_, index) => reader(index)))
  await pool.close()
  return times
}

async function readStream(pool: Pool, target: Target, times: StreamTimes): Promise<void> {
  const startedAt = performance.now()
  const answer = await post(pool, target, body('gpt-4o', true))
  let last = 0
  let seenAt = 0
  for await (const part of answer.body) {
    const now = performance.now()
    if (seenAt === 0) times.firstMs.push(now - startedAt)
    else if (!(part as Buffer).includes('[DONE]')) times.gapMs.push(now - last)
    seenAt ||= now
    last = now
  }
}

async function timed(pool: Pool, target: Target): Promise<number> {
  const startedAt = performance.now()
  const answer = await post(pool, target, body('gpt-4o-mini', false))
  await answer.body.arrayBuffer()
  return performance.now() - startedAt
}

async function post(pool: Pool, target: Target, text: string) {
  const answer = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: headersFor(target),
    body: text,
  })
  if (answer.statusCode !== 200) {
    throw new Error(`${target.url} answered ${answer.statusCode}: ${await answer.body.text()}`)
  }
  return answer
}

const headersFor = (target: Target): Record<string, string> => ({
  'content-type': 'application/json',
  authorization: `Bearer ${target.key}`,
})

/** A small chat of the kind that assistants send. */
const body = (model: string, stream: boolean): string =>
  JSON.stringify({
    model,
    stream,
    max_tokens: 64,
    messages: [
      { role: 'system', content: 'You answer in one sentence.' },
      { role: 'user', content: 'What is the difference between a ledger and a balance?' },
    ],
  })

/** Answered at once by the stand-in. */
export const SMALL_CHAT = body('gpt-4o-mini', false)
