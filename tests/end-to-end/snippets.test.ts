import {
  type FakeUpstream,
  KEY,
  type RelayUnderTest,
  startAfresh,
  startRelay,
  startUpstream,
} from '../support/relay/relay-under-test.ts'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { pythonPath } from '../support/python.ts'

/** The examples of README.md and docs/clients.md, run as they stand there by the vendors' current SDKs. */
let relay: RelayUnderTest
let upstream: FakeUpstream

const ANSWER = 'Grüezi from upstream'
const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_764_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
}
const CHUNKS = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: ANSWER }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: CHAT.usage },
].map((chunk) => ({ ...CHAT, object: 'chat.completion.chunk', usage: null, ...chunk }))

beforeAll(async () => {
  relay = await startRelay()
  upstream = await startUpstream()
})
afterAll(async () => {
  await relay.close()
  await upstream.close()
})
beforeEach(() => {
  startAfresh(relay, upstream)
  relay.directory.set({ ModelRatio: JSON.stringify({ 'gpt-4o-mini': 1 }) })
  // A provider that chats and has no Responses of its own.
  relay.directory.add(1, { type: 43, models: ['gpt-4o-mini'], baseUrl: upstream.url })
  upstream.behave((response, { text }) => {
    if (text.includes('"stream":true')) {
      const events = [...CHUNKS.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(events.map((event) => `data: ${event}\n\n`).join(''))
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CHAT))
    }
  })
})

interface Snippet {
  readonly where: string
  /** Line of its fence. */
  readonly line: number
  readonly language: string
  readonly code: string
}

const root = new URL('../../', import.meta.url)
const snippets: readonly Snippet[] = ['README.md', 'docs/clients.md'].flatMap((where) => {
  const page = readFileSync(new URL(where, root), 'utf8')
  return [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .map(({ index, 1: language = '', 2: code = '' }) => {
      const line = page.slice(0, index).split('\n').length
      return { where, line, language, code }
    })
    .filter(({ code }) => code.includes('sk-…'))
})

const run = promisify(execFile)
const python = pythonPath()
/** Where there is no Python, or its packages could not be had, its examples are skipped by name. */
const isRunnable = ({ language }: Snippet): boolean => language !== 'python' || python !== undefined
const COMMANDS: Readonly<Record<string, (code: string) => [string, readonly string[]]>> = {
  sh: (code) => ['bash', ['-c', code]],
  python: (code) => [python ?? 'python3', ['-c', code]],
  ts: (code) => [process.execPath, ['--input-type=module-typescript', '-e', code]],
}

test('the README has the first call for curl, TypeScript and Python', () => {
  const first = snippets.filter(({ where }) => where === 'README.md')
  expect(first.map(({ language }) => language)).toEqual(['sh', 'ts', 'python'])
})

test.for(snippets)(
  '$where, line $line ($language): the example prints the answer and is charged',
  async (snippet, { skip }) => {
    const { language, code } = snippet
    skip(!isRunnable(snippet), 'no Python with the vendors’ packages')
    const ready = code
      .replaceAll('sk-…', `sk-${KEY}`)
      .replaceAll('http://127.0.0.1:3000', relay.url)
    const command = COMMANDS[language]?.(ready)
    if (command === undefined) throw new Error(`no command runs ${language}`)
    const { stdout } = await run(...command, {
      cwd: fileURLToPath(new URL('tests/', root)),
      timeout: 50_000,
    })
    expect(stdout).toContain(ANSWER)
    expect(relay.holds.settled.map(({ request }) => request.usage)).toMatchObject([
      { textIn: 9, textOut: 4 },
    ])
  },
)
