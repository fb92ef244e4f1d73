import type { ModelRequest } from '@tollgate/relay/protocols/model-request.ts'
import { CHAT, readRequest } from '@tollgate/relay/protocols/openai/request.ts'
import { sensitiveWords } from '@tollgate/relay/sensitive-words/sensitive-words.ts'
import { makeWordCheck } from '@tollgate/relay/sensitive-words/word-check.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { attackText } from './attack-texts.ts'

/** 1,000 words and a prompt of 30 MiB held the process for 39 s. */
const check = makeWordCheck()
afterAll(() => check.close())

const letters = attackText('random letters', 16_000)
const THOUSAND = Array.from(
  { length: 1_000 },
  (_, at) => `${letters.slice(at * 16, at * 16 + 6 + (at % 10))}a`,
)
const han = attackText('Chinese characters', 4_000)
const THOUSAND_CHINESE = Array.from({ length: 1_000 }, (_, at) => han.slice(at * 4, at * 4 + 4))
/** Each begins as the text does and ends otherwise: the most that an automaton has to fall back. */
const THOUSAND_ALIKE = Array.from(
  { length: 1_000 },
  (_, at) => `${'a'.repeat((at % 90) + 2)}b${at}`,
)

const request = (contents: readonly string[]): ModelRequest => {
  const messages = contents.map((content) => ({ role: 'user', content }))
  const read = readRequest(CHAT, Buffer.from(JSON.stringify({ model: 'gpt-4', messages })))
  if ('refused' in read) throw new Error(read.message)
  return read
}

/** 50 ms of CPU per MiB are asked for; ten times as much where tests share the machine. */
const CPU_MS_PER_MIB_MAX = 500
/** CPU of the serving thread for two bodies of 30 and 2 MiB, which it copies: 30 ms; looked through here, 1,500. */
const SERVING_CPU_MS_MAX = 400

describe.each([
  ['random words', THOUSAND],
  ['Chinese words', THOUSAND_CHINESE],
  ['words that begin alike', THOUSAND_ALIKE],
])('given a thousand %s', (_, list) => {
  test.each(['random letters', 'Chinese characters', 'one letter', 'spaces'] as const)(
    'when a MiB of text is looked through (%s), then in little CPU',
    (name) => {
      const words = sensitiveWords(list)
      const text = attackText(name, name === 'Chinese characters' ? 350_000 : 1_048_576)
      const before = process.cpuUsage()
      words.areIn([text])
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(CPU_MS_PER_MIB_MAX)
    },
  )

  test('when a prompt of 30 MiB is looked through, then the serving thread goes on', async () => {
    const piece = attackText('random letters', 2_000_000)
    // Every word has an a, or a digit.
    const without = piece.replaceAll('a', '.')
    const clean = request(Array.from({ length: 15 }, () => without))
    const dirty = request([
      ...Array.from({ length: 15 }, () => ''),
      `${piece} ${list[700]}`.toUpperCase(),
    ])
    const words = sensitiveWords(list)
    const before = process.threadCpuUsage()
    const [isCleanFound, isDirtyFound] = await Promise.all([
      check.finds(words, clean),
      check.finds(words, dirty),
    ])
    const { user, system } = process.threadCpuUsage(before)
    expect([isCleanFound, isDirtyFound]).toEqual([false, true])
    expect((user + system) / 1_000).toBeLessThan(SERVING_CPU_MS_MAX)
  })
})
