import { setTimeout as pause } from 'node:timers/promises'
import type OpenAI from 'openai'

/** One request as its client saw it. */
export interface Asked {
  /** Part of the prompt, by which upstream's record of the request is found. */
  readonly marker: string
  readonly model: string
  /** Tollgate's id of the request; '' when no answer came. */
  readonly id: string
  /** The whole answer was read. */
  readonly isFinished: boolean
  /** Why it was not finished, as the SDK says; '' for one that was. */
  readonly problem: string
  /** By the clock of `performance.now()`. */
  readonly begunAt: number
}

export interface Load {
  readonly asked: readonly Asked[]
  /** Ends after the requests under way. */
  stop(): Promise<void>
}

/** Longer than the relay itself waits for anything. */
const ANSWER_TIMEOUT_MS = 45_000
/** After a failure, so that a relay that is down is not all a client sees. */
const FAILURE_PAUSE_MS = 50

/**
 * Clients that ask one request after the other with the official SDK, every second one streamed, and remember what they
 * saw. `models` are asked for in turn.
 */
export function startLoad(
  openai: OpenAI,
  name: string,
  clients: number,
  models: readonly string[],
): Load {
  const asked: Asked[] = []
  let count = 0
  const stopping = new AbortController()
  async function client(): Promise<void> {
    while (!stopping.signal.aborted) {
      count += 1
      const marker = `chaos-${name}-${count}.`
      const model = models[count % models.length] ?? ''
      const begunAt = performance.now()
      const answer = await ask(openai, model, marker, count % 4 < 2)
      asked.push({ marker, model, ...answer, begunAt })
      if (!answer.isFinished) await pause(FAILURE_PAUSE_MS)
    }
  }
  const working = Promise.all(Array.from({ length: clients }, client))
  return {
    asked,
    async stop() {
      stopping.abort()
      await working
    },
  }
}

async function ask(
  openai: OpenAI,
  model: string,
  marker: string,
  isStreamed: boolean,
): Promise<Pick<Asked, 'id' | 'isFinished' | 'problem'>> {
  const body = { model, messages: [{ role: 'user' as const, content: marker }] }
  const options = { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) }
  let id = ''
  const note = (response: Response): void => {
    id = response.headers.get('x-oneapi-request-id') ?? ''
  }
  try {
    if (!isStreamed) {
      const { data, response } = await openai.chat.completions.create(body, options).withResponse()
      note(response)
      return finishedIf(id, data.choices.length > 0)
    }
    const { data, response } = await openai.chat.completions
      .create({ ...body, stream: true }, options)
      .withResponse()
    note(response)
    let hasEnded = false
    for await (const { choices } of data) hasEnded ||= choices[0]?.finish_reason === 'stop'
    return finishedIf(id, hasEnded)
  } catch (error) {
    // Refused, cut off or too late, for whatever reason chaos had: not finished.
    return { id, isFinished: false, problem: String(error) }
  }
}

const finishedIf = (id: string, isFinished: boolean) => ({
  id,
  isFinished,
  problem: isFinished ? '' : 'the answer broke off',
})
