import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pythonEnvironment, pythonPath } from '../support/python.ts'
import { openRelayFixture } from '../support/relay/relay-fixture.ts'
import { eventually, KEY } from '../support/relay/relay-under-test.ts'

/**
 * A stream without `alt=sse` is one JSON list. The current SDKs ask for events; Google's generated client reads the list
 * item by item when it speaks REST.
 */
const { relay, streams } = await openRelayFixture()

/** Of `tests/conformance/python/requirements/google-list.txt`. */
const PACKAGES = 'google-list'
const CLIENT = fileURLToPath(new URL('python/google_list.py', import.meta.url))
const MODEL = 'gemini-2.5-flash'
const STREAM = readFileSync(
  new URL('../support/fixtures/gemini/function-calls.sse', import.meta.url),
  'utf8',
)

test.skipIf(pythonPath() === undefined)(
  'given Googles client over REST, when streamed, then items come at once and lists end charged',
  async () => {
    const [first] = relay.directory.channels.values()
    relay.directory.channels.clear()
    relay.directory.add(1, { type: 24, models: [MODEL], baseUrl: first?.baseUrl ?? '' })
    relay.directory.set({ ModelRatio: JSON.stringify({ [MODEL]: 1 }) })
    streams(STREAM)
    const journal = Promise.withResolvers<void>()
    relay.holds.journal = journal.promise
    const asked = [CLIENT, new URL(relay.url).host, `sk-${KEY}`, MODEL]
    const env = pythonEnvironment(PACKAGES)
    const child = spawn(pythonPath() ?? '', asked, { env, stdio: ['ignore', 'pipe', 'inherit'] })
    const seen: unknown[] = []
    const lines = createInterface({ input: child.stdout })
    lines.on('line', (line) => seen.push(JSON.parse(line)))
    const ended = Promise.all([once(child, 'exit'), once(lines, 'close')])
    const begun = [
      ['FINISH_REASON_UNSPECIFIED', 'I look it up.', expect.any(Number)],
      ['FINISH_REASON_UNSPECIFIED', '', 12],
    ]
    await eventually(() => relay.holds.settled.length === 1 && seen.length === begun.length)
    expect(seen).toEqual(begun)
    journal.resolve()
    expect((await ended)[0]).toEqual([0, null])
    expect(seen).toEqual([...begun, ['STOP', expect.any(String), 20], 'end'])
    expect(relay.holds.settled).toMatchObject([
      { request: { usage: { textIn: 80, textOut: 20 }, estimated: false } },
    ])
  },
)
