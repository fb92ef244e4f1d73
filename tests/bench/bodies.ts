import { gzipSync } from 'node:zlib'
import { CHAT } from '@tollgate/relay/protocols/openai/request.ts'
import { isRefusal } from '@tollgate/relay/refusal.ts'
import { sensitiveWords } from '@tollgate/relay/sensitive-words/sensitive-words.ts'
import { makeWordCheck } from '@tollgate/relay/sensitive-words/word-check.ts'
import { BodyReader } from '@tollgate/relay/uploads/body-reader.ts'
import type { BodyBytes } from '@tollgate/relay/uploads/read-body.ts'
import type { Upload } from '@tollgate/relay/uploads/uploads.ts'
import { attackText } from '../attacks/attack-texts.ts'
import { withLongestTurn } from '../support/longest-turn.ts'
import { type Figure, fraction } from './figures.ts'

const MIB = 1024 * 1024
const BODY_MIB = 30
const BODY_BYTES_MAX = 32 * MIB
/** The worst counts; the code is compiled in those before. */
const ROUNDS = 5
const WARM_UP_ROUNDS = 2
const STALL_MS_MAX = 20
const WORDS_MS_PER_MIB_MAX = 50

/**
 * The cost of long bodies: processor time of looking for a thousand words, and the longest that the serving thread is
 * held (its processor time in one turn of the event loop) while a body of 30 MiB is read and looked through, beside a
 * bare JSON.parse of the same bytes on the same thread.
 */
export async function bodiesFigures(say: (line: string) => void): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const [name, list] of Object.entries(wordLists())) {
    say(`bodies: ${name}`)
    figures.push(wordsFigure(name, list))
  }
  say(`bodies: ${BODY_MIB} MiB`)
  const json = Buffer.from(chatOf(Array.from({ length: 15 }, () => longText(2 * MIB))))
  const bareMs = worst(await rounds(async () => cpuMsOf(() => JSON.parse(json.toString()))))
  figures.push(
    stallFigure(`${BODY_MIB} MiB read`, await readingStallMs(json, null), bareMs),
    stallFigure(`${BODY_MIB} MiB looked through for 1,000 words`, await wordsStallMs(json), bareMs),
  )
  say('bodies: gzip')
  for (const bytes of [32 * 1024, 300 * 1024]) {
    const text = compressible(bytes * 80)
    const zipped = gzipSync(chatOf([text]))
    const from = `${fraction(zipped.length / 1024)} KiB of gzip (${fraction(text.length / MIB)} MiB)`
    const parsedMs = worst(await rounds(async () => cpuMsOf(() => JSON.parse(chatOf([text])))))
    figures.push(stallFigure(`${from} read`, await readingStallMs(zipped, 'gzip'), parsedMs))
  }
  return figures
}

const letters = (): string => attackText('random letters', 16_000)

/** A thousand words of each kind; none is in the texts, so that all of a text is looked through. */
function wordLists(): Readonly<Record<string, readonly string[]>> {
  const text = letters()
  const at = (index: number): string => text.slice(index * 16, index * 16 + 6 + (index % 10))
  return {
    '1,000 random words': Array.from({ length: 1_000 }, (_, index) => `${at(index)}_`),
    '1,000 words that begin alike': Array.from(
      { length: 1_000 },
      (_, index) => `${'a'.repeat((index % 90) + 2)}_${index}`,
    ),
  }
}

function wordsFigure(name: string, list: readonly string[]): Figure {
  const words = sensitiveWords(list)
  const texts = [letters().repeat(66).slice(0, MIB), 'a'.repeat(MIB)]
  const msPerMib = Math.max(
    ...texts.map((text) =>
      worst(
        Array.from({ length: ROUNDS + WARM_UP_ROUNDS }, () =>
          cpuMsOf(() => {
            if (words.areIn([text])) throw new Error('no word is in the text')
          }),
        ),
      ),
    ),
  )
  return {
    what: `${name} looked for, processor time`,
    measured: `${fraction(msPerMib)} ms/MiB`,
    target: `< ${WORDS_MS_PER_MIB_MAX} ms/MiB`,
    isReached: msPerMib < WORDS_MS_PER_MIB_MAX,
  }
}

const stallFigure = (what: string, stallMs: number, bareMs: number): Figure => ({
  what: `longest turn of the serving thread, ${what}`,
  measured: `${fraction(stallMs)} ms = ${fraction(stallMs / bareMs)} × bare JSON.parse (${fraction(bareMs)} ms)`,
  target: `≤ ${STALL_MS_MAX} ms`,
  isReached: stallMs <= STALL_MS_MAX,
})

async function readingStallMs(body: Buffer, encoding: BodyBytes['encoding']): Promise<number> {
  const reader = new BodyReader()
  try {
    return worst(
      await rounds(async () => {
        // A body that is read in a thread is handed over to it.
        const bytes = { parts: [Uint8Array.from(body)], encoding, bytesMax: BODY_BYTES_MAX }
        const { result, longestTurnMs } = await withLongestTurn(() =>
          reader.read(CHAT, bytes, BOUNDLESS),
        )
        if (isRefusal(result)) throw new Error(`the body was refused: ${result.message}`)
        return longestTurnMs
      }),
    )
  } finally {
    await reader.close()
  }
}

async function wordsStallMs(body: Buffer): Promise<number> {
  const reader = new BodyReader()
  const check = makeWordCheck()
  const words = sensitiveWords(Object.values(wordLists())[0] ?? [])
  try {
    return worst(
      await rounds(async () => {
        const bytes = {
          parts: [Uint8Array.from(body)],
          encoding: null,
          bytesMax: BODY_BYTES_MAX,
        }
        const request = await reader.read(CHAT, bytes, BOUNDLESS)
        if (isRefusal(request)) throw new Error(`the body was refused: ${request.message}`)
        const { result, longestTurnMs } = await withLongestTurn(async () =>
          check.finds(words, request),
        )
        if (result) throw new Error('no word is in the body')
        return longestTurnMs
      }),
    )
  } finally {
    await check.close()
    await reader.close()
  }
}

/** Uploads are not what is measured. */
const BOUNDLESS: Upload = {
  receive: () => Promise.resolve({ status: 'aborted' }),
  take: () => true,
  give: () => undefined,
  abort: () => undefined,
  end: () => undefined,
}

async function rounds(measure: () => Promise<number>): Promise<readonly number[]> {
  const measured: number[] = []
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round++) measured.push(await measure())
  return measured
}

const worst = (measured: readonly number[]): number => Math.max(...measured.slice(WARM_UP_ROUNDS))

function cpuMsOf(work: () => unknown): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

const chatOf = (contents: readonly string[]): string =>
  JSON.stringify({
    model: 'gpt-4o-mini',
    messages: contents.map((content) => ({ role: 'user', content })),
  })

const longText = (length: number): string => attackText('letters of both cases', length)

/** A text that gzip makes some 80 times smaller: below the ratio at which bodies are refused. */
const compressible = (length: number): string =>
  longText(Math.ceil(length / 62)).padEnd(length, 'a')
